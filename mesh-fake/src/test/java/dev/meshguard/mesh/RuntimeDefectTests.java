package dev.meshguard.mesh;

import static dev.meshguard.event.WitnessSnapshot.Moment.BEFORE_WIPE;
import static dev.meshguard.mesh.Rejections.assertIllegalState;
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

import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.Owner;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.buffer.CircularBufferConfig;
import dev.meshguard.mesh.runtime.ReportingModel;
import dev.meshguard.mesh.runtime.RuntimeDefect;
import dev.meshguard.mesh.shape.MeshShape;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests the effect of each defect on the reports of a mesh of two devices. */
class RuntimeDefectTests {

    private static final BufferConfig BUFFER = BufferConfig.of(BufferType.DRAM, 2_048, 2_048);
    private static final Owner DISPATCH = new Owner(Owner.Kind.DISPATCH, "prefetcher");

    private final RecordedReports reports = new RecordedReports();
    private final Ttnn ttnn = Ttnn.create(reports);

    @Test
    void nonOwningBuffersDoNotReportFrees() {
        MeshDevice mesh = with(NON_OWNING_BUFFERS_DO_NOT_REPORT_FREES);

        mesh.allocate(BUFFER).deallocate();
        mesh.allocateOn(1, BUFFER).deallocate();

        assertThat(mesh.statistics(BufferType.DRAM).totalAllocated()).isZero();
        assertThat(reports.lines("freed")).containsExactly("freed 1 DRAM 2968640 OWNING");
    }

    @Test
    void meshBufferDeallocateReturnsEarlyForBuffersButNotForBinariesThatDie() {
        MeshDevice mesh = with(MESH_BUFFER_DEALLOCATE_RETURNS_EARLY);
        MeshWorkload workload = withKernel();
        mesh.enqueueMeshWorkload(workload);
        mesh.allocate(BUFFER).deallocate();

        workload.close();

        assertThat(mesh.statistics(BufferType.DRAM).totalAllocated()).isZero();
        assertThat(reports.lines("freed"))
                .containsExactly("freed 0 DRAM 1073739776 NON_OWNING", "freed 1 DRAM 1073739776 NON_OWNING");
    }

