package dev.meshguard.mesh;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.WitnessSnapshot.Moment;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.runtime.ReportingModel;
import dev.meshguard.mesh.runtime.RuntimeDefect;
import dev.meshguard.mesh.runtime.RuntimeFix;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import org.junit.jupiter.api.Test;

/** Tests the effect of each proposed repair on the reports and the allocators of a mesh of one device. */
class RuntimeFixTests {

    private static final BufferConfig BUFFER = BufferConfig.of(BufferType.DRAM, 2_048, 2_048);

    private final RecordedReports reports = new RecordedReports();

    @Test
    void aForcedCleanupEmptiesTheAllocatorsWithoutAWordButCannotHideWhatWasThereWhenCloseBegan() {
        MeshDevice mesh = open(RuntimeFix.FORCE_CLEANUP_ALL_BUFFERS);
        mesh.allocate(BUFFER);
        mesh.allocateOn(0, BUFFER);

        mesh.close();

        assertThat(reports.lines("freed")).isEmpty();
        assertThat(reports.listed(Moment.CLOSE_BEGUN, AllocatorId.MESH, 0, BufferType.DRAM))
                .containsExactly(2_968_640L);
        assertThat(reports.listed(Moment.BEFORE_WIPE, AllocatorId.MESH, 0, BufferType.DRAM))
                .isEmpty();
    }

    @Test
    void theCacheIsClearedBeforeTheCloseBegins() {
        MeshDevice mesh = open(RuntimeFix.CLEAR_PROGRAM_CACHE_ON_CLOSE);
        runAnOperation(mesh);

        mesh.close();

        assertThat(mesh.numProgramCacheEntries()).isZero();
        assertThat(reports.listed(Moment.CLOSE_BEGUN, AllocatorId.MESH, 0, BufferType.DRAM))
                .isEmpty();
    }

    @Test
    void aProgramReportsItsBinaryAfterTheCloseAlthoughNothingElseIsReported() {
        MeshDevice mesh = Ttnn.builder(reports)
                .defects(RuntimeDefect.BUFFERS_FREED_AFTER_CLOSE_NOT_REPORTED)
                .fixes(RuntimeFix.PROGRAMS_REPORT_BINARIES_AFTER_CLOSE)
                .build()
                .openMeshDevice(MeshShape.of(1, 1));
        runAnOperation(mesh);
        MeshBuffer forgotten = mesh.allocate(BUFFER);
        mesh.close();
        reports.forget();

        mesh.destroy();
        forgotten.deallocate();

        assertThat(reports.lines("freed 0 DRAM")).hasSize(1);
        assertThat(reports.lines("ignored 0 DRAM")).hasSize(1);
    }

    @Test
    void theViewThatLoadsABinaryIsNotReported() {
        MeshDevice mesh = Ttnn.builder(reports)
                .reporting(ReportingModel.TRACKING_BRANCH)
                .fixes(RuntimeFix.LOADING_VIEWS_NOT_REPORTED)
                .build()
                .openMeshDevice(MeshShape.of(1, 1));
        MeshWorkload workload = Ttnn.create(reports).createMeshWorkload();
        workload.addProgram(Ttnn.create(reports).createProgram("copy").addKernel(1));

        mesh.enqueueMeshWorkload(workload);

        assertThat(reports.lines("allocated")).hasSize(1);
        assertThat(reports.lines("freed")).isEmpty();
    }

    private MeshDevice open(RuntimeFix... fixes) {
        return Ttnn.builder(reports).fixes(fixes).build().openMeshDevice(MeshShape.of(1, 1));
    }

    private void runAnOperation(MeshDevice mesh) {
        Ttnn ttnn = Ttnn.create(reports);
        Tensor a = ttnn.empty(TensorShape.of(32, 32), DataType.BFLOAT16, mesh);
        ttnn.add(a, a).deallocate();
        a.deallocate();
    }
}
