package dev.meshguard.verdict;

import static dev.meshguard.event.WitnessSnapshot.Moment.CLOSE_BEGUN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.WitnessSnapshot;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginFilter;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** While the source does not report, memory may be allocated that only a snapshot of its allocator shows. */
class TrackingGapTests {

    private static final Set<BufferType> OF_DEVICES = EnumSet.complementOf(EnumSet.of(BufferType.SYSTEM_MEMORY));

    private final AllocationTracker tracker = AllocationTracker.create();

    private void open(int mesh) {
        tracker.meshOpened(MeshDescription.of(mesh, "mesh", List.of(0)));
        tracker.deviceOpened(0);
    }

    private void gap() {
        tracker.trackingStopped("the server was down");
        tracker.trackingStarted();
    }

    private void close(int mesh, WitnessSnapshot... snapshots) {
        tracker.meshClosing(mesh);
        List.of(snapshots).forEach(tracker::witnessed);
        tracker.meshClosed(mesh);
    }

    private static WitnessSnapshot joined(int mesh, Set<BufferType> types) {
        return snapshot(WitnessSnapshot.of(mesh, CLOSE_BEGUN), types);
    }

    private static WitnessSnapshot of(AllocatorId allocator, int mesh) {
        return snapshot(WitnessSnapshot.of(mesh, CLOSE_BEGUN).ofAllocator(allocator), OF_DEVICES);
    }

    private static WitnessSnapshot snapshot(WitnessSnapshot begun, Set<BufferType> types) {
        WitnessSnapshot snapshot = begun;
        for (BufferType type : types) {
            snapshot = snapshot.region(0, type);
        }
        return snapshot;
    }

    private boolean isInconclusive() {
        tracker.checked();
        return LeakCheck.create().examine(tracker.history()).outcome() == Outcome.INCONCLUSIVE;
    }

    private static Stream<Arguments> closes() {
        return Stream.of(
                arguments("all joined", false, joined(0, OF_DEVICES)),
                arguments("mesh and device", false, of(AllocatorId.MESH, 0), of(AllocatorId.DEVICE, 0)),
                arguments("nothing", true),
                arguments("mesh only", true, of(AllocatorId.MESH, 0)),
                arguments("device only", true, of(AllocatorId.DEVICE, 0)),
                arguments("sub-device only", true, of(AllocatorId.subDevice(0, 0), 0)),
                arguments("another mesh", true, joined(1, OF_DEVICES)));
    }

    private static Arguments arguments(String name, boolean isInconclusive, WitnessSnapshot... snapshots) {
        return Arguments.of(name, isInconclusive, snapshots);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("closes")
    void isExcusedBySnapshotsOfAllAllocatorsOnly(String name, boolean isInconclusive, WitnessSnapshot... snapshots) {
        open(0);
        gap();
        close(0, snapshots);

        assertThat(isInconclusive()).isEqualTo(isInconclusive);
    }

    @ParameterizedTest
    @EnumSource(names = "SYSTEM_MEMORY", mode = EnumSource.Mode.EXCLUDE)
    void isNotExcusedByASnapshotWithoutOneType(BufferType missing) {
        open(0);
        gap();
        close(0, joined(0, EnumSet.complementOf(EnumSet.of(missing))));

        assertThat(isInconclusive()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(names = {"L1", "DRAM"})
    void needsASnapshotOfL1OfASubDeviceThatHadMemory(BufferType type) {
        open(0);
        AllocatorId subDevice = AllocatorId.subDevice(0, 0);
        AllocationDetails details = AllocationDetails.user().onMesh(0).fromAllocator(subDevice);
        tracker.allocated(tracker.request(details), 0, BufferType.L1, 0x1000, 64, Ownership.OWNING);
        gap();
        tracker.freed(tracker.release(details), 0, BufferType.L1, 0x1000, Ownership.OWNING);
        close(
                0,
                of(AllocatorId.MESH, 0),
                of(AllocatorId.DEVICE, 0),
                snapshot(WitnessSnapshot.of(0, CLOSE_BEGUN).ofAllocator(subDevice), EnumSet.of(type)));

        assertThat(isInconclusive()).isEqualTo(type == BufferType.DRAM);
    }

    @ParameterizedTest
    @CsvSource({"true, false, true", "false, true, true", "true, true, false"})
    void isNotExcusedByTheCloseOfOneOfTwoMeshes(boolean submesh, boolean mesh, boolean isInconclusive) {
        open(0);
        tracker.meshOpened(MeshDescription.of(1, "submesh", List.of(0)).withParent(0));
        gap();
        close(1, snapshots(submesh, of(AllocatorId.MESH, 1)));
        close(0, snapshots(mesh, joined(0, OF_DEVICES)));

        assertThat(isInconclusive()).isEqualTo(isInconclusive);
    }

    private static WitnessSnapshot[] snapshots(boolean isRead, WitnessSnapshot snapshot) {
        return isRead ? new WitnessSnapshot[] {snapshot} : new WitnessSnapshot[0];
    }

    @Test
    void isNotExcusedByALaterMeshOfTheSameNumber() {
        open(0);
        gap();
        close(0);
        open(0);
        close(0, joined(0, OF_DEVICES));

        assertThat(isInconclusive()).isTrue();
    }

    @Test
    void mattersWhileAMeshIsOpenThoughNothingIsLiveAndTrackingStaysOff() {
        open(0);
        tracker.allocated(0, BufferType.DRAM, 0x1000, 64);
        tracker.freed(0, BufferType.DRAM, 0x1000);
        tracker.trackingStopped("the server was down");
        close(0);

        assertThat(isInconclusive()).isTrue();
    }

    @Test
    void isNotExcusedByASnapshotWhereMemoryBelongsToNoDevice() {
        open(0);
        tracker.lease(AllocationDetails.user(), OriginFilter.none(), BufferType.SYSTEM_MEMORY, 64)
                .freed();
        gap();
        close(0, joined(0, OF_DEVICES));

        assertThat(isInconclusive()).isTrue();
    }
}
