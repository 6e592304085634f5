/** How a log is read: lines, what they say, and the books that they must agree with. */
@NullMarked
package dev.meshguard.server.log.internal;

import org.jspecify.annotations.NullMarked;
