package dev.meshguard.mesh;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.BufferType.L1;
import static dev.meshguard.event.BufferType.TRACE;
import static dev.meshguard.history.CountingPolicy.EVERY_REPORT;
import static dev.meshguard.history.CountingPolicy.REFERENCE_COUNTED;
import static dev.meshguard.mesh.runtime.RuntimeDefect.BACKING_BUFFERS_REPORTED_AS_DEVICE_0;
import static dev.meshguard.mesh.runtime.RuntimeDefect.BUFFERS_FREED_AFTER_CLOSE_NOT_REPORTED;
import static dev.meshguard.mesh.runtime.RuntimeDefect.CIRCULAR_BUFFERS_NEVER_REPORTED_FREE;
import static dev.meshguard.mesh.runtime.RuntimeDefect.MESH_BUFFER_DEALLOCATE_RETURNS_EARLY;
import static dev.meshguard.mesh.runtime.RuntimeDefect.NON_OWNING_BUFFERS_DO_NOT_REPORT_FREES;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.history.CountingPolicy;
import dev.meshguard.history.PolicyLedger;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.buffer.MeshBufferConfig;
import dev.meshguard.mesh.runtime.RuntimeDefect;
import dev.meshguard.mesh.runtime.RuntimePreset;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorDistribution;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.tracker.AllocationTracker;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Compares addresses, sizes and counts with those seen on a T3000 in October 2025. */
class OctoberFiguresTests {

    private static final RuntimeDefect[] EARLY_RUNTIME = {
        BACKING_BUFFERS_REPORTED_AS_DEVICE_0,
        NON_OWNING_BUFFERS_DO_NOT_REPORT_FREES,
        MESH_BUFFER_DEALLOCATE_RETURNS_EARLY,
        CIRCULAR_BUFFERS_NEVER_REPORTED_FREE
    };

    private final AllocationTracker tracker = AllocationTracker.create();

    @Test
    void givesTensorsTheAddressesOfTheRealRun() {
        Run run = new Run();

        assertThat(run.addresses()).containsExactly(2560032L, 2910240L, 3260448L, 3610656L, 3655712L, 3700768L);
    }

    @Test
    void givesTensorsTheSizesOfTheRealRun() {
        Run run = new Run();

        assertThat(run.sizes()).containsExactly(4194304L, 4194304L, 4194304L, 524288L, 524288L, 1048576L);
    }

    @Test
    void reportsKernelBinariesTwiceAndCircularBuffersOnDevice0() {
        RecordedReports reports = new RecordedReports();
        Ttnn ttnn = Ttnn.builder(reports).preset(RuntimePreset.OCTOBER_2025).build();
        MeshDevice mesh = ttnn.openMeshDevice();
        Tensor a = tensor(ttnn, mesh, 512, 512);
        Tensor b = tensor(ttnn, mesh, 512, 512);
        ttnn.add(a, b);
        Tensor c = tensor(ttnn, mesh, 256, 128);
        Tensor d = tensor(ttnn, mesh, 128, 256);
        reports.forget();

        ttnn.matmul(c, d);

        assertThat(reports.lines("allocated 0"))
                .containsExactly(
                        "allocated 0 DRAM 3700768+1048576 NON_OWNING",
                        "allocated 0 L1 101152+4096 OWNING",
                        "allocated 0 L1 105248+4096 OWNING",
                        "allocated 0 L1 109344+2048 OWNING",
                        "allocated 0 DRAM 1073737728+24576 NON_OWNING",
                        "allocated 0 DRAM 1073737728+24576 NON_OWNING");
        assertThat(reports.lines("allocated 7"))
                .containsExactly(
                        "allocated 7 DRAM 3700768+1048576 NON_OWNING",
                        "allocated 7 DRAM 1073737728+24576 NON_OWNING",
                        "allocated 7 DRAM 1073737728+24576 NON_OWNING");
        assertThat(reports.lines("freed 7")).containsExactly("freed 7 DRAM 1073737728 NON_OWNING");
    }

    @Test
    void leavesThreeCircularBuffersWhenTheirFreesAreNotReported() {
        Run run = new Run(CIRCULAR_BUFFERS_NEVER_REPORTED_FREE);

        run.freeTensors();

        assertThat(ledger(REFERENCE_COUNTED).bytes(0, DRAM)).isEqualTo(36864);
        assertThat(ledger(REFERENCE_COUNTED).bytes(7, DRAM)).isEqualTo(36864);
        assertThat(ledger(REFERENCE_COUNTED).entries()).isEqualTo(19);

        run.clearAndClose();

        assertThat(ledger(REFERENCE_COUNTED).bytes(DRAM)).isZero();
        assertThat(ledger(REFERENCE_COUNTED).bytes(0, L1)).isEqualTo(12288);
        assertThat(ledger(REFERENCE_COUNTED).entries()).isEqualTo(3);
    }

    @Test
    void reproducesTheLeakOf36KilobytesWhenEveryReportIsCounted() {
        Run run = new Run(CIRCULAR_BUFFERS_NEVER_REPORTED_FREE);

        run.freeTensors();
        run.clearAndClose();

        assertThat(ledger(EVERY_REPORT).bytes(3, DRAM)).isEqualTo(36864);
        assertThat(ledger(EVERY_REPORT).bytes(0, L1)).isEqualTo(22528);
        assertThat(ledger(EVERY_REPORT).entries()).isEqualTo(3);
        assertThat(ledger(EVERY_REPORT).unknownFrees()).isEqualTo(16);
    }

