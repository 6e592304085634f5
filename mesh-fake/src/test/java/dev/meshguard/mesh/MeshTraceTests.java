package dev.meshguard.mesh;

import static dev.meshguard.mesh.Blocking.BLOCKING;
import static dev.meshguard.mesh.Blocking.NON_BLOCKING;
import static dev.meshguard.mesh.Rejections.assertIllegalArgument;
import static dev.meshguard.mesh.Rejections.assertIllegalState;
import static dev.meshguard.mesh.Rejections.assertMeshIsClosed;
import static dev.meshguard.mesh.Rejections.assertRuntimeError;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.event.BufferType;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.buffer.CircularBufferConfig;
import dev.meshguard.mesh.buffer.CoreRange;
import dev.meshguard.mesh.buffer.SubDevice;
import dev.meshguard.mesh.shape.MeshCoordinate;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.OperationProfile;
import dev.meshguard.mesh.tensor.TensorShape;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Tests the steps of a trace, from its begin to its release, and the calls that are rejected meanwhile. */
class MeshTraceTests {

    private static final MeshCoordinate FIRST = MeshCoordinate.of(0, 0);

    private final RecordedReports reports = new RecordedReports();
    private final Ttnn ttnn = Ttnn.create(reports);
    private final MeshDevice mesh = ttnn.openMeshDevice(MeshDeviceOptions.defaults()
            .withMeshShape(MeshShape.of(2, 4))
            .withNumCommandQueues(2)
            .withTraceRegionSize(64 << 20));
    private final MeshCommandQueue queue = mesh.commandQueue();
    private final MeshBuffer buffer = mesh.allocate(BufferType.DRAM, 2_048);
    private final MeshWorkload loaded = loaded("copy", 1_000);

    @Test
    void countsFromZeroInTheProcessAlsoIfItCannotBegin() {
        assertThat(mesh.beginMeshTrace(0)).isEqualTo(new TraceId(0));
        assertRuntimeError(() -> mesh.beginMeshTrace(0), "CQ 0 is already being used for tracing tid 1");
        assertThat(mesh.createSubmesh(MeshShape.of(1, 1)).beginMeshTrace(0)).isEqualTo(new TraceId(2));
    }

    @Test
    void recordsOperationsWhoseProgramsAreCached() {
        Ttnn profiled = Ttnn.builder(reports)
                .operations(OperationProfile.of("add", 6, 2, 2, 2).withTraceSize(5_000))
                .build();
        MeshDevice device = profiled.openMeshDevice(
                MeshDeviceOptions.defaults().withMeshShape(MeshShape.of(1, 2)).withTraceRegionSize(1 << 20));
        Tensor a = profiled.empty(TensorShape.of(32, 32), DataType.BFLOAT16, device);
        profiled.add(a, a);
        TraceId trace = profiled.beginTraceCapture(device);

        profiled.add(a, a);
        profiled.add(a, a);
        profiled.endTraceCapture(device, trace);

        assertThat(sizeOf(device, trace)).isEqualTo(10_240);
    }

    /** A program without kernels has no binary, so a capture may run it first. */
    @Test
    void recordsProgramsOfSingleDevicesAndWithoutKernels() {
        Program program = program("copy", 3_000);
        MeshWorkload withoutKernels = ttnn.createMeshWorkload()
                .addProgram(ttnn.createProgram("wait")
                        .addCircularBuffer(CircularBufferConfig.of(2_048))
                        .setTraceSize(500));
        mesh.enqueueProgram(3, program);
        TraceId trace = mesh.beginMeshTrace(0);

        mesh.enqueueProgram(3, program);
        queue.enqueueMeshWorkload(withoutKernels);
        mesh.endMeshTrace(0, trace);

        assertThat(sizeOf(mesh, trace)).as("3,000 and 500 bytes").isEqualTo(4_096);
    }

    @Test
    void isAsLargeAsTheDeviceThatHasMostToDo() {
        MeshWorkload rows = ttnn.createMeshWorkload()
                .addProgram(MeshCoordinate.of(0, 0), MeshCoordinate.of(0, 3), program("add", 4_096))
                .addProgram(MeshCoordinate.of(1, 0), MeshCoordinate.of(1, 3), program("multiply", 1_024));
        MeshWorkload column = ttnn.createMeshWorkload()
                .addProgram(MeshCoordinate.of(0, 1), MeshCoordinate.of(1, 1), program("subtract", 2_048));
        mesh.enqueueMeshWorkload(rows);
        mesh.enqueueMeshWorkload(column);
        TraceId trace = mesh.beginMeshTrace(0);

        queue.enqueueMeshWorkload(rows);
        queue.enqueueMeshWorkload(column);
        mesh.endMeshTrace(0, trace);

        assertThat(sizeOf(mesh, trace)).isEqualTo(6_144);
    }

