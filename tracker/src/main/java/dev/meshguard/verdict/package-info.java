/** Judges histories: outcomes, causes with evidence, and expected survivors. */
@NullMarked
package dev.meshguard.verdict;

import org.jspecify.annotations.NullMarked;
