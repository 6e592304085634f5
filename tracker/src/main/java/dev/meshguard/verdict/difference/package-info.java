/** Differences between two moments, executions or devices. */
@NullMarked
package dev.meshguard.verdict.difference;

import org.jspecify.annotations.NullMarked;
