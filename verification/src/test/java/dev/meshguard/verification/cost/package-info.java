/** The cost of a check with many findings. */
@NullMarked
package dev.meshguard.verification.cost;

import org.jspecify.annotations.NullMarked;
