package dev.meshguard.mesh;

import static dev.meshguard.mesh.Blocking.BLOCKING;
import static dev.meshguard.mesh.Rejections.assertRuntimeError;
import static dev.meshguard.mesh.Rejections.assertRuntimeErrorBeginning;
import static dev.meshguard.mesh.runtime.RuntimeDefect.TRACE_BUFFER_KEPT_AFTER_RELEASE;
import static dev.meshguard.mesh.runtime.RuntimeDefect.TRACE_SIZE_NOT_LOWERED_ON_RELEASE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.event.BufferType;
import dev.meshguard.mesh.allocator.AllocationDirection;
import dev.meshguard.mesh.allocator.Allocator;
import dev.meshguard.mesh.allocator.DeviceOutOfMemoryException;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.buffer.CoreRange;
import dev.meshguard.mesh.buffer.SubDevice;
import dev.meshguard.mesh.runtime.RuntimePreset;
import dev.meshguard.mesh.shape.MeshShape;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the addresses of traces, the errors without room for them, and the allocations that they make unsafe. */
class TraceMemoryTests {

    /** The end of a DRAM bank of Wormhole B0. */
    private static final long BANK_END = 1_073_741_824;

    private static final BufferConfig PAGE_FROM_THE_TOP =
            BufferConfig.of(BufferType.DRAM, 2_048, 2_048).inDirection(AllocationDirection.TOP_DOWN);

    private final RecordedReports reports = new RecordedReports();
    private final Ttnn ttnn = Ttnn.create(reports);

    @AutoClose
    private final LoggedLines log = LoggedLines.of(Allocator.class);

    @Test
    void liesInTheTraceRegionFromTheBottomUp() {
        MeshDevice mesh = withRegion(1_048_576);

        MeshBuffer first = bufferOf(mesh, captured(mesh, 12_288));
        MeshBuffer second = bufferOf(mesh, captured(mesh, 12_288));

        assertThat(first.type()).isEqualTo(BufferType.TRACE);
        assertThat(first.address()).isEqualTo(BANK_END - 1_048_576);
        assertThat(second.address()).isEqualTo(BANK_END - 1_048_576 + 1_024);
        assertThat(mesh.traceBuffersSize()).isEqualTo(24_576);
    }

    @ParameterizedTest
    @CsvSource({"100, 1024, 1024", "49152, 4096, 49152", "12501000, 8192, 12509184"})
    void hasPagesThatWasteLeast(long rawSize, long pageSize, long size) {
        MeshDevice mesh = withRegion(64 << 20);

        BufferConfig config = bufferOf(mesh, captured(mesh, rawSize)).config();

        assertThat(config.pageSize()).isEqualTo(pageSize);
        assertThat(config.size()).isEqualTo(size);
    }

    @Test
    void hasTheSizesOfTheLanguageModelRunOfOctober2025() {
        MeshDevice mesh = withRegion(Ttnn.builder(reports).preset(RuntimePreset.OCTOBER_2025), 30_000_000);

        MeshBuffer smallest = bufferOf(mesh, captured(mesh, 12_500_993));
        MeshBuffer largest = bufferOf(mesh, captured(mesh, 12_503_040));

        assertThat(smallest.size()).isEqualTo(12_503_040);
        assertThat(largest.size()).isEqualTo(12_503_040);
        assertThat(smallest.address()).isEqualTo(1_043_741_824);
    }

