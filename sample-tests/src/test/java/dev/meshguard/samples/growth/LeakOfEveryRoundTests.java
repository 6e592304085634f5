package dev.meshguard.samples.growth;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.mesh.tensor.TensorDistribution.sharded2d;

import dev.meshguard.assertions.AccumulationAssert;
import dev.meshguard.assertions.LeakAssertions;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Tensor;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.runtime.RuntimePreset;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.tracker.AllocationTracker;
import org.junit.jupiter.api.Test;

/** The leaking twin of the accumulation test: one tensor of each round is never freed, and the mesh stays open. */
class LeakOfEveryRoundTests {

    private static final int ROUNDS = 4;
    private static final int DEVICES = 8;

    /** (8, 8, 512, 512) of two bytes, an eighth for each device. */
    private static final long TENSOR = 8 * 8 * 512 * 512 * 2 / DEVICES;

    private final AllocationTracker tracker = AllocationTracker.create();
    private final Ttnn ttnn =
            Ttnn.builder(tracker).preset(RuntimePreset.OCTOBER_2025).build();
    private final MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(2, 4));

    @Test
    void growsByATensorInEachRound() {
        tracker.rounds(ROUNDS, round -> leakOne());

        AccumulationAssert accumulation = LeakAssertions.assertThat(tracker).accumulation();

        for (int device = 0; device < DEVICES; device++) {
            accumulation.memoryGrowsBy(DRAM, device, TENSOR);
        }
    }

    @Test
    void aCacheHasNoSlope() {
        tracker.rounds(ROUNDS, round -> addAndFree());

        LeakAssertions.assertThat(tracker).accumulation().hasSettled().memoryGrowsBy(DRAM, 0, 0);
    }

    /** The first sum fills the program cache. */
    private void addAndFree() {
        Tensor one = tensor();
        Tensor sum = ttnn.add(one, one);
        ttnn.deallocate(sum);
        ttnn.deallocate(one);
    }

    private void leakOne() {
        tensor();
    }

    private Tensor tensor() {
        return ttnn.empty(TensorShape.of(8, 8, 512, 512), DataType.BFLOAT16, mesh, sharded2d(0, 1));
    }
}
