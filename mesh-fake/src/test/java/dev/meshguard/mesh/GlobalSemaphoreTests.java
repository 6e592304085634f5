package dev.meshguard.mesh;

import static dev.meshguard.mesh.Rejections.assertRuntimeError;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.mesh.buffer.CoreRange;
import dev.meshguard.mesh.buffer.CoreRangeSet;
import dev.meshguard.mesh.runtime.Architecture;
import dev.meshguard.mesh.runtime.ReportingModel;
import dev.meshguard.mesh.shape.MeshShape;
import org.junit.jupiter.api.Test;

/** Tests global semaphores: four bytes on each core, for which every bank allocates the alignment of DRAM. */
class GlobalSemaphoreTests {

    private static final CoreRangeSet FOUR_CORES = CoreRangeSet.of(new CoreRange(0, 0, 1, 1));

    private final RecordedReports reports = new RecordedReports();
    private final Ttnn ttnn = Ttnn.create(reports);
    private final MeshDevice mesh = ttnn.openMeshDevice(
            MeshDeviceOptions.defaults().withMeshShape(MeshShape.of(1, 2)).withL1SmallSize(1_024));

    @Test
    void takesThirtyTwoBytesOfEveryBankFromTheTop() {
        reports.forget();

        GlobalSemaphore first = ttnn.createGlobalSemaphore(mesh, FOUR_CORES);
        GlobalSemaphore second = ttnn.createGlobalSemaphore(mesh, FOUR_CORES);

        assertThat(first.address()).isEqualTo(1_498_080);
        assertThat(second.address()).isEqualTo(first.address() - 32);
        assertThat(mesh.statistics(BufferType.L1).totalAllocated()).isEqualTo(64);
        assertThat(reports.lines("allocated 1"))
                .containsExactly("allocated 1 L1 1498080+16 NON_OWNING", "allocated 1 L1 1498048+16 NON_OWNING");
        assertThat(reports.requests())
                .extracting(details -> String.valueOf(details.owner().orElseThrow()))
                .containsExactly("global semaphore 1", "global semaphore 2");
    }

    @Test
    void takesSixtyFourBytesOnBlackhole() {
        Ttnn blackhole =
                Ttnn.builder(reports).architecture(Architecture.BLACKHOLE).build();
        MeshDevice single = blackhole.openMeshDevice(MeshShape.of(1, 1));

        blackhole.createGlobalSemaphore(single, FOUR_CORES);

        assertThat(single.statistics(BufferType.L1).totalAllocated()).isEqualTo(64);
    }

    @Test
    void liesInL1SmallIfAsked() {
        GlobalSemaphore semaphore = ttnn.createGlobalSemaphore(mesh, FOUR_CORES, BufferType.L1_SMALL);

        assertThat(semaphore.type()).isEqualTo(BufferType.L1_SMALL);
        assertThat(semaphore.address()).isEqualTo(1_499_136 - 32);
        assertThat(mesh.statistics(BufferType.L1).totalAllocated()).isZero();
    }

    @Test
    void liesInL1OnCores() {
        assertRuntimeError(
                () -> ttnn.createGlobalSemaphore(mesh, FOUR_CORES, BufferType.DRAM),
                "Global semaphore can only be created for L1 buffer types");
        assertRuntimeError(
                () -> ttnn.createGlobalSemaphore(mesh, CoreRangeSet.of()), "CoreRangeSet must have at least one core");
    }

    @Test
    void freesItsMemoryOnceWhenClosed() {
        GlobalSemaphore semaphore = ttnn.createGlobalSemaphore(mesh, FOUR_CORES);
        reports.forget();

        semaphore.close();
        semaphore.close();

        assertThat(reports.lines()).containsExactly("freed 0 L1 1498080 NON_OWNING", "freed 1 L1 1498080 NON_OWNING");
        assertThat(mesh.statistics(BufferType.L1).totalAllocated()).isZero();
        assertThat(semaphore.isAllocated()).isFalse();
        assertThat(semaphore.address()).isEqualTo(1_498_080);
    }

    @Test
    void mayBeClosedAfterItsMesh() {
        Ttnn main = Ttnn.builder(reports).reporting(ReportingModel.MAIN).build();
        MeshDevice single = main.openMeshDevice(
                MeshDeviceOptions.defaults().withMeshShape(MeshShape.of(1, 1)).withPhysicalDeviceIds(4));
        GlobalSemaphore semaphore = main.createGlobalSemaphore(single, FOUR_CORES);
        single.destroy();
        reports.forget();

        semaphore.close();

        assertThat(reports.lines()).containsExactly("ignored 4 L1 1499104 DEVICE_CLOSED");
        assertThat(semaphore.isAllocated()).isFalse();
    }

    @Test
    void saysWhatItIs() {
        GlobalSemaphore semaphore = ttnn.createGlobalSemaphore(mesh, FOUR_CORES);

        assertThat(semaphore)
                .hasToString("GlobalSemaphore(global semaphore 1, L1 at 0x16dbe0 (1498080) on {[0-0 - 1-1]})");
        semaphore.close();
        assertThat(semaphore)
                .hasToString("GlobalSemaphore(global semaphore 1, L1 at 0x16dbe0 (1498080) on {[0-0 - 1-1]}, closed)");
    }
}
