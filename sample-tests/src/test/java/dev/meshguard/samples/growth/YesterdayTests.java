package dev.meshguard.samples.growth;

import static dev.meshguard.assertions.LeakAssertions.assertThat;

import dev.meshguard.history.AllocationHistory;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Tensor;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.report.DifferenceReport;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.difference.HistoryDifference;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;

/** Compares a run with yesterday's green run. */
class YesterdayTests {

    /** The difference between the code of today and that of yesterday. */
    private enum Change {
        NONE,
        FORGETS_A_FREE
    }

    @Test
    void nothingChangedWhereTheCodeIsTheSame() {
        assertThat(run(Change.NONE)).hasSameUsageAs(run(Change.NONE));
    }

    @Test
    void aForgottenFreeIsANewSurvivorAndNoMore() {
        HistoryDifference difference = HistoryDifference.between(run(Change.NONE), run(Change.FORGETS_A_FREE));

        Assertions.assertThat(DifferenceReport.of(difference).text().replaceAll(":\\d+\\)", ":NN)"))
                .isEqualTo("""
                        CHANGED  1 site of allocation changed, what leaves more first
                           DRAM "decode" from YesterdayTests.tensor: new survivors
                              at dev.meshguard.samples.growth.YesterdayTests.tensor(YesterdayTests.java:NN)
                              live nothing -> 2 buffers of 16 KiB (16384 B)""");
    }

    private static AllocationHistory run(Change change) {
        AllocationTracker tracker = AllocationTracker.create();
        Ttnn ttnn = Ttnn.create(tracker);
        MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(1, 2));
        Tensor prompt = tracker.label("prompt", () -> tensor(ttnn, mesh));
        Tensor decoded = tracker.label("decode", () -> tensor(ttnn, mesh));
        ttnn.deallocate(prompt);
        if (change == Change.NONE) {
            ttnn.deallocate(decoded);
        }
        ttnn.closeMeshDevice(mesh);
        return tracker.history();
    }

    private static Tensor tensor(Ttnn ttnn, MeshDevice mesh) {
        return ttnn.empty(TensorShape.of(64, 64), DataType.BFLOAT16, mesh);
    }
}
