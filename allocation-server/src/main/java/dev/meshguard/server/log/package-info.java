/** Logs of tt-metal's allocation server, and of related tools, as histories. */
@NullMarked
package dev.meshguard.server.log;

import org.jspecify.annotations.NullMarked;
