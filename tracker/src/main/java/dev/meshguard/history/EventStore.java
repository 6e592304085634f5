package dev.meshguard.history;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.history.internal.DeviceRecorder;
import dev.meshguard.history.internal.EventMerger;
import dev.meshguard.history.internal.PendingEvent;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The events of a history, and the sums that were kept beside them. */
sealed interface EventStore permits EventStore.Recorded, EventStore.Restored, LogEventStore {

    /** Returns the events, numbered; this may take long. */
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
        boolean wentOn = false;
        // The check is nearly always among the last events.
        for (int i = all.size() - 1; !wentOn && i >= 0 && all.get(i).number() > check; i--) {
            wentOn = changesWhatIsKnown(all.get(i));
        }
        if (!wentOn) {
            return this;
        }
        return counted(
                all.stream()
                        .filter(event -> event.number() <= check
                                || event instanceof HistoryEvent.HandleTraced
                                || event instanceof HistoryEvent.ReportsLost)
                        .toList(),
                hasFlatAddresses());
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

    /** Returns a store of events whose sums are counted from them. */
    static EventStore counted(List<HistoryEvent> events, boolean hasFlatAddresses) {
        return new Restored(events, DeviceSums.countedFrom(events), hasFlatAddresses);
    }

    /** The events and sums that a tracker held at one moment, sorted when they are first read. */
    final class Recorded implements EventStore {

        private final List<PendingEvent> markers;
        private final List<DeviceRecorder.Recording> recordings;
        private final boolean hasFlatAddresses;
        private @Nullable List<HistoryEvent> events;

        Recorded(List<PendingEvent> markers, List<DeviceRecorder.Recording> recordings, boolean hasFlatAddresses) {
            this.markers = List.copyOf(markers);
            this.recordings = List.copyOf(recordings);
            this.hasFlatAddresses = hasFlatAddresses;
        }

        @Override
        public synchronized List<HistoryEvent> events() {
            List<HistoryEvent> known = events;
            if (known == null) {
                known = Collections.unmodifiableList(EventMerger.numbered(markers, recordings));
                events = known;
            }
            return known;
        }

        @Override
        public List<DeviceSums> sums() {
            if (recordings.isEmpty()) {
                return List.of();
            }
            return recordings.stream()
                    .map(DeviceSums::of)
                    .sorted(Comparator.comparingInt(DeviceSums::device))
                    .toList();
        }

        @Override
        public boolean hasFlatAddresses() {
            return hasFlatAddresses;
        }
    }

    /** Events and sums that were read from a file. */
    record Restored(List<HistoryEvent> events, List<DeviceSums> sums, boolean hasFlatAddresses) implements EventStore {

        public Restored {
            events = List.copyOf(events);
            sums = List.copyOf(sums);
        }
    }
}
