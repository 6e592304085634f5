/** The figures that engineers saw on real hardware. */
@NullMarked
package dev.meshguard.verification.seeds;

import org.jspecify.annotations.NullMarked;
