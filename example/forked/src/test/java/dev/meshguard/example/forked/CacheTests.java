package dev.meshguard.example.forked;

import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import org.junit.jupiter.api.Test;

@TrackAllocations
class CacheTests {

    @Test
    void keepsItsCache(Ttnn ttnn, MeshDevice mesh) {
        ttnn.empty(TensorShape.of(64, 64), DataType.BFLOAT16, mesh);
    }
}
