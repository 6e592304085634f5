package dev.meshguard.reproduce;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Origin;
import dev.meshguard.event.Ownership;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.DeviceSums;
import dev.meshguard.reproduce.minimize.FailureSignature;
import dev.meshguard.verdict.LeakCheck;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The history that a tracker would record from a program that reports the events again; computed before the program is
 * written.
 *
 * <p>In the program each request is made on a line of its own, so requests of one line come from several. If a finding
 * depends on the line, one line must make several requests: in a row of reports, or all of them beforehand.
 */
final class ReproductionDryRun {

    /** Represents lines that make requests beforehand. */
    private static final int BEFOREHAND = 1_000_000;

    /** The common properties of requests that one line of a program can make. */
    private record Line(Origin origin, AllocationDetails details) {}

    /** The common properties of reports that one line of a program can make. */
    private record Row(Line line, BufferType type, long size, Ownership ownership) {}

    private final List<HistoryEvent> events;
    private final boolean flatAddresses;
    /** The length of each row, by its first event. */
    private final Map<Integer, Integer> rows;
    /** For each request, all requests of its line. */
    private final IdentityHashMap<MemoryRequest, List<MemoryRequest>> lines;

    private ReproductionDryRun(
            List<HistoryEvent> events,
            boolean flatAddresses,
            Map<Integer, Integer> rows,
            IdentityHashMap<MemoryRequest, List<MemoryRequest>> lines) {
        this.events = events;
        this.flatAddresses = flatAddresses;
        this.rows = rows;
        this.lines = lines;
    }

