package dev.meshguard.tracker.history;

import dev.meshguard.tracker.internal.DeviceBooks;
import dev.meshguard.tracker.internal.Marker;
import dev.meshguard.tracker.internal.Merge;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/** What a history is made of: the events, and the sums that were kept beside them. */
sealed interface Contents {

    /** Returns the events, numbered; may take its time. */
    List<HistoryEvent> events();

    /** Returns what was kept of each device, ascending. */
    List<DeviceSums> sums();

    boolean hasFlatAddresses();

    boolean isComplete();

    /** Returns the events that are needed to know the lives that are not quiet; all of them where nobody looks for quiet ones. */
    default List<HistoryEvent> notableEvents() {
        return events();
    }

    /** Returns the events that are needed to know the quiet lives. */
    default List<HistoryEvent> quietEvents() {
        return List.of();
    }

    /**
     * Returns which life of its address a notable one is, by the number of the event that begins it, where lives before it are left
     * out.
     */
    default Map<Long, Integer> notableLives() {
        return Map.of();
    }

    /** Returns the same of the quiet lives. */
    default Map<Long, Integer> quietLives() {
        return Map.of();
    }

    default QuietLives quiet() {
        return QuietLives.NONE;
    }

    /**
     * What a tracker holds at one moment, not yet in order.
     *
     * @param markers the events of no device
     * @param recordings the events and sums of each device
     */
    record Recorded(List<Marker> markers, List<DeviceBooks.Recording> recordings, boolean hasFlatAddresses)
            implements Contents {

        public Recorded {
            markers = List.copyOf(markers);
            recordings = List.copyOf(recordings);
        }

        @Override
        public List<HistoryEvent> events() {
            return Collections.unmodifiableList(Merge.numbered(markers, recordings));
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
        public boolean isComplete() {
            for (DeviceBooks.Recording recording : recordings) {
                if (recording.journal() == null) {
                    return false;
                }
            }
            return true;
        }
    }

    /** What was written down. */
    record Restored(List<HistoryEvent> events, List<DeviceSums> sums, boolean hasFlatAddresses, boolean isComplete)
            implements Contents {

        public Restored {
            events = List.copyOf(events);
            sums = List.copyOf(sums);
        }
    }

    /** What a log says. */
    final class Compact implements Contents {

        private final CompactEvents all;
        private final int end;
        /** What came to light later and counts all the same. */
        private final List<HistoryEvent> later;

        private final boolean canSift;
        private @Nullable Sifting sifting;

        Compact(CompactEvents all) {
            this(all, all.size(), List.of());
        }

        private Compact(CompactEvents all, int end, List<HistoryEvent> later) {
            this.all = all;
            this.end = end;
            this.later = later;
            this.canSift = Sifting.canSift(all);
        }

        /** Returns what was known at an event, and what came to light later. */
        Compact upTo(long event) {
            List<HistoryEvent> losses = all.others().stream()
                    .filter(other -> other.number() > event && other instanceof HistoryEvent.ReportsLost)
                    .toList();
            return new Compact(all, (int) event, losses);
        }

        /** Returns whether anything happened after an event that changes what is known. */
        boolean wentOnAfter(long event) {
            for (int later = (int) event; later < end; later++) {
                if (all.kind(later) != CompactEvents.OTHER || AllocationHistory.changesWhatIsKnown(all.other(later))) {
                    return true;
                }
            }
            return false;
        }

        @Override
        public List<HistoryEvent> events() {
            return chosen(event -> true);
        }

        @Override
        public List<HistoryEvent> notableEvents() {
            return canSift ? chosen(sifting().notable()::get) : events();
        }

        @Override
        public List<HistoryEvent> quietEvents() {
            if (!canSift) {
                return List.of();
            }
            BitSet notable = sifting().notable();
            return chosen(event -> !notable.get(event) || all.kind(event) == CompactEvents.OTHER);
        }

        @Override
        public Map<Long, Integer> notableLives() {
            return canSift ? sifting().notableLives() : Map.of();
        }

        @Override
        public Map<Long, Integer> quietLives() {
            return canSift ? sifting().quietLives() : Map.of();
        }

        @Override
        public QuietLives quiet() {
            return canSift ? sifting().quiet() : QuietLives.NONE;
        }

        @Override
        public List<DeviceSums> sums() {
            return canSift ? sifting().sums() : DeviceSums.countedFrom(events());
        }

        @Override
        public boolean hasFlatAddresses() {
            return false;
        }

        @Override
        public boolean isComplete() {
            return true;
        }

        /** Returns whether lives are what the references say, and so need not be looked at one by one to be told. */
        boolean areLivesCounted() {
            return canSift && sifting().areLivesCounted();
        }

        /** Returns what the lives add up to, if they are counted. */
        LifeSums lifeSums() {
            return sifting().lives();
        }

        /** Tells of every life if they are counted, else of the quiet ones. */
        void eachCountedLife(LifeListener listener) {
            if (canSift) {
                Sifting known = sifting();
                boolean isEach = known.areLivesCounted();
                eachLife(listener, event -> isEach || !known.notable().get(event));
            }
        }

        private void eachLife(LifeListener listener, IntPredicate isTold) {
            int[] open = new int[all.places()];
            long[] size = new long[all.places()];
            for (int event = 0; event < end; event++) {
                int kind = all.kind(event);
                int place = all.place(event);
                if (kind > CompactEvents.FREED || !isTold.test(event)) {
                    continue;
                }
                if (kind == CompactEvents.ALLOCATED && open[place]++ == 0) {
                    size[place] = all.reportedSize(event);
                    listener.changed(event + 1L, all.device(place), all.type(place), size[place], true);
                } else if (kind == CompactEvents.FREED && open[place] > 0 && --open[place] == 0) {
                    listener.changed(event + 1L, all.device(place), all.type(place), size[place], false);
                }
            }
        }

        private List<HistoryEvent> chosen(IntPredicate isChosen) {
            List<HistoryEvent> chosen = new ArrayList<>();
            for (int event = 0; event < end; event++) {
                if (isChosen.test(event)) {
                    chosen.add(all.event(event));
                }
            }
            chosen.addAll(later);
            return Collections.unmodifiableList(chosen);
        }

        private synchronized Sifting sifting() {
            Sifting known = sifting;
            if (known == null) {
                known = new Sifting(all, end);
                sifting = known;
            }
            return known;
        }
    }
}
