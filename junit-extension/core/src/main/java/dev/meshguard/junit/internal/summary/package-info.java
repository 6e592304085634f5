/** Collects the results of checks for the summary of a run. */
@NullMarked
package dev.meshguard.junit.internal.summary;

import org.jspecify.annotations.NullMarked;
