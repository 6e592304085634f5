/** Tests that run every error path, and repeated rounds; the failing ones are fixtures. */
@NullMarked
package dev.meshguard.samples.errorpaths;

import org.jspecify.annotations.NullMarked;