    @Test
    void staysInThePoolWithoutABufferWhenItWasRejectedAndCountsForever() {
        MeshDevice mesh = withRegion(30_720);
        TraceId refused = mesh.beginMeshTrace(0);
        assertThatThrownBy(() -> mesh.endMeshTrace(0, refused, 40_960)).isInstanceOf(MeshRuntimeException.class);
        assertThat(mesh.commandQueue().traceId()).isEmpty();
        assertThat(mesh.meshTraceBuffer(refused)).isEmpty();

        mesh.releaseMeshTrace(refused);

        mesh.allocate(BufferType.DRAM, 2_048);
        assertThat(log.all()).hasSize(1);
        TraceId small = mesh.beginMeshTrace(0);
        assertRuntimeErrorBeginning(
                () -> mesh.endMeshTrace(0, small, 1_024),
                "Creating trace buffers of size 41984B on MeshDevice 0,"
                        + " but only 30720B is allocated for trace region.\n");
        assertRuntimeError(
                () -> mesh.beginMeshTrace(0, small),
                "Trace already exists for tid 1 on device 0's active sub-device manager 0");
        assertThatThrownBy(() -> mesh.replayMeshTrace(0, small, BLOCKING)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void mayFailForLackOfRoomInABankAlthoughTheRegionIsLargeEnoughInSum() {
        MeshDevice mesh = withRegion(3_072);
        captured(mesh, 1_024);
        captured(mesh, 1_024);
        mesh.allocate(BufferConfig.of(BufferType.TRACE, 1_024, 1_024));
        TraceId third = mesh.beginMeshTrace(0);

        assertThatThrownBy(() -> mesh.endMeshTrace(0, third, 1_024))
                .isInstanceOf(DeviceOutOfMemoryException.class)
                .hasMessageStartingWith(
                        "Out of Memory: Not enough space to allocate 1024 B TRACE buffer across 12 banks,"
                                + " where each bank needs to store 1024 B, but bank size is 3072 B"
                                + " (allocated: 3072 B, free: 0 B, largest free block: 0 B)\n");
    }

    @Test
    void liesAtTheTopOfDramBelowKernelBinariesWhereThereIsNoRegion() {
        MeshDevice mesh = withRegion(0);
        mesh.enqueueMeshWorkload(
                ttnn.createMeshWorkload().addProgram(ttnn.createProgram("copy").addKernel(1)));

        MeshBuffer trace = bufferOf(mesh, captured(mesh, 12_288));

        assertThat(trace.type()).isEqualTo(BufferType.DRAM);
        assertThat(trace.address()).isEqualTo(BANK_END - 2_048 - 1_024);
        assertThat(mesh.traceBuffersSize()).isEqualTo(12_288);
    }

    @Test
    void doesNotLieBelowWhatWasAllocatedDuringItsCapture() {
        MeshDevice mesh = withRegion(0);
        TraceId trace = mesh.beginMeshTrace(0);
        mesh.allocate(PAGE_FROM_THE_TOP);

        assertRuntimeError(
                () -> mesh.endMeshTrace(0, trace, 12_288),
                "Trace buffer at address 1073738752 overlaps with buffers allocated during trace capture"
                        + " (allocation high water mark: 1073741824)."
                        + " Reduce allocations during trace capture or set a non-zero trace_region_size.");
        assertThat(mesh.statistics(BufferType.DRAM).totalAllocated())
                .as("it keeps its buffer until its release")
                .isEqualTo(2_048 + 1_024);
        mesh.releaseMeshTrace(trace);
        assertThat(mesh.statistics(BufferType.DRAM).totalAllocated()).isEqualTo(2_048);
        assertThat(mesh.traceBuffersSize()).isZero();
    }

    @Test
    void doesNotLieBelowWhatWasFreedDuringItsCapture() {
        MeshDevice mesh = withRegion(0);
        mesh.allocate(PAGE_FROM_THE_TOP);
        MeshBuffer below = mesh.allocate(PAGE_FROM_THE_TOP);
        TraceId trace = mesh.beginMeshTrace(0);
        below.deallocate();

        assertRuntimeError(
                () -> mesh.endMeshTrace(0, trace, 12_288),
                "Trace buffer at address 1073738752 overlaps with buffers deallocated during trace capture"
                        + " (deletion high water mark: 1073739776)."
                        + " Avoid deallocating DRAM buffers during trace capture or set a non-zero trace_region_size.");
    }

    @Test
    void doesNotLieBelowWhatWasAllocatedAndFreedDuringItsCapture() {
        MeshDevice mesh = withRegion(0);
        mesh.allocate(PAGE_FROM_THE_TOP).deallocate();
        captured(mesh, 12_288);
        TraceId trace = mesh.beginMeshTrace(0);
        mesh.allocate(PAGE_FROM_THE_TOP).deallocate();

        assertRuntimeError(
                () -> mesh.endMeshTrace(0, trace, 12_288),
                "Trace buffer at address 1073739776 overlaps with DRAM activity during trace capture."
                        + " Allocation high water mark: 1073740800, Deletion high water mark: 1073740800."
                        + " Reduce allocations during trace capture or set a non-zero trace_region_size.");
    }

    @Test
    void needsARegionBeforeFebruary2026() {
        MeshDevice mesh = withRegion(Ttnn.builder(reports).preset(RuntimePreset.OCTOBER_2025), 0);
        TraceId trace = mesh.beginMeshTrace(0);

        assertRuntimeErrorBeginning(
                () -> mesh.endMeshTrace(0, trace, 12_288),
                "Creating trace buffers of size 12288B on MeshDevice 0,"
                        + " but only 0B is allocated for trace region.\n");
    }

    @Test
    void makesAllocationsUnsafeUntilItIsReleased() {
        MeshDevice mesh = withRegion(1_048_576);
        TraceId first = captured(mesh, 1_024);
        mesh.releaseMeshTrace(first);
        mesh.allocate(BufferType.DRAM, 2_048);
        captured(mesh, 1_024);
        mesh.allocateOn(0, PAGE_FROM_THE_TOP);
        TraceId third = mesh.beginMeshTrace(0);
        mesh.allocate(BufferType.DRAM, 2_048);
        assertThat(log.all()).as("on one device, or while another is captured").isEmpty();

        mesh.endMeshTrace(0, third, 1_024);
        mesh.releaseMeshTrace(third);
        captured(mesh, 1_024);
        mesh.allocate(BufferType.DRAM, 2_048);

        assertThat(log.all())
                .containsExactly("WARN Allocating device buffers is unsafe due to the existence of an active trace."
                        + " These buffers may be corrupted once a trace is executed.");
    }

    @Test
    void isWarnedOfOnceForEachThreadWhateverTheMesh() {
        MeshDevice mesh = withRegion(1_048_576);
        MeshDevice submesh = mesh.createSubmesh(MeshShape.of(1, 1));
        TraceId released = captured(mesh, 1_024);
        captured(mesh, 1_024);
        captured(submesh, 1_024);
        mesh.releaseMeshTrace(released);

        mesh.allocate(BufferType.DRAM, 2_048);
        mesh.allocate(BufferType.DRAM, 2_048);
        submesh.allocate(BufferType.DRAM, 2_048);

        assertThat(log.all()).hasSize(1);
    }

    @Test
    void leavesAllocationsUnsafeWhenItGoesWithItsManagerUntilTheNextRelease() {
        MeshDevice mesh = withRegion(1_048_576);
        SubDeviceManagerId manager = mesh.createSubDeviceManager(List.of(SubDevice.of(new CoreRange(0, 0, 2, 2))), 0);
        mesh.loadSubDeviceManager(manager);
        TraceId trace = captured(mesh, 1_024);
        mesh.clearLoadedSubDeviceManager();
        mesh.removeSubDeviceManager(manager);
        mesh.releaseMeshTrace(trace);

        mesh.allocate(BufferType.DRAM, 2_048);

        assertThat(log.all())
                .as("the release of a number that is unknown makes safe")
                .isEmpty();
    }

    @Test
    void lowersItsSizeNoMoreWhenItsBufferWasFreedByHand() {
        MeshDevice mesh = withRegion(1_048_576);
        TraceId trace = captured(mesh, 1_024);
        bufferOf(mesh, trace).deallocate();

        mesh.releaseMeshTrace(trace);

        assertThat(mesh.traceBuffersSize()).isEqualTo(1_024);
        assertThat(reports.lines("ignored")).isEmpty();
    }

    @Test
    void leavesNoRoomForOthersWhereItKeepsItsBufferAfterTheRelease() {
        MeshDevice mesh = withRegion(Ttnn.builder(reports).defects(TRACE_BUFFER_KEPT_AFTER_RELEASE), 2_048);
        mesh.releaseMeshTrace(captured(mesh, 1_000));

        mesh.releaseMeshTrace(captured(mesh, 1_000));

        assertThat(mesh.statistics(BufferType.TRACE).totalAllocated()).isEqualTo(2_048);
        assertThat(mesh.traceBuffersSize()).isEqualTo(2_048);
        TraceId third = mesh.beginMeshTrace(0);
        assertRuntimeErrorBeginning(
                () -> mesh.endMeshTrace(0, third, 1_000),
                "Creating trace buffers of size 3072B on MeshDevice 0,"
                        + " but only 2048B is allocated for trace region.\n");
    }

    @Test
    void leavesNoRoomForOthersWhereItsSizeIsNotLoweredOnRelease() {
        MeshDevice mesh = withRegion(Ttnn.builder(reports).defects(TRACE_SIZE_NOT_LOWERED_ON_RELEASE), 2_048);
        mesh.releaseMeshTrace(captured(mesh, 1_000));
        mesh.releaseMeshTrace(captured(mesh, 1_000));
        TraceId third = mesh.beginMeshTrace(0);

        assertThatThrownBy(() -> mesh.endMeshTrace(0, third, 1_000))
                .hasMessageContaining(
                        "too small: with those that were rejected or released the traces need 3 KiB (3072 B) in total")
                .hasMessageEndingWith("until then the runtime counts traces that were rejected or released");

        assertThat(mesh.statistics(BufferType.TRACE).totalAllocated()).isZero();
    }

    private MeshDevice withRegion(long size) {
        return withRegion(ttnn, size);
    }

    private static MeshDevice withRegion(Ttnn.Builder runtime, long size) {
        return withRegion(runtime.build(), size);
    }

    private static MeshDevice withRegion(Ttnn ttnn, long size) {
        return ttnn.openMeshDevice(
                MeshDeviceOptions.defaults().withMeshShape(MeshShape.of(1, 2)).withTraceRegionSize(size));
    }

    private static TraceId captured(MeshDevice mesh, long rawSize) {
        TraceId trace = mesh.beginMeshTrace(0);
        mesh.endMeshTrace(0, trace, rawSize);
        return trace;
    }

    private static MeshBuffer bufferOf(MeshDevice mesh, TraceId trace) {
        return mesh.meshTraceBuffer(trace).orElseThrow();
    }
}
