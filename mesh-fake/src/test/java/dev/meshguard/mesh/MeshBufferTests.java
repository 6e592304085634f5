package dev.meshguard.mesh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferType;
import dev.meshguard.mesh.allocator.AllocationDirection;
import dev.meshguard.mesh.allocator.DeviceOutOfMemoryException;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.buffer.CoreRange;
import dev.meshguard.mesh.buffer.CoreRangeSet;
import dev.meshguard.mesh.buffer.MeshBufferConfig;
import dev.meshguard.mesh.buffer.MeshBufferLayout;
import dev.meshguard.mesh.buffer.Shape2D;
import dev.meshguard.mesh.buffer.ShardedBufferConfig;
import dev.meshguard.mesh.runtime.ReportingModel;
import dev.meshguard.mesh.runtime.RuntimePreset;
import dev.meshguard.mesh.shape.MeshCoordinate;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.mesh.tensor.TensorSpec;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests buffers on a mesh and on single devices: their memory, their reports, and their end. */
class MeshBufferTests {

    private static final BufferConfig PAGE = BufferConfig.of(BufferType.DRAM, 2_048, 2_048);
    private static final MeshBufferConfig MESH_PAGE = MeshBufferConfig.replicated(PAGE);

    private final RecordedReports reports = new RecordedReports();
    private final MeshDevice mesh = Ttnn.create(reports).openMeshDevice(MeshShape.of(1, 2));

    @Test
    void isOneRequestOnAllDevices() {
        reports.forget();

        mesh.allocate(MeshBufferConfig.replicated(PAGE.named("weights")));

        assertThat(reports.requests())
                .containsExactly(AllocationDetails.user()
                        .labelled("weights")
                        .onMesh(0)
                        .fromAllocator(AllocatorId.MESH)
                        .withExtent(2_048));
        assertThat(reports.lines())
                .containsExactly(
                        "allocated 0 DRAM 2968640+2048 NON_OWNING", "allocated 1 DRAM 2968640+2048 NON_OWNING");
    }