    @Test
    void doesNotEndAsLongAsNobodySaidHowLargeItsProgramsAre() {
        MeshWorkload unmeasured = ttnn.createMeshWorkload()
                .addProgram(ttnn.createProgram("mystery").addKernel(1));
        mesh.enqueueMeshWorkload(unmeasured);
        TraceId trace = mesh.beginMeshTrace(0);
        queue.enqueueMeshWorkload(unmeasured);

        assertIllegalState(
                () -> mesh.endMeshTrace(0, trace),
                "Cannot end the capture of trace 0 on mesh 0: the size of the commands of"
                        + " program 2 (mystery) is unknown, and only the runtime could know. Give it with"
                        + " Program.setTraceSize(bytes) or OperationProfile.withTraceSize(bytes), or give the size of the"
                        + " whole trace to endMeshTrace(queue, trace, rawSize).");
        assertThatCode(() -> mesh.endMeshTrace(0, trace, 1_000)).doesNotThrowAnyException();
    }

    @Test
    void endsOnTheQueueThatRecordsItUnlessItWasReleased() {
        TraceId trace = mesh.beginMeshTrace(0);

        assertRuntimeError(() -> mesh.endMeshTrace(1, trace), "CQ 1 is not being used for tracing tid 0");
        assertRuntimeError(() -> mesh.endMeshTrace(0, new TraceId(7)), "CQ 0 is not being used for tracing tid 7");
        assertThat(queue.traceId()).contains(trace);
        mesh.releaseMeshTrace(trace);
        assertRuntimeError(
                () -> mesh.endMeshTrace(0, trace, 1_000),
                "Trace instance 0 must exist on device 0's active sub-device manager 0");
    }

    @Test
    void holdsAtLeastTheCommandThatEndsIt() {
        TraceId trace = mesh.beginMeshTrace(0);

        assertThatThrownBy(() -> mesh.endMeshTrace(0, trace))
                .hasMessageStartingWith("Cannot end the capture of trace 0 on mesh 0: the size of a trace without"
                        + " commands is unknown, and only the runtime could know.");
        assertIllegalArgument(
                () -> mesh.endMeshTrace(0, trace, 0),
                "Cannot end a trace with 0 B: it holds at least the command that ends it");
    }

