/** Tracks the allocations of JUnit Jupiter tests. */
@NullMarked
package dev.meshguard.junit;

import org.jspecify.annotations.NullMarked;
