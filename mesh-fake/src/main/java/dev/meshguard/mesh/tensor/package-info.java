/**
 * Descriptions of tensors without their memory: shape, data type, layout and distribution, and the resources that operations
 * need.
 */
@NullMarked
package dev.meshguard.mesh.tensor;

import org.jspecify.annotations.NullMarked;
