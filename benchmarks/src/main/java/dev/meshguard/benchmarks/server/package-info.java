/** Servers that receive reports of buffers over a socket. */
@NullMarked
package dev.meshguard.benchmarks.server;

import org.jspecify.annotations.NullMarked;
