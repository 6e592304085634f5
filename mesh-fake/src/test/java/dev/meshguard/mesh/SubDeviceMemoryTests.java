package dev.meshguard.mesh;

import static dev.meshguard.mesh.Rejections.assertRuntimeError;
import static dev.meshguard.mesh.Rejections.assertRuntimeErrorBeginning;
import static dev.meshguard.mesh.allocator.AllocationDirection.BOTTOM_UP;
import static dev.meshguard.mesh.allocator.AllocationDirection.TOP_DOWN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.WitnessSnapshot.Moment;
import dev.meshguard.mesh.allocator.AllocationDirection;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.buffer.CircularBufferConfig;
import dev.meshguard.mesh.buffer.CoreRange;
import dev.meshguard.mesh.buffer.CoreRangeSet;
import dev.meshguard.mesh.buffer.SubDevice;
import dev.meshguard.mesh.buffer.SubDeviceId;
import dev.meshguard.mesh.internal.allocation.Allocation;
import dev.meshguard.mesh.internal.allocation.Allocation.ReleaseReason;
import dev.meshguard.mesh.internal.context.MeshLock;
import dev.meshguard.mesh.internal.memory.SubDeviceManager;
import dev.meshguard.mesh.shape.MeshShape;
import java.util.List;
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
    void takesTheBottomOfL1FromTheMeshAsLongAsItsManagerIsLoaded() {
        long whole = mesh.statistics(BufferType.L1).totalAllocatable();

        mesh.loadSubDeviceManager(one);
        MeshBuffer buffer = mesh.allocate(ofMesh(1_024, BOTTOM_UP));

        assertThat(mesh.statistics(BufferType.L1).totalAllocatable()).isEqualTo(whole - LOCAL);
        assertThat(buffer.address()).isEqualTo(BASE + LOCAL);
        mesh.clearLoadedSubDeviceManager();
        assertThat(mesh.statistics(BufferType.L1).totalAllocatable()).isEqualTo(whole);
        assertThat(mesh.allocate(ofMesh(1_024, BOTTOM_UP)).address()).isEqualTo(BASE);
    }

    @Test
    void allocatesTheSameAddressesAsTheOtherSubDevices() {
        mesh.loadSubDeviceManager(two);

        MeshBuffer onNine = mesh.allocate(onCores(NINE_CORES, 32, FIRST));
        MeshBuffer onTwo = mesh.allocate(onCores(TWO_CORES, 64, SECOND));
        MeshBuffer next = mesh.allocate(onCores(NINE_CORES, 32, FIRST));

        assertThat(onNine.address()).isEqualTo(BASE + LOCAL - 32);
        assertThat(next.address()).isEqualTo(BASE + LOCAL - 64);
        assertThat(onTwo.address()).isEqualTo(BASE + LOCAL - 64);
        assertThat(mesh.statistics(BufferType.L1, SECOND).totalAllocated()).isEqualTo(64);
    }

    @Test
    void allocatesOnCoresOfASubDeviceThatThereIs() {
        mesh.loadSubDeviceManager(two);

        assertRuntimeError(
                () -> mesh.allocate(onCores(NINE_CORES, 32, SECOND)),
                "Shard cores specified {[0-0 - 2-2]} do not match sub-device cores" + " {[3-3 - 3-3], [4-4 - 4-4]}");
        assertRuntimeError(
                () -> mesh.allocate(onCores(NINE_CORES, 32, new SubDeviceId(2))), "SubDevice index 2 out of bounds 2");
    }

    @Test
    void hasNoMemoryOfItsOwnUnlessItIsGivenSomeAndHasCores() {
        mesh.loadSubDeviceManager(mesh.createSubDeviceManager(List.of(new SubDevice(NINE_CORES)), 0));

        assertRuntimeError(() -> mesh.allocate(onCores(NINE_CORES, 32, FIRST)), "SubDevice allocator not initialized");
        assertRuntimeError(() -> mesh.statistics(BufferType.L1, FIRST), "SubDevice allocator not initialized");
        mesh.loadSubDeviceManager(mesh.createSubDeviceManager(
                List.of(new SubDevice(CoreRangeSet.of()), new SubDevice(NINE_CORES)), LOCAL - 15));
        assertRuntimeError(() -> mesh.statistics(BufferType.L1, FIRST), "SubDevice allocator not initialized");
        assertThat(mesh.statistics(BufferType.L1, SECOND).totalAllocatable())
                .as("rounded up to the L1 alignment")
                .isEqualTo(LOCAL);
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
    void isNotFreedByTheAddressOfAnotherSubDevicesBuffer() {
        mesh.loadSubDeviceManager(two);
        MeshBuffer onNine = mesh.allocate(onCores(NINE_CORES, 64, FIRST));
        MeshBuffer onTwo = mesh.allocate(onCores(TWO_CORES, 64, SECOND));

        onNine.deallocate();
        mesh.deallocateAddress(BufferType.L1, onTwo.address());

        assertThat(onTwo.address()).isEqualTo(onNine.address());
        assertThat(onTwo.isAllocated()).isTrue();
        assertThat(mesh.statistics(BufferType.L1, FIRST).totalAllocated()).isZero();
        assertThat(mesh.statistics(BufferType.L1, SECOND).totalAllocated()).isEqualTo(64);
        assertThat(reports.lines("freed 0")).containsExactly("freed 0 L1 106912 NON_OWNING");
        assertThat(reports.lines("ignored 0")).containsExactly("ignored 0 L1 106912 UNKNOWN_ADDRESS");
    }

    @Test
    void keepsItsManagerLoadedAsLongAsItHasAllocations() {
        mesh.loadSubDeviceManager(one);
        MeshBuffer buffer = mesh.allocate(onCores(NINE_CORES, 32, FIRST));

        assertRuntimeErrorBeginning(
                mesh::clearLoadedSubDeviceManager,
                "Cannot switch sub device managers while sub devices still have local allocations\n");
        assertRuntimeErrorBeginning(
                () -> mesh.loadSubDeviceManager(two),
                "Cannot switch sub device managers while sub devices still have local allocations\n");

        buffer.deallocate();

        assertThatCode(() -> mesh.loadSubDeviceManager(two)).doesNotThrowAnyException();
    }

    @Test
    void doesNotKeepItsManagerLoadedForBuffersWithoutContent() {
        mesh.loadSubDeviceManager(one);
        MeshBuffer empty = mesh.allocate(
                BufferConfig.of(BufferType.L1, 0, 32).heightSharded(NINE_CORES).on(FIRST));

        assertThatCode(mesh::clearLoadedSubDeviceManager).doesNotThrowAnyException();
        assertThatCode(empty::deallocate).doesNotThrowAnyException();
    }

    @Test
    void leavesTheMeshAsItWasWhenItCannotBeLoaded() {
        mesh.loadSubDeviceManager(one);
        mesh.allocate(ofMesh(1_024, BOTTOM_UP));
        long before = mesh.statistics(BufferType.L1).totalAllocatable();
        SubDeviceManagerId larger = mesh.createSubDeviceManager(List.of(new SubDevice(NINE_CORES)), 2 * LOCAL);

        assertRuntimeErrorBeginning(
                () -> mesh.loadSubDeviceManager(larger),
                "Shrink size 6400 cuts into allocated block at address 3200\n");

        assertThat(mesh.activeSubDeviceManagerId()).isEqualTo(one);
        assertThat(mesh.statistics(BufferType.L1).totalAllocatable()).isEqualTo(before);
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
        assertRuntimeError(
                () -> mesh.lowestOccupiedComputeL1Address(new SubDeviceId(2)), "SubDevice index 2 out of bounds 2");
    }

    @Test
    void keepsCircularBuffersBelowItsAllocationsButNotThoseOfOtherSubDevices() {
        mesh.loadSubDeviceManager(two);
        mesh.allocate(onCores(NINE_CORES, LOCAL / 2, FIRST));
        CoreRange nine = NINE_CORES.ranges().get(0);

        assertRuntimeErrorBeginning(
                () -> mesh.enqueueMeshWorkload(withCircularBuffer(nine, LOCAL)),
                "Statically allocated circular buffers in program 1 clash with L1 buffers on core range"
                        + " [0-0 - 2-2]. L1 buffer allocated at 105376 and static circular buffer region ends at 106976\n");
        mesh.enqueueMeshWorkload(withCircularBuffer(nine, LOCAL / 4));
        mesh.enqueueMeshWorkload(withCircularBuffer(new CoreRange(3, 3, 3, 3), LOCAL));
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
        assertThat(listed(Moment.CLOSE_BEGUN, AllocatorId.MESH)).containsExactly(ofMesh.address());
        assertThat(listed(Moment.CLOSE_BEGUN, first)).containsExactly(onNine.address());
        assertThat(listed(Moment.CLOSE_BEGUN, second)).containsExactly(onTwo.address());
        assertThat(listed(Moment.BEFORE_WIPE, first)).containsExactly(onNine.address());
        for (AllocatorId allocator : List.of(AllocatorId.MESH, first, second)) {
            assertThat(listed(Moment.AFTER_WIPE, allocator)).isEmpty();
        }
        assertThatCode(onNine::deallocate).doesNotThrowAnyException();
    }

    @Test
    void doesNotFreeAllocationsOfAnotherManager() {
        mesh.loadSubDeviceManager(one);
        Allocation allocation;
        try (MeshLock held = mesh.context().lock().acquire()) {
            SubDeviceManager lender = mesh.context().subDevices().active();
            allocation =
                    mesh.context().memory().allocateOnMesh(onCores(NINE_CORES, 32, FIRST), AllocationDetails.user());
            lender.free(allocation);
            mesh.loadSubDeviceManager(two);
            lender.allocate(allocation);
        }

        assertRuntimeError(
                () -> mesh.free(allocation, ReleaseReason.DEALLOCATED),
                "Sub-device manager id mismatch. Buffer sub-device manager id: 1,"
                        + " Device active sub-device manager id: 2");
    }

    private MeshWorkload withCircularBuffer(CoreRange cores, long size) {
        return ttnn.createMeshWorkload()
                .addProgram(ttnn.createProgram("copy")
                        .addKernel(1, cores)
                        .addCircularBuffer(CircularBufferConfig.of(size).on(cores)));
    }

    private List<Long> listed(Moment moment, AllocatorId allocator) {
        return reports.listed(moment, allocator, 1, BufferType.L1);
    }

    /** Interleaved over the 64 cores. */
    private static BufferConfig ofMesh(long size, AllocationDirection direction) {
        return BufferConfig.of(BufferType.L1, size, 64).inDirection(direction);
    }

    /** A page on each core. */
    private static BufferConfig onCores(CoreRangeSet cores, long page, SubDeviceId subDevice) {
        return BufferConfig.of(BufferType.L1, page * cores.numCores(), page)
                .heightSharded(cores)
                .on(subDevice);
    }
}
