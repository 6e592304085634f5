/** The free lists that {@link dev.meshguard.benchmarks.FreeListBenchmark} compares. */
@NullMarked
package dev.meshguard.benchmarks.freelist;

import org.jspecify.annotations.NullMarked;
