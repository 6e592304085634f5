package dev.meshguard.report.reproduction;

import dev.meshguard.tracker.AllocationRequest;
import dev.meshguard.tracker.Origin;
import dev.meshguard.tracker.history.AllocationHistory;
import dev.meshguard.tracker.history.DeviceSums;
import dev.meshguard.tracker.history.EventNumbers;
import dev.meshguard.tracker.history.HistoryEvent;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.minimize.Finding;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What a tracker would record of a program that tells it the events again, before the program is written.
 *
 * <p>Each request is made on a line of its own, so what was known to come from one line comes from several, unless it is kept in a row
 * that one line makes.
 */
final class Rehearsal {

    private final List<HistoryEvent> events;
    /** Of the first event of each row how long it is. */
    private final Map<Integer, Integer> rows;

    private final boolean flatAddresses;

    private Rehearsal(List<HistoryEvent> events, Map<Integer, Integer> rows, boolean flatAddresses) {
        this.events = events;
        this.rows = rows;
        this.flatAddresses = flatAddresses;
    }

    /** Returns the first way of telling the events that leads to the same finding, the simplest first. */
    static Optional<Rehearsal> of(AllocationHistory history, Finding finding) {
        List<HistoryEvent> plain = history.events();
        List<HistoryEvent> inRows = inRows(plain);
        for (boolean flat : history.hasFlatAddresses() ? new boolean[] {true} : new boolean[] {true, false}) {
            for (Rehearsal play : List.of(
                    new Rehearsal(plain, Map.of(), flat),
                    new Rehearsal(plain, rowsOf(plain), flat),
                    new Rehearsal(inRows, rowsOf(inRows), flat))) {
                if (finding.isKeptBy(play.finding())) {
                    return Optional.of(play);
                }
            }
        }
        return Optional.empty();
    }

    List<HistoryEvent> events() {
        return events;
    }

    boolean hasFlatAddresses() {
        return flatAddresses;
    }

    /** Returns the row that begins at a place; nothing if none does. */
    List<HistoryEvent.Allocated> rowAt(int place) {
        return events.subList(place, place + rows.getOrDefault(place, 0)).stream()
                .map(HistoryEvent.Allocated.class::cast)
                .toList();
    }

    Finding finding() {
        Map<AllocationRequest, AllocationRequest> asked = new IdentityHashMap<>();
        List<HistoryEvent> told = new ArrayList<>();
        int endOfRow = 0;
        int line = 0;
        for (int i = 0; i < events.size(); i++) {
            endOfRow = Math.max(endOfRow, i + rows.getOrDefault(i, 0));
            line = i < endOfRow && !rows.containsKey(i) ? line : i;
            told.add(EventNumbers.numbered(told(events.get(i), line, asked), i + 1L));
        }
        return Finding.of(LeakCheck.create()
                .examine(AllocationHistory.restored(told, DeviceSums.countedFrom(told), flatAddresses, true)));
    }

    private static HistoryEvent told(
            HistoryEvent event, int line, Map<AllocationRequest, AllocationRequest> asked) {
        if (event instanceof HistoryEvent.Allocated e) {
            return new HistoryEvent.Allocated(
                    e.number(), asked(e.request(), line, asked), e.device(), e.type(), e.address(), e.size(), e.ownership());
        } else if (event instanceof HistoryEvent.Freed e) {
            return new HistoryEvent.Freed(
                    e.number(), released(e.request(), asked), e.device(), e.type(), e.address(), e.ownership());
        } else if (event instanceof HistoryEvent.FreeIgnored e) {
            return new HistoryEvent.FreeIgnored(
                    e.number(), released(e.request(), asked), e.device(), e.type(), e.address(), e.reason());
        } else if (event instanceof HistoryEvent.HandleTraced e) {
            return new HistoryEvent.HandleTraced(e.number(), asked(e.request(), line, asked), e.reachability());
        }
        return event;
    }

    private static AllocationRequest asked(
            AllocationRequest request, int line, Map<AllocationRequest, AllocationRequest> asked) {
        StackTraceElement frame = new StackTraceElement("Reproduction", "test", "Reproduction.java", line + 1);
        return again(request, Optional.of(new Origin(List.of(frame))), asked);
    }

    private static AllocationRequest released(
            AllocationRequest request, Map<AllocationRequest, AllocationRequest> asked) {
        return again(request, Optional.empty(), asked);
    }

    private static AllocationRequest again(
            AllocationRequest request, Optional<Origin> origin, Map<AllocationRequest, AllocationRequest> asked) {
        return request.isAnonymous()
                ? AllocationRequest.restored(request.details(), origin)
                : asked.computeIfAbsent(request, unused -> AllocationRequest.restored(request.details(), origin));
    }

    /** Puts what one line asked for behind the first of it. */
    private static List<HistoryEvent> inRows(List<HistoryEvent> events) {
        Map<Object, List<HistoryEvent>> alike = new HashMap<>();
        for (HistoryEvent event : events) {
            likeness(event).ifPresent(key -> alike.computeIfAbsent(key, unused -> new ArrayList<>())
                    .add(event));
        }
        Set<HistoryEvent> placed = Collections.newSetFromMap(new IdentityHashMap<>());
        List<HistoryEvent> ordered = new ArrayList<>();
        for (HistoryEvent event : events) {
            List<HistoryEvent> row = likeness(event).map(alike::get).orElse(List.of(event));
            if (placed.add(row.get(0))) {
                ordered.addAll(row);
                placed.addAll(row);
            } else if (row.size() == 1) {
                ordered.add(event);
            }
        }
        return ordered;
    }

    private static Map<Integer, Integer> rowsOf(List<HistoryEvent> events) {
        Map<Integer, Integer> rows = new HashMap<>();
        int start = 0;
        for (int i = 1; i <= events.size(); i++) {
            boolean goesOn = i < events.size()
                    && likeness(events.get(i)).isPresent()
                    && likeness(events.get(i)).equals(likeness(events.get(start)));
            if (!goesOn) {
                if (i - start > 1) {
                    rows.put(start, i - start);
                }
                start = i;
            }
        }
        return rows;
    }

    private record Likeness(Origin origin, Object details, Object type, long size, Object ownership) {}

    /** Only requests of one report can be made one after the other by one line. */
    private static Optional<Likeness> likeness(HistoryEvent event) {
        return event instanceof HistoryEvent.Allocated e
                ? e.request()
                        .origin()
                        .map(origin -> new Likeness(origin, e.request().details(), e.type(), e.size(), e.ownership()))
                : Optional.empty();
    }
}
