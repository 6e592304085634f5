/** The cost of a check with many findings. */
@NullMarked
package dev.meshguard.samples.cost;

import org.jspecify.annotations.NullMarked;
