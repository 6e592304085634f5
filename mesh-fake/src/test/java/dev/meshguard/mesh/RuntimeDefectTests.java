package dev.meshguard.mesh;

import static dev.meshguard.mesh.runtime.RuntimeDefect.ALLOCATOR_CLEARS_WITHOUT_REPORTING;
import static dev.meshguard.mesh.runtime.RuntimeDefect.BACKING_BUFFERS_REPORTED_AS_DEVICE_0;
import static dev.meshguard.mesh.runtime.RuntimeDefect.BUFFERS_FREED_AFTER_CLOSE_NOT_REPORTED;
import static dev.meshguard.mesh.runtime.RuntimeDefect.CIRCULAR_BUFFERS_NEVER_REPORTED_FREE;
import static dev.meshguard.mesh.runtime.RuntimeDefect.DEVICE_INITIALISED_TWICE;
import static dev.meshguard.mesh.runtime.RuntimeDefect.MESH_BUFFER_DEALLOCATE_RETURNS_EARLY;
import static dev.meshguard.mesh.runtime.RuntimeDefect.NON_OWNING_BUFFERS_DO_NOT_REPORT_FREES;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.buffer.CircularBufferConfig;
import dev.meshguard.mesh.buffer.MeshBufferConfig;
import dev.meshguard.mesh.runtime.ReportingModel;
import dev.meshguard.mesh.runtime.RuntimeDefect;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.tracker.BufferType;
import dev.meshguard.tracker.Owner;
import dev.meshguard.tracker.WitnessReading;
import dev.meshguard.tracker.WitnessReading.Moment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What each defect does to the reports of a mesh of two devices. */
class RuntimeDefectTests {

    private static final MeshBufferConfig BUFFER =
            MeshBufferConfig.replicated(BufferConfig.of(BufferType.DRAM, 2_048, 2_048));
    private static final Owner DISPATCH = new Owner(Owner.Kind.DISPATCH, "prefetcher");

    private final RecordedReports reports = new RecordedReports();

    @Test
    void isOffByDefault() {
        MeshDevice mesh = open(Ttnn.builder(reports));
        reports.forget();

        MeshBuffer buffer = mesh.allocate(BUFFER);
        buffer.deallocate();

        assertThat(reports.lines())
                .containsExactly(
                        "allocated 0 DRAM 2968640+2048 NON_OWNING",
                        "allocated 1 DRAM 2968640+2048 NON_OWNING",
                        "freed 0 DRAM 2968640 NON_OWNING",
                        "freed 1 DRAM 2968640 NON_OWNING");
    }

    @Test
    void isSwitchedOnForOneMesh() {
        Ttnn ttnn = Ttnn.create(reports);
        MeshDevice defective = ttnn.openMeshDevice(MeshDeviceOptions.defaults()
                .withMeshShape(MeshShape.of(1, 1))
                .withDefects(NON_OWNING_BUFFERS_DO_NOT_REPORT_FREES));
        MeshDevice sound = ttnn.openMeshDevice(
                MeshDeviceOptions.defaults().withMeshShape(MeshShape.of(1, 1)).withPhysicalDeviceIds(5));

        defective.allocate(BUFFER).deallocate();
        sound.allocate(BUFFER).deallocate();

        assertThat(reports.lines("freed")).containsExactly("freed 5 DRAM 2968640 NON_OWNING");
    }

    @Test
    void nonOwningBuffersDoNotReportFrees() {
        MeshDevice mesh = open(Ttnn.builder(reports).defects(NON_OWNING_BUFFERS_DO_NOT_REPORT_FREES));

        mesh.allocate(BUFFER).deallocate();
        mesh.allocateOn(1, BUFFER.deviceLocal()).deallocate();

        assertThat(reports.lines("freed")).containsExactly("freed 1 DRAM 2968640 OWNING");
    }

    @Test
    void givesTheMemoryBackWhateverIsReported() {
        MeshDevice mesh = open(Ttnn.builder(reports)
                .defects(NON_OWNING_BUFFERS_DO_NOT_REPORT_FREES, MESH_BUFFER_DEALLOCATE_RETURNS_EARLY));

        mesh.allocate(BUFFER).deallocate();

        assertThat(mesh.statistics(BufferType.DRAM).totalAllocated()).isZero();
    }

    @Test
    void meshBufferDeallocateReturnsEarlyForBuffersButNotForBinariesThatDie() {
        MeshDevice mesh = open(Ttnn.builder(reports).defects(MESH_BUFFER_DEALLOCATE_RETURNS_EARLY));
        Ttnn ttnn = Ttnn.create(reports);
        MeshWorkload workload =
                ttnn.createMeshWorkload().addProgram(ttnn.createProgram("copy").addKernel(1));
        mesh.enqueueMeshWorkload(workload);
        mesh.allocate(BUFFER).deallocate();

        workload.close();

        assertThat(reports.lines("freed"))
                .containsExactly("freed 0 DRAM 1073739776 NON_OWNING", "freed 1 DRAM 1073739776 NON_OWNING");
    }

    @Test
    void reportsBackingBuffersAsDevice0() {
        MeshDevice mesh = open(Ttnn.builder(reports).defects(BACKING_BUFFERS_REPORTED_AS_DEVICE_0));
        reports.forget();

        mesh.allocate(BUFFER).deallocate();

        assertThat(reports.lines())
                .containsExactly(
                        "allocated 0 DRAM 2968640+2048 OWNING",
                        "allocated 0 DRAM 2968640+2048 NON_OWNING",
                        "allocated 1 DRAM 2968640+2048 NON_OWNING",
                        "freed 0 DRAM 2968640 NON_OWNING",
                        "freed 1 DRAM 2968640 NON_OWNING",
                        "freed 0 DRAM 2968640 OWNING");
    }

