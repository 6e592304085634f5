/** Handles from static factories that the code under test calls itself, as a source of the JUnit extension. */
@NullMarked
package dev.meshguard.mockito.statics;

import org.jspecify.annotations.NullMarked;
