/** Checks the memory of a test, class or run at its end, and reports what does not hold. */
@NullMarked
package dev.meshguard.junit.internal.check;

import org.jspecify.annotations.NullMarked;
