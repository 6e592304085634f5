/** Faults of the reports of a run, in front of a tracker, and the plans of faults that the corpus and its random programs have. */
@NullMarked
package dev.meshguard.verification.corpus.faults;

import org.jspecify.annotations.NullMarked;
