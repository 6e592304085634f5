package dev.meshguard.samples.first;

import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Tensor;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.samples.support.Fixture;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A cache keeps a tensor that is never freed. */
@Fixture
@TrackAllocations
class ForgottenFreeTestCase {

    private final List<Tensor> cache = new ArrayList<>();

    @Test
    void decode(Ttnn ttnn, MeshDevice mesh) {
        Tensor keys = ttnn.empty(TensorShape.of(1, 8, 1024, 64), DataType.BFLOAT16, mesh);
        Tensor scores = ttnn.empty(TensorShape.of(1, 8, 32, 1024), DataType.BFLOAT16, mesh);
        cache.add(keys);
        ttnn.deallocate(scores);
        ttnn.closeMeshDevice(mesh);
    }
}
