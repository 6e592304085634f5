/** What is measured: every way of knowing which buffers are allocated, behind one interface. */
@NullMarked
package dev.meshguard.benchmarks.recorder;

import org.jspecify.annotations.NullMarked;
