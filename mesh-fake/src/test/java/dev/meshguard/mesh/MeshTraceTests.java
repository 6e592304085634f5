package dev.meshguard.mesh;

import static dev.meshguard.mesh.Blocking.BLOCKING;
import static dev.meshguard.mesh.Blocking.NON_BLOCKING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.event.BufferType;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.buffer.CircularBufferConfig;
import dev.meshguard.mesh.buffer.CoreRange;
import dev.meshguard.mesh.buffer.MeshBufferConfig;
import dev.meshguard.mesh.buffer.SubDevice;
import dev.meshguard.mesh.shape.MeshCoordinate;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.OperationProfile;
import dev.meshguard.mesh.tensor.OperationProfiles;
import dev.meshguard.mesh.tensor.TensorShape;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests the steps of a trace, from its begin to its release, and the calls that are rejected meanwhile. */
class MeshTraceTests {

    private static final MeshBufferConfig PAGE =
            MeshBufferConfig.replicated(BufferConfig.of(BufferType.DRAM, 2_048, 2_048));
    private static final MeshCoordinate FIRST = MeshCoordinate.of(0, 0);

    private final RecordedReports reports = new RecordedReports();
    private final Ttnn ttnn = Ttnn.create(reports);
    private final MeshDevice mesh = ttnn.openMeshDevice(MeshDeviceOptions.defaults()
            .withMeshShape(MeshShape.of(2, 4))
            .withNumCommandQueues(2)
            .withTraceRegionSize(64 << 20));
    private final MeshCommandQueue queue = mesh.commandQueue();
    private final MeshBuffer buffer = mesh.allocate(PAGE);
    private final MeshWorkload loaded = loaded("copy", 1_000);

    @Test
    void countsFromZeroInTheProcess() {
        TraceId first = captured();
        MeshDevice submesh = mesh.createSubmesh(MeshShape.of(1, 1));
        TraceId second = submesh.beginMeshTrace(0);

        assertThat(first).isEqualTo(new TraceId(0));
        assertThat(second).isEqualTo(new TraceId(1));
    }

    @Test
    void usesUpANumberEvenIfItCannotBegin() {
        mesh.beginMeshTrace(0);

        assertThatThrownBy(() -> mesh.beginMeshTrace(0))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("CQ 0 is already being used for tracing tid 1");
    }

    @Test
    void hasTheNumberThatIsAskedFor() {
        mesh.beginMeshTrace(0, new TraceId(42));

        assertThat(queue.traceId()).contains(new TraceId(42));
    }

    @Test
    void hasANumberOfItsOwn() {
        TraceId trace = captured();

        assertThatThrownBy(() -> mesh.beginMeshTrace(0, trace))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Trace already exists for tid 0 on device 0's active sub-device manager 0");
        assertThat(queue.traceId()).isEmpty();
    }

    @Test
    void mayHaveTheNumberOfATraceThatWasReleased() {
        TraceId trace = captured();
        mesh.releaseMeshTrace(trace);

        assertThatCode(() -> mesh.beginMeshTrace(0, trace)).doesNotThrowAnyException();
    }

    @Test
    void isRecordedByAQueueThatThereIs() {
        assertThatThrownBy(() -> mesh.beginMeshTrace(2))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("cq_id 2 is out of range");
    }

    @Test
    void beginsWithoutUsingTheQueue() {
        Ttnn other = Ttnn.create(reports);
        MeshDevice unused = other.openMeshDevice(MeshShape.of(1, 1));

        unused.beginMeshTrace(0);

        assertThat(unused.commandQueue().isInUse()).isFalse();
    }

    @Test
    void recordsWhatIsEnqueuedAndRunsNothing() {
        long before = mesh.statistics(BufferType.DRAM).totalAllocated();
        TraceId trace = mesh.beginMeshTrace(0);

        queue.enqueueMeshWorkload(loaded);
        queue.enqueueMeshWorkload(loaded);
        mesh.endMeshTrace(0, trace);

        assertThat(mesh.meshTraceBuffer(trace).orElseThrow().size()).isEqualTo(2_048);
        assertThat(mesh.statistics(BufferType.DRAM).totalAllocated()).isEqualTo(before);
    }

