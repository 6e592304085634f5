package dev.meshguard.mesh;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.buffer.CoreRange;
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
    @CsvSource({"T3K, 64", "N150, 64", "GALAXY, 72", "P150, 130"})
    void spreadsPagesOverAllBanksOfL1(ClusterType product, int banks) {
        MeshDevice mesh = Ttnn.builder(reports).system(product).build().openMeshDevice(MeshShape.of(1, 1));

        mesh.allocate(pages(BufferType.L1, banks));
        assertThat(mesh.statistics(BufferType.L1).totalAllocated()).isEqualTo(2_048);
        mesh.allocate(pages(BufferType.L1, banks + 1));

        assertThat(mesh.statistics(BufferType.L1).totalAllocated()).isEqualTo(3 * 2_048);
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

    private static BufferConfig pages(BufferType type, int pages) {
        return BufferConfig.of(type, pages * 2_048L, 2_048);
    }
}
