/** What an extension costs per test. */
@NullMarked
package dev.meshguard.benchmarks.pertest;

import org.jspecify.annotations.NullMarked;