    @Test
    void hasPagesOfATileIfOnlyItsBytesAreGiven() {
        reports.forget();

        MeshBuffer buffer = mesh.allocate(BufferType.DRAM, 6_144);

        assertThat(buffer.config())
                .isEqualTo(MeshBufferConfig.replicated(BufferConfig.of(BufferType.DRAM, 6_144, 2_048)));
        assertThat(reports.lines())
                .containsExactly(
                        "allocated 0 DRAM 2968640+6144 NON_OWNING", "allocated 1 DRAM 2968640+6144 NON_OWNING");
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -2_048, 100, 2_049})
    void doesNotAllocateBytesThatAreNoWholePages(long bytes) {
        reports.forget();

        assertThatThrownBy(() -> mesh.allocate(BufferType.L1, bytes))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "Cannot allocate " + bytes + " B of L1: allocate(type, bytes) allocates whole pages of 2048 B."
                                + " Ask for a multiple of 2048 B, or set the page size with"
                                + " allocate(MeshBufferConfig.replicated(BufferConfig.of(type, bytes, pageSize))).");
        assertThat(reports.lines()).isEmpty();
    }

    @Test
    void isFreedByCloseAlsoForTheHandlesOfATensorInIt() {
        MeshBuffer buffer = mesh.allocate(BufferType.DRAM, 2_048);
        Tensor tensor = Tensor.of(buffer, TensorSpec.of(TensorShape.of(32, 32), DataType.BFLOAT16));
        Tensor alias = tensor.alias();

        buffer.close();

        assertThat(tensor.isAllocated()).isFalse();
        assertThat(alias.isAllocated()).isFalse();
    }

    @Test
    void reportsHowMuchEveryBankReserves() {
        reports.forget();

        mesh.allocate(MeshBufferConfig.replicated(BufferConfig.of(BufferType.DRAM, 25 * 2_048, 2_048)));
        mesh.allocate(MeshBufferConfig.replicated(
                BufferConfig.of(BufferType.L1, 64, 16).heightSharded(CoreRangeSet.of(new CoreRange(0, 0, 3, 0)))));

        assertThat(reports.requests())
                .extracting(details -> details.extent().orElseThrow())
                .containsExactly(3 * 2_048L, 32L);
        assertThat(mesh.statistics(BufferType.DRAM).totalAllocated()).isEqualTo(3 * 2_048);
        assertThat(mesh.statistics(BufferType.L1).totalAllocated()).isEqualTo(32);
    }

    @Test
    void comesFromTheEndThatIsAskedFor() {
        MeshBuffer top = mesh.allocate(MeshBufferConfig.replicated(PAGE.inDirection(AllocationDirection.TOP_DOWN)));

        assertThat(top.address()).isEqualTo(1073741824 - 2048);
    }

    @Test
    void reportsThatASecondFreeIsIgnored() {
        MeshBuffer buffer = mesh.allocate(MESH_PAGE);
        buffer.deallocate();
        reports.forget();

        buffer.deallocate();

        assertThat(reports.lines())
                .containsExactly("ignored 0 DRAM 2968640 ALREADY_FREED", "ignored 1 DRAM 2968640 ALREADY_FREED");
        assertThat(buffer.state()).isEqualTo(MeshBuffer.State.DEALLOCATED);
        assertThat(buffer.address()).isEqualTo(2968640);
    }

    @Test
    void isFreedOnceByCloseHoweverOftenItIsClosed() {
        MeshBuffer buffer = mesh.allocate(MESH_PAGE);

        buffer.close();
        buffer.close();

        assertThat(reports.lines("freed")).hasSize(2);
        assertThat(reports.lines("ignored")).isEmpty();
    }

    @Test
    void isFreedByItsAddress() {
        MeshBuffer buffer = mesh.allocate(MESH_PAGE);

        mesh.deallocateAddress(BufferType.DRAM, buffer.address());

        assertThat(buffer.isAllocated()).isFalse();
        assertThat(reports.lines("freed")).hasSize(2);
    }

    @Test
    void reportsAFreeOfAnUnknownAddress() {
        reports.forget();

        mesh.deallocateAddress(BufferType.L1, 64);

        assertThat(reports.lines())
                .containsExactly("ignored 0 L1 64 UNKNOWN_ADDRESS", "ignored 1 L1 64 UNKNOWN_ADDRESS");
    }

    @Test
    void hasAPartOnEachDeviceThatOwnsNothing() {
        MeshBuffer buffer = mesh.allocate(MESH_PAGE);
        Buffer part = buffer.deviceBuffer(MeshCoordinate.of(0, 1));
        reports.forget();

        part.deallocate();
        part.close();

        assertThat(reports.lines()).isEmpty();
        assertThat(part.device()).isEqualTo(1);
        assertThat(part.address()).isEqualTo(buffer.address());
        assertThat(part.ownsMemory()).isFalse();
        assertThat(part.isAllocated()).isTrue();
        assertThat(buffer.isAllocated()).isTrue();
    }

    @Test
    void isInvisibleWhenEmpty() {
        reports.forget();

        MeshBuffer empty = mesh.allocate(MeshBufferConfig.replicated(BufferConfig.of(BufferType.DRAM, 0, 0)));
        empty.deallocate();

        assertThat(reports.lines()).isEmpty();
        assertThat(empty.address()).isZero();
        assertThat(empty.isAllocated()).isFalse();
    }

    @Test
    void takesNoMemoryAsAView() {
        reports.forget();

        MeshBuffer view = mesh.view(MESH_PAGE, 4_096);

        assertThat(view.state()).isEqualTo(MeshBuffer.State.EXTERNALLY_OWNED);
        assertThat(view.address()).isEqualTo(4_096);
        assertThat(mesh.statistics(BufferType.DRAM).totalAllocated()).isZero();
        assertThat(reports.lines()).isEmpty();
        view.deallocate();
        view.deallocate();
        assertThat(reports.lines()).isEmpty();
    }

    @Test
    void isReportedAsAViewByTheTrackingBranch() {
        RecordedReports branch = new RecordedReports();
        MeshDevice october =
                Ttnn.builder(branch).preset(RuntimePreset.OCTOBER_2025).build().openMeshDevice(MeshShape.of(1, 2));
        branch.forget();

        october.view(MESH_PAGE, 4_096).deallocate();
        october.viewOn(1, PAGE, 8_192).close();

        assertThat(branch.lines())
                .containsExactly(
                        "allocated 0 DRAM 4096+2048 NON_OWNING",
                        "allocated 1 DRAM 4096+2048 NON_OWNING",
                        "freed 0 DRAM 4096 NON_OWNING",
                        "freed 1 DRAM 4096 NON_OWNING",
                        "allocated 1 DRAM 8192+2048 NON_OWNING",
                        "freed 1 DRAM 8192 NON_OWNING");
    }

    @Test
    void ownsItsMemoryOnASingleDevice() {
        Buffer buffer = mesh.allocateOn(1, PAGE.named("weights"));

        buffer.deallocate();
        buffer.deallocate();
        buffer.close();

        assertThat(buffer.ownsMemory()).isTrue();
        assertThat(buffer.label()).contains("weights");
        assertThat(reports.lines("allocated")).containsExactly("allocated 1 DRAM 2968640+2048 OWNING");
        assertThat(reports.lines("freed")).containsExactly("freed 1 DRAM 2968640 OWNING");
        assertThat(reports.lines("ignored")).containsExactly("ignored 1 DRAM 2968640 ALREADY_FREED");
    }

    @Test
    void mayShareAnAddressWithTheMeshOnASingleDevice() {
        MeshBuffer onMesh = mesh.allocate(MESH_PAGE);

        Buffer onDevice = mesh.allocateOn(0, PAGE);

        assertThat(onDevice.address()).isEqualTo(onMesh.address());
    }

    @Test
    void cannotLieOnADeviceOfAnotherMesh() {
        assertThatThrownBy(() -> mesh.allocateOn(2, PAGE))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Physical Device ID: 2 not found in assigned devices");
    }

    @Test
    void consistsOfWholePages() {
        assertThatThrownBy(() -> BufferConfig.of(BufferType.DRAM, 3_000, 2_048))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("For valid non-interleaved buffers page size 2048 must equal buffer size 3000."
                        + " For interleaved-buffers, buffer size should be divisible by the page size");
    }

    @Test
    void cannotBeLargerThanTheMemory() {
        long size = 12L * 1_073_741_824;

        assertThatThrownBy(
                        () -> mesh.allocate(MeshBufferConfig.replicated(BufferConfig.of(BufferType.DRAM, size, 2_048))))
                .isInstanceOf(DeviceOutOfMemoryException.class)
                .hasMessageStartingWith(
                        "Out of Memory: Not enough space to allocate 12884901888 B DRAM buffer across 12 banks,"
                                + " where each bank needs to store 1073741824 B, but bank size is 1070773184 B"
                                + " (allocated: 0 B, free: 1070773184 B, largest free block: 1070773184 B)\n");
        assertThat(reports.lines("allocated")).isEmpty();
    }

    @Test
    void cannotLieInHostMemory() {
        assertThatThrownBy(() ->
                        mesh.allocate(MeshBufferConfig.replicated(BufferConfig.of(BufferType.SYSTEM_MEMORY, 64, 64))))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Unsupported buffer type!");
    }

    @Test
    void givesEachDeviceAShardOfAGlobalBuffer() {
        ShardedBufferConfig global = ShardedBufferConfig.of(16 << 10, new Shape2D(64, 128), new Shape2D(64, 64));

        MeshBuffer buffer = mesh.allocate(MeshBufferConfig.of(global, PAGE.deviceLocal()));

        assertThat(buffer.size()).isEqualTo(16 << 10);
        assertThat(buffer.deviceLocalSize()).isEqualTo(8 << 10);
        assertThat(buffer.numPages()).isEqualTo(4);
        assertThat(buffer.globalLayout()).isEqualTo(MeshBufferLayout.SHARDED);
        assertThat(buffer.globalShardSpec()).isEqualTo(global);
        assertThat(buffer.datumSizeBytes()).isEqualTo(2);
        assertThat(buffer.physicalShardShape()).isEqualTo(new Shape2D(64, 64));
    }

    @Test
    void needsADeviceForEveryShard() {
        ShardedBufferConfig global = ShardedBufferConfig.of(16 << 10, new Shape2D(64, 128), new Shape2D(32, 64));
        MeshBufferConfig sharded = MeshBufferConfig.of(global, PAGE.deviceLocal());

        assertThatThrownBy(() -> mesh.allocate(sharded))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("The sharded tensor does not fit on the Mesh. Num shards in buffer 4, Num Devices 2");
        assertThatThrownBy(() -> mesh.view(sharded, 4_096)).isInstanceOf(MeshRuntimeException.class);
    }

    /** Quirk Q8. */
    @Test
    void costsTheSameShardedOrReplicated() {
        ShardedBufferConfig oneShard = ShardedBufferConfig.of(2_048, new Shape2D(32, 32), new Shape2D(32, 32));

        mesh.allocate(MeshBufferConfig.of(oneShard, PAGE.deviceLocal()));
        long forOneShard = mesh.statistics(BufferType.DRAM).totalAllocated();
        mesh.allocate(MESH_PAGE);

        assertThat(mesh.statistics(BufferType.DRAM).totalAllocated()).isEqualTo(2 * forOneShard);
        assertThat(reports.lines("allocated")).hasSize(4);
    }

    @Test
    void leavesItsAddressToTheNextOne() {
        MeshBuffer first = mesh.allocate(MESH_PAGE);

        first.deallocate();

        assertThat(first.isAllocated()).isFalse();
        assertThat(mesh.allocate(MESH_PAGE).address()).isEqualTo(first.address());
    }

    @Test
    void saysWhatItWasAfterItWasFreed() {
        MeshBuffer buffer = mesh.allocate(MESH_PAGE);
        Buffer part = buffer.deviceBuffer(MeshCoordinate.of(0, 1));

        buffer.deallocate();

        assertThat(buffer.address()).isEqualTo(2_968_640);
        assertThat(buffer.size()).isEqualTo(2_048);
        assertThat(buffer.device()).isSameAs(mesh);
        assertThat(buffer.deviceBuffer(MeshCoordinate.of(0, 1))).isSameAs(part);
        assertThat(part.address()).isEqualTo(2_968_640);
        assertThat(part.isAllocated()).isTrue();
    }

    @Test
    void hasABackingBufferOnlyWhileItOwnsMemory() {
        MeshBuffer owned = mesh.allocate(MESH_PAGE);
        MeshBuffer pointing = mesh.view(MESH_PAGE, 4_096);

        Buffer backing = owned.backingBuffer().orElseThrow();

        assertThat(backing.ownsMemory()).isTrue();
        assertThat(backing.address()).isEqualTo(owned.address());
        assertThat(backing.device()).isEqualTo(mesh.id());
        assertThat(owned.backingBuffer()).containsSame(backing);
        assertThat(pointing.backingBuffer()).isEmpty();
        owned.deallocate();
        assertThat(owned.backingBuffer()).isEmpty();
        assertThat(backing.isAllocated()).isFalse();
    }

    @Test
    void isFreedWithItsBackingBuffer() {
        MeshBuffer buffer = mesh.allocate(MESH_PAGE);

        buffer.backingBuffer().orElseThrow().close();

        assertThat(buffer.state()).isEqualTo(MeshBuffer.State.DEALLOCATED);
        assertThat(reports.lines("freed")).hasSize(2);
    }

    @Test
    void refersToTheBufferOnTheFirstDevice() {
        MeshBuffer buffer = mesh.allocate(MESH_PAGE);

        assertThat(buffer.referenceBuffer()).isSameAs(buffer.deviceBuffer(MeshCoordinate.of(0, 0)));
    }

    @Test
    void hasNoPartWhereThereIsNoDevice() {
        MeshBuffer buffer = mesh.allocate(MESH_PAGE);

        assertThatThrownBy(() -> buffer.deviceBuffer(MeshCoordinate.of(1, 0))).isInstanceOf(MeshRuntimeException.class);
    }

    @Test
    void keepsItsPartsInTheShapeThatTheMeshHadThen() {
        MeshDevice square = Ttnn.create(new RecordedReports()).openMeshDevice(MeshShape.of(2, 4));
        MeshBuffer before = square.allocate(MESH_PAGE);

        square.reshape(MeshShape.of(1, 8));

        assertThat(before.deviceBuffer(MeshCoordinate.of(1, 0)).device()).isEqualTo(4);
        assertThat(square.allocate(MESH_PAGE)
                        .deviceBuffer(MeshCoordinate.of(0, 4))
                        .device())
                .isEqualTo(square.deviceId(MeshCoordinate.of(0, 4)));
    }

    @Test
    void isHandedOverByAMove() {
        MeshBuffer original = mesh.allocate(MESH_PAGE);
        Buffer part = original.referenceBuffer();
        reports.forget();

        MeshBuffer moved = original.move();

        assertThat(moved.isAllocated()).isTrue();
        assertThat(moved.state()).isEqualTo(MeshBuffer.State.OWNED);
        assertThat(moved.address()).isEqualTo(2_968_640);
        assertThat(moved.size()).isEqualTo(2_048);
        assertThat(moved.deviceLocalSize()).isEqualTo(2_048);
        assertThat(moved.referenceBuffer()).isSameAs(part);
        assertThat(reports.lines()).isEmpty();
    }

    @Test
    void hasNothingLeftAfterAMove() {
        MeshBuffer original = mesh.allocate(MESH_PAGE);
        MeshBuffer moved = original.move();

        original.deallocate();
        original.close();

        assertThat(original.isAllocated()).isFalse();
        assertThat(original.state()).isEqualTo(MeshBuffer.State.DEALLOCATED);
        assertThat(original.address()).isZero();
        assertThat(original.deviceLocalSize()).isZero();
        assertThat(original.numPages()).isZero();
        assertThat(original.backingBuffer()).isEmpty();
        assertThat(original).hasToString("MeshBuffer(DRAM, moved away)");
        assertThatThrownBy(original::device)
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Can't get device from mesh buffer, already deallocated");
        assertThatThrownBy(original::referenceBuffer)
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("MeshBuffer: Tried to get reference buffer, but no local buffer found");
        assertThat(moved.isAllocated()).isTrue();
        assertThat(original.move().state()).isEqualTo(MeshBuffer.State.DEALLOCATED);
    }

    @Test
    void freesItsMemoryWhenAnotherIsMovedIntoIt() {
        MeshBuffer source =
                mesh.allocate(MeshBufferConfig.replicated(BufferConfig.of(BufferType.DRAM, 16 << 10, 1_024)));
        MeshBuffer target =
                mesh.allocate(MeshBufferConfig.replicated(BufferConfig.of(BufferType.DRAM, 8 << 10, 1_024)));
        long sourceAddress = source.address();
        long targetAddress = target.address();

        source.moveInto(target);

        assertThat(target.isAllocated()).isTrue();
        assertThat(target.address()).isEqualTo(sourceAddress);
        assertThat(target.size()).isEqualTo(16 << 10);
        assertThat(target.deviceLocalSize()).isEqualTo(16 << 10);
        assertThat(source.isAllocated()).isFalse();
        assertThat(reports.lines("freed"))
                .containsExactly(
                        "freed 0 DRAM " + targetAddress + " NON_OWNING",
                        "freed 1 DRAM " + targetAddress + " NON_OWNING");
        assertThat(mesh.allocate(MESH_PAGE).address()).isEqualTo(targetAddress);
    }

    @Test
    void staysAsItIsWhenItIsMovedIntoItself() {
        MeshBuffer buffer = mesh.allocate(MESH_PAGE);

        assertThat(buffer.moveInto(buffer)).isSameAs(buffer);

        assertThat(buffer.state()).isEqualTo(MeshBuffer.State.OWNED);
        assertThat(buffer.address()).isEqualTo(2_968_640);
    }

    @Test
    void onlyGetsAnotherStateWhenItsMeshIsGone() {
        RecordedReports main = new RecordedReports();
        MeshDevice gone =
                Ttnn.builder(main).reporting(ReportingModel.MAIN).build().openMeshDevice(MeshShape.of(1, 2));
        MeshBuffer buffer = gone.allocate(MESH_PAGE);
        Buffer backing = buffer.backingBuffer().orElseThrow();
        gone.destroy();
        main.forget();

        assertThat(buffer.state()).isEqualTo(MeshBuffer.State.OWNED);
        assertThat(buffer.isAllocated()).isFalse();
        buffer.deallocate();
        buffer.close();

        assertThat(buffer.state()).isEqualTo(MeshBuffer.State.DEALLOCATED);
        assertThat(backing.isAllocated()).isFalse();
        assertThat(main.lines())
                .containsExactly("ignored 0 DRAM 2968640 DEVICE_CLOSED", "ignored 1 DRAM 2968640 DEVICE_CLOSED");
    }

    @Test
    void isReportedFreeByACompleteReportWhenItsMeshIsGone() {
        MeshBuffer buffer = mesh.allocate(MESH_PAGE);
        mesh.destroy();
        reports.forget();

        buffer.close();

        assertThat(reports.lines())
                .containsExactly("freed 0 DRAM 2968640 NON_OWNING", "freed 1 DRAM 2968640 NON_OWNING");
    }

    @Test
    void neverSharesAnAddressWithALiveOneHoweverManyThreadsAllocate() throws Exception {
        Set<Long> live = Collections.synchronizedSet(new HashSet<>());
        Callable<Boolean> work = () -> IntStream.range(0, 2_000).allMatch(step -> {
            MeshBuffer buffer = mesh.allocate(MESH_PAGE);
            boolean alone = live.add(buffer.address());
            if (step % 3 != 0) {
                live.remove(buffer.address());
                buffer.deallocate();
            }
            return alone;
        });
        ExecutorService threads = Executors.newFixedThreadPool(2);

        List<Boolean> alone;
        try {
            alone = threads.invokeAll(List.of(work, work)).stream()
                    .map(MeshBufferTests::resultOf)
                    .toList();
        } finally {
            threads.shutdown();
        }

        assertThat(alone).containsExactly(true, true);
        assertThat(mesh.statistics(BufferType.DRAM).totalAllocated()).isEqualTo(live.size() * 2_048L);
        assertThat(reports.lines("allocated")).hasSize(2 * 4_000);
        assertThat(reports.lines("freed")).hasSize(2 * (4_000 - live.size()));
    }

    @Test
    void isHandedOverToOneOfSeveralThreadsThatMoveIt() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        List<Long> owners = new ArrayList<>();
        try {
            for (int round = 0; round < 500; round++) {
                MeshBuffer buffer = mesh.allocate(MESH_PAGE);
                Callable<Boolean> move = () -> buffer.move().state() == MeshBuffer.State.OWNED;
                owners.add(threads.invokeAll(List.of(move, move)).stream()
                        .filter(MeshBufferTests::resultOf)
                        .count());
            }
        } finally {
            threads.shutdown();
        }

        assertThat(owners).containsOnly(1L);
    }

    private static Boolean resultOf(java.util.concurrent.Future<Boolean> future) {
        try {
            return future.get();
        } catch (InterruptedException | java.util.concurrent.ExecutionException failure) {
            throw new AssertionError(failure);
        }
    }
}
