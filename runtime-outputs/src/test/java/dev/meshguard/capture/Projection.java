package dev.meshguard.capture;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Owner;
import dev.meshguard.history.AllocationHistory;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The part of a history that a file of the runtime keeps, by its own replay of the reports; shares no code with the writer.
 *
 * <ol>
 *   <li>Reports of one address are counted, as the allocation server does: the first one allocates the buffer, with its size
 *       and owner, and the free of the last one frees it. Other frees are dropped.
 *   <li>A buffer of which all reports are of views is dropped.
 *   <li>An owner is kept by its name.
 *   <li>The frees of one call are in the order of their allocations.
 * </ol>
 */
final class Projection {

    private record Place(int device, BufferType type, long address) {}

    private static final class Buffer {
        private final int number;
        private final String place;
        private final String report;
        private int reports = 1;

        private Buffer(int number, String place, String report) {
            this.number = number;
            this.place = place;
            this.report = report;
        }
    }

    private record Change(Buffer buffer, boolean isFree, MemoryRequest request) {}

    private Projection() {}

    /** Returns the reports that are kept, one a line. */
    static List<String> of(AllocationHistory history) {
        Map<Place, Buffer> live = new HashMap<>();
        List<Change> changes = new ArrayList<>();
        Set<Buffer> kept = new HashSet<>();
        for (HistoryEvent event : history.events()) {
            if (event instanceof HistoryEvent.Allocated report) {
                Place place = new Place(report.device(), report.type(), report.address());
                Buffer buffer = live.get(place);
                if (buffer == null) {
                    buffer = new Buffer(changes.size(), textOf(place), textOf(report));
                    live.put(place, buffer);
                    changes.add(new Change(buffer, false, report.request()));
                } else {
                    buffer.reports++;
                }
                if (!report.request().details().view()) {
                    kept.add(buffer);
                }
            } else if (event instanceof HistoryEvent.Freed report) {
                Place place = new Place(report.device(), report.type(), report.address());
                Buffer buffer = live.get(place);
                if (buffer != null && --buffer.reports == 0) {
                    live.remove(place);
                    changes.add(new Change(buffer, true, report.request()));
                }
            }
        }
        changes.removeIf(change -> !kept.contains(change.buffer));
        return texts(changes);
    }

    private static List<String> texts(List<Change> changes) {
        List<String> texts = new ArrayList<>();
        for (int from = 0; from < changes.size(); ) {
            Change first = changes.get(from);
            if (!first.isFree) {
                texts.add(first.buffer.report);
                from++;
                continue;
            }
            int to = from;
            while (to < changes.size() && changes.get(to).isFree && changes.get(to).request == first.request) {
                to++;
            }
            changes.subList(from, to).stream()
                    .map(Change::buffer)
                    .sorted(Comparator.comparingInt(buffer -> buffer.number))
                    .forEach(buffer -> texts.add("freed " + buffer.place));
            from = to;
        }
        return texts;
    }

    /** Returns the reports of a history that was read, one a line. */
    static List<String> reportsOf(AllocationHistory history) {
        return history.events().stream()
                .flatMap(event -> {
                    if (event instanceof HistoryEvent.Allocated report) {
                        return Stream.of(textOf(report));
                    }
                    if (event instanceof HistoryEvent.Freed report) {
                        return Stream.of(
                                "freed " + textOf(new Place(report.device(), report.type(), report.address())));
                    }
                    return Stream.empty();
                })
                .toList();
    }

    private static String textOf(HistoryEvent.Allocated report) {
        return String.format(
                Locale.ROOT,
                "allocated %s, %d bytes, owner %s",
                textOf(new Place(report.device(), report.type(), report.address())),
                report.size(),
                report.request().details().owner().map(Owner::toString).orElse("none"));
    }

    private static String textOf(Place place) {
        return place.type + " on device " + place.device + " at " + place.address;
    }
}
