package dev.meshguard.mesh;

import static dev.meshguard.mesh.Blocking.BLOCKING;
import static dev.meshguard.mesh.Rejections.assertIllegalArgument;
import static dev.meshguard.mesh.Rejections.assertMeshIsClosed;
import static dev.meshguard.mesh.Rejections.assertRuntimeError;
import static dev.meshguard.mesh.Rejections.assertRuntimeErrorBeginning;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.event.BufferType;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.buffer.SubDeviceId;
import dev.meshguard.mesh.fault.FaultPlan;
import dev.meshguard.mesh.shape.MeshCoordinate;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests the inputs, the records and the errors of a command queue. */
class MeshCommandQueueTests {

    private static final BufferConfig TWO_PAGES = BufferConfig.of(BufferType.DRAM, 4_096, 2_048);
    private static final MeshCoordinate FIRST = MeshCoordinate.of(0, 0);
    private static final SubDeviceId WHOLE = new SubDeviceId(0);

    private final RecordedReports reports = new RecordedReports();
    private final Ttnn ttnn = Ttnn.create(reports);
    private final MeshDevice mesh = ttnn.openMeshDevice(
            MeshDeviceOptions.defaults().withMeshShape(MeshShape.of(1, 2)).withNumCommandQueues(2));
    private final MeshCommandQueue first = mesh.commandQueue();
    private final MeshCommandQueue second = mesh.commandQueue(1);
    private final MeshBuffer buffer = mesh.allocate(TWO_PAGES);

    @Test
    void areAsManyAsTheMeshWasOpenedWithUntilItIsClosed() {
        assertThat(first.id()).isZero();
        assertThat(second.id()).isEqualTo(1);
        assertThat(first.device()).isSameAs(mesh);
        assertThat(mesh.commandQueue(0)).isSameAs(first);
        assertRuntimeError(() -> mesh.commandQueue(2), "cq_id 2 is out of range");

        mesh.close();

        assertRuntimeError(mesh::commandQueue, "cq_id 0 is out of range");
        assertMeshIsClosed(() -> first.enqueueWriteMeshBuffer(buffer, 4_096));
    }

    @Test
    void areAsManyAsTheFirstWhoOpenedTheDevicesAskedFor() {
        MeshDevice again = ttnn.openMeshDevice(MeshDeviceOptions.defaults().withMeshShape(MeshShape.of(1, 2)));

        assertThat(again.commandQueue(1).id()).isEqualTo(1);
        assertRuntimeError(() -> again.commandQueue(2), "cq_id 2 is out of range");
    }

    @ParameterizedTest
    @MethodSource
    void areInUseFromTheFirstCommandOn(Consumer<MeshCommandQueueTests> command) {
        assertThat(first.isInUse()).isFalse();

        command.accept(this);

        assertThat(first.isInUse()).isTrue();
        assertThat(second.isInUse()).isFalse();
    }

    static Stream<Consumer<MeshCommandQueueTests>> areInUseFromTheFirstCommandOn() {
        return Stream.of(
                test -> test.first.enqueueWriteMeshBuffer(test.buffer, 4_096),
                test -> test.mesh.enqueueMeshWorkload(test.workload()),
                test -> test.first.enqueueRecordEvent(),
                test -> test.first.finish());
    }

    @Test
    void takeTheProgramsOfOperationsAndOfSingleDevices() {
        MeshDevice other = ttnn.openMeshDevice(
                MeshDeviceOptions.defaults().withMeshShape(MeshShape.of(1, 1)).withPhysicalDeviceIds(4));

        other.enqueueProgram(4, ttnn.createProgram("copy").addKernel(1));

        assertThat(other.commandQueue().isInUse()).isTrue();
    }

    @Test
    void writeFromSourcesAtLeastAsLargeAsTheBuffer() {
        first.enqueueWriteMeshBuffer(buffer, 8_192, BLOCKING);
        assertRuntimeError(
                () -> first.enqueueWriteMeshBuffer(buffer, 4_095, BLOCKING),
                "Cannot write a mesh buffer of 4096 B from a source of 4095 B:"
                        + " the source must be at least as large");
    }

