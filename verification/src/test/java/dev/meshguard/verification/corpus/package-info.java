/** The corpus: programs with a known end of every buffer, and the verdicts on them. */
@NullMarked
package dev.meshguard.verification.corpus;

import org.jspecify.annotations.NullMarked;
