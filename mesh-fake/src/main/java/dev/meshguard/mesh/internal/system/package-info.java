/** The memory that the runtime allocates for itself. */
@NullMarked
package dev.meshguard.mesh.internal.system;

import org.jspecify.annotations.NullMarked;
