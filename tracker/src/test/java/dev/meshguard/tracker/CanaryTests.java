package dev.meshguard.tracker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.Owner;
import dev.meshguard.event.Ownership;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.verdict.LeakCheck;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Canaries only show whether reports arrive. */
class CanaryTests {

    private final AllocationTracker tracker = AllocationTracker.create();

    @Test
    void canariesThatArriveOneAfterTheOtherAreOneEvent() {
        tracker.canaryPlanted(3, List.of(0, 1));
        seen(3, 0);
        seen(3, 1);
        freed(3, 0);
        freed(3, 1);

        assertThat(tracker.history().events())
                .containsExactly(
                        new HistoryEvent.CanaryPlanted(1, 3, List.of(0, 1)),
                        new HistoryEvent.CanarySeen(2, 3, List.of(0, 1)),
                        new HistoryEvent.CanaryFreed(3, 3, List.of(0, 1)));
    }

    @Test
    void canariesOfAnotherMeshOrWithSomethingBetweenThemAreEventsOfTheirOwn() {
        seen(0, 0);
        seen(1, 0);
        tracker.ownerEnded(Owner.program("1 (add)"));
        seen(1, 1);
        freed(1, 0);
        seen(1, 2);

        assertThat(tracker.history().events())
                .containsExactly(
                        new HistoryEvent.CanarySeen(1, 0, List.of(0)),
                        new HistoryEvent.CanarySeen(2, 1, List.of(0)),
                        new HistoryEvent.OwnerEnded(3, Owner.program("1 (add)")),
                        new HistoryEvent.CanarySeen(4, 1, List.of(1)),
                        new HistoryEvent.CanaryFreed(5, 1, List.of(0)),
                        new HistoryEvent.CanarySeen(6, 1, List.of(2)));
    }

    @Test
    void aHistoryDoesNotChangeWhenMoreArrive() {
        seen(0, 0);
        AllocationHistory before = tracker.history();
        seen(0, 1);

        assertThat(before.events()).containsExactly(new HistoryEvent.CanarySeen(1, 0, List.of(0)));
    }

    @Test
    void enterNoLedger() {
        seen(0, 0);
        freed(0, 0);
        freed(0, 1);

        assertThat(tracker.devices()).isEmpty();
        assertThat(tracker.liveBuffers()).isZero();
        assertThat(tracker.history().anomalies()).isEmpty();
        assertThat(LeakCheck.create().examine(tracker.history()).sum().allocated())
                .isZero();
    }

    private void seen(int mesh, int device) {
        tracker.allocated(
                tracker.request(AllocationDetails.canary(mesh)), device, BufferType.DRAM, 0, 0, Ownership.OWNING);
    }

    private void freed(int mesh, int device) {
        tracker.freed(tracker.release(AllocationDetails.canary(mesh)), device, BufferType.DRAM, 0, Ownership.OWNING);
    }
}
