/** Differences between two runs. */
@NullMarked
package dev.meshguard.verdict.difference;

import org.jspecify.annotations.NullMarked;
