package dev.meshguard.mesh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.event.BufferType;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.buffer.MeshBufferConfig;
import dev.meshguard.mesh.shape.MeshShape;
import org.junit.jupiter.api.Test;

/** Tests the same devices in another shape. */
class ReshapeTests {

    private static final MeshBufferConfig PAGE =
            MeshBufferConfig.replicated(BufferConfig.of(BufferType.DRAM, 2_048, 2_048));

    private final Ttnn ttnn = Ttnn.create(new RecordedReports());

    @Test
    void laysDevicesAlongTheLineOfTheMesh() {
        MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(2, 4));

        mesh.reshape(MeshShape.of(1, 8));

        assertThat(mesh.shape()).isEqualTo(MeshShape.of(1, 8));
        assertThat(mesh.deviceIds()).containsExactly(0, 1, 2, 3, 7, 6, 5, 4);
    }

    @Test
    void mapsABlockThroughTheSystemAgain() {
        MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(1, 8));

        mesh.reshape(MeshShape.of(2, 4));

        assertThat(mesh.deviceIds()).containsExactly(0, 1, 2, 3, 4, 5, 6, 7);
    }

    @Test
    void turnsAMeshWhoseShapeFitsOnlyTurned() {
        MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(2, 4));

        mesh.reshape(MeshShape.of(4, 2));

        assertThat(mesh.deviceIds()).containsExactly(0, 4, 1, 5, 2, 6, 3, 7);
    }

    @Test
    void leavesBuffersWhereTheyAre() {
        MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(2, 4));
        MeshBuffer buffer = mesh.allocate(PAGE);

        mesh.reshape(MeshShape.of(1, 8));

        assertThat(buffer.isAllocated()).isTrue();
        assertThat(mesh.statistics(BufferType.DRAM).totalAllocated()).isEqualTo(2_048);
        buffer.deallocate();
        assertThat(mesh.statistics(BufferType.DRAM).totalAllocated()).isZero();
    }

    @Test
    void needsTheSameNumberOfDevices() {
        MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(2, 4));

        assertThatThrownBy(() -> mesh.reshape(MeshShape.of(2, 2)))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("New shape must have the same number of devices as current shape");
    }

    @Test
    void changesNothingWhereTheDevicesAreNotConnectedSo() {
        MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(1, 4));

        assertThatThrownBy(() -> mesh.reshape(MeshShape.of(2, 2)))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("User has requested a reshape of the MeshDevice to shape: MeshShape([2, 2]), but it is not"
                        + " possible to form a physically connected mesh grid with the opened devices from the original"
                        + " shape: MeshShape([1, 4]).");
        assertThat(mesh.shape()).isEqualTo(MeshShape.of(1, 4));
        assertThat(mesh.deviceIds()).containsExactly(0, 1, 2, 3);
    }
}
