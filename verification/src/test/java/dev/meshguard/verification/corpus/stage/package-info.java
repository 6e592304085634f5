/** The environment of the programs of the corpus, with a record of the memory itself. */
@NullMarked
package dev.meshguard.verification.corpus.stage;

import org.jspecify.annotations.NullMarked;
