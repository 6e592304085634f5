package dev.meshguard.samples.pages;

import static dev.meshguard.assertions.LeakAssertions.assertThat;
import static dev.meshguard.event.BufferType.L1_SMALL;
import static dev.meshguard.mesh.tensor.DataType.BFLOAT16;

import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.junit.mesh.FakeMesh;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Tensor;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.runtime.RuntimePreset;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.mesh.tensor.OperationProfile;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.tracker.AllocationTracker;
import java.util.List;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;

/** The code of {@code docs/mesh-fake.md}. */
class MeshPageTests {

    private static final TensorShape SHAPE = TensorShape.of(64, 64);

    @Test
    void opensAMeshWithoutTheExtension() {
        // region: mesh
        AllocationTracker tracker = AllocationTracker.create();
        Ttnn ttnn = Ttnn.builder(tracker).preset(RuntimePreset.MAY_2026).build();
        MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(2, 4));
        Tensor one = ttnn.empty(SHAPE, BFLOAT16, mesh);
        Tensor sum = ttnn.add(one, one);
        ttnn.deallocate(sum);
        ttnn.deallocate(one);
        mesh.disableAndClearProgramCache();
        ttnn.closeMeshDevice(mesh);
        // end region

        assertThat(tracker).noLeaks().hasBalancedReports();
    }

    // region: program-buffers
    private static final OperationProfile CONVOLUTION =
            OperationProfile.of("conv2d", 8, 2, 2).withProgramBuffers(4, "halo config", L1_SMALL, 256);

    @Test
    @TrackAllocations
    @FakeMesh(l1SmallSize = 16_384)
    void keepsAProgramForEachShape(Ttnn ttnn, MeshDevice mesh) {
        for (int height : List.of(32, 64, 32)) {
            Tensor input = ttnn.empty(TensorShape.of(height, 64), BFLOAT16, mesh);
            ttnn.deallocate(ttnn.launch(CONVOLUTION, input.spec(), input));
            ttnn.deallocate(input);
        }

        Assertions.assertThat(mesh.statistics(L1_SMALL).totalAllocated()).isEqualTo(2 * 4 * 256);
    }
    // end region
}
