package dev.meshguard.mesh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.meshguard.event.BufferType;
import dev.meshguard.mesh.BufferMisuseException.Misuse;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.shape.MeshCoordinate;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginCapture;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Tests the calls that a strict runtime rejects, and its messages; {@link RandomMeshProgramsTests} finds no others. */
class StrictModeTests {

    private static final MeshShape TWO_DEVICES = MeshShape.of(1, 2);
    private static final TensorShape SHAPE = TensorShape.of(32, 32);
    private static final BufferConfig DRAM = BufferConfig.of(BufferType.DRAM, 2_048, 2_048);
    private static final BufferConfig BUFFER = DRAM.named("kv-cache");

    private final RecordedReports reports = new RecordedReports();
    private final Ttnn ttnn = Ttnn.builder(reports).strict().build();
    private final MeshDevice mesh = ttnn.openMeshDevice(TWO_DEVICES);

    @Test
    void rejectsASecondFreeAndDescribesWhatHappenedToTheBuffer() {
        MeshBuffer buffer = mesh.allocate(BUFFER);
        buffer.deallocate();

        BufferMisuseException error = misuseOf(buffer::deallocate);

        assertThat(error.misuse()).isEqualTo(Misuse.SECOND_FREE);
        assertThat(withoutLines(error)).isEqualTo("""
                        Cannot free the DRAM buffer of 2 KiB (2048 B) at 0x2d4c40 (2968640) on devices 0, 1: it was freed before.
                        1. allocated as "kv-cache"
                           at dev.meshguard.mesh.StrictModeTests.rejectsASecondFreeAndDescribesWhatHappenedToTheBuffer(StrictModeTests.java)
                        2. freed
                           at dev.meshguard.mesh.StrictModeTests.rejectsASecondFreeAndDescribesWhatHappenedToTheBuffer(StrictModeTests.java)
                        Free it once. A runtime that is not strict ignores the second free, as the real one does.""");
    }

    @Test
    void rejectsASecondFreeThroughAHandleWhoseAddressBelongsToAnotherBuffer() {
        MeshBuffer freed = mesh.allocate(BUFFER);
        freed.deallocate();
        MeshBuffer next = mesh.allocate(BUFFER);
        assertThat(next.address()).isEqualTo(freed.address());

        BufferMisuseException error = misuseOf(freed::deallocate);

        assertThat(error.misuse()).isEqualTo(Misuse.SECOND_FREE);
        assertThat(next.isAllocated()).isTrue();
        assertThat(mesh.statistics(BufferType.DRAM).totalAllocated()).isEqualTo(2_048);
    }

    @Test
    void describesEarlierAttemptsToo() {
        Tensor tensor = ttnn.empty(SHAPE, DataType.BFLOAT16, mesh);
        ttnn.deallocate(tensor);
        assertThatThrownBy(() -> ttnn.deallocate(tensor)).isInstanceOf(BufferMisuseException.class);

        assertThatThrownBy(() -> ttnn.deallocate(tensor)).hasMessageContaining("3. freed again, which was rejected\n");
    }

    @Test
    void reportsTheSecondFreeToTheListenerBeforeItRejects() {
        Buffer buffer = mesh.allocateOn(1, DRAM);
        buffer.deallocate();

        assertThatThrownBy(buffer::deallocate).isInstanceOf(BufferMisuseException.class);

        assertThat(reports.lines("ignored")).containsExactly("ignored 1 DRAM 2968640 ALREADY_FREED");
    }

    @Test
    void takesThePlaceOfAnAllocationFromAListenerThatKnowsIt() {
        AllocationTracker tracker = AllocationTracker.builder()
                .originCapture(OriginCapture.ALLOCATIONS_AND_FREES)
                .build();
        Tensor tensor =
                ttnn(tracker).empty(SHAPE, DataType.BFLOAT16, ttnn(tracker).openMeshDevice(TWO_DEVICES));
        tensor.deallocate();

        BufferMisuseException error = misuseOf(tensor::deallocate);

        assertThat(withoutLines(error))
                .containsSubsequence(
                        "1. allocated\n   at dev.meshguard.mesh.StrictModeTests.takesThePlace",
                        "2. freed\n   at dev.meshguard.mesh.StrictModeTests.takesThePlace");
    }

