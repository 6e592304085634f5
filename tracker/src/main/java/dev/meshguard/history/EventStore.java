package dev.meshguard.history;

import dev.meshguard.event.HistoryEvent;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.RandomAccess;

/** The events of a history, and the sums that were kept beside them. */
sealed interface EventStore permits EventStore.Whole, EventStore.Part {

    /** Returns the events, numbered. They never change. */
    List<HistoryEvent> events();

    /** Returns the sums of each device, ascending. */
    List<DeviceSums> sums();

    boolean hasFlatAddresses();

    /** Returns the events of one kind, oldest first. */
    default <E extends HistoryEvent> List<E> events(Class<E> kind) {
        List<E> found = new ArrayList<>();
        for (HistoryEvent event : events()) {
            if (kind.isInstance(event)) {
                found.add(kind.cast(event));
            }
        }
        return found;
    }

    /** Returns a store as of a check, or this store if no relevant event came after it. */
    default EventStore asOf(long check) {
        List<HistoryEvent> all = events();
        int end = all.size();
        // The check is nearly always among the last events.
        while (end > 0 && all.get(end - 1).number() > check) {
            end--;
        }
        List<HistoryEvent> later = all.subList(end, all.size());
        if (later.stream().noneMatch(EventStore::changesWhatIsKnown)) {
            return this;
        }
        List<HistoryEvent> known = new Joined(
                all.subList(0, end),
                later.stream()
                        .filter(event ->
                                event instanceof HistoryEvent.HandleTraced || event instanceof HistoryEvent.ReportsLost)
                        .toList());
        return new Part(known, sumsAtCheck(), hasFlatAddresses());
    }

    /** Returns the sums of each device at the last check, if they were kept. */
    default Optional<List<DeviceSums>> sumsAtCheck() {
        return Optional.empty();
    }

    /**
     * Returns whether an event after a check changes the state, rather than only what is known about the state at the
     * check.
     */
    static boolean changesWhatIsKnown(HistoryEvent event) {
        return !(event instanceof HistoryEvent.HandleTraced
                || event instanceof HistoryEvent.ReportsLost
                || event instanceof HistoryEvent.PhaseBegan);
    }

    /** All events of a history, and the sums that were kept beside them. */
    record Whole(
            List<HistoryEvent> events,
            List<DeviceSums> sums,
            Optional<List<DeviceSums>> sumsAtCheck,
            boolean hasFlatAddresses)
            implements EventStore {}

    /** Some events of another history; their sums are counted on request, unless they were kept. */
    record Part(List<HistoryEvent> events, Optional<List<DeviceSums>> keptSums, boolean hasFlatAddresses)
            implements EventStore {

        @Override
        public List<DeviceSums> sums() {
            return keptSums.orElseGet(() -> DeviceSums.countedFrom(events));
        }
    }

    /** Events and those that follow them, without a copy. */
    final class Joined extends AbstractList<HistoryEvent> implements RandomAccess {

        private final List<HistoryEvent> first;
        private final List<HistoryEvent> rest;

        private Joined(List<HistoryEvent> first, List<HistoryEvent> rest) {
            this.first = first;
            this.rest = rest;
        }

        @Override
        public HistoryEvent get(int index) {
            return index < first.size() ? first.get(index) : rest.get(index - first.size());
        }

        @Override
        public int size() {
            return first.size() + rest.size();
        }
    }
}
