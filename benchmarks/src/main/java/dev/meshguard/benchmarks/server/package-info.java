/** Servers that receive reports of buffers over a socket, compared with the allocation server. */
@NullMarked
package dev.meshguard.benchmarks.server;

import org.jspecify.annotations.NullMarked;
