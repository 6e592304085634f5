/** Differences between two moments, runs or devices. */
@NullMarked
package dev.meshguard.verdict.difference;

import org.jspecify.annotations.NullMarked;
