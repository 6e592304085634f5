package dev.meshguard.mesh;

import static dev.meshguard.mesh.Rejections.assertIllegalArgument;
import static dev.meshguard.mesh.Rejections.assertIllegalState;
import static dev.meshguard.mesh.Rejections.assertRuntimeError;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.MeshDescription.MemoryCapacity;
import dev.meshguard.event.Owner;
import dev.meshguard.event.SourceDescription;
import dev.meshguard.mesh.runtime.Architecture;
import dev.meshguard.mesh.runtime.RuntimePreset;
import dev.meshguard.mesh.shape.MeshCoordinate;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.tracker.AllocationTracker;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests which mesh the arguments of {@code open_mesh_device} open, and which arguments are rejected. */
class OpenMeshDeviceTests {

    private static final MeshDeviceOptions DEFAULTS = MeshDeviceOptions.defaults();

    private final RecordedReports reports = new RecordedReports();
    private final Ttnn ttnn = Ttnn.create(reports);

    @Test
    void reportsTheSourceThenTheMeshThenItsDevices() {
        AllocationTracker tracker = AllocationTracker.create();

        Ttnn other = Ttnn.create(tracker);

        assertThat(tracker.history().events())
                .containsExactly(new HistoryEvent.SourceAttached(1, SourceDescription.of("mesh-fake")));
        other.openMeshDevice(MeshShape.of(1, 2));
        assertThat(tracker.history().events())
                .filteredOn(event -> event instanceof HistoryEvent.SourceAttached
                        || event instanceof HistoryEvent.MeshOpened
                        || event instanceof HistoryEvent.DeviceOpened)
                .extracting(event -> event.getClass().getSimpleName())
                .containsExactly("SourceAttached", "MeshOpened", "DeviceOpened", "DeviceOpened");
    }

    @Test
    void isTheWholeSystemByDefault() {
        MeshDevice mesh = ttnn.openMeshDevice();

        assertThat(mesh.shape()).isEqualTo(MeshShape.of(2, 4));
        assertThat(mesh.deviceIds()).containsExactly(0, 1, 2, 3, 4, 5, 6, 7);
        assertThat(mesh).hasToString("MeshDevice(2x4 grid, 8 devices)");
        assertThat(reports.meshes())
                .containsExactly(
                        MeshDescription.of(0, "2x4 mesh (Wormhole B0, May 2026)", List.of(0, 1, 2, 3, 4, 5, 6, 7))
                                .withCapacities(capacitiesOf(mesh, 2_968_640, 103_776)));
    }

    @Test
    void namesTheDeviceThatTheTrackingBranchReportsMoreFor() {
        Ttnn october = Ttnn.builder(reports).preset(RuntimePreset.OCTOBER_2025).build();
        MeshDevice mesh = october.openMeshDevice(
                DEFAULTS.withMeshShape(MeshShape.of(1, 2)).withPhysicalDeviceIds(3, 2));

        assertThat(reports.meshes())
                .containsExactly(new MeshDescription(0, "1x2 mesh (Wormhole B0, October 2025)", List.of(3, 2), 3)
                        .withCapacities(capacitiesOf(mesh, 2_560_032, 101_152)));
    }

    @Test
    void isABlockOfTheSystem() {
        MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(2, 2));

