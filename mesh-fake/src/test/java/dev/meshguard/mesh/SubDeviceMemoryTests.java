package dev.meshguard.mesh;

import static dev.meshguard.mesh.allocator.AllocationDirection.BOTTOM_UP;
import static dev.meshguard.mesh.allocator.AllocationDirection.TOP_DOWN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.WitnessSnapshot.Moment;
import dev.meshguard.mesh.allocator.AllocationDirection;
import dev.meshguard.mesh.allocator.DeviceOutOfMemoryException;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.buffer.CircularBufferConfig;
import dev.meshguard.mesh.buffer.CoreRange;
import dev.meshguard.mesh.buffer.CoreRangeSet;
import dev.meshguard.mesh.buffer.MeshBufferConfig;
import dev.meshguard.mesh.buffer.SubDevice;
import dev.meshguard.mesh.buffer.SubDeviceId;
import dev.meshguard.mesh.internal.allocation.Allocation;
import dev.meshguard.mesh.internal.allocation.Allocation.ReleaseReason;
import dev.meshguard.mesh.internal.context.MeshLock;
import dev.meshguard.mesh.internal.memory.SubDeviceManager;
import dev.meshguard.mesh.runtime.RuntimePreset;
import dev.meshguard.mesh.shape.MeshShape;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/**
 * Tests the memory of sub-devices, its effect on the mesh's memory, and its state at the close.
 *
 * <p>Cores and sizes are those of {@code tests/tt_metal/tt_metal/dispatch/sub_device/test_sub_device_allocations.cpp} and
 * {@code test_sub_device.cpp}.
 */
class SubDeviceMemoryTests {

    private static final long BASE = 103_776;
    private static final long LOCAL = 3_200;
    private static final CoreRangeSet NINE_CORES = CoreRangeSet.of(new CoreRange(0, 0, 2, 2));
    private static final CoreRangeSet TWO_CORES = CoreRangeSet.of(new CoreRange(3, 3, 3, 3), new CoreRange(4, 4, 4, 4));
    private static final SubDeviceId FIRST = new SubDeviceId(0);
    private static final SubDeviceId SECOND = new SubDeviceId(1);

