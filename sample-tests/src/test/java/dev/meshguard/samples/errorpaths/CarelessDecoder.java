package dev.meshguard.samples.errorpaths;

import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Tensor;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;

/** Frees everything that it allocates, except after an error. */
final class CarelessDecoder {

    static final TensorShape CACHE = TensorShape.of(1, 8, 1024, 64);
    static final TensorShape SCORES = TensorShape.of(1, 8, 32, 1024);

    private CarelessDecoder() {}

    static void decode(Ttnn ttnn, MeshDevice mesh) {
        Tensor keys = ttnn.empty(CACHE, DataType.BFLOAT16, mesh);
        Tensor scores = ttnn.empty(SCORES, DataType.BFLOAT16, mesh);
        Tensor weighted = ttnn.add(scores, scores);
        ttnn.deallocate(weighted);
        ttnn.deallocate(scores);
        ttnn.deallocate(keys);
    }
}
