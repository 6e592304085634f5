/** Computations that only assertions use. */
@NullMarked
package dev.meshguard.assertions.internal;

import org.jspecify.annotations.NullMarked;
