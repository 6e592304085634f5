package dev.meshguard.mesh;

import static dev.meshguard.mesh.Rejections.assertIllegalState;
import static dev.meshguard.mesh.Rejections.assertRuntimeError;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferKind;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.Owner;
import dev.meshguard.mesh.allocator.DeviceOutOfMemoryException;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.buffer.CircularBufferConfig;
import dev.meshguard.mesh.runtime.RuntimePreset;
import dev.meshguard.mesh.shape.MeshCoordinate;
import dev.meshguard.mesh.shape.MeshShape;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests programs and workloads: their memory, its reports, and their end. */
class MeshWorkloadTests {

    private static final CircularBufferConfig TILE = CircularBufferConfig.of(2_048);

    private final RecordedReports reports = new RecordedReports();
    private final Ttnn ttnn = Ttnn.create(reports);
    private final MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(1, 2));

    @Test
    void hasCircularBuffersAndOneBinaryFromTheFirstEnqueueToTheClose() {
        MeshWorkload workload = copyWorkload();
        reports.forget();

        mesh.enqueueMeshWorkload(workload);
        mesh.enqueueMeshWorkload(workload);
        workload.close();
        workload.close();

        assertThat(reports.lines())
                .containsExactly(
                        "allocated 0 L1 103776+2048 OWNING",
                        "allocated 1 L1 103776+2048 OWNING",
                        "allocated 0 DRAM 1073739776+2048 NON_OWNING",
                        "allocated 1 DRAM 1073739776+2048 NON_OWNING",
                        "freed 0 DRAM 1073739776 NON_OWNING",
                        "freed 1 DRAM 1073739776 NON_OWNING",
                        "freed 0 L1 103776 OWNING",
                        "freed 1 L1 103776 OWNING",
                        "ended program 1 (copy)");
        assertThat(reports.requests())
                .containsExactly(
                        AllocationDetails.circularBuffer(Owner.program("1 (copy)"))
                                .withExtent(2_048),
                        AllocationDetails.user()
                                .ownedBy(Owner.program("1 (copy)"))
                                .onMesh(0)
                                .fromAllocator(AllocatorId.MESH)
                                .withExtent(2_048));
        assertThat(reports.releases())
                .extracting(AllocationDetails::kind)
                .containsExactly(BufferKind.BUFFER, BufferKind.CIRCULAR_BUFFER);
    }

    @Test
    void takesItsMemoryLaterWhereThereWasNoRoomForItsBinaryAtFirst() {
        MeshWorkload workload = copyWorkload();
        MeshBuffer everything = mesh.allocate(allDram());
        reports.forget();

        assertThatThrownBy(() -> mesh.enqueueMeshWorkload(workload)).isInstanceOf(DeviceOutOfMemoryException.class);
        everything.deallocate();
        mesh.enqueueMeshWorkload(workload);

        assertThat(reports.lines())
                .filteredOn(line -> !line.contains("DRAM 2968640"))
                .containsExactly(
                        "allocated 0 L1 103776+2048 OWNING",
                        "allocated 1 L1 103776+2048 OWNING",
                        "freed 0 L1 103776 OWNING",
                        "freed 1 L1 103776 OWNING",
                        "allocated 0 L1 103776+2048 OWNING",
                        "allocated 1 L1 103776+2048 OWNING",
                        "allocated 0 DRAM 1073739776+2048 NON_OWNING",
                        "allocated 1 DRAM 1073739776+2048 NON_OWNING");
    }

    @Test
    void takesTheMemoryOfAProgramLaterWhereThereWasNoRoomForItsBinaryAtFirst() {
        Program program = copy();
        Buffer everything = mesh.allocateOn(1, allDram());
        mesh.enqueueProgram(0, program);
        reports.forget();

        assertThatThrownBy(() -> mesh.enqueueProgram(1, program)).isInstanceOf(DeviceOutOfMemoryException.class);
        everything.deallocate();
        mesh.enqueueProgram(1, program);
        mesh.enqueueProgram(1, program);

        assertThat(reports.lines())
                .containsExactly(
                        "allocated 1 L1 103776+2048 OWNING",
                        "freed 1 L1 103776 OWNING",
                        "freed 1 DRAM 2968640 OWNING",
                        "allocated 1 L1 103776+2048 OWNING",
                        "allocated 1 DRAM 1073739776+2048 OWNING");
        program.close();
        assertThat(reports.lines("freed 0"))
                .containsExactly("freed 0 DRAM 1073739776 OWNING", "freed 0 L1 103776 OWNING");
    }

    @Test
    void takesOneBinaryAsLargeAsTheLargestOfItsPrograms() {
        MeshWorkload workload = ttnn.createMeshWorkload()
                .addProgram(MeshCoordinate.of(0, 0), ttnn.createProgram("send").addKernel(3))
                .addProgram(
                        MeshCoordinate.of(0, 1), ttnn.createProgram("receive").addKernel(2));
        reports.forget();

        mesh.enqueueMeshWorkload(workload);
        workload.close();

        assertThat(reports.lines())
                .containsExactly(
                        "allocated 0 DRAM 1073739776+6144 NON_OWNING",
                        "allocated 1 DRAM 1073739776+6144 NON_OWNING",
                        "freed 0 DRAM 1073739776 NON_OWNING",
                        "freed 1 DRAM 1073739776 NON_OWNING",
                        "ended program 1 (send)",
                        "ended program 2 (receive)",
                        "ended program 3 (workload of 2 programs)");
    }

    @Test
    void loadsTheBinaryOfEachProgramThroughAViewAsLargeAsThatWhereViewsAreReported() {
        MeshWorkload workload = ttnn.createMeshWorkload()
                .addProgram(MeshCoordinate.of(0, 0), ttnn.createProgram("send").addKernel(3))
                .addProgram(MeshCoordinate.of(0, 1), ttnn.createProgram("wait"));
        MeshDevice october = october();
        reports.forget();

        october.enqueueMeshWorkload(workload);

        assertThat(reports.lines())
                .containsExactly(
                        "allocated 0 DRAM 1073739776+6144 NON_OWNING",
                        "allocated 1 DRAM 1073739776+6144 NON_OWNING",
                        "allocated 0 DRAM 1073739776+6144 NON_OWNING",
                        "allocated 1 DRAM 1073739776+6144 NON_OWNING",
                        "freed 0 DRAM 1073739776 NON_OWNING",
                        "freed 1 DRAM 1073739776 NON_OWNING");
    }

    @Test
    void reportsCircularBuffersOnEveryDeviceOfTheMeshWhereverTheirProgramRuns() {
        MeshWorkload workload = onTheSecondDevice();
        reports.forget();

        mesh.enqueueMeshWorkload(workload);

        assertThat(reports.lines())
                .containsExactly("allocated 0 L1 103776+2048 OWNING", "allocated 1 L1 103776+2048 OWNING");
    }

    @Test
    void reportsCircularBuffersUnderTheFirstDeviceOnTheTrackingBranch() {
        MeshWorkload workload = onTheSecondDevice();
        MeshDevice october = october();
        reports.forget();

        october.enqueueMeshWorkload(workload);
        workload.close();

        assertThat(reports.lines())
                .containsExactly(
                        "allocated 0 L1 101152+2048 OWNING", "freed 0 L1 101152 OWNING", "ended program 1 (copy)");
    }

    @Test
    void saysNothingOfProgramsThatNeverRan() {
        reports.forget();

        ttnn.createProgram("copy").close();
        ttnn.createMeshWorkload().addProgram(ttnn.createProgram("copy")).close();

        assertThat(reports.lines()).isEmpty();
    }

    @Test
    void givesEachDeviceOneProgram() {
        MeshWorkload workload = ttnn.createMeshWorkload()
                .addProgram(MeshCoordinate.of(0, 0), MeshCoordinate.of(0, 1), ttnn.createProgram("copy"));

        assertRuntimeError(
                () -> workload.addProgram(MeshCoordinate.of(0, 1), ttnn.createProgram("move")),
                "Program range MeshCoordinateRange(start=MeshCoordinate([0, 1]), end=MeshCoordinate([0, 1]))"
                        + " overlaps with the previously added range"
                        + " MeshCoordinateRange(start=MeshCoordinate([0, 0]), end=MeshCoordinate([0, 1]))");
    }

    @Test
    void runsOnlyOnDevicesThatItsMeshHas() {
        MeshWorkload workload = ttnn.createMeshWorkload()
                .addProgram(
                        MeshCoordinate.of(0, 0),
                        MeshCoordinate.of(0, 2),
                        ttnn.createProgram("copy").addCircularBuffer(TILE));
        reports.forget();

        assertRuntimeError(
                () -> mesh.enqueueMeshWorkload(workload),
                "Coordinate MeshCoordinate([0, 2]) is out of bounds for shape MeshShape([1, 2])");
        assertThat(reports.lines()).isEmpty();
    }

    @Test
    void ownsItsPrograms() {
        Program program = ttnn.createProgram("copy");
        MeshWorkload workload = ttnn.createMeshWorkload().addProgram(program);

        assertIllegalState(
                program::close,
                "Cannot close program 1 (copy): it belongs to a mesh workload. Close the workload instead.");
        assertIllegalState(
                () -> mesh.enqueueProgram(0, program),
                "Cannot enqueue program 1 (copy) by itself: it belongs to a mesh workload."
                        + " Enqueue the workload instead.");
        workload.close();
        program.close();
    }

    @Test
    void cannotBeAddedToOnceEnqueuedBecauseThatCompilesIt() {
        Program program = ttnn.createProgram("copy");
        mesh.enqueueProgram(0, program);

        assertRuntimeError(
                () -> program.addCircularBuffer(TILE), "Cannot add circular buffer to an already compiled program 1");
        assertRuntimeError(() -> program.addKernel(1), "Cannot add kernel to an already compiled program 1");
    }

    @Test
    void hasNoFurtherUseOnceEnded() {
        Program program = ttnn.createProgram("copy");
        program.close();
        MeshWorkload workload = copyWorkload();
        mesh.enqueueMeshWorkload(workload);
        workload.close();

        assertIllegalState(
                () -> program.addCircularBuffer(TILE),
                "Cannot add a circular buffer to program 1 (copy): it has ended. Create a new program.");
        assertIllegalState(
                () -> mesh.enqueueMeshWorkload(workload),
                "Cannot enqueue a mesh workload that has ended. Create a new workload.");
    }

    @Test
    void staysOnTheMeshItWasEnqueuedOnAndHasNoCircularBuffersElsewhere() {
        MeshDevice other = ttnn.openDevice(4);
        MeshWorkload workload =
                ttnn.createMeshWorkload().addProgram(ttnn.createProgram("copy").addCircularBuffer(TILE));
        mesh.enqueueMeshWorkload(workload);
        reports.forget();
        assertRuntimeError(
                () -> other.enqueueMeshWorkload(workload),
                "Reusing MeshWorkloads across MeshDevices is currently not supported.");

        workload.close();

        assertThat(reports.lines())
                .containsExactly("freed 0 L1 103776 OWNING", "freed 1 L1 103776 OWNING", "ended program 1 (copy)");
    }

    @Test
    void endsAfterItsMeshWasDestroyedAndItsDeviceOpenedAgain() {
        MeshWorkload workload = copyWorkload();
        Program alone = ttnn.createProgram("move").addKernel(1).addCircularBuffer(TILE);
        mesh.enqueueMeshWorkload(workload);
        mesh.enqueueProgram(1, alone);
        mesh.destroy();
        ttnn.openMeshDevice(MeshShape.of(1, 1));
        reports.forget();

        workload.close();
        alone.close();

        assertThat(reports.lines())
                .containsExactly(
                        "ignored 0 DRAM 1073739776 DEVICE_CLOSED",
                        "ignored 1 DRAM 1073739776 DEVICE_CLOSED",
                        "ignored 0 L1 103776 DEVICE_CLOSED",
                        "freed 1 L1 103776 OWNING",
                        "ended program 1 (copy)",
                        "freed 1 DRAM 1073739776 OWNING",
                        "freed 1 L1 103776 OWNING",
                        "ended program 2 (move)");
    }

    @Test
    void runsByItselfOnDevicesOfSeveralMeshes() {
        List<MeshDevice> units = ttnn.createUnitMeshes(List.of(4, 5));
        Program program = copy();
        reports.forget();

        units.forEach(unit -> unit.enqueueProgram(unit.deviceIds().get(0), program));
        units.forEach(unit -> unit.enqueueProgram(unit.deviceIds().get(0), program));
        program.close();
        program.close();

        assertThat(reports.lines())
                .containsExactly(
                        "allocated 4 L1 103776+2048 OWNING",
                        "allocated 4 DRAM 1073739776+2048 OWNING",
                        "allocated 5 L1 103776+2048 OWNING",
                        "allocated 5 DRAM 1073739776+2048 OWNING",
                        "freed 4 DRAM 1073739776 OWNING",
                        "freed 4 L1 103776 OWNING",
                        "freed 5 DRAM 1073739776 OWNING",
                        "freed 5 L1 103776 OWNING",
                        "ended program 1 (copy)");
    }

    @Test
    void reportsCircularBuffersOnceForADeviceThatItMeetsThroughTwoMeshes() {
        MeshDevice part = mesh.createSubmesh(MeshShape.of(1, 1));
        Program program = ttnn.createProgram("copy").addCircularBuffer(TILE);
        reports.forget();

        mesh.enqueueProgram(0, program);
        part.enqueueProgram(0, program);

        assertThat(reports.lines()).containsExactly("allocated 0 L1 103776+2048 OWNING");
    }

    private Program copy() {
        return ttnn.createProgram("copy").addKernel(1).addCircularBuffer(TILE);
    }

    private MeshWorkload copyWorkload() {
        return ttnn.createMeshWorkload().addProgram(copy());
    }

    private MeshWorkload onTheSecondDevice() {
        return ttnn.createMeshWorkload()
                .addProgram(MeshCoordinate.of(0, 1), ttnn.createProgram("copy").addCircularBuffer(TILE));
    }

    private MeshDevice october() {
        return Ttnn.builder(reports).preset(RuntimePreset.OCTOBER_2025).build().openMeshDevice(MeshShape.of(1, 2));
    }

    private BufferConfig allDram() {
        long perBank = mesh.statistics(BufferType.DRAM).largestFree() / 2_048 * 2_048;
        return BufferConfig.of(BufferType.DRAM, 12 * perBank, 2_048);
    }
}
