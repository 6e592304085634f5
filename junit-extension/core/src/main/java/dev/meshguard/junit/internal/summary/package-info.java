/** The statistics of a run, from the checks to the printed text. */
@NullMarked
package dev.meshguard.junit.internal.summary;

import org.jspecify.annotations.NullMarked;
