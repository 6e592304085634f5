/** AssertJ assertions over tracker, history, verdict and mesh. */
@NullMarked
package dev.meshguard.assertions;

import org.jspecify.annotations.NullMarked;