    @Test
    void readBuffersAsAWholeOfWhichThereIsOneCopy() {
        MeshDevice unit = mesh.createSubmesh(MeshShape.of(1, 1));

        unit.commandQueue().enqueueReadMeshBuffer(unit.allocate(TWO_PAGES));

        assertThat(unit.commandQueue().isInUse()).isTrue();
        assertRuntimeError(
                () -> first.enqueueReadMeshBuffer(buffer),
                "Can only read a Sharded MeshBuffer from a MeshDevice"
                        + " or a Replicated MeshBuffer from a Unit-Mesh.");
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

        assertIllegalArgument(
                () -> first.enqueueWaitForEvent(event),
                "Cannot let a queue of mesh 0 wait for MeshEvent(1 on command queue 0 of mesh 1):"
                        + " only queues of one mesh wait for each other");
    }

    @Test
    void keepASubDeviceFromOthersProgramsButNotFromTheirWrites() {
        first.enqueueMeshWorkload(workload());

        second.enqueueWriteMeshBuffer(buffer, 4_096, BLOCKING);

        assertRuntimeError(
                () -> second.enqueueMeshWorkload(workload()),
                "Sub device id 0 currently in use by cq 0. Can't enqueue program from cq 1."
                        + " Finish or wait for an event to transfer ownership.");
    }

    @Test
    void giveASubDeviceUpWhenTheyFinishOrABlockingCallReturns() {
        first.enqueueMeshWorkload(workload());
        first.finish();
        second.enqueueMeshWorkload(workload(), BLOCKING);

        assertThatCode(() -> first.enqueueMeshWorkload(workload())).doesNotThrowAnyException();
    }

    @Test
    void giveASubDeviceUpToWhoeverWaitsForAnEventAfterTheProgram() {
        MeshEvent before = first.enqueueRecordEvent();
        first.enqueueMeshWorkload(workload());
        MeshEvent after = first.enqueueRecordEvent();

        second.enqueueWaitForEvent(before);
        assertThatThrownBy(() -> second.enqueueMeshWorkload(workload())).isInstanceOf(MeshRuntimeException.class);

        second.enqueueWaitForEvent(after);
        assertThatCode(() -> second.enqueueMeshWorkload(workload())).doesNotThrowAnyException();
    }

    @Test
    void knowOnlyTheSubDevicesThatThereAre() {
        assertThatCode(() -> first.finish(WHOLE)).doesNotThrowAnyException();
        assertRuntimeError(() -> first.finish(new SubDeviceId(1)), "Invalid sub-device id specified 1");
        assertRuntimeError(() -> first.enqueueRecordEvent(new SubDeviceId(1)), "Invalid sub-device id specified 1");
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

        assertFails("enqueueWriteMeshBuffer", () -> queue.enqueueWriteMeshBuffer(written, 4_096));
        assertFails("finish", queue::finish);
        assertFails("enqueueMeshWorkload", () -> failing.enqueueMeshWorkload(workload()));
        assertFails("replayMeshTrace", () -> failing.replayMeshTrace(0, trace, BLOCKING));
    }

    private static void assertFails(String operation, ThrowingCallable call) {
        assertRuntimeErrorBeginning(call, "Operation " + operation + " failed: ");
    }

    @Test
    void countAnOperationOnceThoughItEnqueuesItsPrograms() {
        Ttnn failing = Ttnn.builder(reports)
                .faults(FaultPlan.none().failingOperation(2))
                .build();
        Tensor a = failing.empty(TensorShape.of(32, 32), DataType.BFLOAT16, failing.openMeshDevice(MeshShape.of(1, 2)));

        assertThat(failing.add(a, a).isAllocated()).isTrue();
        assertFails("add", () -> failing.add(a, a));
    }

    @Test
    void rejectTheBuffersOfOtherMeshes() {
        MeshBuffer foreign = mesh.createSubmesh(MeshShape.of(1, 1)).allocate(TWO_PAGES);

        assertIllegalArgument(
                () -> first.enqueueWriteMeshBuffer(foreign, 4_096),
                "Cannot use MeshBuffer(DRAM, 4 KiB (4096 B) at 0x2d4c40 (2968640) on each of 1 devices, OWNED)"
                        + " on command queue 0 of mesh 0: it lies on mesh 1");
    }

    private MeshWorkload workload() {
        return ttnn.createMeshWorkload().addProgram(ttnn.createProgram("copy").addKernel(1));
    }
}