    @Test
    void hasNoNegativeNumberOrSize() {
        assertIllegalArgument(() -> new TraceId(-1), "There is no trace -1: traces count from 0");
        assertThatThrownBy(() -> ttnn.createProgram("copy").setTraceSize(-1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("Cannot use -1 B as the trace size of program ");
        assertIllegalArgument(
                () -> OperationProfile.of("add", 1).withTraceSize(-1),
                "Cannot use -1 B as the trace size of add: it must be 0 or more");
    }

    @Test
    void isWrittenThroughTheQueueWhichWaitsForIt() {
        TraceId trace = mesh.beginMeshTrace(0);

        mesh.endMeshTrace(0, trace, 1_000);

        assertThat(queue.isInUse()).isTrue();
        assertThat(queue.enqueueRecordEvent().id()).as("after that of the wait").isEqualTo(2);
    }

    @Test
    void isReplayedWithoutTakingMemoryUntilItIsReleased() {
        TraceId trace = captured();
        long before = mesh.statistics(BufferType.TRACE).totalAllocated();

        ttnn.executeTrace(mesh, trace);
        mesh.replayMeshTrace(1, trace, NON_BLOCKING);

        assertThat(mesh.statistics(BufferType.TRACE).totalAllocated()).isEqualTo(before);
        assertThat(mesh.commandQueue(1).isInUse()).isTrue();
        ttnn.releaseTrace(mesh, trace);
        assertThat(mesh.meshTraceBuffer(trace)).isEmpty();
        assertThat(mesh.traceBuffersSize()).isZero();
        assertThat(mesh.statistics(BufferType.TRACE).totalAllocated()).isZero();
        assertRuntimeError(
                () -> mesh.replayMeshTrace(0, trace, BLOCKING),
                "Trace instance 0 must exist on Mesh device 0's active sub-device manager 0");
    }

    @Test
    void takesItsSubDevicesWhenItIsReplayedAndNotWhileItIsCaptured() {
        MeshWorkload other = loaded("move", 1_000);
        queue.finish();
        TraceId trace = captured();
        mesh.commandQueue(1).enqueueMeshWorkload(other, BLOCKING);

        mesh.replayMeshTrace(0, trace, NON_BLOCKING);

        assertRuntimeError(
                () -> mesh.replayMeshTrace(1, trace, BLOCKING),
                "Sub device id 0 currently in use by cq 0. Can't enqueue program from cq 1."
                        + " Finish or wait for an event to transfer ownership.");
    }

    @Test
    void isNotReplayedBeforeItsCaptureHasEnded() {
        TraceId trace = mesh.beginMeshTrace(0);

        assertIllegalState(
                () -> mesh.replayMeshTrace(0, trace, BLOCKING),
                "Cannot replay trace 0 of mesh 0: it has no buffer, because its capture has not ended or failed"
                        + " at the end (the runtime would crash). Release it and capture it again.");
    }

    @Test
    void belongsToTheSubDeviceManagerUnderWhichItWasBegun() {
        TraceId trace = captured();
        SubDeviceManagerId manager = divided();
        mesh.loadSubDeviceManager(manager);

        mesh.releaseMeshTrace(trace);

        assertThat(mesh.traceBuffersSize()).as("the release found nothing").isPositive();
        assertRuntimeError(
                () -> mesh.replayMeshTrace(0, trace, BLOCKING),
                "Trace instance 0 must exist on Mesh device 0's active sub-device manager 1");
        mesh.clearLoadedSubDeviceManager();
        assertThatCode(() -> mesh.replayMeshTrace(0, trace, BLOCKING)).doesNotThrowAnyException();
    }

    @Test
    void goesWithItsSubDeviceManager() {
        SubDeviceManagerId manager = divided();
        mesh.loadSubDeviceManager(manager);
        TraceId trace = mesh.beginMeshTrace(0);
        mesh.endMeshTrace(0, trace, 1_000);
        mesh.clearLoadedSubDeviceManager();
        reports.forget();

        mesh.removeSubDeviceManager(manager);

        assertThat(mesh.traceBuffersSize()).isZero();
        assertThat(mesh.statistics(BufferType.TRACE).totalAllocated()).isZero();
        assertThat(reports.lines("freed 0")).containsExactly("freed 0 TRACE 1006632960 NON_OWNING");
        assertThat(reports.lines("ended")).containsExactly("ended trace 0 of mesh 0");
    }

    @Test
    void isReportedAsTheOwnerOfItsBufferByANameOfItsOwnEachTimeANumberIsCaptured() {
        captureAndRelease(new TraceId(5));
        captureAndRelease(new TraceId(5));

        assertThat(reports.requests())
                .extracting(details -> details.owner().map(Object::toString).orElse("nobody"))
                .endsWith("trace 5 of mesh 0", "trace 5 of mesh 0, capture 2");
        assertThat(reports.lines())
                .filteredOn(line -> line.contains(" 5 "))
                .containsExactly(
                        "allocated 5 DRAM 2968640+2048 NON_OWNING",
                        "allocated 5 DRAM 1006630912+2048 NON_OWNING",
                        "allocated 5 TRACE 1006632960+1024 NON_OWNING",
                        "cached trace 5 of mesh 0 in trace pool",
                        "freed 5 TRACE 1006632960 NON_OWNING",
                        "ended trace 5 of mesh 0",
                        "allocated 5 TRACE 1006632960+1024 NON_OWNING",
                        "cached trace 5 of mesh 0, capture 2 in trace pool",
                        "freed 5 TRACE 1006632960 NON_OWNING",
                        "ended trace 5 of mesh 0, capture 2");
    }

    @Test
    void isGoneWithoutAWordWhenTheMeshIsClosed() {
        captured();
        reports.forget();

        mesh.close();

        assertThat(reports.lines("freed")).isEmpty();
        assertThat(reports.lines("ended trace")).isEmpty();
        assertMeshIsClosed(() -> mesh.releaseMeshTrace(new TraceId(0)));
    }

    @Test
    void letsNothingBeWrittenReadOrWaitedForWhileItIsCaptured() {
        MeshEvent event = mesh.commandQueue(1).enqueueRecordEvent();
        mesh.beginMeshTrace(0);

        assertRuntimeError(
                () -> queue.enqueueWriteMeshBuffer(buffer, 2_048), "Writes are not supported during trace capture.");
        assertRuntimeError(
                () -> queue.enqueueReadShards(buffer, List.of(FIRST), BLOCKING),
                "Reads are not supported during trace capture.");
        assertRuntimeError(queue::enqueueRecordEvent, "Event Synchronization is not supported during trace capture.");
        assertRuntimeError(
                () -> queue.enqueueWaitForEvent(event), "Event Synchronization is not supported during trace capture.");
        assertRuntimeError(queue::finish, "Event Synchronization is not supported during trace capture.");
        assertRuntimeError(
                () -> queue.enqueueMeshWorkload(loaded, BLOCKING), "Blocking is not supported when recording a trace.");
    }

    @Test
    void letsNoBinaryBeLoadedWhileItIsCaptured() {
        MeshWorkload unloaded = ttnn.createMeshWorkload().addProgram(program("copy", 1_000));
        Program alone = program("copy", 1_000);
        Tensor a = ttnn.empty(TensorShape.of(32, 32), DataType.BFLOAT16, mesh);
        mesh.beginMeshTrace(0);
        long before = mesh.statistics(BufferType.DRAM).totalAllocated();

        assertBinaryIsMissing(() -> queue.enqueueMeshWorkload(unloaded));
        assertBinaryIsMissing(() -> mesh.enqueueProgram(0, alone));
        assertBinaryIsMissing(() -> ttnn.add(a, a));
        assertThat(mesh.statistics(BufferType.DRAM).totalAllocated()).isEqualTo(before);
        assertThat(mesh.numProgramCacheEntries())
                .as("kept before it was enqueued")
                .isOne();
    }

    @Test
    void keepsOtherQueuesAndSubDeviceManagersOut() {
        SubDeviceManagerId manager = divided();
        mesh.beginMeshTrace(0);

        assertIllegalState(
                () -> mesh.commandQueue(1).enqueueWriteMeshBuffer(buffer, 2_048),
                "Cannot use command queue 1 of mesh 0 while queue 0 records trace 0: the runtime would take down"
                        + " the commands of both (undefined behaviour). End the capture first.");
        assertThatThrownBy(() -> mesh.beginMeshTrace(1)).isInstanceOf(IllegalStateException.class);
        assertRuntimeError(() -> mesh.loadSubDeviceManager(manager), "Cannot reset worker state during trace capture");
    }

    @Test
    void usesTheQueueForRejectedCommandsOnly() {
        MeshCommandQueue unused = mesh.createSubmesh(MeshShape.of(1, 1)).commandQueue();

        unused.device().beginMeshTrace(0);
        assertThat(unused.isInUse()).isFalse();

        assertThatThrownBy(unused::finish).isInstanceOf(MeshRuntimeException.class);
        assertThat(unused.isInUse()).isTrue();
    }

    private static void assertBinaryIsMissing(ThrowingCallable call) {
        assertRuntimeError(call, "Expected program binaries to be written to the MeshDevice.");
    }

    private void captureAndRelease(TraceId trace) {
        mesh.beginMeshTrace(0, trace);
        mesh.endMeshTrace(0, trace, 1_000);
        mesh.releaseMeshTrace(trace);
    }

    private TraceId captured() {
        TraceId trace = ttnn.beginTraceCapture(mesh);
        queue.enqueueMeshWorkload(loaded);
        ttnn.endTraceCapture(mesh, trace);
        return trace;
    }

    private static long sizeOf(MeshDevice mesh, TraceId trace) {
        return mesh.meshTraceBuffer(trace).orElseThrow().size();
    }

    private SubDeviceManagerId divided() {
        return mesh.createSubDeviceManager(List.of(SubDevice.of(new CoreRange(0, 0, 2, 2))), 0);
    }

    private MeshWorkload loaded(String name, long traceSize) {
        MeshWorkload workload = ttnn.createMeshWorkload().addProgram(program(name, traceSize));
        mesh.enqueueMeshWorkload(workload);
        return workload;
    }

    private Program program(String name, long traceSize) {
        return ttnn.createProgram(name).addKernel(1).setTraceSize(traceSize);
    }
}
