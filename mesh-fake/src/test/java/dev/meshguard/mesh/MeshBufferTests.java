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
import dev.meshguard.mesh.runtime.ReportingModel;
import dev.meshguard.mesh.runtime.RuntimePreset;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.mesh.tensor.TensorSpec;
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
    void leavesItsAddressToTheNextOne() {
        MeshBuffer first = mesh.allocate(MESH_PAGE);

        first.deallocate();

        assertThat(first.isAllocated()).isFalse();
        assertThat(mesh.allocate(MESH_PAGE).address()).isEqualTo(first.address());
    }

    @Test
    void saysWhatItWasAfterItWasFreed() {
        MeshBuffer buffer = mesh.allocate(MESH_PAGE);

        buffer.deallocate();

        assertThat(buffer.address()).isEqualTo(2_968_640);
        assertThat(buffer.size()).isEqualTo(2_048);
        assertThat(buffer.device()).isSameAs(mesh);
    }

    @Test
    void onlyGetsAnotherStateWhenItsMeshIsGone() {
        RecordedReports main = new RecordedReports();
        MeshDevice gone =
                Ttnn.builder(main).reporting(ReportingModel.MAIN).build().openMeshDevice(MeshShape.of(1, 2));
        MeshBuffer buffer = gone.allocate(MESH_PAGE);
        gone.destroy();
        main.forget();

        assertThat(buffer.state()).isEqualTo(MeshBuffer.State.OWNED);
        assertThat(buffer.isAllocated()).isFalse();
        buffer.deallocate();
        buffer.close();

        assertThat(buffer.state()).isEqualTo(MeshBuffer.State.DEALLOCATED);
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

    private static Boolean resultOf(java.util.concurrent.Future<Boolean> future) {
        try {
            return future.get();
        } catch (InterruptedException | java.util.concurrent.ExecutionException failure) {
            throw new AssertionError(failure);
        }
    }
}
