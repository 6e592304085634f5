package dev.meshguard.mesh;

import static dev.meshguard.mesh.runtime.RuntimeDefect.ALLOCATOR_CLEARS_WITHOUT_REPORTING;
import static dev.meshguard.mesh.runtime.RuntimeDefect.BACKING_BUFFERS_REPORTED_AS_DEVICE_0;
import static dev.meshguard.mesh.runtime.RuntimeDefect.BUFFERS_FREED_AFTER_CLOSE_NOT_REPORTED;
import static dev.meshguard.mesh.runtime.RuntimeDefect.CIRCULAR_BUFFERS_NEVER_REPORTED_FREE;
import static dev.meshguard.mesh.runtime.RuntimeDefect.CIRCULAR_BUFFERS_NOT_REPORTED;
import static dev.meshguard.mesh.runtime.RuntimeDefect.DEVICE_INITIALISED_TWICE;
import static dev.meshguard.mesh.runtime.RuntimeDefect.EARLY_ALLOCATIONS_NOT_REPORTED;
import static dev.meshguard.mesh.runtime.RuntimeDefect.FREES_NAME_STALE_DEVICES;
import static dev.meshguard.mesh.runtime.RuntimeDefect.FREES_REPORTED_AFTER_THE_ADDRESS_IS_REUSED;
import static dev.meshguard.mesh.runtime.RuntimeDefect.INITIALISED_BY_DEVICE_AND_MESH;
import static dev.meshguard.mesh.runtime.RuntimeDefect.MESH_BUFFER_DEALLOCATE_RETURNS_EARLY;
import static dev.meshguard.mesh.runtime.RuntimeDefect.MESH_BUFFER_FREED_AFTER_CLOSE_CRASHES;
import static dev.meshguard.mesh.runtime.RuntimeDefect.MESH_DESTROYED_BEFORE_ITS_BUFFERS_CRASHES;
import static dev.meshguard.mesh.runtime.RuntimeDefect.NON_OWNING_BUFFERS_DO_NOT_REPORT_FREES;
import static dev.meshguard.mesh.runtime.RuntimeDefect.PROGRAM_END_FREES_ALL_CIRCULAR_BUFFERS;
import static dev.meshguard.mesh.runtime.RuntimeDefect.REPORTS_END_AT_CLOSE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.Owner;
import dev.meshguard.event.WitnessSnapshot;
import dev.meshguard.event.WitnessSnapshot.Moment;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.buffer.CircularBufferConfig;
import dev.meshguard.mesh.buffer.MeshBufferConfig;
import dev.meshguard.mesh.runtime.ReportingModel;
import dev.meshguard.mesh.shape.MeshShape;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tests the effect of each defect on the reports of a mesh of two devices. */
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
    void nonOwningBuffersDoNotReportFrees() {
        MeshDevice mesh = open(Ttnn.builder(reports).defects(NON_OWNING_BUFFERS_DO_NOT_REPORT_FREES));

        mesh.allocate(BUFFER).deallocate();
        mesh.allocateOn(1, BUFFER.deviceLocal()).deallocate();

        assertThat(reports.lines("freed")).containsExactly("freed 1 DRAM 2968640 OWNING");
    }

    @Test
    void freesTheMemoryWhateverIsReported() {
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
    void reportsThatAFreeAfterCloseIsIgnored() {
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
        assertThat(reading(Moment.BEFORE_WIPE).allocatedAddresses(0, BufferType.L1))
                .isEmpty();
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
        assertThat(reading(Moment.BEFORE_WIPE).allocatedAddresses(1, BufferType.L1))
                .containsExactly(1495040L);
    }

    @Test
    void deviceAndMeshAllocateTheRuntimesOwnBuffersAtTheSameAddress() {
        MeshDevice mesh = open(Ttnn.builder(reports)
                .systemBuffer(DISPATCH, BufferType.L1, 4_096)
                .defects(INITIALISED_BY_DEVICE_AND_MESH));

        mesh.close();

        assertThat(reports.lines("allocated 1"))
                .containsExactly("allocated 1 L1 1495040+4096 OWNING", "allocated 1 L1 1495040+4096 NON_OWNING");
        assertThat(reports.lines("freed 1")).containsExactly("freed 1 L1 1495040 NON_OWNING");
        assertThat(reading(Moment.BEFORE_WIPE, AllocatorId.MESH).allocatedAddresses(1, BufferType.L1))
                .isEmpty();
        assertThat(reading(Moment.BEFORE_WIPE, AllocatorId.DEVICE).allocatedAddresses(1, BufferType.L1))
                .containsExactly(1495040L);
    }

    @Test
    void buffersOfTheOpeningAreReportedOnlyWhenTheyAreFreed() {
        MeshDevice mesh = open(Ttnn.builder(reports)
                .systemBuffer(DISPATCH, BufferType.L1, 4_096)
                .defects(EARLY_ALLOCATIONS_NOT_REPORTED));
        mesh.allocate(BUFFER);

        mesh.close();

        assertThat(reports.lines("allocated 1")).containsExactly("allocated 1 DRAM 2968640+2048 NON_OWNING");
        assertThat(reports.lines("freed 1")).containsExactly("freed 1 L1 1495040 NON_OWNING");
    }

    @Test
    void circularBuffersAreNotReported() {
        MeshDevice mesh = open(Ttnn.builder(reports).defects(CIRCULAR_BUFFERS_NOT_REPORTED));
        MeshWorkload workload = copy(2_048);
        reports.forget();

        mesh.enqueueMeshWorkload(workload);
        workload.close();

        assertThat(reports.lines()).containsExactly("ended program 1 (copy)");
    }

    @Test
    void theEndOfAProgramTakesTheCircularBuffersOfOthersBack() {
        MeshDevice mesh = open(Ttnn.builder(reports).defects(PROGRAM_END_FREES_ALL_CIRCULAR_BUFFERS));
        Ttnn ttnn = Ttnn.create(reports);
        MeshWorkload living = copy(ttnn, 2_048);
        MeshWorkload ending = copy(ttnn, 4_096);
        mesh.enqueueMeshWorkload(living);
        mesh.enqueueMeshWorkload(ending);
        reports.forget();

        ending.close();
        living.close();

        assertThat(reports.lines())
                .containsExactly(
                        "freed 0 L1 103776 OWNING",
                        "freed 1 L1 103776 OWNING",
                        "freed 0 L1 103776 OWNING",
                        "freed 1 L1 103776 OWNING",
                        "ended program 2 (copy)",
                        "ended program 1 (copy)");
    }

    @Test
    void aFreeArrivesAfterTheNextBufferAtItsAddress() {
        MeshDevice mesh = open(Ttnn.builder(reports).defects(FREES_REPORTED_AFTER_THE_ADDRESS_IS_REUSED));
        reports.forget();

        mesh.allocate(BUFFER).deallocate();
        mesh.allocate(BUFFER);

        assertThat(reports.lines())
                .containsExactly(
                        "allocated 0 DRAM 2968640+2048 NON_OWNING",
                        "allocated 1 DRAM 2968640+2048 NON_OWNING",
                        "allocated 0 DRAM 2968640+2048 NON_OWNING",
                        "freed 0 DRAM 2968640 NON_OWNING",
                        "allocated 1 DRAM 2968640+2048 NON_OWNING",
                        "freed 1 DRAM 2968640 NON_OWNING");
    }

    @Test
    void aFreeWhoseAddressIsNotReusedArrivesWithTheClose() {
        MeshDevice mesh = open(Ttnn.builder(reports).defects(FREES_REPORTED_AFTER_THE_ADDRESS_IS_REUSED));
        mesh.allocate(BUFFER).deallocate();
        reports.forget();

        mesh.close();

        assertThat(reports.lines())
                .startsWith(
                        "phase CLOSE",
                        "freed 0 DRAM 2968640 NON_OWNING",
                        "freed 1 DRAM 2968640 NON_OWNING",
                        "closing mesh 0");
    }

    @Test
    void freesNameDevicesThatDoNotExist() {
        MeshDevice mesh = open(Ttnn.builder(reports).defects(FREES_NAME_STALE_DEVICES));

        mesh.allocate(BUFFER).deallocate();

        assertThat(reports.lines("freed"))
                .containsExactly("freed 50 DRAM 2968640 NON_OWNING", "freed 51 DRAM 2968640 NON_OWNING");
    }

    @Test
    void nothingIsReportedOnceTheMeshIsClosed() {
        MeshDevice mesh = open(Ttnn.builder(reports).defects(REPORTS_END_AT_CLOSE));
        MeshBuffer buffer = mesh.allocate(BUFFER);
        MeshWorkload workload = copy(2_048);
        mesh.enqueueMeshWorkload(workload);
        mesh.close();
        reports.forget();

        buffer.deallocate();
        workload.close();

        assertThat(reports.lines()).isEmpty();
    }

    @Test
    void aMeshBufferThatIsFreedAfterTheCloseCrashes() {
        MeshDevice mesh = open(Ttnn.builder(reports).defects(MESH_BUFFER_FREED_AFTER_CLOSE_CRASHES));
        MeshBuffer buffer = mesh.allocate(BUFFER);
        mesh.close();

        assertThatThrownBy(buffer::deallocate)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage(
                        "Segmentation fault: cannot free the DRAM buffer at 0x2d4c40 (2968640): its mesh is closed, and"
                                + " the buffer calls allocators of its devices that are gone. This is a defect that was switched on.");
        assertThat(reports.lines("ignored"))
                .containsExactly("ignored 0 DRAM 2968640 DEVICE_CLOSED", "ignored 1 DRAM 2968640 DEVICE_CLOSED");
    }

    @Test
    void aMeshBufferOfADestroyedMeshCrashes() {
        MeshDevice mesh = open(Ttnn.builder(reports).defects(MESH_DESTROYED_BEFORE_ITS_BUFFERS_CRASHES));
        MeshBuffer buffer = mesh.allocate(BUFFER);
        mesh.destroy();

        assertThatThrownBy(buffer::close)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage(
                        "Segmentation fault: cannot free the DRAM buffer at 0x2d4c40 (2968640): the mesh object is"
                                + " destroyed, and the buffer frees through a pointer to it. This is a defect that was switched on.");
    }

    @Test
    void aMeshBufferOfAClosedMeshDoesNotCrashAsLongAsTheMeshObjectIsThere() {
        MeshDevice mesh = open(Ttnn.builder(reports).defects(MESH_DESTROYED_BEFORE_ITS_BUFFERS_CRASHES));
        MeshBuffer buffer = mesh.allocate(BUFFER);
        mesh.close();

        buffer.deallocate();

        assertThat(buffer.isAllocated()).isFalse();
    }

    private MeshWorkload copy(long circularBufferSize) {
        return copy(Ttnn.create(reports), circularBufferSize);
    }

    private static MeshWorkload copy(Ttnn ttnn, long circularBufferSize) {
        return ttnn.createMeshWorkload()
                .addProgram(ttnn.createProgram("copy").addCircularBuffer(CircularBufferConfig.of(circularBufferSize)));
    }

    private static MeshDevice open(Ttnn.Builder runtime) {
        return runtime.build().openMeshDevice(MeshShape.of(1, 2));
    }

    private WitnessSnapshot reading(Moment moment) {
        return reading(moment, AllocatorId.MESH);
    }

    private WitnessSnapshot reading(Moment moment, AllocatorId allocator) {
        return reports.readings().stream()
                .filter(reading -> reading.moment() == moment)
                .filter(reading -> reading.allocator().equals(Optional.of(allocator)))
                .findFirst()
                .orElseThrow();
    }
}
