/** The true state of the buffers of a case, derived from the steps of its program. */
@NullMarked
package dev.meshguard.verification.corpus.truth;

import org.jspecify.annotations.NullMarked;
