/** Which session the allocations of a thread belong to, for libraries that report on any thread. */
@NullMarked
package dev.meshguard.junit.internal.thread;

import org.jspecify.annotations.NullMarked;
