/** Objects that must be closed, in tests that track them and in others. */
@NullMarked
package dev.meshguard.benchmarks.closeables;

import org.jspecify.annotations.NullMarked;
