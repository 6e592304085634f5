package dev.meshguard.mesh;

import static dev.meshguard.mesh.Blocking.BLOCKING;
import static dev.meshguard.mesh.Blocking.NON_BLOCKING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.meshguard.event.BufferType;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.buffer.MeshBufferConfig;
import dev.meshguard.mesh.buffer.SubDeviceId;
import dev.meshguard.mesh.fault.FaultPlan;
import dev.meshguard.mesh.shape.MeshCoordinate;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Tests the inputs, the records and the errors of a command queue. */
class MeshCommandQueueTests {

    private static final MeshBufferConfig TWO_PAGES =
            MeshBufferConfig.replicated(BufferConfig.of(BufferType.DRAM, 4_096, 2_048));
    private static final MeshCoordinate FIRST = MeshCoordinate.of(0, 0);
    private static final MeshCoordinate SECOND = MeshCoordinate.of(0, 1);
    private static final SubDeviceId WHOLE = new SubDeviceId(0);

    private final RecordedReports reports = new RecordedReports();
    private final Ttnn ttnn = Ttnn.create(reports);
    private final MeshDevice mesh = ttnn.openMeshDevice(
            MeshDeviceOptions.defaults().withMeshShape(MeshShape.of(1, 2)).withNumCommandQueues(2));
    private final MeshCommandQueue first = mesh.commandQueue();
    private final MeshCommandQueue second = mesh.commandQueue(1);
    private final MeshBuffer buffer = mesh.allocate(TWO_PAGES);

    private final Logger logger = (Logger) LoggerFactory.getLogger(MeshCommandQueue.class);
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();

    @BeforeEach
    void listenToTheLog() {
        log.start();
        logger.addAppender(log);
    }

    @AfterEach
    void leaveTheLog() {
        logger.detachAppender(log);
    }

    @Test
    void areAsManyAsTheMeshWasOpenedWith() {
        assertThat(mesh.numCommandQueues()).isEqualTo(2);
        assertThat(first.id()).isZero();
        assertThat(second.id()).isEqualTo(1);
        assertThat(first.device()).isSameAs(mesh);
        assertThat(mesh.commandQueue(0)).isSameAs(first);
    }

    @Test
    void haveNoOtherNumbers() {
        assertThatThrownBy(() -> mesh.commandQueue(2))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("cq_id 2 is out of range");
    }

    @Test
    void areAsManyAsTheFirstWhoOpenedTheDevicesAskedFor() {
        MeshDevice again = ttnn.openMeshDevice(MeshDeviceOptions.defaults().withMeshShape(MeshShape.of(1, 2)));

        assertThat(again.numCommandQueues()).isEqualTo(2);
    }

    @Test
    void areGoneWhenTheMeshIsClosed() {
        mesh.close();

        assertThat(mesh.numCommandQueues()).isZero();
        assertThatThrownBy(mesh::commandQueue)
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("cq_id 0 is out of range");
        assertThatThrownBy(() -> first.enqueueWriteMeshBuffer(buffer, 4_096))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessageStartingWith("SubDeviceManagerTracker is not initialized on MeshDevice 0.");
    }

    @Test
    void areInUseFromTheFirstWriteOn() {
        assertThat(first.isInUse()).isFalse();

        first.enqueueWriteMeshBuffer(buffer, 4_096);

        assertThat(first.isInUse()).isTrue();
        assertThat(second.isInUse()).isFalse();
    }

    @Test
    void areInUseAfterAnythingThatIsSentToTheDevices() {
        MeshEvent event = first.enqueueRecordEvent();
        second.enqueueWaitForEvent(event);

        assertThat(first.isInUse()).isTrue();
        assertThat(second.isInUse()).isTrue();
    }

    @Test
    void stayInUseWhenTheyHaveFinished() {
        first.enqueueWriteMeshBuffer(buffer, 4_096);

        first.finish();

        assertThat(first.isInUse()).isTrue();
    }

    @Test
    void takeTheWorkThatIsEnqueuedOnTheMesh() {
        mesh.enqueueMeshWorkload(workload());

        assertThat(first.isInUse()).isTrue();
        assertThat(second.isInUse()).isFalse();
    }

