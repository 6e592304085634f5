/** What a history means: outcomes, causes with evidence, and what may stay. */
@NullMarked
package dev.meshguard.verdict;

import org.jspecify.annotations.NullMarked;
