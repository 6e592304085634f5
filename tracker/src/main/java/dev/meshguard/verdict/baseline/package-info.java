/** Known leaks, and the comparison of verdicts with them. */
@NullMarked
package dev.meshguard.verdict.baseline;

import org.jspecify.annotations.NullMarked;