    @Test
    void takeTheProgramsOfOperationsAndOfSingleDevices() {
        MeshDevice other = ttnn.openMeshDevice(
                MeshDeviceOptions.defaults().withMeshShape(MeshShape.of(1, 1)).withPhysicalDeviceIds(4));

        other.enqueueProgram(4, ttnn.createProgram("copy").addKernel(1));

        assertThat(other.commandQueue().isInUse()).isTrue();
    }

    @Test
    void takeWorkloadsThatTakeTheirMemoryTheFirstTime() {
        MeshWorkload workload = workload();

        second.enqueueMeshWorkload(workload, BLOCKING);
        long taken = mesh.statistics(BufferType.DRAM).totalAllocated();
        second.enqueueMeshWorkload(workload, BLOCKING);

        assertThat(taken).isEqualTo(2_048 + 2_048);
        assertThat(mesh.statistics(BufferType.DRAM).totalAllocated()).isEqualTo(taken);
    }

    @Test
    void writeFromSourcesAtLeastAsLargeAsTheBuffer() {
        assertThatCode(() -> first.enqueueWriteMeshBuffer(buffer, 8_192, BLOCKING))
                .doesNotThrowAnyException();
        assertThatThrownBy(() -> first.enqueueWriteMeshBuffer(buffer, 4_095, BLOCKING))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Cannot write a mesh buffer of 4096 B from a source of 4095 B:"
                        + " the source must be at least as large");
    }

    @Test
    void doNotReadReplicatedBuffersOfSeveralDevicesAsAWhole() {
        assertThatThrownBy(() -> first.enqueueReadMeshBuffer(buffer))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Can only read a Sharded MeshBuffer from a MeshDevice"
                        + " or a Replicated MeshBuffer from a Unit-Mesh.");
    }

    @Test
    void readReplicatedBuffersOfOneDeviceAsAWhole() {
        MeshDevice unit = mesh.createSubmesh(MeshShape.of(1, 1));
        MeshBuffer replicated = unit.allocate(TWO_PAGES);

        assertThatCode(() -> unit.commandQueue().enqueueReadMeshBuffer(replicated))
                .doesNotThrowAnyException();
    }

    @Test
    void leaveReadsOutstandingUntilTheyFinish() {
        first.enqueueReadShards(buffer, List.of(FIRST), NON_BLOCKING);
        first.enqueueReadShards(buffer, List.of(FIRST, SECOND), NON_BLOCKING);

        assertThat(first.numOutstandingReads()).isEqualTo(2);

        first.finish();

        assertThat(first.numOutstandingReads()).isZero();
    }

    @Test
    void completeEarlierReadsWithABlockingCall() {
        first.enqueueReadShards(buffer, List.of(FIRST), NON_BLOCKING);

        first.enqueueWriteMeshBuffer(buffer, 4_096, BLOCKING);

        assertThat(first.numOutstandingReads()).isZero();
    }

    @Test
    void completeTheReadsBeforeAnEventThatTheHostWaitsFor() {
        first.enqueueReadShards(buffer, List.of(FIRST), NON_BLOCKING);
        MeshEvent event = first.enqueueRecordEvent();
        first.enqueueReadShards(buffer, List.of(SECOND), NON_BLOCKING);

        event.synchronize();

        assertThat(first.numOutstandingReads()).isEqualTo(1);
    }

    @Test
    void numberTheirEventsFromOne() {
        MeshEvent event = second.enqueueRecordEvent();
        MeshEvent next = second.enqueueRecordEvent();

        assertThat(event).isEqualTo(new MeshEvent(1, mesh, 1));
        assertThat(next.id()).isEqualTo(2);
        assertThat(event).hasToString("MeshEvent(1 on command queue 1 of mesh 0)");
    }

    @Test
    void doNotWaitForTheQueuesOfOtherMeshes() {
        MeshDevice submesh = mesh.createSubmesh(MeshShape.of(1, 1));
        MeshEvent event = submesh.commandQueue().enqueueRecordEvent();

        assertThatThrownBy(() -> first.enqueueWaitForEvent(event))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Cannot let a queue of mesh 0 wait for MeshEvent(1 on command queue 0 of mesh 1):"
                        + " only queues of one mesh wait for each other");
    }

    @Test
    void keepASubDeviceToThemselves() {
        first.enqueueMeshWorkload(workload());

        assertThatThrownBy(() -> second.enqueueMeshWorkload(workload()))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Sub device id 0 currently in use by cq 0. Can't enqueue program from cq 1."
                        + " Finish or wait for an event to transfer ownership.");
    }

    @Test
    void keepASubDeviceFromOthersProgramsAndNotFromTheirWrites() {
        first.enqueueMeshWorkload(workload());

        assertThatCode(() -> second.enqueueWriteMeshBuffer(buffer, 4_096, BLOCKING))
                .doesNotThrowAnyException();
    }

    @Test
    void giveASubDeviceUpWhenTheyFinish() {
        first.enqueueMeshWorkload(workload());

        first.finish();

        assertThatCode(() -> second.enqueueMeshWorkload(workload())).doesNotThrowAnyException();
    }

    @Test
    void giveASubDeviceUpWhenABlockingCallReturns() {
        first.enqueueMeshWorkload(workload(), BLOCKING);

        assertThatCode(() -> second.enqueueMeshWorkload(workload())).doesNotThrowAnyException();
    }

    @Test
    void giveASubDeviceUpToWhoeverWaitsForALaterEvent() {
        first.enqueueMeshWorkload(workload());
        MeshEvent event = first.enqueueRecordEvent();

        second.enqueueWaitForEvent(event);

        assertThatCode(() -> second.enqueueMeshWorkload(workload())).doesNotThrowAnyException();
    }

    @Test
    void doNotGiveASubDeviceUpForAnEventBeforeTheProgram() {
        MeshEvent event = first.enqueueRecordEvent();
        first.enqueueMeshWorkload(workload());
        first.enqueueRecordEvent();

        second.enqueueWaitForEvent(event);

        assertThatThrownBy(() -> second.enqueueMeshWorkload(workload())).isInstanceOf(MeshRuntimeException.class);
    }

    @Test
    void doNotGiveASubDeviceUpForAnEventThatOnlyTheHostWaitsFor() {
        first.enqueueMeshWorkload(workload());

        first.enqueueRecordEvent().synchronize();

        assertThatThrownBy(() -> second.enqueueMeshWorkload(workload())).isInstanceOf(MeshRuntimeException.class);
    }

    @Test
    void keepTheMemoryOfAWorkloadThatTheSubDeviceHadNoRoomInTheQueueFor() {
        MeshWorkload refused = workload();
        first.enqueueMeshWorkload(workload());
        assertThatThrownBy(() -> second.enqueueMeshWorkload(refused)).isInstanceOf(MeshRuntimeException.class);
        first.finish();
        long taken = mesh.statistics(BufferType.DRAM).totalAllocated();

        second.enqueueMeshWorkload(refused);

        assertThat(mesh.statistics(BufferType.DRAM).totalAllocated()).isEqualTo(taken);
    }

    @Test
    void knowOnlyTheSubDevicesThatThereAre() {
        assertThatCode(() -> first.finish(WHOLE)).doesNotThrowAnyException();
        assertThatThrownBy(() -> first.finish(new SubDeviceId(1)))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Invalid sub-device id specified 1");
        assertThatThrownBy(() -> first.enqueueRecordEvent(new SubDeviceId(1)))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Invalid sub-device id specified 1");
    }

    @Test
    void doNotPreventMemoryFromBeingFreedAndReused() {
        first.enqueueWriteMeshBuffer(buffer, 4_096, NON_BLOCKING);

        buffer.deallocate();

        assertThat(mesh.allocate(TWO_PAGES).address()).isEqualTo(buffer.address());
    }

    @Test
    void writeAndReadWhatWasFreedAsTheRuntimeDoes() {
        buffer.deallocate();

        assertThatCode(() -> first.enqueueWriteMeshBuffer(buffer, 4_096)).doesNotThrowAnyException();
        assertThatCode(() -> first.enqueueReadShards(buffer, List.of(FIRST), BLOCKING))
                .doesNotThrowAnyException();
    }

    @Test
    void rejectFreedBuffersInStrictMode() {
        MeshDevice strict = Ttnn.builder(reports).strict().build().openMeshDevice(MeshShape.of(1, 2));
        MeshBuffer freed = strict.allocate(TWO_PAGES);
        freed.deallocate();

        assertThatThrownBy(() -> strict.commandQueue().enqueueWriteMeshBuffer(freed, 4_096))
                .isInstanceOf(BufferMisuseException.class)
                .hasMessageStartingWith(
                        "Cannot write the DRAM buffer of 4 KiB (4096 B) at 0x2d4c40 (2968640) on devices 0, 1:"
                                + " it was freed.");
        assertThatThrownBy(() -> strict.commandQueue().enqueueReadShards(freed, List.of(FIRST), BLOCKING))
                .isInstanceOf(BufferMisuseException.class)
                .hasMessageContaining("allocated")
                .hasMessageEndingWith(
                        "Free it after its last use. A runtime that is not strict uses whatever lies there now,"
                                + " as the real one does.");
    }

    @Test
    void failAsPlannedWhateverIsHandedToThem() {
        MeshDevice failing = Ttnn.builder(reports)
                .faults(FaultPlan.none()
                        .failingOperation(1, "enqueueWriteMeshBuffer")
                        .failingOperation(2, "finish")
                        .failingOperation(1, "enqueueMeshWorkload")
                        .failingOperation(1, "replayMeshTrace"))
                .build()
                .openMeshDevice(MeshShape.of(1, 2));
        MeshCommandQueue queue = failing.commandQueue();
        MeshBuffer written = failing.allocate(TWO_PAGES);
        TraceId trace = failing.beginMeshTrace(0);
        failing.endMeshTrace(0, trace, 1_000);
        queue.finish();

        assertThatThrownBy(() -> queue.enqueueWriteMeshBuffer(written, 4_096))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessageStartingWith("Operation enqueueWriteMeshBuffer failed: ");
        assertThatThrownBy(queue::finish)
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessageStartingWith("Operation finish failed: ");
        assertThatThrownBy(() -> failing.enqueueMeshWorkload(workload()))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessageStartingWith("Operation enqueueMeshWorkload failed: ");
        assertThatThrownBy(() -> failing.replayMeshTrace(0, trace, BLOCKING))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessageStartingWith("Operation replayMeshTrace failed: ");
    }

    @Test
    void countAnOperationOnceThoughItEnqueuesItsPrograms() {
        MeshDevice failing = Ttnn.builder(reports)
                .faults(FaultPlan.none().failingOperation(2))
                .build()
                .openMeshDevice(MeshShape.of(1, 2));
        Ttnn other = Ttnn.create(reports);
        Tensor a = other.empty(TensorShape.of(32, 32), DataType.BFLOAT16, failing);

        assertThatCode(() -> other.add(a, a)).doesNotThrowAnyException();
        assertThatThrownBy(() -> other.add(a, a))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessageStartingWith("Operation add failed: ");
    }

    @Test
    void rejectTheBuffersOfOtherMeshes() {
        MeshBuffer foreign = mesh.createSubmesh(MeshShape.of(1, 1)).allocate(TWO_PAGES);

        assertThatThrownBy(() -> first.enqueueWriteMeshBuffer(foreign, 4_096))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "Cannot use MeshBuffer(DRAM, 4 KiB (4096 B) at 0x2d4c40 (2968640) on each of 1 devices, OWNED)"
                                + " on command queue 0 of mesh 0: it lies on mesh 1");
    }

    @Test
    void complainWhenTheyEndWithReadsThatNobodyWaitedFor() {
        second.enqueueReadShards(buffer, List.of(FIRST, SECOND), NON_BLOCKING);
        second.enqueueReadShards(buffer, List.of(SECOND), NON_BLOCKING);

        mesh.close();

        assertThat(log.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .containsExactly(
                        "FDMeshCommandQueue destructor: completion reader queue is not empty"
                                + " (command queue 1 of mesh 0: call finish() before the mesh is closed)",
                        "FDMeshCommandQueue destructor: buffer read requests still outstanding for device 0"
                                + " (command queue 1 of mesh 0: call finish() before the mesh is closed)",
                        "FDMeshCommandQueue destructor: buffer read requests still outstanding for device 1"
                                + " (command queue 1 of mesh 0: call finish() before the mesh is closed)",
                        "FDMeshCommandQueue destructor: 2 outstanding reads remaining"
                                + " (command queue 1 of mesh 0: call finish() before the mesh is closed)");
    }

    @Test
    void endSilentlyWhenEverythingWasWaitedFor() {
        second.enqueueReadShards(buffer, List.of(FIRST, SECOND), BLOCKING);

        mesh.close();

        assertThat(log.list).isEmpty();
    }

    private MeshWorkload workload() {
        return ttnn.createMeshWorkload().addProgram(ttnn.createProgram("copy").addKernel(1));
    }
}
