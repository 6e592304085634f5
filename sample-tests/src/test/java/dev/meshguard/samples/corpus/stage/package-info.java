/** Where the programs of the corpus run, and what is noted there of the memory itself. */
@NullMarked
package dev.meshguard.samples.corpus.stage;

import org.jspecify.annotations.NullMarked;
