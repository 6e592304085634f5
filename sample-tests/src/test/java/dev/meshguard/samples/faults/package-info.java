/** Verdicts on runs with faults. */
@NullMarked
package dev.meshguard.samples.faults;

import org.jspecify.annotations.NullMarked;
