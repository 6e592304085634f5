/** Comparison of verdicts with the ground truth. */
@NullMarked
package dev.meshguard.verification.corpus.matrix;

import org.jspecify.annotations.NullMarked;
