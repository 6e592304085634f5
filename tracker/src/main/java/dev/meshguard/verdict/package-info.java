/** Judges what the record of the buffers means. */
@NullMarked
package dev.meshguard.verdict;

import org.jspecify.annotations.NullMarked;
