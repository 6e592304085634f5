package dev.meshguard.history.internal;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MemoryRequest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Merges the events of all devices and the markers into one order and numbers them.
 *
 * <p>The order is that of the tickets. Events of one ticket are ordered by device, and a marker precedes the events of
 * its ticket. Events of one device never change their order, whatever their tickets are: two threads may reach a device
 * in another order than the one in which they got their tickets.
 */
public final class EventMerger {

    private EventMerger() {}

    /** Returns the numbered events. */
    public static List<HistoryEvent> numbered(List<PendingEvent> markers, List<DeviceRecorder.Recording> devices) {
        if (devices.isEmpty()) {
            return numbered(markers);
        }
        PriorityQueue<Source> queue = new PriorityQueue<>(
                Comparator.comparingLong((Source source) -> source.ticket).thenComparingInt(source -> source.rank));
        enqueue(queue, new MarkerSource(markers));
        for (DeviceRecorder.Recording device : devices) {
            enqueue(queue, new JournalSource(device.device(), device.journal()));
        }
        List<HistoryEvent> events = new ArrayList<>();
        while (!queue.isEmpty()) {
            Source source = queue.remove();
            long rivalTicket = queue.isEmpty() ? Long.MAX_VALUE : queue.element().ticket;
            boolean more;
            do {
                events.add(source.event(events.size() + 1L));
                more = source.advance();
            } while (more && source.ticket < rivalTicket);
            if (more) {
                queue.add(source);
            }
        }
        return events;
    }

    /** Numbers the markers alone: most tests of a healthy suite have no other events. */
    private static List<HistoryEvent> numbered(List<PendingEvent> markers) {
        List<HistoryEvent> events = new ArrayList<>(markers.size());
        for (PendingEvent marker : markers) {
            events.add(marker.event().apply(events.size() + 1L));
        }
        return events;
    }

    private static void enqueue(PriorityQueue<Source> queue, Source source) {
        if (source.advance()) {
            queue.add(source);
        }
    }

    /** One of the sequences to merge. */
    private abstract static class Source {
        /** The largest ticket so far, so that the sequence keeps its own order. */
        long ticket;

        final int rank;

        Source(int rank) {
            this.rank = rank;
        }

        /** Moves to the next event. */
        abstract boolean advance();

        abstract HistoryEvent event(long number);
    }

    private static final class MarkerSource extends Source {
        private final List<PendingEvent> markers;
        private int next = -1;

        MarkerSource(List<PendingEvent> markers) {
            // Less than every device, and than the number that stands for none.
            super(Integer.MIN_VALUE);
            this.markers = markers;
        }

        @Override
        boolean advance() {
            next++;
            if (next >= markers.size()) {
                return false;
            }
            ticket = Math.max(ticket, markers.get(next).ticket());
            return true;
        }

        @Override
        HistoryEvent event(long number) {
            return markers.get(next).event().apply(number);
        }
    }

    private static final class JournalSource extends Source {
        private final int device;
        private final Journal.View events;

        JournalSource(int device, Journal.View events) {
            super(device);
            this.device = device;
            this.events = events;
        }

        @Override
        boolean advance() {
            if (!events.next()) {
                return false;
            }
            ticket = Math.max(ticket, events.ticket());
            return true;
        }

        @Override
        HistoryEvent event(long number) {
            MemoryRequest request = DeviceRecorder.orPlain(events.request());
            return switch (events.kind()) {
                case ALLOCATED ->
                    new HistoryEvent.Allocated(
                            number,
                            request,
                            device,
                            events.type(),
                            events.address(),
                            events.size(),
                            events.ownership());
                case FREED ->
                    new HistoryEvent.Freed(
                            number, request, device, events.type(), events.address(), events.ownership());
                case FREE_IGNORED ->
                    new HistoryEvent.FreeIgnored(
                            number, request, device, events.type(), events.address(), events.reason());
            };
        }
    }
}
