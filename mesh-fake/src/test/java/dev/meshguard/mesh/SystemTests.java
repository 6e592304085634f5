package dev.meshguard.mesh;

import static dev.meshguard.mesh.Rejections.assertRuntimeError;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.buffer.CoreRange;
import dev.meshguard.mesh.buffer.MeshBufferConfig;
import dev.meshguard.mesh.runtime.Architecture;
import dev.meshguard.mesh.runtime.ClusterType;
import dev.meshguard.mesh.shape.MeshShape;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests the properties that a mesh has from its system, also in another shape. */
class SystemTests {

    private final RecordedReports reports = new RecordedReports();

    @ParameterizedTest
    @EnumSource
    void allocatesMemoryOnEveryProduct(ClusterType product) {
        MeshDevice mesh = Ttnn.builder(reports).system(product).build().openMeshDevice();

        assertThat(mesh.shape()).isEqualTo(product.systemMesh());
        assertThat(mesh.architecture()).isEqualTo(product.architecture());
        assertThat(mesh.allocate(pages(BufferType.L1, 1)).isAllocated()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "T3K, 64, 1",
        "T3K, 65, 2",
        "N150, 64, 1",
        "N150, 65, 2",
        "GALAXY, 72, 1",
        "GALAXY, 73, 2",
        "P150, 130, 1",
        "P150, 131, 2"
    })
    void spreadsPagesOverAllBanksOfL1(ClusterType product, int pages, int pagesPerBank) {
        MeshDevice mesh = Ttnn.builder(reports).system(product).build().openMeshDevice(MeshShape.of(1, 1));

        mesh.allocate(pages(BufferType.L1, pages));

        assertThat(mesh.statistics(BufferType.L1).totalAllocated()).isEqualTo(pagesPerBank * 2_048L);
    }

    @Test
    void mayHaveAnotherNumberOfDevicesThanTheProduct() {
        Ttnn ttnn = Ttnn.builder(reports)
                .system(ClusterType.GALAXY)
                .systemMesh(MeshShape.of(4, 4))
                .architecture(Architecture.WORMHOLE_B0)
                .build();

        MeshDevice mesh = ttnn.openMeshDevice();

        assertThat(mesh.numDevices()).isEqualTo(16);
        assertThat(mesh.computeGrid()).isEqualTo(new CoreRange(0, 0, 7, 8));
    }

    @Test
    void keepsItsShapeWhenOnlyTheChipsAreChosen() {
        Ttnn ttnn = Ttnn.builder(reports)
                .systemMesh(MeshShape.of(1, 2))
                .architecture(Architecture.BLACKHOLE)
                .build();

        MeshDevice mesh = ttnn.openMeshDevice();

        assertThat(mesh.numDevices()).isEqualTo(2);
        assertThat(mesh.computeGrid()).isEqualTo(new CoreRange(0, 0, 12, 9));
    }

    @Test
    void laysItsDevicesAlongALineOrInABlockOrATurnedOne() {
        MeshDevice mesh = Ttnn.create(reports).openMeshDevice(MeshShape.of(2, 4));

        mesh.reshape(MeshShape.of(1, 8));

        assertThat(mesh.shape()).isEqualTo(MeshShape.of(1, 8));
        assertThat(mesh.deviceIds()).containsExactly(0, 1, 2, 3, 7, 6, 5, 4);
        mesh.reshape(MeshShape.of(2, 4));
        assertThat(mesh.deviceIds()).containsExactly(0, 1, 2, 3, 4, 5, 6, 7);
        mesh.reshape(MeshShape.of(4, 2));
        assertThat(mesh.deviceIds()).containsExactly(0, 4, 1, 5, 2, 6, 3, 7);
    }

    @Test
    void leavesBuffersWhereTheyAre() {
        MeshDevice mesh = Ttnn.create(reports).openMeshDevice(MeshShape.of(2, 4));
        MeshBuffer buffer = mesh.allocate(BufferType.DRAM, 2_048);

        mesh.reshape(MeshShape.of(1, 8));

        assertThat(buffer.isAllocated()).isTrue();
        assertThat(mesh.statistics(BufferType.DRAM).totalAllocated()).isEqualTo(2_048);
        buffer.deallocate();
        assertThat(mesh.statistics(BufferType.DRAM).totalAllocated()).isZero();
    }

    @Test
    void needsTheSameNumberOfDevices() {
        MeshDevice mesh = Ttnn.create(reports).openMeshDevice(MeshShape.of(2, 4));

        assertRuntimeError(
                () -> mesh.reshape(MeshShape.of(2, 2)),
                "New shape must have the same number of devices as current shape");
    }

    @Test
    void changesNothingWhereTheDevicesAreNotConnectedSo() {
        MeshDevice mesh = Ttnn.create(reports).openMeshDevice(MeshShape.of(1, 4));

        assertRuntimeError(
                () -> mesh.reshape(MeshShape.of(2, 2)),
                "User has requested a reshape of the MeshDevice to shape: MeshShape([2, 2]), but it is not"
                        + " possible to form a physically connected mesh grid with the opened devices from the original"
                        + " shape: MeshShape([1, 4]).");
        assertThat(mesh.shape()).isEqualTo(MeshShape.of(1, 4));
        assertThat(mesh.deviceIds()).containsExactly(0, 1, 2, 3);
    }

    private static MeshBufferConfig pages(BufferType type, int pages) {
        return MeshBufferConfig.replicated(BufferConfig.of(type, pages * 2_048L, 2_048));
    }
}
