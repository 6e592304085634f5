package dev.meshguard.samples.first;

import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.samples.support.Fixture;
import org.junit.jupiter.api.Test;

/** A closed mesh allocates no memory. */
@Fixture
@TrackAllocations
class UsedAfterCloseTestCase {

    @Test
    void allocate(Ttnn ttnn, MeshDevice mesh) {
        ttnn.closeMeshDevice(mesh);

        ttnn.empty(TensorShape.of(32, 32), DataType.BFLOAT16, mesh);
    }
}
