package dev.meshguard.mesh;

import static dev.meshguard.mesh.Rejections.assertMeshIsClosed;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.mesh.tensor.TensorSpec;
import org.junit.jupiter.api.Test;

/** Tests banks of a mesh that are cleared under live buffers. */
class EmptiedBanksTests {

    private static final TensorSpec TILE = TensorSpec.of(TensorShape.of(32, 32), DataType.BFLOAT16);

    private final RecordedReports reports = new RecordedReports();
    private final Ttnn ttnn = Ttnn.create(reports);
    private final MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(1, 2));

    @Test
    void emptiesTheBanksOfAnOpenMeshWithoutAWord() {
        Tensor tensor = ttnn.empty(TILE, mesh);
        reports.forget();

        ttnn.deviceDeallocateBuffers(mesh);

        assertThat(reports.lines()).isEmpty();
        assertThat(tensor.isAllocated()).isTrue();
        assertThat(mesh.statistics(BufferType.DRAM).totalAllocated()).isZero();
        mesh.deallocateAddress(BufferType.DRAM, tensor.address());
        assertThat(reports.lines())
                .containsExactly("ignored 0 DRAM 2968640 UNKNOWN_ADDRESS", "ignored 1 DRAM 2968640 UNKNOWN_ADDRESS");
        mesh.close();
        assertMeshIsClosed(() -> ttnn.deviceDeallocateBuffers(mesh));
    }

    @Test
    void aBufferThatWasForgottenFreesWhoeverCameAfterIt() {
        Tensor forgotten = ttnn.empty(TILE, mesh);
        ttnn.deviceDeallocateBuffers(mesh);
        Tensor next = ttnn.empty(TILE, mesh);
        assertThat(next.address()).isEqualTo(forgotten.address());

        ttnn.deallocate(forgotten);

        assertThat(next.isAllocated()).isTrue();
        assertThat(mesh.statistics(BufferType.DRAM).totalAllocated()).isZero();
        assertThat(ttnn.empty(TILE, mesh).address()).isEqualTo(next.address());
    }
}
