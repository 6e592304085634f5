package dev.meshguard.mesh;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.buffer.CircularBufferConfig;
import dev.meshguard.mesh.buffer.CoreRange;
import dev.meshguard.mesh.buffer.CoreRangeSet;
import dev.meshguard.mesh.internal.context.WatchedHandles;
import dev.meshguard.mesh.runtime.HandleRelease;
import dev.meshguard.mesh.runtime.RuntimeDefect;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.mesh.tensor.TensorSpec;
import dev.meshguard.tracker.script.CollectedGarbage;
import java.lang.ref.WeakReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

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
        lose(() -> explicit.empty(TILE, other));

        other.close();

        assertThat(reports.lines("freed")).isEmpty();
    }

    @Test
    void freesACollectedTensorWhenTheMeshIsCalledNext() {
        lose(() -> ttnn.empty(TILE, mesh));
        assertThat(reports.lines("freed")).isEmpty();

        assertThat(taken(BufferType.DRAM)).isZero();

        assertThat(reports.lines("freed")).containsExactly(FREED);
        assertThat(reports.releases()).hasSize(1).allMatch(AllocationDetails::handleCollected);
    }

    @Test
    void aLostTensorMakesRoomForTheNextOne() {
        lose(() -> ttnn.empty(TILE, mesh));

        assertThat(ttnn.empty(TILE, mesh).address()).isEqualTo(2_968_640);
    }

    @Test
    void aFreeThatSomebodyCallsForIsNotOfACollectedHandle() {
        ttnn.deallocate(ttnn.empty(TILE, mesh));

        assertThat(reports.releases()).hasSize(1).noneMatch(AllocationDetails::handleCollected);
    }

    @Test
    void aTensorThatWasFreedIsNotFreedAgain() {
        lose(() -> {
            Tensor tensor = ttnn.empty(TILE, mesh);
            tensor.deallocate();
            return tensor;
        });
        reports.forget();

        mesh.statistics(BufferType.DRAM);

        assertThat(reports.lines()).isEmpty();
    }

    @Test
    void anAliasOrAViewKeepsTheMemoryOfALostTensor() {
        Tensor alias = ttnn.empty(TILE, mesh).alias();
        Tensor view = ttnn.empty(TILE, mesh).reshape(TensorShape.of(1, 32, 32));

        CollectedGarbage.collectUntil(() -> alias.isSoleOwner() && view.isSoleOwner());

        assertThat(alias.isAllocated()).isTrue();
        assertThat(view.isAllocated()).isTrue();
        assertThat(reports.lines("freed")).isEmpty();
    }

    @Test
    void aLostAliasDoesNotKeepTheLastHandleFromFreeing() {
        Tensor tensor = ttnn.empty(TILE, mesh);
        lose(tensor::alias);

        tensor.deallocate();

        assertThat(tensor.isAllocated()).isFalse();
        assertThat(reports.releases()).hasSize(1).noneMatch(AllocationDetails::handleCollected);
    }

    @Test
    void aBufferKeepsTheMemoryOfALostTensor() {
        MeshBuffer[] buffer = new MeshBuffer[1];
        lose(() -> {
            Tensor tensor = ttnn.empty(TILE, mesh);
            buffer[0] = tensor.buffer();
            return tensor;
        });

        assertThat(taken(BufferType.DRAM)).isEqualTo(2_048);
        assertThat(buffer[0].isAllocated()).isTrue();
    }

    @Test
    void theLastLostHandleFreesTheMemory() {
        lose(() -> {
            Tensor tensor = ttnn.empty(TILE, mesh);
            tensor.alias().close();
            return tensor;
        });

        assertThat(taken(BufferType.DRAM)).isZero();

        assertThat(reports.releases()).hasSize(1).allMatch(AllocationDetails::handleCollected);
    }

    @Test
    void freesLostBuffersOfAllKinds() {
        lose(() -> mesh.allocate(BufferType.DRAM, 2_048));
        lose(() -> mesh.allocateOn(0, PAGE));
        lose(() -> ttnn.createGlobalSemaphore(mesh, CoreRangeSet.of(new CoreRange(0, 0, 0, 0))));

        mesh.statistics(BufferType.DRAM);

        assertThat(reports.lines("freed"))
                .containsExactlyInAnyOrder(FREED, "freed 0 DRAM 2968640 OWNING", "freed 0 L1 1499104 NON_OWNING");
        assertThat(reports.releases()).hasSize(3).allMatch(AllocationDetails::handleCollected);
    }

    @Test
    void aLostProgramEndsOnEachMeshWhenThatIsCalled() {
        MeshDevice other = ttnn.openDevice(5);
        lose(() -> {
            Program program = program("lost");
            mesh.enqueueProgram(0, program);
            other.enqueueProgram(5, program);
            return program;
        });
        reports.forget();

        other.statistics(BufferType.DRAM);
        assertThat(reports.lines()).containsExactly("freed 5 DRAM 1073739776 OWNING", "freed 5 L1 103776 OWNING");
        mesh.statistics(BufferType.DRAM);

        assertThat(reports.lines())
                .endsWith("freed 0 DRAM 1073739776 OWNING", "freed 0 L1 103776 OWNING", "ended program 1 (lost)")
                .hasSize(5);
        assertThat(reports.releases()).hasSize(4).allMatch(AllocationDetails::handleCollected);
    }

    @Test
    void aLostWorkloadEndsWithItsPrograms() {
        lose(() -> {
            MeshWorkload workload = ttnn.createMeshWorkload().addProgram(program("lost"));
            mesh.enqueueMeshWorkload(workload);
            return workload;
        });
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
        lose(Object::new);

        assertThat(taken(BufferType.DRAM)).isEqualTo(2_048);
        assertThat(program).hasToString("program 1 (held)");
    }

    @Test
    void aCachedProgramBelongsToTheCache() {
        lose(() -> ttnn.add(ttnn.empty(TILE, mesh), ttnn.empty(TILE, mesh)));

        assertThat(taken(BufferType.DRAM)).isEqualTo(2_048);
        assertThat(mesh.numProgramCacheEntries()).isEqualTo(1);
        assertThat(reports.lines("ended")).isEmpty();
    }

    @Test
    void aHandleThatWasCollectedBeforeTheCloseIsFreedBeforeTheCloseBegins() {
        lose(() -> ttnn.empty(TILE, mesh));
        reports.forget();

        mesh.close();

        assertThat(reports.lines()).startsWith(FREED, "phase CLOSE", "closing mesh 0");
    }

    @Test
    void aHandleThatIsFoundAfterTheCloseIsFreedAfterTheClose() {
        loseAfterTheClose(ttnn, mesh);

        mesh.close();

        assertThat(reports.lines()).containsExactly(FREED);
        assertThat(reports.releases()).allMatch(AllocationDetails::handleCollected);
    }

    @Test
    void aHandleThatIsFoundAfterTheCloseIsNotReportedWhereSuchFreesAreNot() {
        Ttnn defective = withDefect(RuntimeDefect.BUFFERS_FREED_AFTER_CLOSE_NOT_REPORTED);
        MeshDevice other = defective.openDevice(5);
        loseAfterTheClose(defective, other);

        other.close();

        assertThat(reports.lines()).containsExactly("ignored 5 DRAM 2968640 DEVICE_CLOSED");
    }

    @Test
    void logsAnErrorThatNobodyCanReceive() {
        Ttnn defective = withDefect(RuntimeDefect.MESH_BUFFER_FREED_AFTER_CLOSE_CRASHES);
        MeshDevice other = defective.openDevice(5);
        loseAfterTheClose(defective, other);

        try (LoggedLines log = LoggedLines.of(WatchedHandles.class)) {
            other.close();

            assertThat(log.all())
                    .containsExactly(
                            "WARN A handle was collected and could not be freed: Segmentation fault: cannot free the DRAM"
                                    + " buffer at 0x2d4c40 (2968640): its mesh is closed, and the buffer calls allocators of its"
                                    + " devices that are gone. This is a defect that was switched on.");
        }
    }

    @Test
    void aProgramOfAnEarlierOpenPeriodOfItsDeviceStillEnds() {
        lose(() -> {
            Program program = ttnn.createProgram("late").addKernel(1);
            mesh.enqueueProgram(0, program);
            mesh.close();
            ttnn.openMeshDevice(MeshShape.of(1, 1));
            return program;
        });
        reports.forget();

        mesh.close();

        assertThat(reports.lines())
                .containsExactly("ignored 0 DRAM 1073739776 DEVICE_CLOSED", "ended program 1 (late)");
    }

    @Test
    void aBufferOfAnEarlierOpenPeriodOfItsDeviceFreesNothing() {
        lose(() -> {
            Buffer buffer = mesh.allocateOn(0, PAGE);
            mesh.close();
            return buffer;
        });
        Buffer next = ttnn.openMeshDevice(MeshShape.of(1, 1)).allocateOn(0, PAGE);
        reports.forget();

        try (LoggedLines log = LoggedLines.of(WatchedHandles.class)) {
            mesh.close();

            assertThat(log.all())
                    .containsExactly(
                            "WARN A handle was collected and could not be freed: Cannot free the DRAM buffer at 0x2d4c40 (2968640)"
                                    + " of device 0: the device was closed and opened again since the buffer was created, and the"
                                    + " runtime would call an allocator that is gone (undefined behaviour). Free it before"
                                    + " close_mesh_device.");
        }
        assertThat(reports.lines()).containsExactly("ignored 0 DRAM 2968640 DEVICE_CLOSED");
        assertThat(next.isAllocated()).isTrue();
    }

    @Test
    void aLostHandleOfASubmeshIsFoundByItsParent() {
        MeshDevice submesh = mesh.createSubmesh(MeshShape.of(1, 1));
        lose(() -> ttnn.empty(TILE, submesh));

        mesh.statistics(BufferType.DRAM);

        assertThat(reports.lines("freed")).containsExactly(FREED);
    }

    @Test
    void aTensorKeepsItsClosedMeshReachable() {
        Tensor tensor = ttnn.empty(TILE, ttnn.openDevice(4));
        tensor.device().close();

        lose(Object::new);

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

    /** Makes a handle that nobody holds, and waits until it is collected. */
    private static void lose(Supplier<?> handle) {
        CollectedGarbage.collect(CollectedGarbage.of(handle));
    }

    private void loseAfterTheClose(Ttnn runtime, MeshDevice open) {
        lose(() -> {
            Tensor tensor = runtime.empty(TILE, open);
            open.close();
            return tensor;
        });
        reports.forget();
    }

    private Ttnn withDefect(RuntimeDefect defect) {
        return Ttnn.builder(reports)
                .handleRelease(HandleRelease.ON_COLLECT)
                .defects(defect)
                .build();
    }

    private Program program(String name) {
        return ttnn.createProgram(name).addKernel(1).addCircularBuffer(CircularBufferConfig.of(4_096));
    }

    private long taken(BufferType memory) {
        return mesh.statistics(memory).totalAllocated();
    }
}
