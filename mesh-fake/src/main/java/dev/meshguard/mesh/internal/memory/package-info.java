/** The memory of a mesh and of its sub-devices. */
@NullMarked
package dev.meshguard.mesh.internal.memory;

import org.jspecify.annotations.NullMarked;