    @Test
    void reproducesTheStepFrom22To12KilobytesWhenCircularBuffersReportTheirFrees() {
        Run run = new Run();

        run.freeTensors();
        run.clearAndClose();

        assertThat(ledger(EVERY_REPORT).bytes(0, DRAM)).isEqualTo(36864);
        assertThat(ledger(EVERY_REPORT).bytes(0, L1)).isEqualTo(12288);
        assertThat(ledger(EVERY_REPORT).entries()).isZero();
        assertThat(ledger(EVERY_REPORT).unknownFrees()).isEqualTo(19);
    }

    @Test
    void reproducesTheCountsOfTheEarlyRuntime() {
        Run run = new Run(EARLY_RUNTIME);

        assertThat(ledger(EVERY_REPORT).reports(0)).isEqualTo(26);
        assertThat(ledger(EVERY_REPORT).bytes(0, DRAM)).isEqualTo(29507584);
        assertThat(ledger(EVERY_REPORT).entries()).isEqualTo(67);

        run.freeTensors();

        assertThat(ledger(EVERY_REPORT).reports(0)).isEqualTo(20);
        assertThat(ledger(EVERY_REPORT).bytes(0, DRAM)).isEqualTo(14827520);
        assertThat(ledger(EVERY_REPORT).bytes(0, L1)).isEqualTo(22528);
        assertThat(ledger(EVERY_REPORT).reports(7)).isEqualTo(10);
        assertThat(ledger(EVERY_REPORT).bytes(7, DRAM)).isEqualTo(14753792);
        assertThat(ledger(EVERY_REPORT).entries()).isEqualTo(61);

        run.clearAndClose();

        assertThat(ledger(EVERY_REPORT).reports(0)).isEqualTo(18);
        assertThat(ledger(EVERY_REPORT).bytes(0, DRAM)).isEqualTo(14790656);
        assertThat(ledger(EVERY_REPORT).reports(7)).isEqualTo(10);
        assertThat(ledger(EVERY_REPORT).bytes(7, DRAM)).isEqualTo(14753792);
        assertThat(ledger(EVERY_REPORT).entries()).isEqualTo(59);
    }

    @Test
    void driftsByRoundsOnlyWhenEveryReportIsCounted() {
        Ttnn ttnn = runtime(BUFFERS_FREED_AFTER_CLOSE_NOT_REPORTED);

        for (int round = 1; round <= 3; round++) {
            Run run = new Run(ttnn);
            run.freeTensors();
            run.mesh.close();
            run.mesh.destroy();

            assertThat(ledger(EVERY_REPORT).bytes(4, DRAM)).isEqualTo(round * 36864L);
            assertThat(ledger(EVERY_REPORT).bytes(0, L1)).isEqualTo(round * 12288L);
            assertThat(ledger(REFERENCE_COUNTED).bytes(4, DRAM)).isEqualTo(36864);
            assertThat(ledger(REFERENCE_COUNTED).entries()).isEqualTo(16);
        }
    }

    @Test
    void putsTraceBuffersWhereTheLanguageModelRunHadThem() {
        MeshDevice mesh = runtime().openMeshDevice(MeshDeviceOptions.defaults().withTraceRegionSize(30_000_000));
        long pageSize = RuntimePreset.OCTOBER_2025.tracePageSize(12_500_993, 12);
        long size = (12_500_993 + pageSize - 1) / pageSize * pageSize;

        MeshBuffer trace = mesh.allocate(MeshBufferConfig.replicated(BufferConfig.of(TRACE, size, pageSize)));

        assertThat(trace.address()).isEqualTo(1043741824);
        assertThat(trace.deviceLocalSize()).isEqualTo(12503040);
    }

    private PolicyLedger ledger(CountingPolicy policy) {
        return tracker.history().ledger(policy);
    }

    private Ttnn runtime(RuntimeDefect... defects) {
        return Ttnn.builder(tracker)
                .preset(RuntimePreset.OCTOBER_2025)
                .defects(defects)
                .build();
    }

    private static Tensor tensor(Ttnn ttnn, MeshDevice mesh, int height, int width) {
        return ttnn.empty(
                TensorShape.of(8, 8, height, width), DataType.BFLOAT16, mesh, TensorDistribution.sharded2d(0, 1));
    }

    /** The steps of {@code test_mesh_allocation.py} up to the matrix product. */
    private final class Run {

        private final MeshDevice mesh;
        private final List<Tensor> tensors;

        Run(RuntimeDefect... defects) {
            this(runtime(defects));
        }

        Run(Ttnn ttnn) {
            mesh = ttnn.openMeshDevice();
            Tensor a = tensor(ttnn, mesh, 512, 512);
            Tensor b = tensor(ttnn, mesh, 512, 512);
            Tensor sum = ttnn.add(a, b);
            Tensor c = tensor(ttnn, mesh, 256, 128);
            Tensor d = tensor(ttnn, mesh, 128, 256);
            tensors = List.of(a, b, sum, c, d, ttnn.matmul(c, d));
        }

        List<Long> addresses() {
            return tensors.stream().map(Tensor::address).toList();
        }

        List<Long> sizes() {
            return tensors.stream()
                    .map(tensor -> tensor.buffer().deviceLocalSize())
                    .toList();
        }

        void freeTensors() {
            Deque<Tensor> lastFirst = new ArrayDeque<>();
            tensors.forEach(lastFirst::push);
            lastFirst.forEach(Tensor::deallocate);
        }

        void clearAndClose() {
            mesh.disableAndClearProgramCache();
            mesh.close();
        }
    }
}
