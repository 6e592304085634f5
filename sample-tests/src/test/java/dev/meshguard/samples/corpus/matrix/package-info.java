/** Comparison of verdicts with the ground truth. */
@NullMarked
package dev.meshguard.samples.corpus.matrix;

import org.jspecify.annotations.NullMarked;
