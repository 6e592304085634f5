/** What a tensor is before it lies in memory: its shape, data type, layout and distribution, and what operations on it need. */
@NullMarked
package dev.meshguard.mesh.tensor;

import org.jspecify.annotations.NullMarked;
