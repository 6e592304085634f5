package dev.meshguard.samples.growth;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.mesh.tensor.TensorDistribution.sharded2d;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.assertions.AccumulationAssert;
import dev.meshguard.assertions.LeakAssertions;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Tensor;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.runtime.RuntimePreset;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.report.AccumulationReport;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.growth.Accumulation;
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
    void readsWithSlopeAndLine() {
        tracker.rounds(ROUNDS, round -> leakOne());

        assertThat(text(Accumulation.of(tracker.history()))).isEqualTo("""
                GROWING  4 rounds, the first for warming up · memory grows: DRAM of devices 0-7 by 4 MiB (4194304 B) per round
                Memory retained by each round, in bytes:
                   DRAM of devices 0-7  [4194304, 4194304, 4194304, 4194304]  growing by 4 MiB (4194304 B) per round
                Call sites, the worst first:
                   DRAM from LeakOfEveryRoundTests.tensor, buffers retained on devices 0-7: [1, 1, 1, 1], growing
                      at dev.meshguard.samples.growth.LeakOfEveryRoundTests.tensor(LeakOfEveryRoundTests.java:NN)""");
    }

    @Test
    void aCacheHasNoSlope() {
        tracker.rounds(ROUNDS, round -> addAndFree());

        Accumulation accumulation = Accumulation.of(tracker.history());

        LeakAssertions.assertThat(accumulation).hasSettled().memoryGrowsBy(DRAM, 0, 0);
        assertThat(text(accumulation)).isEqualTo("""
                SETTLED  4 rounds, the first for warming up · memory grows by 0 B per round
                Memory retained by each round, in bytes:
                   DRAM of devices 0-7  [12288, 0, 0, 0]  settled
                   L1 of device 0  [12288, 0, 0, 0]  settled
                Call sites, the worst first:
                   DRAM from LeakOfEveryRoundTests.addAndFree, buffers retained on devices 0-7: [1, 0, 0, 0], settled
                      at dev.meshguard.samples.growth.LeakOfEveryRoundTests.addAndFree(LeakOfEveryRoundTests.java:NN)
                   L1 from LeakOfEveryRoundTests.addAndFree, buffers retained on device 0: [3, 0, 0, 0], settled
                      at dev.meshguard.samples.growth.LeakOfEveryRoundTests.addAndFree(LeakOfEveryRoundTests.java:NN)""");
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

    /** Lines of this class may move. */
    private static String text(Accumulation accumulation) {
        return AccumulationReport.of(accumulation).text().replaceAll(":\\d+\\)", ":NN)");
    }
}
