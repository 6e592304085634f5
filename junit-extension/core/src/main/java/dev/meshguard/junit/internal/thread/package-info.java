/** Decides to which test the allocations of a thread belong. */
@NullMarked
package dev.meshguard.junit.internal.thread;

import org.jspecify.annotations.NullMarked;
