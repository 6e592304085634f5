/** Measurement of an extension's cost per test. */
@NullMarked
package dev.meshguard.benchmarks.pertest;

import org.jspecify.annotations.NullMarked;
