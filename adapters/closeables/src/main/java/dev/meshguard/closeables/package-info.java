/** Handles of native memory of any Java library as a source of the JUnit extension. */
@NullMarked
package dev.meshguard.closeables;

import org.jspecify.annotations.NullMarked;
