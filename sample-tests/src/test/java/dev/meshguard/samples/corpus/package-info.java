/** The corpus: programs of which it is known what became of every buffer, and what the verdict makes of them. */
@NullMarked
package dev.meshguard.samples.corpus;

import org.jspecify.annotations.NullMarked;