    @Test
    void letsAHandleBeClosedTwice() {
        MeshBuffer buffer = mesh.allocate(BUFFER);
        Buffer other = mesh.allocateOn(0, DRAM);
        buffer.deallocate();
        other.deallocate();

        assertThatCode(buffer::close).doesNotThrowAnyException();
        assertThatCode(buffer::close).doesNotThrowAnyException();
        assertThatCode(other::close).doesNotThrowAnyException();
        assertThatCode(other::close).doesNotThrowAnyException();
    }

    @Test
    void rejectsAFreeOfAnAddressThatWasFreed() {
        MeshBuffer buffer = mesh.allocate(BUFFER);
        mesh.deallocateAddress(BufferType.DRAM, buffer.address());

        BufferMisuseException error = catchThrowableOfType(
                BufferMisuseException.class, () -> mesh.deallocateAddress(BufferType.DRAM, buffer.address()));

        assertThat(error.misuse()).isEqualTo(Misuse.SECOND_FREE);
        assertThat(error)
                .hasMessageStartingWith(
                        "Cannot free DRAM 0x2d4c40 (2968640) on devices 0, 1: the buffer that started there"
                                + " was freed before.\n1. allocated as \"kv-cache\"\n");
        assertThatThrownBy(buffer::deallocate)
                .as("its handle is stale")
                .hasMessageStartingWith(
                        "Cannot free the DRAM buffer of 2 KiB (2048 B) at 0x2d4c40 (2968640) on devices 0, 1: it was freed");
    }

    @Test
    void rejectsAFreeOfAnAddressThatWasNeverAllocated() {
        BufferMisuseException error = misuseOf(() -> mesh.deallocateAddress(BufferType.L1, 4_096));

        assertThat(error.misuse()).isEqualTo(Misuse.UNKNOWN_ADDRESS);
        assertThat(error)
                .hasMessage("Cannot free L1 0x1000 (4096) on devices 0, 1: no buffer starts there.\n"
                        + "Free an address that a buffer has. A runtime that is not strict ignores any other, as the real one"
                        + " does.");
        assertThat(reports.lines("ignored"))
                .containsExactly("ignored 0 L1 4096 UNKNOWN_ADDRESS", "ignored 1 L1 4096 UNKNOWN_ADDRESS");
    }

    @Test
    void rejectsAFreeAfterTheCloseAndSaysWhereThatWas() {
        MeshBuffer buffer = mesh.allocate(BUFFER);
        mesh.close();

        BufferMisuseException error = misuseOf(buffer::deallocate);

        assertThat(error.misuse()).isEqualTo(Misuse.FREE_AFTER_CLOSE);
        assertThat(withoutLines(error)).isEqualTo("""
                        Cannot free the DRAM buffer of 2 KiB (2048 B) at 0x2d4c40 (2968640) on devices 0, 1: its allocator is closed.
                        1. allocated as "kv-cache"
                           at dev.meshguard.mesh.StrictModeTests.rejectsAFreeAfterTheCloseAndSaysWhereThatWas(StrictModeTests.java)
                        2. mesh 0 was closed
                           at dev.meshguard.mesh.StrictModeTests.rejectsAFreeAfterTheCloseAndSaysWhereThatWas(StrictModeTests.java)
                        Free it before the close. A runtime that is not strict finds nothing to free, as the real one does.""");
    }

    @Test
    void rejectsAFreeAfterTheCloseOfItsDevice() {
        Buffer buffer = mesh.allocateOn(1, DRAM);
        mesh.close();

        assertThatThrownBy(buffer::close)
                .isInstanceOf(BufferMisuseException.class)
                .hasMessageContaining("\n2. device 1 was closed\n");
    }

    @Test
    void letsProgramsEndAfterTheClose() {
        Tensor a = ttnn.empty(SHAPE, DataType.BFLOAT16, mesh);
        ttnn.deallocate(ttnn.add(a, a));
        ttnn.deallocate(a);
        mesh.close();

        assertThatCode(mesh::destroy).doesNotThrowAnyException();
    }

