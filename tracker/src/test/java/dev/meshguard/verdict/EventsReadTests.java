package dev.meshguard.verdict;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.tracker.script.HistoryScript.historyOf;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Origin;
import dev.meshguard.event.Ownership;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.tracker.AllocationTracker;
import java.util.AbstractList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** A verdict reads each event some times, however many findings there are. */
class EventsReadTests {

    private static final int FINDINGS = 300;
    private static final int READS = 100;

    @Test
    void unreportedMemoryIsSearchedWithoutAPassForEachAddress() {
        String held = LongStream.range(0, FINDINGS).mapToObj(i -> " " + i * 64).collect(Collectors.joining());

        AllocationHistory history = historyOf("mesh 0 over 0; witness CLOSE_BEGUN DRAM on 0:" + held
                + "; witness BEFORE_WIPE DRAM on 0:" + held + "; close");

        assertThat(readsPerEvent(history)).isLessThan(READS);
    }

    @Test
    void linesThatFreedLateAreSearchedInOnePass() {
        AllocationTracker tracker = AllocationTracker.create();
        tracker.meshOpened(MeshDescription.of(0, "mesh", List.of(0)));
        for (int line = 1; line <= FINDINGS; line++) {
            var origin = Origin.of(new StackTraceElement[] {new StackTraceElement("Model", "run", "Model.java", line)});
            tracker.allocated(
                    tracker.requestOfProcess(AllocationDetails.user(), Optional.of(origin)),
                    0,
                    DRAM,
                    line * 64L,
                    64,
                    Ownership.OWNING);
        }
        tracker.meshClosing(0);
        for (int line = 1; line <= FINDINGS; line++) {
            tracker.freed(0, DRAM, line * 64L);
        }
        tracker.meshClosed(0);

        assertThat(readsPerEvent(tracker.history())).isLessThan(READS);
    }

    private static long readsPerEvent(AllocationHistory history) {
        List<HistoryEvent> events = history.events();
        long[] reads = {0};
        List<HistoryEvent> counted = new AbstractList<>() {
            @Override
            public HistoryEvent get(int index) {
                reads[0]++;
                return events.get(index);
            }

            @Override
            public int size() {
                return events.size();
            }
        };
        LeakCheck.create()
                .examine(AllocationHistory.of(
                        counted, OptionalLong.of(history.ledgerEntries()), history.hasFlatAddresses()));
        return reads[0] / events.size();
    }
}
