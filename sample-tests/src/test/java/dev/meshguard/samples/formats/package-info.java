/** Verdicts on runs of a mesh that were written and read again. */
@NullMarked
package dev.meshguard.samples.formats;

import org.jspecify.annotations.NullMarked;
