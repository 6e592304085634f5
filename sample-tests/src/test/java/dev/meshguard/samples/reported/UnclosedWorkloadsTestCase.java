package dev.meshguard.samples.reported;

import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.MeshWorkload;
import dev.meshguard.mesh.Program;
import dev.meshguard.mesh.Tensor;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.allocator.InsufficientMemoryException;
import dev.meshguard.mesh.buffer.CircularBufferConfig;
import dev.meshguard.mesh.shape.MeshCoordinate;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.samples.support.Fixture;
import org.assertj.core.api.Assertions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Workloads of one's own that nobody closes, and a free that has no effect. */
@Fixture
@TrackAllocations
class UnclosedWorkloadsTestCase {

    private @Nullable MeshWorkload kept;

    @Test
    void dropsAWorkload(Ttnn ttnn, MeshDevice mesh) {
        mesh.enqueueMeshWorkload(workload(ttnn, 65_536));
    }

    @Test
    void keepsAWorkload(Ttnn ttnn, MeshDevice mesh) {
        kept = workload(ttnn, 65_536);
        mesh.enqueueMeshWorkload(kept);
    }

    @Test
    void dropsAWorkloadOfTwoPrograms(Ttnn ttnn, MeshDevice mesh) {
        mesh.enqueueMeshWorkload(ttnn.createMeshWorkload()
                .addProgram(
                        MeshCoordinate.of(0, 0), program(ttnn, "send", 4_096).addKernel(2))
                .addProgram(
                        MeshCoordinate.of(0, 1), program(ttnn, "receive", 8_192).addKernel(3)));
    }

    /** tt-metal #16267: the circular buffers do not fit. The test expects that. */
    @Test
    void dropsARejectedWorkload(Ttnn ttnn, MeshDevice mesh) {
        Assertions.assertThatExceptionOfType(InsufficientMemoryException.class)
                .isThrownBy(() -> mesh.enqueueMeshWorkload(workload(ttnn, 1_500_000)));
    }

    /** tt-metal #43414: a view shares the memory, so the free of its source has no effect. */
    @Test
    void freesTheSourceOfAView(Ttnn ttnn, MeshDevice mesh) {
        Tensor dispatched = ttnn.empty(TensorShape.of(1, 4, 32, 256), DataType.BFLOAT16, mesh);
        ttnn.reshape(dispatched, TensorShape.of(4, 32, 256));
        dispatched.deallocate();
    }

    @Test
    void closesAWorkloadOfTwoPrograms(Ttnn ttnn, MeshDevice mesh) {
        try (MeshWorkload workload = ttnn.createMeshWorkload()
                .addProgram(
                        MeshCoordinate.of(0, 0), program(ttnn, "send", 4_096).addKernel(2))
                .addProgram(
                        MeshCoordinate.of(0, 1), program(ttnn, "receive", 8_192).addKernel(3))) {
            mesh.enqueueMeshWorkload(workload);
        }
    }

    private static MeshWorkload workload(Ttnn ttnn, long bytes) {
        return ttnn.createMeshWorkload().addProgram(program(ttnn, "ring_mla", bytes));
    }

    private static Program program(Ttnn ttnn, String name, long bytes) {
        return ttnn.createProgram(name).addCircularBuffer(CircularBufferConfig.of(bytes));
    }
}
