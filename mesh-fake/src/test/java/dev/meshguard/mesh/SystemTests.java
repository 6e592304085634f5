package dev.meshguard.mesh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.event.BufferType;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.buffer.CircularBufferConfig;
import dev.meshguard.mesh.buffer.CoreRange;
import dev.meshguard.mesh.buffer.MeshBufferConfig;
import dev.meshguard.mesh.runtime.Architecture;
import dev.meshguard.mesh.runtime.ClusterType;
import dev.meshguard.mesh.runtime.DispatchCoreAxis;
import dev.meshguard.mesh.runtime.DispatchCoreConfig;
import dev.meshguard.mesh.runtime.DispatchCoreType;
import dev.meshguard.mesh.shape.MeshCoordinate;
import dev.meshguard.mesh.shape.MeshShape;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests the properties that a mesh has from its system. */
class SystemTests {

    private static final MeshDeviceOptions DEFAULTS = MeshDeviceOptions.defaults();

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
    void hasFewerBanksWhereComputeCoresDispatch() {
        MeshDevice mesh = Ttnn.create(reports)
                .openMeshDevice(DEFAULTS.withDispatchCoreConfig(DispatchCoreConfig.of(DispatchCoreType.WORKER)));

        mesh.allocate(pages(BufferType.L1, 57));

        assertThat(mesh.statistics(BufferType.L1).totalAllocated()).isEqualTo(2 * 2_048L);
        assertThat(mesh.computeGrid()).isEqualTo(new CoreRange(0, 0, 7, 6));
    }

    @Test
    void hasNoCircularBuffersWhereComputeCoresDispatch() {
        Ttnn ttnn = Ttnn.create(reports);
        MeshDevice mesh =
                ttnn.openMeshDevice(DEFAULTS.withDispatchCoreConfig(DispatchCoreConfig.of(DispatchCoreAxis.COL)));
        CircularBufferConfig onTheLastColumn = CircularBufferConfig.of(2_048).on(new CoreRange(7, 0, 7, 0));
        Program program = ttnn.createProgram("add").addCircularBuffer(onTheLastColumn);

        assertThatThrownBy(() -> mesh.enqueueProgram(0, program))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Circular buffer core range [7-0 - 7-0] in program 1 exceeds device compute grid (7x8)");
    }

    @Test
    void dividesMemoryForASecondMeshAsTheFirstOneAsked() {
        Ttnn ttnn = Ttnn.create(reports);
        ttnn.openMeshDevice(DEFAULTS.withDispatchCoreConfig(DispatchCoreConfig.of(DispatchCoreType.WORKER)));

        MeshDevice second = ttnn.openMeshDevice();

        assertThat(second.computeGrid()).isEqualTo(new CoreRange(0, 0, 7, 6));
    }

    @Test
    void rejectsWhatTtnnRejectsToDispatchOn() {
        Ttnn blackhole = Ttnn.builder(reports).system(ClusterType.P150).build();
        MeshDeviceOptions onARow = DEFAULTS.withDispatchCoreConfig(DispatchCoreConfig.of(DispatchCoreAxis.ROW));

        assertThatThrownBy(() -> blackhole.openMeshDevice(onARow))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage(
                        "ROW dispatch core axis is not supported for blackhole arch unless fabric tensix MUX is enabled");
        assertThat(reports.lines()).isEmpty();
    }

    @Test
    void canBeHarvested() {
        Ttnn.Builder builder = Ttnn.builder(reports).harvestedColumns(2);

        assertThat(builder.system(ClusterType.P300).build().openMeshDevice().computeGrid())
                .isEqualTo(new CoreRange(0, 0, 10, 9));
        assertThatThrownBy(() -> builder.system(ClusterType.N300).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Cannot remove 2 columns of cores from Wormhole B0 chips: at most 0 are harvested");
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
    void isSeenThroughAView() {
        MeshDevice mesh = Ttnn.create(reports)
                .openMeshDevice(DEFAULTS.withMeshShape(MeshShape.of(2, 2)).withOffset(MeshCoordinate.of(0, 1)));

        assertThat(mesh.view().rowDevices(1)).containsExactly(5, 6);
        assertThat(mesh.view().ringDevices()).containsExactly(1, 2, 6, 5);
        assertThat(mesh.view().findDevice(6)).isEqualTo(MeshCoordinate.of(1, 1));
    }

    @Test
    void isSeenThroughAnotherViewOnceItIsReshaped() {
        MeshDevice mesh = Ttnn.create(reports).openMeshDevice();
        var before = mesh.view();

        mesh.reshape(MeshShape.of(1, 8));

        assertThat(before.devices()).isEqualTo(List.of(0, 1, 2, 3, 4, 5, 6, 7));
        assertThat(mesh.view().rowDevices(0)).isEqualTo(before.lineDevices());
    }

    private static MeshBufferConfig pages(BufferType type, int pages) {
        return MeshBufferConfig.replicated(BufferConfig.of(type, pages * 2_048L, 2_048));
    }
}
