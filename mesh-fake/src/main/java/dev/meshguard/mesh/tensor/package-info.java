/** Tensors and the buffers behind them. */
@NullMarked
package dev.meshguard.mesh.tensor;

import org.jspecify.annotations.NullMarked;