    private final RecordedReports reports = new RecordedReports();
    private final Ttnn ttnn = Ttnn.create(reports);
    private final MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(1, 2));
    private final SubDeviceManagerId one = mesh.createSubDeviceManager(List.of(new SubDevice(NINE_CORES)), LOCAL);
    private final SubDeviceManagerId two =
            mesh.createSubDeviceManager(List.of(new SubDevice(NINE_CORES), new SubDevice(TWO_CORES)), LOCAL);

    @Test
    void allocatesTheBottomOfL1FromItsTopDown() {
        mesh.loadSubDeviceManager(one);

        MeshBuffer buffer = mesh.allocate(onCores(NINE_CORES, 32, FIRST));
        MeshBuffer next = mesh.allocate(onCores(NINE_CORES, 32, FIRST));

        assertThat(buffer.address()).isEqualTo(BASE + LOCAL - 32);
        assertThat(next.address()).isEqualTo(BASE + LOCAL - 64);
    }

    @Test
    void takesTheBottomOfL1FromTheMesh() {
        long whole = mesh.statistics(BufferType.L1).totalAllocatable();

        mesh.loadSubDeviceManager(one);

        assertThat(mesh.statistics(BufferType.L1).totalAllocatable()).isEqualTo(whole - LOCAL);
        assertThat(mesh.allocate(ofMesh(1_024, BOTTOM_UP)).address()).isEqualTo(BASE + LOCAL);
    }

    @Test
    void returnsTheBottomOfL1ToTheMesh() {
        long whole = mesh.statistics(BufferType.L1).totalAllocatable();
        mesh.loadSubDeviceManager(one);

        mesh.clearLoadedSubDeviceManager();

        assertThat(mesh.statistics(BufferType.L1).totalAllocatable()).isEqualTo(whole);
        assertThat(mesh.allocate(ofMesh(1_024, BOTTOM_UP)).address()).isEqualTo(BASE);
    }

    @Test
    void roundsItsSizeUpToTheL1Alignment() {
        mesh.loadSubDeviceManager(mesh.createSubDeviceManager(List.of(new SubDevice(NINE_CORES)), 3_185));

        assertThat(mesh.statistics(BufferType.L1, FIRST).totalAllocatable()).isEqualTo(3_200);
    }

    @Test
    void allocatesTheSameAddressesAsTheOtherSubDevices() {
        mesh.loadSubDeviceManager(two);

        MeshBuffer onNine = mesh.allocate(onCores(NINE_CORES, 32, FIRST));
        MeshBuffer onTwo = mesh.allocate(onCores(TWO_CORES, 64, SECOND));

        assertThat(onNine.address()).isEqualTo(BASE + LOCAL - 32);
        assertThat(onTwo.address()).isEqualTo(BASE + LOCAL - 64);
        assertThat(mesh.statistics(BufferType.L1, SECOND).totalAllocated()).isEqualTo(64);
    }

    @Test
    void allocatesShardsOnItsOwnCoresOnly() {
        mesh.loadSubDeviceManager(two);

        assertThatThrownBy(() -> mesh.allocate(onCores(NINE_CORES, 32, SECOND)))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Shard cores specified {[0-0 - 2-2]} do not match sub-device cores"
                        + " {[3-3 - 3-3], [4-4 - 4-4]}");
    }

    @Test
    void isOneOfThoseThatThereAre() {
        mesh.loadSubDeviceManager(one);

        assertThatThrownBy(() -> mesh.allocate(onCores(NINE_CORES, 32, SECOND)))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("SubDevice index 1 out of bounds 1");
    }

    @Test
    void allocatesShardedL1Only() {
        mesh.loadSubDeviceManager(two);

        assertThatThrownBy(() -> BufferConfig.of(BufferType.L1, 1_024, 1_024).on(FIRST))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Specifying sub-device for buffer requires buffer to be sharded");
    }

    @Test
    void allocatesNoMoreThanItHas() {
        mesh.loadSubDeviceManager(one);

        assertThatThrownBy(() -> mesh.allocate(onCores(NINE_CORES, 3_264, FIRST)))
                .isInstanceOf(DeviceOutOfMemoryException.class)
                .hasMessageStartingWith("Out of Memory: Not enough space to allocate 29376 B L1 buffer across 9 banks,"
                        + " where each bank needs to store 3264 B, but bank size is 3200 B"
                        + " (allocated: 0 B, free: 3200 B, largest free block: 3200 B)\n");
    }

    @Test
    void hasNoMemoryOfItsOwnUnlessItIsGivenSome() {
        mesh.loadSubDeviceManager(mesh.createSubDeviceManager(List.of(new SubDevice(NINE_CORES)), 0));

        assertThatThrownBy(() -> mesh.allocate(onCores(NINE_CORES, 32, FIRST)))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("SubDevice allocator not initialized");
        assertThatThrownBy(() -> mesh.statistics(BufferType.L1, FIRST))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("SubDevice allocator not initialized");
    }

    @Test
    void hasNoMemoryOfItsOwnWithoutCores() {
        mesh.loadSubDeviceManager(mesh.createSubDeviceManager(
                List.of(new SubDevice(CoreRangeSet.of()), new SubDevice(NINE_CORES)), LOCAL));

        assertThatThrownBy(() -> mesh.statistics(BufferType.L1, FIRST))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("SubDevice allocator not initialized");
        assertThat(mesh.statistics(BufferType.L1, SECOND).totalAllocatable()).isEqualTo(LOCAL);
    }

    @Test
    void isTheMeshItselfAsLongAsNothingIsDivided() {
        MeshBuffer buffer = mesh.allocate(onCores(NINE_CORES, 32, FIRST));

        assertThat(mesh.statistics(BufferType.L1).totalAllocated()).isEqualTo(32);
        assertThat(mesh.statistics(BufferType.L1, FIRST).totalAllocated()).isEqualTo(32);
        assertThatCode(() -> mesh.loadSubDeviceManager(one)).doesNotThrowAnyException();
        assertThat(buffer.isAllocated()).isTrue();
    }

    @Test
    void getsItsMemoryBack() {
        mesh.loadSubDeviceManager(one);
        MeshBuffer buffer = mesh.allocate(onCores(NINE_CORES, 32, FIRST));
        reports.forget();

        buffer.deallocate();

        assertThat(mesh.statistics(BufferType.L1, FIRST).totalAllocated()).isZero();
        assertThat(reports.lines()).containsExactly("freed 0 L1 106944 NON_OWNING", "freed 1 L1 106944 NON_OWNING");
    }

    @Test
    void isNotFreedByTheAddressOfAnotherSubDevicesBuffer() {
        mesh.loadSubDeviceManager(two);
        MeshBuffer onNine = mesh.allocate(onCores(NINE_CORES, 64, FIRST));
        MeshBuffer onTwo = mesh.allocate(onCores(TWO_CORES, 64, SECOND));

        onNine.deallocate();
        mesh.deallocateAddress(BufferType.L1, onTwo.address());

        assertThat(onTwo.address()).isEqualTo(onNine.address());
        assertThat(onTwo.isAllocated()).isTrue();
        assertThat(mesh.statistics(BufferType.L1, SECOND).totalAllocated()).isEqualTo(64);
        assertThat(reports.lines("ignored 0")).containsExactly("ignored 0 L1 106912 UNKNOWN_ADDRESS");
    }

    @Test
    void keepsItsManagerLoadedAsLongAsItHasAllocations() {
        mesh.loadSubDeviceManager(one);
        MeshBuffer buffer = mesh.allocate(onCores(NINE_CORES, 32, FIRST));

        assertThatThrownBy(mesh::clearLoadedSubDeviceManager)
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessageStartingWith(
                        "Cannot switch sub device managers while sub devices still have local allocations\n");
        assertThatThrownBy(() -> mesh.loadSubDeviceManager(two))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessageStartingWith(
                        "Cannot switch sub device managers while sub devices still have local allocations\n");

        buffer.deallocate();

        assertThatCode(() -> mesh.loadSubDeviceManager(two)).doesNotThrowAnyException();
    }

    @Test
    void doesNotKeepItsManagerLoadedForBuffersWithoutContent() {
        mesh.loadSubDeviceManager(one);
        MeshBuffer empty = mesh.allocate(MeshBufferConfig.replicated(
                BufferConfig.of(BufferType.L1, 0, 32).heightSharded(NINE_CORES).on(FIRST)));

        assertThatCode(mesh::clearLoadedSubDeviceManager).doesNotThrowAnyException();
        assertThatCode(empty::deallocate).doesNotThrowAnyException();
    }

    @Test
    void doesNotAllocateWhereTheMeshHasAllocated() {
        mesh.allocate(ofMesh(1_024, BOTTOM_UP));

        assertThatThrownBy(() -> mesh.loadSubDeviceManager(one))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessageStartingWith("Shrink size 3200 cuts into allocated block at address 0\n");
        assertThat(mesh.activeSubDeviceManagerId()).isEqualTo(mesh.defaultSubDeviceManagerId());
    }

    @Test
    void doesNotAllocateWhereTheMeshHasAllocatedBehindAGap() {
        MeshBuffer lowest = mesh.allocate(ofMesh(64 * 1_024, BOTTOM_UP));
        mesh.allocate(ofMesh(64 * 1_024, BOTTOM_UP));
        lowest.deallocate();

        assertThatThrownBy(() -> mesh.loadSubDeviceManager(one))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessageStartingWith("Shrink size 3200 cuts into allocated block at address 1024\n");
    }

    @Test
    void leavesTheMeshAsItWasWhenItCannotBeLoaded() {
        mesh.loadSubDeviceManager(one);
        mesh.allocate(ofMesh(1_024, BOTTOM_UP));
        long before = mesh.statistics(BufferType.L1).totalAllocatable();
        SubDeviceManagerId larger = mesh.createSubDeviceManager(List.of(new SubDevice(NINE_CORES)), 2 * LOCAL);

        assertThatThrownBy(() -> mesh.loadSubDeviceManager(larger))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessageStartingWith("Shrink size 6400 cuts into allocated block at address 3200\n");

        assertThat(mesh.activeSubDeviceManagerId()).isEqualTo(one);
        assertThat(mesh.statistics(BufferType.L1).totalAllocatable()).isEqualTo(before);
    }

    @Test
    void cannotHaveMoreThanAllOfL1() {
        SubDeviceManagerId tooLarge = mesh.createSubDeviceManager(List.of(new SubDevice(NINE_CORES)), 2_000_000);

        assertThatThrownBy(() -> mesh.loadSubDeviceManager(tooLarge))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessageStartingWith("Shrink size 2000000 must be smaller than max size 1395360\n");
    }

    @Test
    void countsForTheLowestAddressThatIsTaken() {
        mesh.loadSubDeviceManager(two);
        assertThat(mesh.lowestOccupiedComputeL1Address()).isEmpty();
        MeshBuffer ofMesh = mesh.allocate(ofMesh(1_024, TOP_DOWN));
        mesh.allocate(onCores(NINE_CORES, 32, FIRST));
        mesh.allocate(onCores(TWO_CORES, 64, SECOND));

        assertThat(mesh.lowestOccupiedComputeL1Address()).isEqualTo(OptionalLong.of(BASE + LOCAL - 64));
        assertThat(mesh.lowestOccupiedComputeL1Address(FIRST)).isEqualTo(OptionalLong.of(BASE + LOCAL - 32));
        assertThat(mesh.lowestOccupiedComputeL1Address(FIRST, SECOND)).isEqualTo(OptionalLong.of(BASE + LOCAL - 64));
        assertThat(ofMesh.address()).isGreaterThan(BASE + LOCAL);
        assertThatThrownBy(() -> mesh.lowestOccupiedComputeL1Address(new SubDeviceId(2)))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("SubDevice index 2 out of bounds 2");
    }

    @Test
    void countsOnlyTheMeshAsLongAsNothingIsDivided() {
        MeshBuffer ofMesh = mesh.allocate(ofMesh(1_024, TOP_DOWN));

        assertThat(mesh.lowestOccupiedComputeL1Address()).isEqualTo(OptionalLong.of(ofMesh.address()));
        assertThat(mesh.lowestOccupiedComputeL1Address(FIRST)).isEqualTo(OptionalLong.of(ofMesh.address()));
    }

    @Test
    void keepsCircularBuffersBelowItsAllocations() {
        mesh.loadSubDeviceManager(one);
        MeshBuffer local = mesh.allocate(onCores(NINE_CORES, LOCAL / 2, FIRST));

        assertThatThrownBy(() -> mesh.enqueueMeshWorkload(
                        withCircularBuffer(NINE_CORES.ranges().get(0), LOCAL)))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessageStartingWith(
                        "Statically allocated circular buffers in program 1 clash with L1 buffers on core range"
                                + " [0-0 - 2-2]. L1 buffer allocated at 105376 and static circular buffer region ends at 106976\n");
        assertThatCode(() -> mesh.enqueueMeshWorkload(
                        withCircularBuffer(NINE_CORES.ranges().get(0), LOCAL / 4)))
                .doesNotThrowAnyException();
        assertThat(local.isAllocated()).isTrue();
    }

    @Test
    void doesNotKeepCircularBuffersOfOtherSubDevicesBelow() {
        mesh.loadSubDeviceManager(two);
        mesh.allocate(onCores(NINE_CORES, LOCAL / 2, FIRST));

        assertThatCode(() -> mesh.enqueueMeshWorkload(withCircularBuffer(new CoreRange(3, 3, 3, 3), LOCAL)))
                .doesNotThrowAnyException();
    }

    @Test
    void isReadByTheWitnessAndWiped() {
        mesh.loadSubDeviceManager(two);
        MeshBuffer onNine = mesh.allocate(onCores(NINE_CORES, 32, FIRST));
        MeshBuffer onTwo = mesh.allocate(onCores(TWO_CORES, 64, SECOND));
        MeshBuffer ofMesh = mesh.allocate(ofMesh(1_024, TOP_DOWN));

        mesh.close();

        AllocatorId first = AllocatorId.subDevice(two.value(), 0);
        AllocatorId second = AllocatorId.subDevice(two.value(), 1);
        assertThat(allocated(Moment.CLOSE_BEGUN, AllocatorId.MESH)).containsExactly(ofMesh.address());
        assertThat(allocated(Moment.CLOSE_BEGUN, first)).containsExactly(onNine.address());
        assertThat(allocated(Moment.CLOSE_BEGUN, second)).containsExactly(onTwo.address());
        assertThat(allocated(Moment.BEFORE_WIPE, first)).containsExactly(onNine.address());
        for (AllocatorId allocator : List.of(AllocatorId.MESH, first, second)) {
            assertThat(allocated(Moment.AFTER_WIPE, allocator)).isEmpty();
        }
        assertThatCode(onNine::deallocate).doesNotThrowAnyException();
    }

    @Test
    void startsAtTheBaseOfThePreset() {
        MeshDevice october =
                Ttnn.builder(reports).preset(RuntimePreset.OCTOBER_2025).build().openMeshDevice(MeshShape.of(1, 1));
        october.loadSubDeviceManager(october.createSubDeviceManager(List.of(new SubDevice(NINE_CORES)), LOCAL));

        assertThat(october.allocate(onCores(NINE_CORES, 32, FIRST)).address()).isEqualTo(101_152 + LOCAL - 32);
    }

    @Test
    void doesNotFreeAllocationsOfAnotherManager() {
        mesh.loadSubDeviceManager(one);
        Allocation allocation;
        try (MeshLock held = mesh.context().lock().acquire()) {
            SubDeviceManager lender = mesh.context().subDevices().active();
            allocation = mesh.context()
                    .memory()
                    .allocateOnMesh(onCores(NINE_CORES, 32, FIRST).deviceLocal(), AllocationDetails.user());
            lender.free(allocation);
            mesh.loadSubDeviceManager(two);
            lender.allocate(allocation);
        }

        assertThatThrownBy(() -> mesh.free(allocation, ReleaseReason.DEALLOCATED))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Sub-device manager id mismatch. Buffer sub-device manager id: 1,"
                        + " Device active sub-device manager id: 2");
    }

    private MeshWorkload withCircularBuffer(CoreRange cores, long size) {
        return ttnn.createMeshWorkload()
                .addProgram(ttnn.createProgram("copy")
                        .addKernel(1, cores)
                        .addCircularBuffer(CircularBufferConfig.of(size).on(cores)));
    }

    private List<Long> allocated(Moment moment, AllocatorId allocator) {
        return reports.readings().stream()
                .filter(reading -> reading.moment() == moment)
                .filter(reading -> reading.allocator().equals(Optional.of(allocator)))
                .findFirst()
                .orElseThrow()
                .allocatedAddresses(1, BufferType.L1);
    }

    /** Interleaved over the 64 cores. */
    private static MeshBufferConfig ofMesh(long size, AllocationDirection direction) {
        return MeshBufferConfig.replicated(
                BufferConfig.of(BufferType.L1, size, 64).inDirection(direction));
    }

    /** A page on each core. */
    private static MeshBufferConfig onCores(CoreRangeSet cores, long page, SubDeviceId subDevice) {
        return MeshBufferConfig.replicated(BufferConfig.of(BufferType.L1, page * cores.numCores(), page)
                .heightSharded(cores)
                .on(subDevice));
    }
}