    @Test
    void recordsOperationsWhoseProgramsAreCached() {
        Ttnn profiled = Ttnn.builder(reports)
                .operations(OperationProfiles.of(
                        OperationProfile.of("add", 6, 2, 2, 2).withTraceSize(5_000)))
                .build();
        MeshDevice device = profiled.openMeshDevice(
                MeshDeviceOptions.defaults().withMeshShape(MeshShape.of(1, 2)).withTraceRegionSize(1 << 20));
        Tensor a = profiled.empty(TensorShape.of(32, 32), DataType.BFLOAT16, device);
        profiled.add(a, a);
        TraceId trace = profiled.beginTraceCapture(device);

        profiled.add(a, a);
        profiled.add(a, a);
        profiled.endTraceCapture(device, trace);

        assertThat(device.meshTraceBuffer(trace).orElseThrow().size()).isEqualTo(10_240);
    }

    @Test
    void recordsProgramsOfSingleDevices() {
        Program program = ttnn.createProgram("copy").addKernel(1).setTraceSize(3_000);
        mesh.enqueueProgram(3, program);
        TraceId trace = mesh.beginMeshTrace(0);

        mesh.enqueueProgram(3, program);
        mesh.endMeshTrace(0, trace);

        assertThat(mesh.meshTraceBuffer(trace).orElseThrow().size()).isEqualTo(3_072);
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

        assertThat(mesh.meshTraceBuffer(trace).orElseThrow().size()).isEqualTo(6_144);
    }

    @Test
    void isAsLargeAsIsSaidAtItsEnd() {
        TraceId trace = mesh.beginMeshTrace(0);

        mesh.endMeshTrace(0, trace, 10_000);

        assertThat(mesh.meshTraceBuffer(trace).orElseThrow().size()).isEqualTo(10_240);
    }

    @Test
    void doesNotEndAsLongAsNobodySaidHowLargeItsProgramsAre() {
        MeshWorkload unmeasured = ttnn.createMeshWorkload()
                .addProgram(ttnn.createProgram("mystery").addKernel(1));
        mesh.enqueueMeshWorkload(unmeasured);
        TraceId trace = mesh.beginMeshTrace(0);
        queue.enqueueMeshWorkload(unmeasured);

        assertThatThrownBy(() -> mesh.endMeshTrace(0, trace))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("Cannot end the capture of trace 0 on mesh 0: the size of the commands of"
                        + " program 2 (mystery) is unknown, and only the runtime could know. Give it with"
                        + " Program.setTraceSize(bytes) or OperationProfile.withTraceSize(bytes), or give the size of the"
                        + " whole trace to endMeshTrace(queue, trace, rawSize).");
        assertThatCode(() -> mesh.endMeshTrace(0, trace, 1_000)).doesNotThrowAnyException();
    }

