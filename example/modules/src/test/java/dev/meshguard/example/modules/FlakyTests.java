package dev.meshguard.example.modules;

import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Tensor;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import org.junit.jupiter.api.Test;

/** Leaks when it is run for the first time in its JVM, and not when it is run again. */
@TrackAllocations
class FlakyTests {

    private static boolean warm;

    @Test
    void leaksOnce(Ttnn ttnn, MeshDevice mesh) {
        Tensor weights = ttnn.empty(TensorShape.of(64, 64), DataType.BFLOAT16, mesh);
        if (warm) {
            ttnn.deallocate(weights);
        }
        warm = true;
    }

    @Test
    void keepsItsTable(Ttnn ttnn, MeshDevice mesh) {
        ttnn.empty(TensorShape.of(64, 64), DataType.BFLOAT16, mesh);
    }
}
