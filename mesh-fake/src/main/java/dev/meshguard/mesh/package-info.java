/**
 * A mesh device without hardware: meshes, buffers, programs and tensors that report as the real runtime does.
 *
 * <p>Start at {@link dev.meshguard.mesh.Ttnn}. Names are those of tt-metal and ttnn.
 */
@NullMarked
package dev.meshguard.mesh;

import org.jspecify.annotations.NullMarked;
