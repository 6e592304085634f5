/** What a user of MeshGuard meets first; the failing ones are fixtures whose whole text is asserted. */
@NullMarked
package dev.meshguard.samples.first;

import org.jspecify.annotations.NullMarked;
