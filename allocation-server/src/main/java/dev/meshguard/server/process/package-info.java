/** Tracked programs: each is started with a server of its own, to which it reports. */
@NullMarked
package dev.meshguard.server.process;

import org.jspecify.annotations.NullMarked;
