/** What is true of the buffers of a case, from what its program did. */
@NullMarked
package dev.meshguard.samples.corpus.truth;

import org.jspecify.annotations.NullMarked;
