package dev.meshguard.samples.reported;

import static dev.meshguard.event.BufferType.L1_SMALL;

import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.junit.mesh.FakeMesh;
import dev.meshguard.junit.template.RepeatUntilStable;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.MeshWorkload;
import dev.meshguard.mesh.Program;
import dev.meshguard.mesh.Tensor;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.buffer.CircularBufferConfig;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.OperationProfile;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.samples.support.Fixture;
import org.junit.jupiter.api.Test;

/** Reported programs whose memory is owned by other programs, in the program cache: one for each shape. */
@Fixture
@TrackAllocations
class CachedProgramsTestCase {

    private static final OperationProfile CONV_TRANSPOSE =
            OperationProfile.of("conv_transpose2d", 8, 2, 2).withProgramBuffers(4, "halo config", L1_SMALL, 256);

    private static final OperationProfile ALL_REDUCE =
            OperationProfile.of("all_reduce", 4).withGlobalSemaphores(8);

    /** tt-metal #33316, #22017 and #21246: each input size keeps its config in L1_SMALL, until that is full. */
    @Test
    @FakeMesh(l1SmallSize = 16_384)
    void convolvesManySizes(Ttnn ttnn, MeshDevice mesh) {
        for (int size = 8; size < 200; size++) {
            convolve(size, ttnn, mesh);
        }
    }

    /** The same, where L1_SMALL has room for all: a leak if the mesh is closed without clearing the cache. */
    @Test
    @FakeMesh(l1SmallSize = 262_144)
    void closesTheMeshWithAllSizesCached(Ttnn ttnn, MeshDevice mesh) {
        for (int size = 8; size < 200; size++) {
            convolve(size, ttnn, mesh);
        }
        ttnn.closeMeshDevice(mesh);
    }

    /** The same in rounds. */
    @RepeatUntilStable
    @FakeMesh(l1SmallSize = 262_144)
    void convolvesAnotherSizeInEachRound(Ttnn ttnn, MeshDevice mesh) {
        convolve(8 + mesh.numProgramCacheEntries(), ttnn, mesh);
    }

    /** tt-metal #54876 and #47332: each new shape of a collective adds semaphores, until circular buffers clash with them. */
    @Test
    void reducesAnotherShapeAfterEveryTwelveLayers(Ttnn ttnn, MeshDevice mesh) {
        for (int layer = 1; layer <= 40; layer++) {
            if (layer % 12 == 0) {
                run(ALL_REDUCE, TensorShape.of(layer / 12, 32, 32), ttnn, mesh);
            }
            attend(ttnn, mesh);
        }
    }

    private static void convolve(int size, Ttnn ttnn, MeshDevice mesh) {
        run(CONV_TRANSPOSE, TensorShape.of(1, size, 32, 32), ttnn, mesh);
    }

    private static void run(OperationProfile operation, TensorShape shape, Ttnn ttnn, MeshDevice mesh) {
        Tensor input = ttnn.empty(shape, DataType.BFLOAT16, mesh);
        ttnn.deallocate(ttnn.launch(operation, input.spec(), input));
        ttnn.deallocate(input);
    }

    /** Its circular buffers end 512 bytes below the top of L1. */
    private static void attend(Ttnn ttnn, MeshDevice mesh) {
        Program program = ttnn.createProgram("ring_mla").addCircularBuffer(CircularBufferConfig.of(1_394_848));
        try (MeshWorkload workload = ttnn.createMeshWorkload().addProgram(program)) {
            mesh.enqueueMeshWorkload(workload);
        }
    }
}