    @Test
    void describesAFreedTensorAsTheRuntimeDoesAndAddsWhatHappenedToIt() {
        Tensor tensor = ttnn.empty(SHAPE, DataType.BFLOAT16, mesh);
        ttnn.deallocate(tensor);

        assertThatThrownBy(() -> ttnn.add(tensor, tensor))
                .isExactlyInstanceOf(MeshRuntimeException.class)
                .satisfies(error -> {
                    assertThat(withoutLines(error)).isEqualTo("""
                                    Tensor is not allocated
                                    Inputs 0 and 1 of add: Tensor((32, 32), BFLOAT16) was freed
                                       at dev.meshguard.mesh.StrictModeTests.describesAFreedTensorAsTheRuntimeDoesAndAddsWhatHappenedToIt(StrictModeTests.java)""");
                    assertThat(error.getSuppressed()).hasSize(1);
                    BufferMisuseException life = (BufferMisuseException) error.getSuppressed()[0];
                    assertThat(life.misuse()).isEqualTo(Misuse.USE_AFTER_FREE);
                    assertThat(withoutLines(life)).isEqualTo("""
                                    Cannot use the DRAM buffer of 2 KiB (2048 B) at 0x2d4c40 (2968640) on devices 0, 1: it was freed.
                                    1. allocated
                                       at dev.meshguard.mesh.StrictModeTests.describesAFreedTensorAsTheRuntimeDoesAndAddsWhatHappenedToIt(StrictModeTests.java)
                                    2. freed
                                       at dev.meshguard.mesh.StrictModeTests.describesAFreedTensorAsTheRuntimeDoesAndAddsWhatHappenedToIt(StrictModeTests.java)
                                    Free it after its last use.""");
                });
    }

    @Test
    void rejectsAViewOfFreedMemory() {
        MeshBuffer buffer = mesh.allocate(BUFFER);
        buffer.deallocate();

        BufferMisuseException error = misuseOf(() -> mesh.viewOn(1, DRAM, buffer.address()));

        assertThat(error.misuse()).isEqualTo(Misuse.VIEW_OF_FREED_MEMORY);
        assertThat(error)
                .hasMessageStartingWith(
                        "Cannot look at DRAM 0x2d4c40 (2968640) on device 1: it lies in the DRAM buffer of"
                                + " 2 KiB (2048 B) at 0x2d4c40 (2968640) on devices 0, 1, which was freed.\n1. allocated as \"kv-cache\"");
    }

    @Test
    void allowsViewsOfMemoryThatIsAllocatedOrNeverWasInThisOpenPeriod() {
        MeshBuffer buffer = mesh.allocate(BUFFER);
        MeshDevice submesh = mesh.createSubmesh(MeshShape.of(1, 1), MeshCoordinate.of(0, 1));
        submesh.allocate(BUFFER).deallocate();

        assertThatCode(() -> {
                    mesh.view(BUFFER, buffer.address());
                    submesh.view(BUFFER, buffer.address());
                    mesh.view(BUFFER, 104_857_600);
                })
                .doesNotThrowAnyException();
        buffer.deallocate();
        submesh.close();
        mesh.close();
        MeshDevice again = ttnn.openMeshDevice(TWO_DEVICES);
        assertThatCode(() -> again.view(BUFFER, buffer.address())).doesNotThrowAnyException();
    }

    @Test
    void rejectsClearingBanksThatAreNotEmpty() {
        ttnn.deviceDeallocateBuffers(mesh);
        for (int buffer = 0; buffer < 5; buffer++) {
            mesh.allocate(BUFFER);
        }

        BufferMisuseException error = misuseOf(() -> ttnn.deviceDeallocateBuffers(mesh));

        assertThat(error.misuse()).isEqualTo(Misuse.WIPED_WHILE_ALLOCATED);
        assertThat(error)
                .hasMessageStartingWith(
                        "Cannot empty the banks of mesh 0: its allocator has allocated 5 buffers. They would still"
                                + " count as allocated, and freeing one later would free whatever lies at its address then."
                                + "\nThe DRAM buffer of 2 KiB (2048 B) at 0x2d4c40 (2968640) on devices 0, 1:\n1. allocated as"
                                + " \"kv-cache\"\n   at dev.meshguard.mesh.StrictModeTests.rejectsClearingBanks")
                .hasMessageEndingWith("\n… and 2 more\nDeallocate them one by one.");
        assertThat(mesh.statistics(BufferType.DRAM).totalAllocated()).isEqualTo(5 * 2_048);
    }

    private static BufferMisuseException misuseOf(ThrowingCallable call) {
        return catchThrowableOfType(BufferMisuseException.class, call);
    }

    private static Ttnn ttnn(AllocationTracker tracker) {
        return Ttnn.builder(tracker).strict().build();
    }

    /** Line numbers change with every edit of this file. */
    private static String withoutLines(Throwable error) {
        return String.valueOf(error.getMessage()).replaceAll("\\.java:\\d+", ".java");
    }
}
