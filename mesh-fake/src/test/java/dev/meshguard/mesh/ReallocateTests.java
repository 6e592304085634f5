package dev.meshguard.mesh;

import static dev.meshguard.mesh.Rejections.assertMeshIsClosed;
import static dev.meshguard.mesh.Rejections.assertRuntimeErrorBeginning;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.event.BufferType;
import dev.meshguard.mesh.allocator.DeviceOutOfMemoryException;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.OperationProfile;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.mesh.tensor.TensorSpec;
import org.junit.jupiter.api.Test;

/** Tests the address of a tensor after it was moved. */
class ReallocateTests {

    private static final TensorSpec TILE = TensorSpec.of(TensorShape.of(32, 32), DataType.BFLOAT16);

    private final RecordedReports reports = new RecordedReports();
    private final Ttnn ttnn = Ttnn.create(reports);
    private final MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(1, 1));

    @Test
    void movesDownIntoAGapInDram() {
        Tensor below = ttnn.empty(TILE, mesh);
        Tensor above = ttnn.empty(TILE.named("weights"), mesh);
        ttnn.deallocate(below);
        reports.forget();

        Tensor moved = ttnn.reallocate(above);

        assertThat(reports.lines())
                .containsExactly("freed 0 DRAM 2970688 NON_OWNING", "allocated 0 DRAM 2968640+2048 NON_OWNING");
        assertThat(moved).hasToString("Tensor(weights, (32, 32), BFLOAT16, DRAM at 0x2d4c40 (2968640))");
        assertThat(above).hasToString("Tensor(weights, (32, 32), BFLOAT16, <buffer is not allocated>)");
    }

    @Test
    void movesAcrossMemories() {
        Tensor tensor = ttnn.empty(TILE, mesh);

        Tensor moved = ttnn.reallocate(tensor, BufferType.L1);

        assertThat(moved.buffer().type()).isEqualTo(BufferType.L1);
        assertThat(moved.spec()).isEqualTo(TILE.in(BufferType.L1));
        assertThat(mesh.statistics(BufferType.DRAM).totalAllocated()).isZero();
    }

    @Test
    void movesUpIntoAGapInL1AndStaysWhereThereIsNoBetterPlace() {
        Tensor above = ttnn.empty(TILE.in(BufferType.L1), mesh);
        Tensor below = ttnn.empty(TILE.in(BufferType.L1), mesh);
        ttnn.deallocate(above);

        Tensor moved = ttnn.reallocate(below);
        assertThat(below.isAllocated()).isFalse();
        assertThat(moved.address()).isEqualTo(1_499_136 - 2_048);

        Tensor again = ttnn.reallocate(moved);
        assertThat(again).isNotSameAs(moved);
        assertThat(moved.isAllocated()).isFalse();
        assertThat(again.address()).isEqualTo(1_499_136 - 2_048);
    }

    @Test
    void leavesATensorThatOthersShareWhereItIs() {
        Tensor tensor = ttnn.empty(TILE, mesh);
        Tensor alias = tensor.alias();
        reports.forget();

        Tensor moved = ttnn.reallocate(tensor);
        tensor.close();
        alias.close();

        assertThat(reports.lines()).isEmpty();
        assertThat(moved.isSoleOwner()).isTrue();
    }

    @Test
    void losesATensorForWhichThereIsNoRoomOrNoMesh() {
        Tensor tensor = ttnn.empty(TILE, mesh);
        long free = mesh.statistics(BufferType.L1).totalFree();
        mesh.allocate(BufferConfig.of(BufferType.L1, 64 * free, free));

        assertThatThrownBy(() -> ttnn.reallocate(tensor, BufferType.L1)).isInstanceOf(DeviceOutOfMemoryException.class);

        assertThat(tensor.isAllocated()).isFalse();
        assertThat(mesh.statistics(BufferType.DRAM).totalAllocated()).isZero();
        Tensor next = ttnn.empty(TILE, mesh);
        mesh.close();
        assertMeshIsClosed(() -> ttnn.reallocate(next));
        assertThat(next.isAllocated()).isFalse();
    }

    @Test
    void rejectsAFreedTensor() {
        Tensor tensor = ttnn.empty(TILE, mesh);
        tensor.deallocate();

        assertRuntimeErrorBeginning(() -> ttnn.reallocate(tensor), "Move: Expected input tensor to be allocated\n");
    }

    @Test
    void runsTheProgramThatMovesTheContentsIfItsNeedsAreKnown() {
        Ttnn more = Ttnn.builder(reports)
                .operations(OperationProfile.of("move", 1, 2))
                .build();
        MeshDevice other = more.openMeshDevice(MeshShape.of(1, 1));
        Tensor tensor = more.empty(TILE, other);
        reports.forget();

        Tensor moved = more.reallocate(tensor, BufferType.L1);
        more.reallocate(moved, BufferType.L1);

        assertThat(reports.lines("allocated"))
                .containsExactly(
                        "allocated 0 L1 1497088+2048 NON_OWNING",
                        "allocated 0 L1 103776+4096 OWNING",
                        "allocated 0 DRAM 1073739776+2048 NON_OWNING",
                        "allocated 0 L1 1497088+2048 NON_OWNING");
        assertThat(other.numProgramCacheEntries()).isEqualTo(1);
    }

    @Test
    void freesWhatItAllocatedIfTheProgramCannotRun() {
        Ttnn more = Ttnn.builder(reports)
                .operations(OperationProfile.of("move", 0, 1_000))
                .build();
        MeshDevice other = more.openMeshDevice(MeshShape.of(1, 1));
        Tensor tensor = more.empty(TILE, other);

        assertThatThrownBy(() -> more.reallocate(tensor, BufferType.L1))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessageContaining("Statically allocated circular buffers");
        assertThat(other.statistics(BufferType.L1).totalAllocated()).isZero();
        assertThat(tensor.isAllocated()).isFalse();
    }
}