    @Test
    void reportsBackingBuffersOfALaterMeshUnderItsNumberUnlessThePresetPinsIt() {
        Ttnn ttnn = Ttnn.builder(reports)
                .defects(BACKING_BUFFERS_REPORTED_AS_DEVICE_0)
                .build();
        ttnn.openMeshDevice(MeshShape.of(1, 2)).close();

        ttnn.openMeshDevice(MeshShape.of(1, 2)).allocate(BUFFER);

        assertThat(reports.lines("allocated"))
                .containsExactly(
                        "allocated 1 DRAM 2968640+2048 OWNING",
                        "allocated 0 DRAM 2968640+2048 NON_OWNING",
                        "allocated 1 DRAM 2968640+2048 NON_OWNING");
    }

    @Test
    void reportsTheBufferOfEachProgramOnTheMeshWhereViewsAreReported() {
        MeshDevice mesh = open(Ttnn.builder(reports)
                .reporting(ReportingModel.TRACKING_BRANCH)
                .defects(BACKING_BUFFERS_REPORTED_AS_DEVICE_0));
        Ttnn ttnn = Ttnn.create(reports);
        MeshWorkload workload =
                ttnn.createMeshWorkload().addProgram(ttnn.createProgram("copy").addKernel(1));
        mesh.enqueueMeshWorkload(workload);

        workload.close();

        assertThat(reports.lines("allocated 0"))
                .containsExactly(
                        "allocated 0 DRAM 1073739776+2048 OWNING",
                        "allocated 0 DRAM 1073739776+2048 NON_OWNING",
                        "allocated 0 DRAM 1073739776+2048 NON_OWNING",
                        "allocated 0 DRAM 1073739776+2048 NON_OWNING");
        assertThat(reports.lines("freed 0"))
                .containsExactly(
                        "freed 0 DRAM 1073739776 NON_OWNING",
                        "freed 0 DRAM 1073739776 NON_OWNING",
                        "freed 0 DRAM 1073739776 OWNING",
                        "freed 0 DRAM 1073739776 NON_OWNING");
    }

    @Test
    void circularBuffersAreNeverReportedFree() {
        MeshDevice mesh = open(Ttnn.builder(reports).defects(CIRCULAR_BUFFERS_NEVER_REPORTED_FREE));
        Ttnn ttnn = Ttnn.create(reports);
        MeshWorkload workload = ttnn.createMeshWorkload()
                .addProgram(ttnn.createProgram("copy").addCircularBuffer(CircularBufferConfig.of(2_048)));
        mesh.enqueueMeshWorkload(workload);
        reports.forget();

        workload.close();

        assertThat(reports.lines()).containsExactly("ended program 1 (copy)");
    }

    @Test
    void tellsThatAFreeAfterCloseIsIgnored() {
        MeshDevice mesh = open(Ttnn.builder(reports).defects(BUFFERS_FREED_AFTER_CLOSE_NOT_REPORTED));
        MeshBuffer buffer = mesh.allocate(BUFFER);
        mesh.close();
        reports.forget();

        buffer.deallocate();

        assertThat(reports.lines())
                .containsExactly("ignored 0 DRAM 2968640 DEVICE_CLOSED", "ignored 1 DRAM 2968640 DEVICE_CLOSED");
    }

    @Test
    void allocatorClearsWithoutReporting() {
        MeshDevice mesh = open(Ttnn.builder(reports)
                .systemBuffer(DISPATCH, BufferType.L1, 4_096)
                .defects(ALLOCATOR_CLEARS_WITHOUT_REPORTING));

        mesh.close();

        assertThat(reports.lines("freed")).isEmpty();
        assertThat(reading(Moment.BEFORE_WIPE).takenAddresses(0, BufferType.L1)).isEmpty();
    }

    @Test
    void deviceInitialisedTwiceAllocatesSystemBuffersTwiceAndFreesThemOnce() {
        MeshDevice mesh = open(Ttnn.builder(reports)
                .systemBuffer(DISPATCH, BufferType.L1, 4_096)
                .defects(DEVICE_INITIALISED_TWICE));

        mesh.close();

        assertThat(reports.lines("allocated 1"))
                .containsExactly("allocated 1 L1 1495040+4096 NON_OWNING", "allocated 1 L1 1490944+4096 NON_OWNING");
        assertThat(reports.lines("freed 1")).containsExactly("freed 1 L1 1490944 NON_OWNING");
        assertThat(reading(Moment.BEFORE_WIPE).takenAddresses(1, BufferType.L1)).containsExactly(1495040L);
    }

    @ParameterizedTest
    @EnumSource
    void saysWhatItDoesAndHowItShows(RuntimeDefect defect) {
        assertThat(defect.cause()).isNotBlank();
        assertThat(defect.symptom()).isNotBlank();
    }

    private static MeshDevice open(Ttnn.Builder runtime) {
        return runtime.build().openMeshDevice(MeshShape.of(1, 2));
    }

    private WitnessReading reading(Moment moment) {
        return reports.readings().stream()
                .filter(reading -> reading.moment() == moment)
                .findFirst()
                .orElseThrow();
    }
}