    /** Returns the first order of events that leads to the same finding, trying the simplest first. */
    static Optional<ReproductionDryRun> of(AllocationHistory history, FailureSignature finding) {
        List<HistoryEvent> events = history.events();
        for (boolean flat : history.hasFlatAddresses() ? new boolean[] {true} : new boolean[] {true, false}) {
            for (ReproductionDryRun play : List.of(
                    new ReproductionDryRun(events, flat, Map.of(), new IdentityHashMap<>()),
                    new ReproductionDryRun(events, flat, rowsOf(events), new IdentityHashMap<>()),
                    new ReproductionDryRun(events, flat, Map.of(), linesOf(events)))) {
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

    /** Returns the row that begins at an index; empty if none does. */
    List<HistoryEvent.Allocated> rowAt(int place) {
        return events.subList(place, place + rows.getOrDefault(place, 0)).stream()
                .map(HistoryEvent.Allocated.class::cast)
                .toList();
    }

    /**
     * Returns the requests that are made beforehand together with a given one, in order; empty if it is made at its
     * use.
     */
    List<MemoryRequest> madeTogether(MemoryRequest request) {
        return lines.getOrDefault(request, List.of());
    }

    private FailureSignature finding() {
        IdentityHashMap<MemoryRequest, MemoryRequest> asked = new IdentityHashMap<>();
        List<HistoryEvent> replayed = new ArrayList<>();
        int endOfRow = 0;
        int line = 0;
        for (int i = 0; i < events.size(); i++) {
            endOfRow = Math.max(endOfRow, i + rows.getOrDefault(i, 0));
            line = i < endOfRow && !rows.containsKey(i) ? line : i;
            replayed.add(reported(events.get(i), line, asked));
        }
        return FailureSignature.of(LeakCheck.create()
                .examine(AllocationHistory.restored(replayed, DeviceSums.countedFrom(replayed), flatAddresses, true)));
    }

    private HistoryEvent reported(HistoryEvent event, int line, IdentityHashMap<MemoryRequest, MemoryRequest> asked) {
        if (event instanceof HistoryEvent.Allocated e) {
            return new HistoryEvent.Allocated(
                    e.number(),
                    asked(e.request(), line, asked),
                    e.device(),
                    e.type(),
                    e.address(),
                    e.size(),
                    e.ownership());
        } else if (event instanceof HistoryEvent.Freed e) {
            return new HistoryEvent.Freed(
                    e.number(), released(e.request(), asked), e.device(), e.type(), e.address(), e.ownership());
        } else if (event instanceof HistoryEvent.FreeIgnored e) {
            return new HistoryEvent.FreeIgnored(
                    e.number(), released(e.request(), asked), e.device(), e.type(), e.address(), e.reason());
        } else if (event instanceof HistoryEvent.HandleTraced e) {
            return new HistoryEvent.HandleTraced(e.number(), asked(e.request(), line, asked), e.reachability());
        } else if (event instanceof HistoryEvent.BufferCaptured e) {
            return new HistoryEvent.BufferCaptured(e.number(), e.trace(), asked(e.request(), line, asked));
        }
        return event;
    }

    private MemoryRequest asked(MemoryRequest request, int line, IdentityHashMap<MemoryRequest, MemoryRequest> asked) {
        List<MemoryRequest> together = madeTogether(request);
        int where = together.isEmpty() ? line : BEFOREHAND + indexOfFirst(together.get(0));
        StackTraceElement frame = new StackTraceElement("Reproduction", "test", "Reproduction.java", where + 1);
        return again(request, Optional.of(new Origin(List.of(frame))), asked);
    }

    @SuppressWarnings("ReferenceEquality") // Two requests with the same details are two requests.
    private int indexOfFirst(MemoryRequest request) {
        int index = 0;
        while (!(events.get(index) instanceof HistoryEvent.Allocated e && e.request() == request)) {
            index++;
        }
        return index;
    }

    private static MemoryRequest released(MemoryRequest request, IdentityHashMap<MemoryRequest, MemoryRequest> asked) {
        return again(request, Optional.empty(), asked);
    }

    private static MemoryRequest again(
            MemoryRequest request, Optional<Origin> origin, IdentityHashMap<MemoryRequest, MemoryRequest> asked) {
        return request.isAnonymous()
                ? MemoryRequest.restored(request.details(), origin)
                : asked.computeIfAbsent(request, unused -> MemoryRequest.restored(request.details(), origin));
    }

    // Possible lines

    private static IdentityHashMap<MemoryRequest, List<MemoryRequest>> linesOf(List<HistoryEvent> events) {
        Map<Line, List<MemoryRequest>> byLine = new HashMap<>();
        IdentityHashMap<MemoryRequest, List<MemoryRequest>> lines = new IdentityHashMap<>();
        for (HistoryEvent event : events) {
            if (event instanceof HistoryEvent.Allocated e && !lines.containsKey(e.request())) {
                lineOf(e.request()).ifPresent(line -> {
                    List<MemoryRequest> together = byLine.computeIfAbsent(line, unused -> new ArrayList<>());
                    together.add(e.request());
                    lines.put(e.request(), together);
                });
            }
        }
        lines.values().removeIf(together -> together.size() < 2);
        return lines;
    }

    private static Map<Integer, Integer> rowsOf(List<HistoryEvent> events) {
        IdentityHashMap<MemoryRequest, Integer> uses = new IdentityHashMap<>();
        events.forEach(event -> requestOf(event).ifPresent(request -> uses.merge(request, 1, Integer::sum)));
        Map<Integer, Integer> rows = new HashMap<>();
        int start = 0;
        for (int i = 1; i <= events.size(); i++) {
            Optional<Row> row = rowOf(events.get(start), uses);
            boolean goesOn = i < events.size() && row.isPresent() && row.equals(rowOf(events.get(i), uses));
            if (!goesOn) {
                if (i - start > 1) {
                    rows.put(start, i - start);
                }
                start = i;
            }
        }
        return rows;
    }

    /** A row makes a request for each report and keeps none, so requests that are needed again cannot be in a row. */
    private static Optional<Row> rowOf(HistoryEvent event, IdentityHashMap<MemoryRequest, Integer> uses) {
        return event instanceof HistoryEvent.Allocated e && uses.getOrDefault(e.request(), 0) == 1
                ? lineOf(e.request()).map(line -> new Row(line, e.type(), e.size(), e.ownership()))
                : Optional.empty();
    }

    private static Optional<Line> lineOf(MemoryRequest request) {
        return request.origin().map(origin -> new Line(origin, request.details()));
    }

    private static Optional<MemoryRequest> requestOf(HistoryEvent event) {
        if (event instanceof HistoryEvent.Allocated e) {
            return Optional.of(e.request());
        }
        if (event instanceof HistoryEvent.BufferCaptured e) {
            return Optional.of(e.request());
        }
        return event instanceof HistoryEvent.HandleTraced e ? Optional.of(e.request()) : Optional.empty();
    }
}
