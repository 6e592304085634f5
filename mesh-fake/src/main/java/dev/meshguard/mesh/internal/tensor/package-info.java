/** The storage of tensors, and the shapes of results. */
@NullMarked
package dev.meshguard.mesh.internal.tensor;

import org.jspecify.annotations.NullMarked;
