/** Benchmarks of MeshGuard and its peers, in one run. */
@NullMarked
package dev.meshguard.benchmarks;

import org.jspecify.annotations.NullMarked;
