package dev.meshguard.history;

import dev.meshguard.event.HistoryEvent;
import java.util.AbstractList;
import java.util.List;
import java.util.Optional;
import java.util.RandomAccess;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/**
 * The events of a history, and the sums that were kept beside them.
 *
 * @param events the events, numbered; they never change
 * @param keptSums the sums of each device, ascending, if they were kept
 * @param hasFlatAddresses whether sizes determine how far a buffer reaches from its address
 */
record EventStore(List<HistoryEvent> events, Optional<List<DeviceSums>> keptSums, boolean hasFlatAddresses) {

    /** Returns the sums of each device, ascending; they are counted if they were not kept. */
    List<DeviceSums> sums() {
        return keptSums.orElseGet(() -> DeviceSums.countedFrom(events));
    }

    /** Returns some of the events; their sums are counted if they are needed. */
    EventStore part(Predicate<HistoryEvent> isSelected) {
        int[] positions = IntStream.range(0, events.size())
                .filter(position -> isSelected.test(events.get(position)))
                .toArray();
        return new EventStore(new Part(events, positions), Optional.empty(), hasFlatAddresses);
    }

    /** Returns a store as of a check, or this store if no relevant event came after it. */
    EventStore asOf(long check) {
        // The check is nearly always among the last events.
        int last = events.size() - 1;
        while (last >= 0 && events.get(last).number() > check && !changesState(events.get(last))) {
            last--;
        }
        return last < 0 || events.get(last).number() <= check
                ? this
                : part(event -> event.number() <= check
                        || event instanceof HistoryEvent.HandleTraced
                        || event instanceof HistoryEvent.ReportsLost);
    }

    /** Returns whether an event changes the state, rather than only what is known about it. */
    private static boolean changesState(HistoryEvent event) {
        return !(event instanceof HistoryEvent.HandleTraced
                || event instanceof HistoryEvent.ReportsLost
                || event instanceof HistoryEvent.PhaseBegan);
    }

    /** Some events of a list, without a copy. */
    private static final class Part extends AbstractList<HistoryEvent> implements RandomAccess {

        private final List<HistoryEvent> all;
        private final int[] positions;

        private Part(List<HistoryEvent> all, int[] positions) {
            this.all = all;
            this.positions = positions;
        }

        @Override
        public HistoryEvent get(int index) {
            return all.get(positions[index]);
        }

        @Override
        public int size() {
            return positions.length;
        }
    }
}
