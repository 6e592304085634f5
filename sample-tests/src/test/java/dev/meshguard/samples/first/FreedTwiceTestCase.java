package dev.meshguard.samples.first;

import static dev.meshguard.assertions.LeakAssertions.assertThat;

import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Tensor;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.samples.support.Fixture;
import dev.meshguard.tracker.AllocationTracker;
import org.junit.jupiter.api.Test;

/** The runtime ignores a second free; the test enables the check for it. */
@Fixture
@TrackAllocations
class FreedTwiceTestCase {

    @Test
    void free(Ttnn ttnn, MeshDevice mesh, AllocationTracker tracker) {
        Tensor tensor = ttnn.empty(TensorShape.of(32, 32), DataType.BFLOAT16, mesh);
        ttnn.deallocate(tensor);
        ttnn.deallocate(tensor);

        assertThat(tracker).hasNoDoubleFrees();
    }
}
