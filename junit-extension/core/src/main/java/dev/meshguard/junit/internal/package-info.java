/** The settings of a whole run, the names of its tests and builds, and small helpers of all internal packages. */
@NullMarked
package dev.meshguard.junit.internal;

import org.jspecify.annotations.NullMarked;
