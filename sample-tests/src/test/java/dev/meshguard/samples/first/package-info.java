/** The first steps of a user of MeshGuard; the failing ones are fixtures whose whole text is asserted. */
@NullMarked
package dev.meshguard.samples.first;

import org.jspecify.annotations.NullMarked;
