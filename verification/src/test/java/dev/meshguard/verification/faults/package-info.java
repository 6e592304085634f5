/** Verdicts on runs with faults. */
@NullMarked
package dev.meshguard.verification.faults;

import org.jspecify.annotations.NullMarked;
