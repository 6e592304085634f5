/** Differences between two runs, or between the devices of one. */
@NullMarked
package dev.meshguard.verdict.difference;

import org.jspecify.annotations.NullMarked;
