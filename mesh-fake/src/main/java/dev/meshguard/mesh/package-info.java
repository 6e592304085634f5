/** A mesh device without hardware that behaves like the real runtime. */
@NullMarked
package dev.meshguard.mesh;

import org.jspecify.annotations.NullMarked;