    @Test
    void reportsBackingBuffersAsDevice0() {
        MeshDevice mesh = with(BACKING_BUFFERS_REPORTED_AS_DEVICE_0);
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
        Ttnn defective = Ttnn.builder(reports)
                .defects(BACKING_BUFFERS_REPORTED_AS_DEVICE_0)
                .build();
        defective.openMeshDevice(MeshShape.of(1, 2)).close();

        defective.openMeshDevice(MeshShape.of(1, 2)).allocate(BUFFER);

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
        MeshWorkload workload = withKernel();
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
    void circularBuffersAreReportedNeverOrOnlyWhenTheyAreAllocated() {
        for (RuntimeDefect defect : List.of(CIRCULAR_BUFFERS_NOT_REPORTED, CIRCULAR_BUFFERS_NEVER_REPORTED_FREE)) {
            MeshWorkload workload = copy(2_048);
            with(defect).enqueueMeshWorkload(workload);

            workload.close();
        }

        assertThat(reports.lines("allocated"))
                .containsExactly("allocated 0 L1 103776+2048 OWNING", "allocated 1 L1 103776+2048 OWNING");
        assertThat(reports.lines("freed")).isEmpty();
        assertThat(reports.lines("ended")).containsExactly("ended program 1 (copy)", "ended program 2 (copy)");
    }

    @Test
    void reportsThatAFreeAfterCloseIsIgnored() {
        MeshDevice mesh = with(BUFFERS_FREED_AFTER_CLOSE_NOT_REPORTED);
        MeshBuffer buffer = mesh.allocate(BUFFER);
        mesh.close();
        reports.forget();

        buffer.deallocate();

        assertThat(reports.lines())
                .containsExactly("ignored 0 DRAM 2968640 DEVICE_CLOSED", "ignored 1 DRAM 2968640 DEVICE_CLOSED");
    }

    @Test
    void allocatorClearsWithoutReporting() {
        MeshDevice mesh = open(withDispatch().defects(ALLOCATOR_CLEARS_WITHOUT_REPORTING));

        mesh.close();

        assertThat(reports.lines("freed")).isEmpty();
        assertThat(listedBeforeTheWipe(AllocatorId.MESH, 0)).isEmpty();
    }

    @Test
    void deviceInitialisedTwiceAllocatesSystemBuffersTwiceAndFreesThemOnce() {
        MeshDevice mesh = open(withDispatch().defects(DEVICE_INITIALISED_TWICE));

        mesh.close();

        assertThat(reports.lines("allocated 1"))
                .containsExactly("allocated 1 L1 1495040+4096 NON_OWNING", "allocated 1 L1 1490944+4096 NON_OWNING");
        assertThat(reports.lines("freed 1")).containsExactly("freed 1 L1 1490944 NON_OWNING");
        assertThat(listedBeforeTheWipe(AllocatorId.MESH, 1)).containsExactly(1495040L);
    }

    @Test
    void deviceAndMeshAllocateTheRuntimesOwnBuffersAtTheSameAddress() {
        MeshDevice mesh = open(withDispatch().defects(INITIALISED_BY_DEVICE_AND_MESH));

        mesh.close();

        assertThat(reports.lines("allocated 1"))
                .containsExactly("allocated 1 L1 1495040+4096 OWNING", "allocated 1 L1 1495040+4096 NON_OWNING");
        assertThat(reports.lines("freed 1")).containsExactly("freed 1 L1 1495040 NON_OWNING");
        assertThat(listedBeforeTheWipe(AllocatorId.MESH, 1)).isEmpty();
        assertThat(listedBeforeTheWipe(AllocatorId.DEVICE, 1)).containsExactly(1495040L);
    }

    @Test
    void buffersOfTheOpeningAreReportedOnlyWhenTheyAreFreed() {
        MeshDevice mesh = open(withDispatch().defects(EARLY_ALLOCATIONS_NOT_REPORTED));
        mesh.allocate(BUFFER);

        mesh.close();

        assertThat(reports.lines("allocated 1")).containsExactly("allocated 1 DRAM 2968640+2048 NON_OWNING");
        assertThat(reports.lines("freed 1")).containsExactly("freed 1 L1 1495040 NON_OWNING");
    }

    @Test
    void theEndOfAProgramTakesTheCircularBuffersOfOthersBack() {
        MeshDevice mesh = with(PROGRAM_END_FREES_ALL_CIRCULAR_BUFFERS);
        MeshWorkload living = copy(2_048);
        MeshWorkload ending = copy(4_096);
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
        MeshDevice mesh = with(FREES_REPORTED_AFTER_THE_ADDRESS_IS_REUSED);
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
        MeshDevice mesh = with(FREES_REPORTED_AFTER_THE_ADDRESS_IS_REUSED);
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
        MeshDevice mesh = with(FREES_NAME_STALE_DEVICES);

        mesh.allocate(BUFFER).deallocate();

        assertThat(reports.lines("freed"))
                .containsExactly("freed 50 DRAM 2968640 NON_OWNING", "freed 51 DRAM 2968640 NON_OWNING");
    }

    @Test
    void nothingIsReportedOnceTheMeshIsClosed() {
        MeshDevice mesh = with(REPORTS_END_AT_CLOSE);
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
        MeshDevice mesh = with(MESH_BUFFER_FREED_AFTER_CLOSE_CRASHES);
        MeshBuffer buffer = mesh.allocate(BUFFER);
        mesh.close();

        assertIllegalState(
                buffer::deallocate,
                "Segmentation fault: cannot free the DRAM buffer at 0x2d4c40 (2968640): its mesh is closed, and"
                        + " the buffer calls allocators of its devices that are gone. This is a defect that was switched on.");
        assertThat(reports.lines("ignored"))
                .containsExactly("ignored 0 DRAM 2968640 DEVICE_CLOSED", "ignored 1 DRAM 2968640 DEVICE_CLOSED");
    }

    @Test
    void aMeshBufferOfADestroyedMeshCrashesButNotThatOfAClosedOne() {
        MeshDevice mesh = with(MESH_DESTROYED_BEFORE_ITS_BUFFERS_CRASHES);
        MeshBuffer first = mesh.allocate(BUFFER);
        MeshBuffer second = mesh.allocate(BUFFER);
        mesh.close();

        first.deallocate();
        assertThat(first.isAllocated()).isFalse();

        mesh.destroy();
        assertIllegalState(
                second::close,
                "Segmentation fault: cannot free the DRAM buffer at 0x2d5440 (2970688): the mesh object is"
                        + " destroyed, and the buffer frees through a pointer to it. This is a defect that was switched on.");
    }

    private MeshWorkload copy(long circularBufferSize) {
        return ttnn.createMeshWorkload()
                .addProgram(ttnn.createProgram("copy").addCircularBuffer(CircularBufferConfig.of(circularBufferSize)));
    }

    private Ttnn.Builder withDispatch() {
        return Ttnn.builder(reports).systemBuffer(DISPATCH, BufferType.L1, 4_096);
    }

    private MeshWorkload withKernel() {
        return ttnn.createMeshWorkload().addProgram(ttnn.createProgram("copy").addKernel(1));
    }

    private MeshDevice with(RuntimeDefect... defects) {
        return open(Ttnn.builder(reports).defects(defects));
    }

    private static MeshDevice open(Ttnn.Builder runtime) {
        return runtime.build().openMeshDevice(MeshShape.of(1, 2));
    }

    private List<Long> listedBeforeTheWipe(AllocatorId allocator, int device) {
        return reports.listed(BEFORE_WIPE, allocator, device, BufferType.L1);
    }
}
