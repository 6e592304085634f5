/** Tests that try every error path, chosen faults, and as many rounds as it takes; the failing ones are fixtures. */
@NullMarked
package dev.meshguard.samples.errorpaths;

import org.jspecify.annotations.NullMarked;
