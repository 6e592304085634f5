/** What was told beside what is true. */
@NullMarked
package dev.meshguard.samples.corpus.matrix;

import org.jspecify.annotations.NullMarked;
