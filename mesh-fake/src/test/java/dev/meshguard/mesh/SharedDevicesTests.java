package dev.meshguard.mesh;

import static dev.meshguard.mesh.Rejections.assertIllegalState;
import static dev.meshguard.mesh.Rejections.assertRuntimeError;
import static dev.meshguard.mesh.Rejections.assertRuntimeErrorBeginning;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.event.BufferType;
import dev.meshguard.mesh.allocator.DeviceOutOfMemoryException;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.fault.FaultPlan;
import dev.meshguard.mesh.runtime.SystemProgram;
import dev.meshguard.mesh.shape.MeshShape;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests root meshes that are open at the same time, and meshes of one device. */
class SharedDevicesTests {

    private final RecordedReports reports = new RecordedReports();
    private final Ttnn ttnn = Ttnn.create(reports);

    @Test
    void aSecondRootMeshUsesDevicesAsTheyAreAndAllocatesTheSameAddresses() {
        MeshDeviceOptions traced = MeshDeviceOptions.defaults().withTraceRegionSize(1_048_576);
        MeshDevice first = ttnn.openMeshDevice(traced.withMeshShape(MeshShape.of(1, 2)));
        reports.forget();

        MeshDevice second = ttnn.openMeshDevice(
                MeshDeviceOptions.defaults().withMeshShape(MeshShape.of(2, 2)).withTraceRegionSize(4_096));

        assertThat(second.statistics(BufferType.TRACE).totalAllocatable()).isEqualTo(1_048_576);
        assertThat(reports.lines("opened device")).containsExactly("opened device 4", "opened device 5");
        assertThat(second.allocate(BufferType.DRAM, 2_048).address())
                .isEqualTo(first.allocate(BufferType.DRAM, 2_048).address());
    }

    @Test
    void closingOneRootMeshClosesTheDevicesOfBoth() {
        MeshDevice first = ttnn.openMeshDevice(MeshShape.of(1, 2));
        MeshDevice second = ttnn.openMeshDevice(
                MeshDeviceOptions.defaults().withMeshShape(MeshShape.of(1, 2)).withPhysicalDeviceIds(5, 6));
        reports.forget();

        first.close();

        assertThat(second.isOpen()).isFalse();
        assertThat(reports.lines("closed device"))
                .containsExactly("closed device 0", "closed device 1", "closed device 5", "closed device 6");
    }

    @Test
    void aRootMeshWhoseDevicesWereClosedStillAllocatesButFreesAndClosesNothing() {
        MeshDevice first = ttnn.openMeshDevice(MeshShape.of(1, 2));
        MeshDevice second = ttnn.openMeshDevice(MeshShape.of(1, 2));
        first.close();
        reports.forget();

        MeshBuffer buffer = second.allocate(BufferType.DRAM, 2_048);
        buffer.deallocate();

        assertThat(buffer.state()).isEqualTo(MeshBuffer.State.DEALLOCATED);
        assertThat(second.statistics(BufferType.DRAM).totalAllocated()).isEqualTo(2_048);
        assertRuntimeError(
                () -> second.allocateOn(0, BufferConfig.of(BufferType.DRAM, 2_048, 2_048)),
                "Device has not been initialized, did you forget to call InitializeDevice?");
        second.close();
        assertThat(reports.lines("closed")).containsExactly("closed mesh 1");
        assertThat(ttnn.openMeshDevices()).isEmpty();
    }

    @Test
    void aSingleDevicesBufferOfAnEarlierOpenPeriodIsNotFreedIntoTheLaterOne() {
        MeshDevice first = ttnn.openMeshDevice(MeshShape.of(1, 2));
        Buffer stale = first.allocateOn(1, BufferConfig.of(BufferType.DRAM, 2_048, 2_048));
        first.close();
        ttnn.openMeshDevice(MeshShape.of(1, 2));

        assertIllegalState(
                stale::deallocate,
                "Cannot free the DRAM buffer at 0x2d4c40 (2968640) of device 1: the device was closed and opened"
                        + " again since the buffer was created, and the runtime would call an allocator that is gone"
                        + " (undefined behaviour). Free it before close_mesh_device.");
        assertThat(reports.lines("ignored")).hasSize(1);
    }

    @Test
    void aUnitMeshIsASubmeshWhoseParentWasNeverOpened() {
        MeshDevice unit = ttnn.openDevice(3);

        assertThat(unit.shape()).isEqualTo(MeshShape.of(1, 1));
        assertThat(unit.deviceIds()).containsExactly(3);
        assertThat(unit.parent())
                .hasValueSatisfying(parent -> assertThat(parent.isOpen()).isFalse());
        assertThat(ttnn.openMeshDevices()).containsExactly(unit);
    }

    @Test
    void unitMeshesKeepTheDevicesOpenTogether() {
        List<MeshDevice> units = ttnn.createUnitMeshes(List.of(2, 0));
        reports.forget();

        units.get(0).close();

        assertThat(units).extracting(MeshDevice::deviceIds).containsExactly(List.of(2), List.of(0));
        assertThat(reports.lines("closed device")).isEmpty();
        units.get(1).close();
        assertThat(reports.lines("closed device")).containsExactly("closed device 0", "closed device 2");
    }

    @Test
    void unitMeshesAreAllClosedIfOneCannotBeOpened() {
        Ttnn failing = Ttnn.builder(reports)
                .systemProgram(SystemProgram.commandQueue().withKernelBinary(1))
                .faults(FaultPlan.none().failingAllocation(2))
                .build();

        assertThatThrownBy(() -> failing.createUnitMeshes(List.of(0, 1)))
                .isInstanceOf(DeviceOutOfMemoryException.class);

        assertRuntimeErrorBeginning(
                () -> failing.createUnitMeshes(List.of()), "Cannot create unit meshes with empty device_ids.");
        assertThat(failing.openMeshDevices()).isEmpty();
        assertThat(reports.lines("closed device")).containsExactly("closed device 0", "closed device 1");
    }
}
