package dev.meshguard.mesh;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.buffer.CircularBufferConfig;
import dev.meshguard.mesh.buffer.CoreRange;
import dev.meshguard.mesh.buffer.CoreRangeSet;
import dev.meshguard.mesh.buffer.MeshBufferConfig;
import dev.meshguard.mesh.internal.context.WatchedHandles;
import dev.meshguard.mesh.runtime.HandleRelease;
import dev.meshguard.mesh.runtime.RuntimeDefect;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.mesh.tensor.TensorSpec;
import dev.meshguard.tracker.script.CollectedGarbage;
import java.lang.ref.WeakReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Tests the memory of handles that are no longer reachable. */
class WatchedHandlesTests {

    private static final TensorSpec TILE = TensorSpec.of(TensorShape.of(32, 32), DataType.BFLOAT16);
    private static final BufferConfig PAGE = BufferConfig.of(BufferType.DRAM, 2_048, 2_048);
    private static final String FREED = "freed 0 DRAM 2968640 NON_OWNING";

    private final RecordedReports reports = new RecordedReports();
    private final Ttnn ttnn =
            Ttnn.builder(reports).handleRelease(HandleRelease.ON_COLLECT).build();
    private final MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(1, 1));

    @Test
    void aLostTensorKeepsItsMemoryUnlessThatIsChosenOtherwise() {
        Ttnn explicit = Ttnn.create(reports);
        MeshDevice other = explicit.openMeshDevice(MeshShape.of(1, 1));
        WeakReference<Tensor> lost = CollectedGarbage.of(() -> explicit.empty(TILE, other));

        CollectedGarbage.collect(lost);
        other.close();

        assertThat(reports.lines("freed")).isEmpty();
    }

    @Test
    void freesACollectedTensorWhenTheMeshIsCalledNext() {
        WeakReference<Tensor> lost = CollectedGarbage.of(() -> ttnn.empty(TILE, mesh));
        CollectedGarbage.collect(lost);
        assertThat(reports.lines("freed")).isEmpty();

        long taken = mesh.statistics(BufferType.DRAM).totalAllocated();

        assertThat(taken).isZero();
        assertThat(reports.lines("freed")).containsExactly(FREED);
        assertThat(reports.releases()).hasSize(1).allMatch(AllocationDetails::handleCollected);
    }

    @Test
    void aLostTensorMakesRoomForTheNextOne() {
        WeakReference<Tensor> lost = CollectedGarbage.of(() -> ttnn.empty(TILE, mesh));
        CollectedGarbage.collect(lost);

        assertThat(ttnn.empty(TILE, mesh).address()).isEqualTo(2_968_640);
    }

    @Test
    void aFreeThatSomebodyCallsForIsNotOfACollectedHandle() {
        ttnn.deallocate(ttnn.empty(TILE, mesh));

        assertThat(reports.releases()).hasSize(1).noneMatch(AllocationDetails::handleCollected);
    }

    @Test
    void aTensorThatIsHeldIsNotFreed() {
        Tensor held = ttnn.empty(TILE, mesh);
        CollectedGarbage.collect(CollectedGarbage.of(Object::new));

        assertThat(mesh.statistics(BufferType.DRAM).totalAllocated()).isEqualTo(2_048);
        assertThat(held.isAllocated()).isTrue();
    }

    @Test
    void aTensorThatWasFreedIsNotFreedAgain() {
        WeakReference<Tensor> lost = CollectedGarbage.of(() -> {
            Tensor tensor = ttnn.empty(TILE, mesh);
            tensor.deallocate();
            return tensor;
        });
        CollectedGarbage.collect(lost);
        reports.forget();

        mesh.statistics(BufferType.DRAM);

        assertThat(reports.lines()).isEmpty();
    }

    @Test
    void anAliasKeepsTheMemoryOfALostTensor() {
        Tensor alias = ttnn.empty(TILE, mesh).alias();

        CollectedGarbage.collectUntil(alias::isSoleOwner);

        assertThat(alias.isAllocated()).isTrue();
        assertThat(reports.lines("freed")).isEmpty();
    }

    @Test
    void aLostAliasDoesNotKeepTheLastHandleFromFreeing() {
        Tensor tensor = ttnn.empty(TILE, mesh);
        CollectedGarbage.collect(CollectedGarbage.of(tensor::alias));

        tensor.deallocate();

        assertThat(tensor.isAllocated()).isFalse();
        assertThat(reports.releases()).hasSize(1).noneMatch(AllocationDetails::handleCollected);
    }

    @Test
    void aViewKeepsTheMemoryOfALostTensor() {
        Tensor view = ttnn.empty(TILE, mesh).reshape(TensorShape.of(1, 32, 32));

        CollectedGarbage.collectUntil(view::isSoleOwner);

        assertThat(view.isAllocated()).isTrue();
        assertThat(reports.lines("freed")).isEmpty();
    }

    @Test
    void aBufferKeepsTheMemoryOfALostTensor() {
        @Nullable Tensor[] held = {ttnn.empty(TILE, mesh)};
        WeakReference<Tensor> lost = new WeakReference<>(held[0]);
        MeshBuffer buffer = held[0].buffer();
        held[0] = null;

        CollectedGarbage.collect(lost);

        assertThat(mesh.statistics(BufferType.DRAM).totalAllocated()).isEqualTo(2_048);
        assertThat(buffer.isAllocated()).isTrue();
    }

    @Test
    void theLastLostHandleFreesTheMemory() {
        @Nullable Tensor[] held = {ttnn.empty(TILE, mesh)};
        Tensor closed = held[0].alias();
        WeakReference<Tensor> lost = new WeakReference<>(held[0]);
        held[0] = null;
        closed.close();
        CollectedGarbage.collect(lost);

        assertThat(mesh.statistics(BufferType.DRAM).totalAllocated()).isZero();

        assertThat(reports.releases()).hasSize(1).allMatch(AllocationDetails::handleCollected);
        assertThat(closed.isAllocated()).isFalse();
    }

    @Test
    void freesLostBuffersOfAllKinds() {
        WeakReference<MeshBuffer> onMesh = CollectedGarbage.of(() -> mesh.allocate(MeshBufferConfig.replicated(PAGE)));
        WeakReference<Buffer> onDevice = CollectedGarbage.of(() -> mesh.allocateOn(0, PAGE));
        CollectedGarbage.collect(onMesh);
        CollectedGarbage.collect(onDevice);

        mesh.statistics(BufferType.DRAM);

        assertThat(reports.lines("freed")).containsExactlyInAnyOrder(FREED, "freed 0 DRAM 2968640 OWNING");
        assertThat(reports.releases()).hasSize(2).allMatch(AllocationDetails::handleCollected);
    }

    @Test
    void aLostProgramEnds() {
        WeakReference<Program> lost = CollectedGarbage.of(() -> {
            Program program = ttnn.createProgram("lost").addKernel(1).addCircularBuffer(CircularBufferConfig.of(4_096));
            mesh.enqueueProgram(0, program);
            return program;
        });
        CollectedGarbage.collect(lost);
        reports.forget();

        mesh.statistics(BufferType.DRAM);

        assertThat(reports.lines())
                .containsExactly(
                        "freed 0 DRAM 1073739776 OWNING", "freed 0 L1 103776 OWNING", "ended program 1 (lost)");
        assertThat(reports.releases()).hasSize(2).allMatch(AllocationDetails::handleCollected);
    }

    @Test
    void aLostProgramEndsOnEachMeshWhenThatIsCalled() {
        MeshDevice other = ttnn.openMeshDevice(
                MeshDeviceOptions.defaults().withMeshShape(MeshShape.of(1, 1)).withPhysicalDeviceIds(5));
        WeakReference<Program> lost = CollectedGarbage.of(() -> {
            Program program = ttnn.createProgram("lost").addKernel(1);
            mesh.enqueueProgram(0, program);
            other.enqueueProgram(5, program);
            return program;
        });
        CollectedGarbage.collect(lost);
        reports.forget();

        other.statistics(BufferType.DRAM);
        assertThat(reports.lines()).containsExactly("freed 5 DRAM 1073739776 OWNING");
        mesh.statistics(BufferType.DRAM);

        assertThat(reports.lines())
                .containsExactly(
                        "freed 5 DRAM 1073739776 OWNING", "freed 0 DRAM 1073739776 OWNING", "ended program 1 (lost)");
        assertThat(reports.releases()).hasSize(2).allMatch(AllocationDetails::handleCollected);
    }

    @Test
    void freesALostGlobalSemaphore() {
        WeakReference<GlobalSemaphore> lost = CollectedGarbage.of(
                () -> ttnn.createGlobalSemaphore(mesh, CoreRangeSet.of(new CoreRange(0, 0, 0, 0)), 0));
        CollectedGarbage.collect(lost);

        assertThat(mesh.statistics(BufferType.L1).totalAllocated()).isZero();
        assertThat(reports.releases()).hasSize(1).allMatch(AllocationDetails::handleCollected);
    }

    @Test
    void aLostWorkloadEndsWithItsPrograms() {
        WeakReference<MeshWorkload> lost = CollectedGarbage.of(() -> {
            Program program = ttnn.createProgram("lost").addKernel(1).addCircularBuffer(CircularBufferConfig.of(4_096));
            MeshWorkload workload = ttnn.createMeshWorkload().addProgram(program);
            mesh.enqueueMeshWorkload(workload);
            return workload;
        });
        CollectedGarbage.collect(lost);
        reports.forget();

        mesh.statistics(BufferType.DRAM);

        assertThat(reports.lines())
                .containsExactly(
                        "freed 0 DRAM 1073739776 NON_OWNING", "freed 0 L1 103776 OWNING", "ended program 1 (lost)");
        assertThat(reports.releases()).hasSize(2).allMatch(AllocationDetails::handleCollected);
    }

    @Test
    void aProgramThatIsHeldKeepsItsWorkload() {
        Program program = ttnn.createProgram("held").addKernel(1);
        mesh.enqueueMeshWorkload(ttnn.createMeshWorkload().addProgram(program));
        CollectedGarbage.collect(CollectedGarbage.of(Object::new));

        assertThat(mesh.statistics(BufferType.DRAM).totalAllocated()).isEqualTo(2_048);
        assertThat(program).hasToString("program 1 (held)");
    }

    @Test
    void aCachedProgramBelongsToTheCache() {
        WeakReference<Tensor> sum = CollectedGarbage.of(() -> ttnn.add(ttnn.empty(TILE, mesh), ttnn.empty(TILE, mesh)));
        CollectedGarbage.collect(sum);

        assertThat(mesh.statistics(BufferType.DRAM).totalAllocated()).isEqualTo(2_048);
        assertThat(mesh.numProgramCacheEntries()).isEqualTo(1);
        assertThat(reports.lines("ended")).isEmpty();
    }

    @Test
    void aHandleThatWasCollectedBeforeTheCloseIsFreedBeforeTheCloseBegins() {
        WeakReference<Tensor> lost = CollectedGarbage.of(() -> ttnn.empty(TILE, mesh));
        CollectedGarbage.collect(lost);
        reports.forget();

        mesh.close();

        assertThat(reports.lines()).startsWith(FREED, "phase CLOSE", "closing mesh 0");
    }

    @Test
    void aHandleThatIsFoundAfterTheCloseIsFreedAfterTheClose() {
        @Nullable Tensor[] held = {ttnn.empty(TILE, mesh)};
        mesh.close();
        WeakReference<Tensor> lost = new WeakReference<>(held[0]);
        held[0] = null;
        CollectedGarbage.collect(lost);
        reports.forget();

        mesh.close();

        assertThat(reports.lines()).containsExactly(FREED);
        assertThat(reports.releases()).allMatch(AllocationDetails::handleCollected);
    }

    @Test
    void aHandleThatIsFoundAfterTheCloseIsNotReportedWhereSuchFreesAreNot() {
        Ttnn defective = Ttnn.builder(reports)
                .handleRelease(HandleRelease.ON_COLLECT)
                .defects(RuntimeDefect.BUFFERS_FREED_AFTER_CLOSE_NOT_REPORTED)
                .build();
        MeshDevice other = defective.openMeshDevice(
                MeshDeviceOptions.defaults().withMeshShape(MeshShape.of(1, 1)).withPhysicalDeviceIds(5));
        @Nullable Tensor[] held = {ttnn.empty(TILE, other)};
        other.close();
        WeakReference<Tensor> lost = new WeakReference<>(held[0]);
        held[0] = null;
        CollectedGarbage.collect(lost);
        reports.forget();

        other.close();

        assertThat(reports.lines()).containsExactly("ignored 5 DRAM 2968640 DEVICE_CLOSED");
    }

    @Test
    void logsAnErrorThatNobodyCanReceive() {
        var logger = (Logger) LoggerFactory.getLogger(WatchedHandles.class);
        var lines = new ListAppender<ILoggingEvent>();
        lines.start();
        logger.addAppender(lines);
        Ttnn defective = Ttnn.builder(reports)
                .handleRelease(HandleRelease.ON_COLLECT)
                .defects(RuntimeDefect.MESH_BUFFER_FREED_AFTER_CLOSE_CRASHES)
                .build();
        MeshDevice other = defective.openMeshDevice(
                MeshDeviceOptions.defaults().withMeshShape(MeshShape.of(1, 1)).withPhysicalDeviceIds(5));
        @Nullable Tensor[] held = {ttnn.empty(TILE, other)};
        other.close();
        WeakReference<Tensor> lost = new WeakReference<>(held[0]);
        held[0] = null;
        CollectedGarbage.collect(lost);

        other.close();

        logger.detachAppender(lines);
        assertThat(lines.list)
                .extracting(line -> line.getLevel() + " " + line.getFormattedMessage())
                .containsExactly(
                        "WARN A handle was collected and could not be freed: Segmentation fault: cannot free the DRAM"
                                + " buffer at 0x2d4c40 (2968640): its mesh is closed, and the buffer calls allocators of its"
                                + " devices that are gone. This is a defect that was switched on.");
    }

    @Test
    void aProgramOfAnEarlierOpenPeriodOfItsDeviceStillEnds() {
        @Nullable Program[] held = {ttnn.createProgram("late").addKernel(1)};
        mesh.enqueueProgram(0, held[0]);
        mesh.close();
        ttnn.openMeshDevice(MeshShape.of(1, 1));
        WeakReference<Program> lost = new WeakReference<>(held[0]);
        held[0] = null;
        CollectedGarbage.collect(lost);
        reports.forget();

        mesh.close();

        assertThat(reports.lines())
                .containsExactly("ignored 0 DRAM 1073739776 DEVICE_CLOSED", "ended program 1 (late)");
    }

    @Test
    void aBufferOfAnEarlierOpenPeriodOfItsDeviceFreesNothing() {
        var lines = new ListAppender<ILoggingEvent>();
        lines.start();
        var logger = (Logger) LoggerFactory.getLogger(WatchedHandles.class);
        logger.addAppender(lines);
        @Nullable Buffer[] held = {mesh.allocateOn(0, PAGE)};
        mesh.close();
        MeshDevice again = ttnn.openMeshDevice(MeshShape.of(1, 1));
        Buffer next = again.allocateOn(0, PAGE);
        WeakReference<Buffer> lost = new WeakReference<>(held[0]);
        held[0] = null;
        CollectedGarbage.collect(lost);
        reports.forget();

        mesh.close();

        logger.detachAppender(lines);
        assertThat(reports.lines()).containsExactly("ignored 0 DRAM 2968640 DEVICE_CLOSED");
        assertThat(next.isAllocated()).isTrue();
        assertThat(lines.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .containsExactly(
                        "A handle was collected and could not be freed: Cannot free the DRAM buffer at 0x2d4c40 (2968640)"
                                + " of device 0: the device was closed and opened again since the buffer was created, and the"
                                + " runtime would call an allocator that is gone (undefined behaviour). Free it before"
                                + " close_mesh_device.");
    }

    @Test
    void aLostHandleOfASubmeshIsFoundByItsParent() {
        MeshDevice submesh = mesh.createSubmesh(MeshShape.of(1, 1));
        WeakReference<Tensor> lost = CollectedGarbage.of(() -> ttnn.empty(TILE, submesh));
        CollectedGarbage.collect(lost);

        mesh.statistics(BufferType.DRAM);

        assertThat(reports.lines("freed")).containsExactly(FREED);
    }

    @Test
    void aTensorKeepsItsClosedMeshReachable() {
        Tensor tensor = ttnn.empty(TILE, ttnn.openDevice(4));
        tensor.device().close();

        CollectedGarbage.collect(CollectedGarbage.of(Object::new));

        assertThat(tensor.device().deviceIds()).containsExactly(4);
    }

    @Test
    void nothingKeepsAClosedMeshOnceItsHandlesAreLost() {
        WeakReference<MeshDevice> lost = CollectedGarbage.of(() -> {
            MeshDevice closed = ttnn.openDevice(4);
            ttnn.empty(TILE, closed);
            closed.close();
            return closed;
        });

        CollectedGarbage.collect(lost);

        assertThat(lost.get()).isNull();
    }
}
