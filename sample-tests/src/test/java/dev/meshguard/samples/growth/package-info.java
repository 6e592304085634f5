/** Samples of repeated rounds, budgets and comparisons. */
@NullMarked
package dev.meshguard.samples.growth;

import org.jspecify.annotations.NullMarked;
