/** Logs of the field's allocation server, and of what stands beside it, as histories. */
@NullMarked
package dev.meshguard.server.log;

import org.jspecify.annotations.NullMarked;