        assertThat(mesh.deviceIds()).containsExactly(0, 1, 4, 5);
        assertThat(mesh.deviceId(MeshCoordinate.of(1, 0))).isEqualTo(4);
    }

    @Test
    void cannotBeLargerThanTheSystem() {
        assertRuntimeError(
                () -> ttnn.openMeshDevice(MeshShape.of(3, 4)),
                "Requested mesh shape MeshShape([3, 4]) requires 12 devices, but only 8 devices are available"
                        + " in the system mesh MeshShape([2, 4]).");
        assertThat(reports.lines()).isEmpty();
    }

    @Test
    void needsAShapeAndAsManyDevicesAsItHasWhereDevicesAreGiven() {
        assertRuntimeError(
                () -> ttnn.openMeshDevice(DEFAULTS.withPhysicalDeviceIds(1)),
                "Mesh shape must be provided when physical device ids are supplied");
        assertIllegalArgument(
                () -> ttnn.openMeshDevice(
                        DEFAULTS.withMeshShape(MeshShape.of(1, 2)).withPhysicalDeviceIds(1, 1)),
                "Cannot open a 1x2 mesh on devices [1, 1]: name 2 different devices out of 0 to 7,"
                        + " in row-major order");
    }

    @Test
    void hasOneOrTwoCommandQueues() {
        assertRuntimeError(
                () -> ttnn.openMeshDevice(DEFAULTS.withNumCommandQueues(3)), "num_hw_cqs can be between 1 and 2");
    }

    @Test
    void cannotShareDevicesWithAMeshThatIsOpenIfItIsStrict() {
        Ttnn strict = Ttnn.builder(reports).strict().build();
        strict.openMeshDevice(MeshShape.of(1, 2));

        assertIllegalState(
                () -> strict.openMeshDevice(MeshShape.of(2, 2)),
                "Cannot open a 2x2 mesh while mesh 0 (MeshDevice(1x2 grid, 2 devices)) is open: device 0 belongs"
                        + " to both, and the two would allocate the same addresses and overwrite each other's data. Close mesh 0"
                        + " first, or take submeshes of one mesh.");
    }

    @Test
    void cannotBeTheSecondRootMeshOfAStrictRuntimeEvenOnOtherDevices() {
        Ttnn strict = Ttnn.builder(reports).strict().build();
        strict.openDevice(0);

        assertIllegalState(
                () -> strict.openDevice(1),
                "Cannot open a 1x1 mesh while mesh 1 (MeshDevice(1x1 grid, 1 devices)) is open: closing one would"
                        + " close the devices of both. Close mesh 1 first, or take submeshes of one mesh.");
    }

    @Test
    void hasTheBasesOfMay2026OnBlackhole() {
        MeshDevice mesh = Ttnn.builder(reports)
                .architecture(Architecture.BLACKHOLE)
                .build()
                .openMeshDevice();

        assertThat(mesh.allocate(BufferType.DRAM, 2_048).address()).isEqualTo(5_848_704);
        assertThat(mesh.statistics(BufferType.L1).totalAllocatable()).isEqualTo(1_461_760);
        assertThat(mesh.computeGrid()).hasToString("[0-0 - 12-9]");
        assertThat(reports.meshes())
                .extracting(MeshDescription::name)
                .containsExactly("2x4 mesh (Blackhole, May 2026)");
    }

    @Test
    void knowsNoBlackholeInOctober2025() {
        Ttnn.Builder builder =
                Ttnn.builder(reports).preset(RuntimePreset.OCTOBER_2025).architecture(Architecture.BLACKHOLE);

        assertIllegalArgument(
                builder::build,
                "The October 2025 preset knows no Blackhole: its constants were never seen."
                        + " Use RuntimePreset.MAY_2026 for Blackhole.");
    }

    @Test
    void leavesNoBufferOfTheRuntimeToTheUser() {
        Ttnn.Builder builder = Ttnn.builder(reports);
        Owner queue = new Owner(Owner.Kind.COMMAND_QUEUE, "0");

        assertIllegalArgument(
                () -> builder.systemBuffer(queue, BufferType.L1, 64, BufferLifetime.USER),
                "Cannot leave the free of a buffer of command queue \"0\" to the code under test:"
                        + " use SYSTEM or PERSISTENT");
    }

    private static List<MemoryCapacity> capacitiesOf(MeshDevice mesh, long dramBase, long l1Base) {
        return List.of(
                capacityOf(mesh, BufferType.DRAM).startingAt(dramBase),
                capacityOf(mesh, BufferType.L1).startingAt(l1Base));
    }

    private static MemoryCapacity capacityOf(MeshDevice mesh, BufferType type) {
        return new MemoryCapacity(
                type, type == BufferType.DRAM ? 12 : 64, mesh.statistics(type).totalAllocatable());
    }
}
