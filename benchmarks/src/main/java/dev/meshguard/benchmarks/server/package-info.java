/** Servers that hear of buffers over a socket, to be measured beside the allocation server. */
@NullMarked
package dev.meshguard.benchmarks.server;

import org.jspecify.annotations.NullMarked;
