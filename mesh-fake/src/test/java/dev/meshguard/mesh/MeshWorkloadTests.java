package dev.meshguard.mesh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.mesh.allocator.DeviceOutOfMemoryException;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.buffer.CircularBufferConfig;
import dev.meshguard.mesh.buffer.CoreRange;
import dev.meshguard.mesh.buffer.MeshBufferConfig;
import dev.meshguard.mesh.runtime.RuntimePreset;
import dev.meshguard.mesh.shape.MeshCoordinate;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.tracker.AllocationDetails;
import dev.meshguard.tracker.BufferKind;
import dev.meshguard.tracker.BufferType;
import dev.meshguard.tracker.Owner;
import org.junit.jupiter.api.Test;

/** Programs and workloads: where binaries and circular buffers lie, what is reported of them, and when they end. */
class MeshWorkloadTests {

    private static final CircularBufferConfig TILE = CircularBufferConfig.of(2_048);

    private final RecordedReports reports = new RecordedReports();
    private final Ttnn ttnn = Ttnn.create(reports);
    private final MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(1, 2));

    @Test
    void takesCircularBuffersAndOneBinaryWhenFirstEnqueued() {
        MeshWorkload workload = ttnn.createMeshWorkload()
                .addProgram(ttnn.createProgram("copy").addKernel(1).addCircularBuffer(TILE));
        reports.forget();

        mesh.enqueueMeshWorkload(workload);
        mesh.enqueueMeshWorkload(workload);

        assertThat(reports.lines())
                .containsExactly(
                        "allocated 0 L1 103776+2048 OWNING",
                        "allocated 1 L1 103776+2048 OWNING",
                        "allocated 0 DRAM 1073739776+2048 NON_OWNING",
                        "allocated 1 DRAM 1073739776+2048 NON_OWNING");
        assertThat(reports.requests())
                .containsExactly(
                        AllocationDetails.circularBuffer(Owner.program("1 (copy)"))
                                .withExtent(2_048),
                        AllocationDetails.user()
                                .ownedBy(Owner.program("1 (copy)"))
                                .onMesh(0)
                                .withExtent(2_048));
    }

    @Test
    void takesItsBinaryLaterWhereThereWasNoRoomAtFirst() {
        MeshWorkload workload = ttnn.createMeshWorkload()
                .addProgram(ttnn.createProgram("copy").addKernel(1).addCircularBuffer(TILE));
        MeshBuffer everything = mesh.allocate(MeshBufferConfig.replicated(allDram()));
        assertThatThrownBy(() -> mesh.enqueueMeshWorkload(workload)).isInstanceOf(DeviceOutOfMemoryException.class);
        everything.deallocate();
        reports.forget();

        mesh.enqueueMeshWorkload(workload);

        assertThat(reports.lines())
                .containsExactly(
                        "allocated 0 DRAM 1073739776+2048 NON_OWNING", "allocated 1 DRAM 1073739776+2048 NON_OWNING");
    }

    @Test
    void takesTheBinaryOfAProgramLaterWhereThereWasNoRoomAtFirst() {
        Program program = ttnn.createProgram("copy").addKernel(1).addCircularBuffer(TILE);
        Buffer everything = mesh.allocateOn(1, allDram());
        assertThatThrownBy(() -> mesh.enqueueProgram(1, program)).isInstanceOf(DeviceOutOfMemoryException.class);
        everything.deallocate();
        reports.forget();

        mesh.enqueueProgram(1, program);
        mesh.enqueueProgram(1, program);

        assertThat(reports.lines()).containsExactly("allocated 1 DRAM 1073739776+2048 OWNING");
    }

    @Test
    void givesBackBinaryAndCircularBuffersWhenClosed() {
        MeshWorkload workload = ttnn.createMeshWorkload()
                .addProgram(ttnn.createProgram("copy").addKernel(1).addCircularBuffer(TILE));
        mesh.enqueueMeshWorkload(workload);
        reports.forget();

        workload.close();
        workload.close();

        assertThat(reports.lines())
                .containsExactly(
                        "freed 0 DRAM 1073739776 NON_OWNING",
                        "freed 1 DRAM 1073739776 NON_OWNING",
                        "freed 0 L1 103776 OWNING",
                        "freed 1 L1 103776 OWNING",
                        "ended program 1 (copy)");
        assertThat(reports.releases())
                .extracting(AllocationDetails::kind)
                .containsExactly(BufferKind.BUFFER, BufferKind.CIRCULAR_BUFFER);
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
    void reportsCircularBuffersOnTheDevicesOfTheirProgram() {
        MeshWorkload workload = ttnn.createMeshWorkload()
                .addProgram(MeshCoordinate.of(0, 1), ttnn.createProgram("copy").addCircularBuffer(TILE));
        reports.forget();

        mesh.enqueueMeshWorkload(workload);

        assertThat(reports.lines()).containsExactly("allocated 1 L1 103776+2048 OWNING");
    }

    @Test
    void reportsCircularBuffersUnderTheFirstDeviceOnTheTrackingBranch() {
        MeshWorkload workload = ttnn.createMeshWorkload()
                .addProgram(MeshCoordinate.of(0, 1), ttnn.createProgram("copy").addCircularBuffer(TILE));
        MeshDevice october = october();
        reports.forget();

        october.enqueueMeshWorkload(workload);
        workload.close();

        assertThat(reports.lines())
                .containsExactly(
                        "allocated 0 L1 101152+2048 OWNING", "freed 0 L1 101152 OWNING", "ended program 1 (copy)");
    }

    @Test
    void reportsCircularBuffersOfProgramsOnSingleDevicesUnderEachOnTheTrackingBranch() {
        MeshDevice october = october();
        reports.forget();

        october.enqueueProgram(0, ttnn.createProgram("copy").addCircularBuffer(TILE));
        october.enqueueProgram(1, ttnn.createProgram("copy").addCircularBuffer(TILE));

        assertThat(reports.lines())
                .containsExactly("allocated 0 L1 101152+2048 OWNING", "allocated 1 L1 101152+2048 OWNING");
    }

    @Test
    void takesItsMemoryFromTheDeviceWhenAProgramRunsByItself() {
        Program program = ttnn.createProgram("copy").addKernel(1).addCircularBuffer(TILE);
        reports.forget();

        mesh.enqueueProgram(1, program);
        mesh.enqueueProgram(1, program);
        program.close();
        program.close();

        assertThat(reports.lines())
                .containsExactly(
                        "allocated 1 L1 103776+2048 OWNING",
                        "allocated 1 DRAM 1073739776+2048 OWNING",
                        "freed 1 DRAM 1073739776 OWNING",
                        "freed 1 L1 103776 OWNING",
                        "ended program 1 (copy)");
    }

    @Test
    void saysNothingOfProgramsThatNeverRan() {
        reports.forget();

        ttnn.createProgram("copy").close();
        ttnn.createMeshWorkload().addProgram(ttnn.createProgram("copy")).close();

        assertThat(reports.lines()).isEmpty();
    }

    @Test
    void stacksCircularBuffersOnTheSameCores() {
        Program program = ttnn.createProgram("copy")
                .addCircularBuffer(CircularBufferConfig.of(100))
                .addCircularBuffer(TILE);
        reports.forget();

        mesh.enqueueProgram(0, program);

        assertThat(reports.lines())
                .containsExactly("allocated 0 L1 103776+100 OWNING", "allocated 0 L1 103904+2048 OWNING");
    }

    @Test
    void stacksCircularBuffersOnDifferentCoresSeparatelyUnlessTheyIntersect() {
        Program program = ttnn.createProgram("copy")
                .addCircularBuffer(TILE.on(new CoreRange(0, 0, 3, 7)))
                .addCircularBuffer(TILE.on(new CoreRange(4, 0, 7, 7)))
                .addCircularBuffer(TILE.on(new CoreRange(3, 0, 4, 0)));
        reports.forget();

        mesh.enqueueProgram(0, program);

        assertThat(reports.lines())
                .containsExactly(
                        "allocated 0 L1 103776+2048 OWNING",
                        "allocated 0 L1 103776+2048 OWNING",
                        "allocated 0 L1 105824+2048 OWNING");
    }

    @Test
    void keepsCircularBuffersInsideTheComputeGrid() {
        Program program = ttnn.createProgram("copy").addCircularBuffer(TILE.on(new CoreRange(0, 0, 8, 7)));

        assertThatThrownBy(() -> mesh.enqueueProgram(0, program))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Circular buffer core range [0-0 - 8-7] in program 1 exceeds device compute grid (8x8)");
    }

    @Test
    void keepsCircularBuffersInsideL1() {
        Program program = ttnn.createProgram("copy").addCircularBuffer(CircularBufferConfig.of(1_400_000));

        assertThatThrownBy(() -> mesh.enqueueProgram(0, program))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Statically allocated circular buffers on core range [0-0 - 7-7] grow to 1503776 B"
                        + " which is beyond max L1 size of 1499136 B");
    }

    @Test
    void keepsCircularBuffersBelowL1Buffers() {
        mesh.allocate(MeshBufferConfig.replicated(BufferConfig.of(BufferType.L1, 64 * 1_000_000, 1_000_000)));
        MeshWorkload workload = ttnn.createMeshWorkload()
                .addProgram(ttnn.createProgram("copy").addCircularBuffer(CircularBufferConfig.of(500_000)));
        reports.forget();

        assertThatThrownBy(() -> mesh.enqueueMeshWorkload(workload))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage(
                        "Statically allocated circular buffers in program 1 clash with L1 buffers on core range"
                                + " [0-0 - 7-7]. L1 buffer allocated at 499136 and static circular buffer region ends at 603776");
        assertThat(reports.lines()).isEmpty();
    }

    @Test
    void givesEachDeviceOneProgram() {
        MeshWorkload workload = ttnn.createMeshWorkload()
                .addProgram(MeshCoordinate.of(0, 0), MeshCoordinate.of(0, 1), ttnn.createProgram("copy"));

        assertThatThrownBy(() -> workload.addProgram(MeshCoordinate.of(0, 1), ttnn.createProgram("move")))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage(
                        "Program range MeshCoordinateRange(start=MeshCoordinate([0, 1]), end=MeshCoordinate([0, 1]))"
                                + " overlaps with the previously added range"
                                + " MeshCoordinateRange(start=MeshCoordinate([0, 0]), end=MeshCoordinate([0, 1]))");
    }

    @Test
    void staysOnTheMeshItWasEnqueuedOn() {
        MeshDevice other = ttnn.openMeshDevice(
                MeshDeviceOptions.defaults().withMeshShape(MeshShape.of(1, 1)).withPhysicalDeviceIds(4));
        MeshWorkload workload = ttnn.createMeshWorkload().addProgram(ttnn.createProgram("copy"));
        mesh.enqueueMeshWorkload(workload);

        assertThatThrownBy(() -> other.enqueueMeshWorkload(workload))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Reusing MeshWorkloads across MeshDevices is currently not supported.");
    }

    @Test
    void ownsItsPrograms() {
        Program program = ttnn.createProgram("copy");
        MeshWorkload workload = ttnn.createMeshWorkload().addProgram(program);

        assertThatThrownBy(program::close)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage(
                        "Cannot close program 1 (copy): it belongs to a mesh workload. Close the workload instead.");
        assertThatThrownBy(() -> mesh.enqueueProgram(0, program))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("Cannot enqueue program 1 (copy) by itself: it belongs to a mesh workload."
                        + " Enqueue the workload instead.");
        workload.close();
        program.close();
    }

    @Test
    void cannotBeChangedOnceEnqueued() {
        Program program = ttnn.createProgram("copy");
        mesh.enqueueProgram(0, program);

        assertThatThrownBy(() -> program.addCircularBuffer(TILE))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("Cannot add a circular buffer to program 1 (copy): it was enqueued before or has ended."
                        + " Create a new program.");
    }

    @Test
    void cannotRunAgainOnceEnded() {
        MeshWorkload workload = ttnn.createMeshWorkload().addProgram(ttnn.createProgram("copy"));
        mesh.enqueueMeshWorkload(workload);
        workload.close();

        assertThatThrownBy(() -> mesh.enqueueMeshWorkload(workload))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("Cannot enqueue a mesh workload that has ended. Create a new workload.");
    }

    private MeshDevice october() {
        return Ttnn.builder(reports).preset(RuntimePreset.OCTOBER_2025).build().openMeshDevice(MeshShape.of(1, 2));
    }

    private BufferConfig allDram() {
        long perBank = mesh.statistics(BufferType.DRAM).largestFree() / 2_048 * 2_048;
        return BufferConfig.of(BufferType.DRAM, 12 * perBank, 2_048);
    }
}
