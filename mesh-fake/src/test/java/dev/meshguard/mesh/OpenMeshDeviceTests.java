package dev.meshguard.mesh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MemoryCapacity;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Owner;
import dev.meshguard.event.SourceDescription;
import dev.meshguard.mesh.allocator.DeviceOutOfMemoryException;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.buffer.CoreRange;
import dev.meshguard.mesh.buffer.CoreRangeSet;
import dev.meshguard.mesh.buffer.MeshBufferConfig;
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
    private static final MeshBufferConfig PAGE =
            MeshBufferConfig.replicated(BufferConfig.of(BufferType.DRAM, 2_048, 2_048));
    private static final MeshBufferConfig L1_PAGE =
            MeshBufferConfig.replicated(BufferConfig.of(BufferType.L1, 2_048, 2_048));

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
    void reportsTheCapacityOfADramBank() {
        Ttnn.builder(reports).preset(RuntimePreset.OCTOBER_2025).build().openMeshDevice();

        assertThat(reports.meshes().get(0).capacityOf(BufferType.DRAM))
                .hasValue(new MemoryCapacity(BufferType.DRAM, 12, 1_073_741_824L - 2_560_032).startingAt(2_560_032));
        assertThat(reports.meshes().get(0).capacityOf(BufferType.TRACE)).isEmpty();
    }

    @Test
    void reportsATraceRegionAsAMemoryOfItsOwn() {
        ttnn.openMeshDevice(DEFAULTS.withTraceRegionSize(24_576));

        assertThat(reports.meshes().get(0).capacityOf(BufferType.TRACE))
                .hasValueSatisfying(
                        capacity -> assertThat(capacity.bytesPerBank()).isPositive());
    }

    @Test
    void goesAlongARowAndBackForALine() {
        MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(1, 8));

        assertThat(mesh.deviceIds()).containsExactly(0, 1, 2, 3, 7, 6, 5, 4);
    }

    @Test
    void isABlockOfTheSystem() {
        MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(2, 2));

        assertThat(mesh.deviceIds()).containsExactly(0, 1, 4, 5);
        assertThat(mesh.deviceId(MeshCoordinate.of(1, 0))).isEqualTo(4);
    }

    @Test
    void isTurnedIfItOnlyFitsSo() {
        MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(4, 2));

        assertThat(mesh.deviceIds()).containsExactly(0, 4, 1, 5, 2, 6, 3, 7);
    }

    @Test
    void cannotBeLargerThanTheSystem() {
        assertThatThrownBy(() -> ttnn.openMeshDevice(MeshShape.of(3, 4)))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage(
                        "Requested mesh shape MeshShape([3, 4]) requires 12 devices, but only 8 devices are available"
                                + " in the system mesh MeshShape([2, 4]).");
        assertThat(reports.lines()).isEmpty();
    }

    @Test
    void fitsIntoTheSystem() {
        Ttnn galaxy = Ttnn.builder(reports).systemMesh(MeshShape.of(8, 4)).build();

        assertThatThrownBy(() -> galaxy.openMeshDevice(MeshShape.of(16, 2)))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Requested mesh is too big and is not rotatable: MeshShape([16, 2]) and SystemMesh"
                        + " MeshShape([8, 4]), offset MeshCoordinate([0, 0])");
    }

    @Test
    void hasTheDimensionsOfTheSystem() {
        assertThatThrownBy(() -> ttnn.openMeshDevice(MeshShape.of(2, 2, 2)))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Requested mesh shape dimensions mismatch: MeshShape([2, 2, 2]) != MeshShape([2, 4])");
    }

    @Test
    void needsAShapeForGivenDevices() {
        assertThatThrownBy(() -> ttnn.openMeshDevice(DEFAULTS.withPhysicalDeviceIds(1)))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Mesh shape must be provided when physical device ids are supplied");
    }

    @Test
    void needsAsManyDevicesAsTheShapeHas() {
        MeshDeviceOptions options = DEFAULTS.withMeshShape(MeshShape.of(1, 2)).withPhysicalDeviceIds(1, 1);

        assertThatThrownBy(() -> ttnn.openMeshDevice(options))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Cannot open a 1x2 mesh on devices [1, 1]: name 2 different devices out of 0 to 7,"
                        + " in row-major order");
    }

    @Test
    void cannotShareDevicesWithAMeshThatIsOpenIfItIsStrict() {
        Ttnn strict = Ttnn.builder(reports).strict().build();
        strict.openMeshDevice(MeshShape.of(1, 2));

        assertThatThrownBy(() -> strict.openMeshDevice(MeshShape.of(2, 2)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage(
                        "Cannot open a 2x2 mesh while mesh 0 (MeshDevice(1x2 grid, 2 devices)) is open: device 0 belongs"
                                + " to both, and the two would allocate the same addresses and overwrite each other's data. Close mesh 0"
                                + " first, or take submeshes of one mesh.");
    }

    @Test
    void cannotBeTheSecondRootMeshOfAStrictRuntimeEvenOnOtherDevices() {
        Ttnn strict = Ttnn.builder(reports).strict().build();
        strict.openDevice(0);

        assertThatThrownBy(() -> strict.openDevice(1))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage(
                        "Cannot open a 1x1 mesh while mesh 1 (MeshDevice(1x1 grid, 1 devices)) is open: closing one would"
                                + " close the devices of both. Close mesh 1 first, or take submeshes of one mesh.");
    }

    @Test
    void hasOneOrTwoCommandQueues() {
        assertThatThrownBy(() -> ttnn.openMeshDevice(DEFAULTS.withNumCommandQueues(3)))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("num_hw_cqs can be between 1 and 2");
    }

    @Test
    void keepsTheTopOfL1ForSmallBuffers() {
        MeshDevice mesh = ttnn.openMeshDevice(DEFAULTS.withL1SmallSize(32_768));

        MeshBuffer small = mesh.allocate(MeshBufferConfig.replicated(BufferConfig.of(BufferType.L1_SMALL, 64, 64)
                .heightSharded(CoreRangeSet.of(new CoreRange(0, 0, 0, 0)))));

        assertThat(small.address()).isEqualTo(1_499_136 - 64);
        assertThat(mesh.allocate(L1_PAGE).address()).isEqualTo(1_499_136 - 32_768 - 2_048);
    }

    @Test
    void cannotKeepAllOfL1ForSmallBuffers() {
        assertThatThrownBy(() -> ttnn.openMeshDevice(DEFAULTS.withL1SmallSize(1_395_360)))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Reserved size must be less than bank size");
    }

    @Test
    void hasTheBasesOfMay2026OnWormhole() {
        MeshDevice mesh = ttnn.openMeshDevice();

        assertThat(mesh.allocate(PAGE).address()).isEqualTo(2_968_640);
        assertThat(mesh.statistics(BufferType.L1).totalAllocatable()).isEqualTo(1_395_360);
    }

    @Test
    void hasTheBasesOfMay2026OnBlackhole() {
        MeshDevice mesh = Ttnn.builder(reports)
                .architecture(Architecture.BLACKHOLE)
                .build()
                .openMeshDevice();

        assertThat(mesh.allocate(PAGE).address()).isEqualTo(5_848_704);
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

        assertThatThrownBy(builder::build)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("The October 2025 preset knows no Blackhole: its constants were never seen."
                        + " Use RuntimePreset.MAY_2026 for Blackhole.");
    }

    @Test
    void isClosedAgainIfTheRuntimesOwnBuffersDoNotFit() {
        Ttnn greedy = Ttnn.builder(reports)
                .systemBuffer(new Owner(Owner.Kind.DISPATCH, "prefetcher"), BufferType.L1, 2_000_000)
                .build();

        assertThatThrownBy(() -> greedy.openMeshDevice(MeshShape.of(1, 1)))
                .isInstanceOf(DeviceOutOfMemoryException.class);

        assertThat(reports.lines())
                .containsSubsequence("opened mesh 0", "end of phase OPEN", "phase CLOSE", "closed mesh 0");
    }

    @Test
    void leavesNoBufferOfTheRuntimeToTheUser() {
        Ttnn.Builder builder = Ttnn.builder(reports);
        Owner queue = new Owner(Owner.Kind.COMMAND_QUEUE, "0");

        assertThatThrownBy(() -> builder.systemBuffer(queue, BufferType.L1, 64, BufferLifetime.USER))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Cannot leave the free of a buffer of command queue \"0\" to the code under test:"
                        + " use SYSTEM or PERSISTENT");
    }

    @Test
    void choosesTracePagesByTheRuleOfItsVersion() {
        assertThat(RuntimePreset.OCTOBER_2025.tracePageSize(12_500_993, 12)).isEqualTo(2_048);
        assertThat(RuntimePreset.OCTOBER_2025.tracePageSize(12_503_040, 12)).isEqualTo(2_048);
        assertThat(RuntimePreset.MAY_2026.tracePageSize(12_503_040, 12)).isEqualTo(8_192);
        assertThat(RuntimePreset.MAY_2026.tracePageSize(1_000, 12)).isEqualTo(1_024);
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
