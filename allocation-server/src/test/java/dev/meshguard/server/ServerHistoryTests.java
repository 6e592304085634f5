package dev.meshguard.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.tracker.AllocationTracker;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Losses that are added up keep their reason. */
class ServerHistoryTests {

    @Test
    void aFailureIsNotTheReasonOfEarlierLosses() {
        AllocationTracker tracker = AllocationTracker.create();
        ServerHistory history = new ServerHistory(tracker);
        for (int loss = 0; loss < 1002; loss++) {
            history.lost(1, "a gap");
        }

        history.failed("the heap is full");
        history.addUp();
        history.addUp();

        List<HistoryEvent.ReportsLost> losses = tracker.history().lostReports();
        assertThat(losses.subList(1000, losses.size()))
                .extracting(loss -> loss.count() + " " + loss.reason())
                .containsExactly("2 more reports of such kinds; the last: a gap", "1 the heap is full");
    }
}
