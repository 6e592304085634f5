package dev.meshguard.mockito;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.LeakCheck;
import java.util.List;

/** The events of a tracker as text. */
final class Events {

    private Events() {}

    /** Returns the reports of buffers, without the events around them. */
    static List<String> of(AllocationTracker tracker) {
        return tracker.history().events().stream()
                .filter(event -> !(event instanceof HistoryEvent.SourceAttached))
                .filter(event -> !(event instanceof HistoryEvent.PhaseBegan))
                .map(Events::words)
                .toList();
    }

    private static String words(HistoryEvent event) {
        return event instanceof HistoryEvent.ReportsLost lost
                ? "#" + lost.number() + " " + lost.count() + " report lost: " + lost.reason()
                : event.toString();
    }

    /** Returns the whole text of the verdict, without line numbers. */
    static String verdict(AllocationTracker tracker) {
        return VerdictReport.of(LeakCheck.create().examine(tracker.history()))
                .text()
                .replaceAll("(\\.java):\\d+\\)", "$1:NN)");
    }
}
