package dev.meshguard.verification.corpus.writing;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.history.AllocationHistory;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** Counts the facts of a history that a file of the runtime does not hold. */
final class HistoryLosses {

    private final Map<HistoryFact, Long> counts = new EnumMap<>(HistoryFact.class);

    void add(HistoryFact fact, long count) {
        if (count > 0) {
            counts.merge(fact, count, Long::sum);
        }
    }

    boolean has(HistoryFact fact) {
        return counts.containsKey(fact);
    }

    /** Returns the counts by the noun of the fact, in the order of the facts. */
    Map<String, Long> byText() {
        Map<String, Long> byText = new LinkedHashMap<>();
        counts.forEach((fact, count) -> byText.put(fact.text(), count));
        return byText;
    }

    /** Adds the events that are no reports of buffers. */
    void addEvents(AllocationHistory history) {
        Set<Long> processes = new HashSet<>();
        boolean isOff = false;
        for (HistoryEvent event : history.events()) {
            if (event instanceof HistoryEvent.TrackingStopped) {
                isOff = true;
            } else if (isOff && showsThatTheProgramWentOn(event)) {
                add(HistoryFact.GAP, 1);
                isOff = false;
            }
            if (event instanceof HistoryEvent.Allocated allocated) {
                allocated.request().details().processId().ifPresent(processes::add);
            }
            HistoryFact.of(event).ifPresent(fact -> add(fact, 1));
        }
        add(HistoryFact.PROCESS, processes.size());
    }

    /** Every file of the runtime ends before its program does, so an end of tracking alone is no gap. */
    private static boolean showsThatTheProgramWentOn(HistoryEvent event) {
        return event instanceof HistoryEvent.TrackingStarted
                || event instanceof HistoryEvent.Allocated
                || event instanceof HistoryEvent.Freed;
    }
}