    @Test
    void doesNotEndEmptyUnlessItsSizeIsSaid() {
        TraceId trace = mesh.beginMeshTrace(0);

        assertThatThrownBy(() -> mesh.endMeshTrace(0, trace))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith(
                        "Cannot end the capture of trace 0 on mesh 0: the size of a trace without commands"
                                + " is unknown, and only the runtime could know.");
        assertThatThrownBy(() -> mesh.endMeshTrace(0, trace, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Cannot end a trace with 0 B: it holds at least the command that ends it");
    }

    @Test
    void endsOnTheQueueThatRecordsIt() {
        TraceId trace = mesh.beginMeshTrace(0);

        assertThatThrownBy(() -> mesh.endMeshTrace(1, trace))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("CQ 1 is not being used for tracing tid 0");
        assertThatThrownBy(() -> mesh.endMeshTrace(0, new TraceId(7)))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("CQ 0 is not being used for tracing tid 7");
        assertThat(queue.traceId()).contains(trace);
    }

    @Test
    void cannotEndWhenItWasReleasedMeanwhile() {
        TraceId trace = mesh.beginMeshTrace(0);
        mesh.releaseMeshTrace(trace);

        assertThatThrownBy(() -> mesh.endMeshTrace(0, trace, 1_000))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Trace instance 0 must exist on device 0's active sub-device manager 0");
    }

    @Test
    void isWrittenThroughTheQueueWhichWaitsForIt() {
        queue.enqueueReadShards(buffer, List.of(FIRST), NON_BLOCKING);
        TraceId trace = mesh.beginMeshTrace(0);

        mesh.endMeshTrace(0, trace, 1_000);

        assertThat(queue.isInUse()).isTrue();
        assertThat(queue.numOutstandingReads()).isZero();
    }

    @Test
    void isReplayedWithoutTakingMemory() {
        TraceId trace = captured();
        long before = mesh.statistics(BufferType.TRACE).totalAllocated();

        ttnn.executeTrace(mesh, trace);
        ttnn.executeTrace(mesh, trace, 1, NON_BLOCKING);

        assertThat(mesh.statistics(BufferType.TRACE).totalAllocated()).isEqualTo(before);
        assertThat(mesh.commandQueue(1).isInUse()).isTrue();
    }

    @Test
    void takesItsSubDevicesWhenItIsReplayed() {
        TraceId trace = captured();
        mesh.replayMeshTrace(0, trace, NON_BLOCKING);

        assertThatThrownBy(() -> mesh.replayMeshTrace(1, trace, BLOCKING))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Sub device id 0 currently in use by cq 0. Can't enqueue program from cq 1."
                        + " Finish or wait for an event to transfer ownership.");
    }

    @Test
    void takesNoSubDeviceWhileItIsCaptured() {
        MeshWorkload other = loaded("move", 1_000);
        queue.finish();
        TraceId trace = mesh.beginMeshTrace(0);
        queue.enqueueMeshWorkload(loaded);
        mesh.endMeshTrace(0, trace);

        assertThatCode(() -> mesh.commandQueue(1).enqueueMeshWorkload(other)).doesNotThrowAnyException();
    }

    @Test
    void isReplayedWhereItIsKept() {
        assertThatThrownBy(() -> mesh.replayMeshTrace(0, new TraceId(3), BLOCKING))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Trace instance 3 must exist on Mesh device 0's active sub-device manager 0");
    }

    @Test
    void isNotReplayedBeforeItsCaptureHasEnded() {
        TraceId trace = mesh.beginMeshTrace(0);

        assertThatThrownBy(() -> mesh.replayMeshTrace(0, trace, BLOCKING))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage(
                        "Cannot replay trace 0 of mesh 0: it has no buffer, because its capture has not ended or failed"
                                + " at the end (the runtime would crash). Release it and capture it again.");
    }

    @Test
    void isGoneWhenItIsReleased() {
        TraceId trace = captured();

        ttnn.releaseTrace(mesh, trace);

        assertThat(mesh.meshTraceBuffer(trace)).isEmpty();
        assertThat(mesh.traceBuffersSize()).isZero();
        assertThat(mesh.statistics(BufferType.TRACE).totalAllocated()).isZero();
        assertThatThrownBy(() -> mesh.replayMeshTrace(0, trace, BLOCKING)).isInstanceOf(MeshRuntimeException.class);
    }

    @Test
    void isReleasedSilentlyIfThereIsNone() {
        assertThatCode(() -> mesh.releaseMeshTrace(new TraceId(9))).doesNotThrowAnyException();
    }

    @Test
    void belongsToTheSubDeviceManagerUnderWhichItWasBegun() {
        TraceId trace = captured();
        SubDeviceManagerId manager = mesh.createSubDeviceManager(List.of(SubDevice.of(new CoreRange(0, 0, 2, 2))), 0);
        mesh.loadSubDeviceManager(manager);

        mesh.releaseMeshTrace(trace);

        assertThat(mesh.traceBuffersSize()).as("the release found nothing").isPositive();
        assertThatThrownBy(() -> mesh.replayMeshTrace(0, trace, BLOCKING))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Trace instance 0 must exist on Mesh device 0's active sub-device manager 1");
        mesh.clearLoadedSubDeviceManager();
        assertThatCode(() -> mesh.replayMeshTrace(0, trace, BLOCKING)).doesNotThrowAnyException();
    }

    @Test
    void goesWithItsSubDeviceManager() {
        SubDeviceManagerId manager = mesh.createSubDeviceManager(List.of(SubDevice.of(new CoreRange(0, 0, 2, 2))), 0);
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
    void isReportedAsTheOwnerOfItsBuffer() {
        TraceId trace = mesh.beginMeshTrace(0);
        reports.forget();

        mesh.endMeshTrace(0, trace, 1_000);
        mesh.releaseMeshTrace(trace);

        assertThat(reports.lines("allocated 5")).containsExactly("allocated 5 TRACE 1006632960+1024 NON_OWNING");
        assertThat(reports.requests().get(0).owner()).map(Object::toString).contains("trace 0 of mesh 0");
        assertThat(reports.lines("cached")).containsExactly("cached trace 0 of mesh 0 in trace pool");
        assertThat(reports.lines("freed 5")).containsExactly("freed 5 TRACE 1006632960 NON_OWNING");
        assertThat(reports.lines("ended")).containsExactly("ended trace 0 of mesh 0");
    }

    @Test
    void hasANameOfItsOwnEachTimeANumberIsCaptured() {
        TraceId trace = new TraceId(5);
        mesh.beginMeshTrace(0, trace);
        mesh.endMeshTrace(0, trace, 1_000);
        mesh.releaseMeshTrace(trace);
        mesh.beginMeshTrace(0, trace);

        mesh.endMeshTrace(0, trace, 1_000);

        assertThat(reports.lines("cached"))
                .containsExactly(
                        "cached trace 5 of mesh 0 in trace pool", "cached trace 5 of mesh 0, capture 2 in trace pool");
    }

    @Test
    void isGoneWithoutAWordWhenTheMeshIsClosed() {
        captured();
        reports.forget();

        mesh.close();

        assertThat(reports.lines("freed")).isEmpty();
        assertThat(reports.lines("ended trace")).isEmpty();
        assertThatThrownBy(() -> mesh.releaseMeshTrace(new TraceId(0)))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessageStartingWith("SubDeviceManagerTracker is not initialized on MeshDevice 0.");
    }

    @Test
    void letsNothingBeWrittenReadOrWaitedForWhileItIsCaptured() {
        MeshEvent event = mesh.commandQueue(1).enqueueRecordEvent();
        mesh.beginMeshTrace(0);

        assertThatThrownBy(() -> queue.enqueueWriteMeshBuffer(buffer, 2_048))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Writes are not supported during trace capture.");
        assertThatThrownBy(() -> queue.enqueueReadShards(buffer, List.of(FIRST), BLOCKING))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Reads are not supported during trace capture.");
        assertThatThrownBy(queue::enqueueRecordEvent)
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Event Synchronization is not supported during trace capture.");
        assertThatThrownBy(() -> queue.enqueueWaitForEvent(event))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Event Synchronization is not supported during trace capture.");
        assertThatThrownBy(queue::finish)
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Event Synchronization is not supported during trace capture.");
        assertThatThrownBy(() -> queue.enqueueMeshWorkload(loaded, BLOCKING))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Blocking is not supported when recording a trace.");
    }

    @Test
    void letsNoBinaryBeLoadedWhileItIsCaptured() {
        MeshWorkload unloaded = ttnn.createMeshWorkload().addProgram(program("copy", 1_000));
        Program alone = program("copy", 1_000);
        mesh.beginMeshTrace(0);

        assertThatThrownBy(() -> queue.enqueueMeshWorkload(unloaded))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Expected program binaries to be written to the MeshDevice.");
        assertThatThrownBy(() -> mesh.enqueueProgram(0, alone))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Expected program binaries to be written to the MeshDevice.");
    }

    @Test
    void letsOperationsThatWereNeverRunFailWhileItIsCaptured() {
        Tensor a = ttnn.empty(TensorShape.of(32, 32), DataType.BFLOAT16, mesh);
        mesh.beginMeshTrace(0);
        long before = mesh.statistics(BufferType.DRAM).totalAllocated();

        assertThatThrownBy(() -> ttnn.add(a, a))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Expected program binaries to be written to the MeshDevice.");
        assertThat(mesh.statistics(BufferType.DRAM).totalAllocated()).isEqualTo(before);
        assertThat(mesh.numProgramCacheEntries())
                .as("kept before it was enqueued")
                .isOne();
    }

    @Test
    void letsProgramsWithoutKernelsBeRecordedTheFirstTime() {
        MeshWorkload withoutKernels = ttnn.createMeshWorkload()
                .addProgram(ttnn.createProgram("wait")
                        .addCircularBuffer(CircularBufferConfig.of(2_048))
                        .setTraceSize(500));
        TraceId trace = mesh.beginMeshTrace(0);

        queue.enqueueMeshWorkload(withoutKernels);
        mesh.endMeshTrace(0, trace);

        assertThat(mesh.traceBuffersSize()).isEqualTo(1_024);
    }

    @Test
    void letsBuffersBeAllocatedAndFreedWhileItIsCaptured() {
        mesh.beginMeshTrace(0);

        MeshBuffer during = mesh.allocate(PAGE);
        during.deallocate();
        buffer.deallocate();

        assertThat(during.isAllocated()).isFalse();
    }

    @Test
    void keepsTheOtherQueuesOfTheMeshOut() {
        mesh.beginMeshTrace(0);

        assertThatThrownBy(() -> mesh.commandQueue(1).enqueueWriteMeshBuffer(buffer, 2_048))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage(
                        "Cannot use command queue 1 of mesh 0 while queue 0 records trace 0: the runtime would take down"
                                + " the commands of both (undefined behaviour). End the capture first.");
        assertThatThrownBy(() -> mesh.beginMeshTrace(1)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void letsNoSubDeviceManagerBeLoadedWhileItIsCaptured() {
        SubDeviceManagerId manager = mesh.createSubDeviceManager(List.of(SubDevice.of(new CoreRange(0, 0, 2, 2))), 0);
        mesh.beginMeshTrace(0);

        assertThatThrownBy(() -> mesh.loadSubDeviceManager(manager))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Cannot reset worker state during trace capture");
    }

    @Test
    void usesTheQueueEvenForRejectedCommands() {
        MeshDevice submesh = mesh.createSubmesh(MeshShape.of(1, 1));
        submesh.beginMeshTrace(0);

        assertThatThrownBy(submesh.commandQueue()::finish).isInstanceOf(MeshRuntimeException.class);

        assertThat(submesh.commandQueue().isInUse()).isTrue();
    }

    @Test
    void isNotMadeOfNegativeNumbers() {
        assertThatThrownBy(() -> new TraceId(-1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("There is no trace -1: traces count from 0");
        assertThatThrownBy(() -> ttnn.createProgram("copy").setTraceSize(-1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("Cannot use -1 B as the trace size of program ");
        assertThatThrownBy(() -> OperationProfile.of("add", 1).withTraceSize(-1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Cannot use -1 B as the trace size of add: it must be 0 or more");
    }

    private TraceId captured() {
        TraceId trace = ttnn.beginTraceCapture(mesh, 0);
        queue.enqueueMeshWorkload(loaded);
        ttnn.endTraceCapture(mesh, trace, 0);
        return trace;
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
