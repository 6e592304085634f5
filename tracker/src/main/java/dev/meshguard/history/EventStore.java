package dev.meshguard.history;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.HistoryEvent;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.RandomAccess;
import java.util.function.Consumer;

/** The events of a history, and the sums that were kept beside them. */
sealed interface EventStore permits EventStore.Whole, EventStore.Part, LogEventStore {

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

    /**
     * Some of the events.
     *
     * @param events the events, oldest first
     * @param generations the generation number of an address, by the number of the event that begins it, where earlier
     *     generations are omitted
     */
    record Selection(List<HistoryEvent> events, Map<Long, Integer> generations) {

        static final Selection NOTHING = new Selection(List.of(), Map.of());
    }

    /**
     * Returns the events without those of settled generations. A history needs only these, unless a settled generation
     * is requested.
     *
     * <p>A settled generation was freed at the last check and when the source stopped reporting, and no anomaly
     * concerns it. Its reports hold only device, memory, address, size and process. Only the store of a log has any.
     */
    default Selection unsettled() {
        return new Selection(events(), Map.of());
    }

    /** Returns the events of the settled generations, and those without an address. */
    default Selection settled() {
        return Selection.NOTHING;
    }

    /** Returns all details that reports of settled generations have; empty if there are none. */
    default Collection<AllocationDetails> settledDetails() {
        return List.of();
    }

    /**
     * Passes every change of the allocated memory by settled generations to a consumer, in the order of the events.
     */
    default void eachSettledChange(Consumer<Timeline.Change> consumer) {}

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
