/** Finds the session of a thread, for libraries that report allocations on any thread. */
@NullMarked
package dev.meshguard.junit.internal.thread;

import org.jspecify.annotations.NullMarked;
