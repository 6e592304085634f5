package dev.meshguard.tracker;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.BufferType.L1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Owner;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.Phase;
import dev.meshguard.history.MemorySnapshot.Amount;
import dev.meshguard.history.MemorySnapshot.MemoryKey;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AllocationTrackerTests {

    private final AllocationTracker tracker = AllocationTracker.create();

    @Test
    void knowsWhatIsAllocatedAtAnyMoment() {
        tracker.allocated(0, DRAM, 0x1000, 4_096);
        tracker.allocated(1, DRAM, 0x1000, 4_096);
        tracker.allocated(1, L1, 0x1000, 64);
        tracker.freed(0, DRAM, 0x1000);

        assertThat(tracker.devices()).containsExactly(0, 1);
        assertThat(tracker.liveBytes()).isEqualTo(4_160);
        assertThat(tracker.liveBytes(DRAM)).isEqualTo(4_096);
        assertThat(tracker.liveBytes(0, DRAM)).isZero();
        assertThat(tracker.liveBytes(1, L1)).isEqualTo(64);
        assertThat(tracker.liveBytes(7, DRAM)).isZero();
        assertThat(tracker.liveBytes(-1, DRAM)).isZero();
        assertThat(tracker.liveBuffers()).isEqualTo(2);
    }

    @Test
    void countsAnEntryUnderTheLifetimeOfItsFirstReport() {
        var system = tracker.request(AllocationDetails.system(new Owner(Owner.Kind.FABRIC, "router")));
        tracker.allocated(system, 0, L1, 0x1000, 100, Ownership.OWNING);
        tracker.allocated(0, L1, 0x1000, 70);
        tracker.allocated(0, L1, 0x2000, 10);
        tracker.freed(0, L1, 0x1000);

        assertThat(tracker.snapshot().amounts())
                .containsOnly(
                        entry(new MemoryKey(0, L1, BufferLifetime.SYSTEM), new Amount(100, 1)),
                        entry(new MemoryKey(0, L1, BufferLifetime.USER), new Amount(10, 1)));
        assertThat(tracker.history().snapshot()).isEqualTo(tracker.snapshot());
    }

    @Test
    void givesAHistoryThatLaterReportsDoNotChange() {
        tracker.allocated(0, DRAM, 0x1000, 64);
        var before = tracker.history();

        tracker.freed(0, DRAM, 0x1000);
        tracker.phase(Phase.TEST);

        assertThat(before.events()).hasSize(1);
        assertThat(before.live()).hasSize(1);
        assertThat(before.snapshot()).hasToString("device 0 DRAM USER: 64 B in 1 buffer");
        assertThat(tracker.history().live()).isEmpty();
    }

    @Test
    void takesTheLargestDeviceId() {
        tracker.allocated(HistoryEvent.MAX_DEVICE, DRAM, 0x1000, 64);

        assertThat(tracker.devices()).containsExactly(65_535);
        assertThat(tracker.history().lostReports()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 65_536, Integer.MIN_VALUE, Integer.MAX_VALUE})
    void countsReportsOfImpossibleDevicesAsLost(int device) {
        tracker.allocated(device, DRAM, 0x1000, 64);
        tracker.freed(device, DRAM, 0x1000);
        tracker.freeIgnored(
                tracker.release(AllocationDetails.user()), device, DRAM, 0x1000, IgnoredFreeReason.ALREADY_FREED);

        assertThat(tracker.history().lostReports())
                .hasSize(3)
                .allSatisfy(lost -> assertThat(lost)
                        .isEqualTo(new HistoryEvent.ReportsLost(
                                lost.number(),
                                1,
                                "device " + device + " was reported, and only devices 0 to 65535 can be")));
        assertThat(tracker.devices()).isEmpty();
    }

    @Test
    void countsAnImpossibleSizeAsLost() {
        tracker.allocated(2, DRAM, 0x1000, -1);

        assertThat(tracker.history().lostReports())
                .extracting(HistoryEvent.ReportsLost::reason)
                .containsExactly("the size of a DRAM buffer on device 2 was reported as -1");
        assertThat(tracker.liveBuffers()).isZero();
    }

    @Test
    void recordsWhenMeshesComeAndGo() {
        MeshDescription mesh = MeshDescription.of(4, "a mesh", java.util.List.of(0));
        tracker.meshOpened(mesh);
        var during = tracker.history();
        tracker.meshClosing(4);
        tracker.meshClosed(4);

        assertThat(during.openMeshes()).containsExactly(mesh);
        assertThat(tracker.history().openMeshes()).isEmpty();
        assertThat(tracker.history().meshes()).containsExactly(mesh);
    }

    @Test
    void takesTheTimeFromTheClockItIsGiven() {
        var now = java.time.Instant.parse("2026-01-01T00:00:00Z");
        var timed = AllocationTracker.builder().clock(() -> now).build();

        timed.phase(Phase.TEST);

        assertThat(timed.history().phases()).containsExactly(new HistoryEvent.PhaseBegan(1, now, Phase.TEST));
    }
}
