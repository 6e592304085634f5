package dev.meshguard.server;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Survivor;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Describes a verdict in the lines that a table of cases expects. */
public final class VerdictFacts {

    private VerdictFacts() {}

    /** Returns the outcome and the sum of a verdict, its survivors, the wrong reports, and the missing ones. */
    public static List<String> of(LeakVerdict verdict) {
        List<String> facts = new ArrayList<>();
        facts.add(String.format(
                Locale.ROOT,
                "%s, %d allocated, %d freed",
                verdict.outcome(),
                verdict.sum().allocated(),
                verdict.sum().freed()));
        for (Survivor survivor : verdict.survivors()) {
            int open = survivor.buffer().openReports();
            facts.add("survivor " + survivor + (open > 1 ? ", " + open + " open reports" : ""));
        }
        verdict.unbalancingAnomalies().forEach(anomaly -> facts.add("wrong: " + anomaly.kind()));
        for (HistoryEvent event : verdict.history().events()) {
            if (event instanceof HistoryEvent.ReportsLost lost) {
                facts.add("lost " + (lost.count() < 0 ? "some" : lost.count()) + ": " + lost.reason());
            } else if (event instanceof HistoryEvent.TrackingStopped stopped) {
                facts.add("stopped: " + stopped.reason());
            }
        }
        return facts;
    }
}
