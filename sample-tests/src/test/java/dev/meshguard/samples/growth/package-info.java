/** What repeated rounds, budgets and comparisons show. */
@NullMarked
package dev.meshguard.samples.growth;

import org.jspecify.annotations.NullMarked;
