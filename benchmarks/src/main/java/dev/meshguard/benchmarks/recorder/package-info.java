/** The compared recorders of allocated buffers, behind one interface. */
@NullMarked
package dev.meshguard.benchmarks.recorder;

import org.jspecify.annotations.NullMarked;
