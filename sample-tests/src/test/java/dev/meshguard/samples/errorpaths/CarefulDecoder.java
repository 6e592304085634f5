package dev.meshguard.samples.errorpaths;

import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Tensor;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.tensor.DataType;

/** Frees everything that it allocates, also after an error. */
final class CarefulDecoder {

    private CarefulDecoder() {}

    static void decode(Ttnn ttnn, MeshDevice mesh) {
        Tensor keys = ttnn.empty(CarelessDecoder.CACHE, DataType.BFLOAT16, mesh);
        try {
            weigh(ttnn, mesh);
        } finally {
            ttnn.deallocate(keys);
        }
    }

    private static void weigh(Ttnn ttnn, MeshDevice mesh) {
        Tensor scores = ttnn.empty(CarelessDecoder.SCORES, DataType.BFLOAT16, mesh);
        try {
            ttnn.deallocate(ttnn.add(scores, scores));
        } finally {
            ttnn.deallocate(scores);
        }
    }
}
