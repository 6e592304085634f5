package dev.meshguard.history;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.history.internal.Ledger;
import dev.meshguard.history.internal.Ledger.Effect;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The events of a log up to one of them, and which generations are settled.
 *
 * <p>Events at one address do not affect another, and a settled generation does not affect the next one at its address.
 * So settled generations are skipped. That makes {@code analyze} of a log of a million lines almost three times as
 * fast: see {@code docs/internals/performance.md}. The reports are entered in the same ledger as those of a tracker;
 * nothing is counted here.
 */
final class LogEventStore implements EventStore {

    /** Indexed by {@link LogEvents#ALLOCATED} and the other kinds of reports. */
    private static final List<Class<? extends HistoryEvent>> KINDS =
            List.of(HistoryEvent.Allocated.class, HistoryEvent.Freed.class, HistoryEvent.FreeIgnored.class);

    private static final long UNSETTLED = Long.MIN_VALUE;

    private final LogEvents all;
    private final int end;
    /** Events after the end that count nevertheless. */
    private final List<HistoryEvent> later;

    private @Nullable List<HistoryEvent> events;
    private @Nullable Pass pass;

    LogEventStore(LogEvents all) {
        this(all, all.size(), List.of());
    }

    private LogEventStore(LogEvents all, int end, List<HistoryEvent> later) {
        this.all = all;
        this.end = end;
        this.later = later;
    }

    @Override
    public EventStore asOf(long check) {
        if (!wentOnAfter(check)) {
            return this;
        }
        List<HistoryEvent> losses = all.others().stream()
                .filter(other -> other.number() > check && other instanceof HistoryEvent.ReportsLost)
                .toList();
        return new LogEventStore(all, (int) check, losses);
    }

    private boolean wentOnAfter(long check) {
        for (int next = (int) check; next < end; next++) {
            if (all.kind(next) != LogEvents.OTHER || EventStore.changesWhatIsKnown(all.other(next))) {
                return true;
            }
        }
        return false;
    }

    @Override
    public synchronized List<HistoryEvent> events() {
        List<HistoryEvent> known = events;
        if (known == null) {
            known = Collections.unmodifiableList(events(HistoryEvent.class));
            events = known;
        }
        return known;
    }

    @Override
    public <E extends HistoryEvent> List<E> events(Class<E> kind) {
        boolean[] holdsKind = new boolean[LogEvents.OTHER];
        for (int report = 0; report < holdsKind.length; report++) {
            holdsKind[report] = kind.isAssignableFrom(KINDS.get(report));
        }
        List<E> found = new ArrayList<>();
        for (int event = 0; event < end; event++) {
            int report = all.kind(event);
            if (report == LogEvents.OTHER ? kind.isInstance(all.other(event)) : holdsKind[report]) {
                found.add(kind.cast(all.event(event)));
            }
        }
        later.stream().filter(kind::isInstance).map(kind::cast).forEach(found::add);
        return found;
    }

    @Override
    public Selection unsettled() {
        return select(true);
    }

    @Override
    public Selection settled() {
        return select(false);
    }

    /**
     * Selects generations by their first event; the following events at their address belong to them until the next one
     * begins.
     */
    private Selection select(boolean isUnsettled) {
        Pass known = pass();
        BitSet chosenAddresses = new BitSet();
        chosenAddresses.or(known.unsettledAddresses);
        if (!isUnsettled) {
            chosenAddresses.flip(0, all.indices());
        }
        int[] numbers = new int[all.indices()];
        List<HistoryEvent> chosen = new ArrayList<>();
        Map<Long, Integer> generations = new HashMap<>();
        for (int event = 0; event < end; event++) {
            if (all.kind(event) == LogEvents.OTHER) {
                // A report among them leaves no address settled.
                if (isUnsettled || !isReport(all.other(event))) {
                    chosen.add(all.event(event));
                }
                continue;
            }
            int index = all.index(event);
            if (known.begins.get(event) && !known.unsettledAddresses.get(index)) {
                numbers[index]++;
                boolean isChosen = known.unsettled.get(event) == isUnsettled;
                chosenAddresses.set(index, isChosen);
                if (isChosen && numbers[index] > 1 && known.mixedAddresses.get(index)) {
                    generations.put(event + 1L, numbers[index]);
                }
            }
            if (chosenAddresses.get(index)) {
                chosen.add(all.event(event));
            }
        }
        chosen.addAll(later);
        return new Selection(chosen, generations);
    }

    private static boolean isReport(HistoryEvent event) {
        return event instanceof HistoryEvent.Allocated
                || event instanceof HistoryEvent.Freed
                || event instanceof HistoryEvent.FreeIgnored;
    }

    @Override
    public Collection<AllocationDetails> settledDetails() {
        return all.details();
    }

    @Override
    public void eachSettledChange(Consumer<Timeline.Change> consumer) {
        Pass known = pass();
        long[] sizes = new long[all.indices()];
        for (int event = 0; event < end; event++) {
            boolean begins = known.begins.get(event);
            if (!begins && !known.ends.get(event)) {
                continue;
            }
            int index = all.index(event);
            if (begins) {
                boolean isSettled = !known.unsettled.get(event) && !known.unsettledAddresses.get(index);
                sizes[index] = isSettled ? all.reportedSize(event) : UNSETTLED;
            }
            if (sizes[index] != UNSETTLED) {
                consumer.accept(change(event, index, begins ? 1 : -1, sizes[index]));
            }
        }
    }

    private Timeline.Change change(int event, int index, int sign, long size) {
        MemorySnapshot.MemoryKey memory =
                new MemorySnapshot.MemoryKey(all.device(index), all.type(index), BufferLifetime.USER);
        return new Timeline.Change(event + 1L, memory, sign, sign * size);
    }

    @Override
    public List<DeviceSums> sums() {
        return pass().sums;
    }

    @Override
    public boolean hasFlatAddresses() {
        return false;
    }

    private synchronized Pass pass() {
        Pass known = pass;
        if (known == null) {
            known = new Pass(all, end);
            pass = known;
        }
        return known;
    }

    /** One pass over the events that enters them in a ledger and finds the addresses that are not settled. */
    private static final class Pass {

        private static final int NONE = -1;

        private final LogEvents all;
        /** The generations that are not settled, by the events that begin them. */
        private final BitSet unsettled = new BitSet();

        /** The addresses with such generations. */
        private final BitSet mixedAddresses = new BitSet();

        /** The addresses of which no generation is settled. */
        private final BitSet unsettledAddresses = new BitSet();

        /** The events that begin and end generations. */
        private final BitSet begins = new BitSet();

        private final BitSet ends = new BitSet();
        private final List<DeviceSums> sums;

        /** The addresses in use. */
        private final BitSet open = new BitSet();

        /** The event that began the latest generation of each address. */
        private final int[] latestBegins;

        private final Ledger ledger = new Ledger();
        private final Set<Integer> openDevices = new HashSet<>();
        private final Set<Integer> closedDevices = new HashSet<>();

        Pass(LogEvents all, int end) {
            this.all = all;
            this.latestBegins = new int[all.indices()];
            Arrays.fill(latestBegins, NONE);
            unsettledAddresses.or(all.shared());
            HistoryEvent lastCheck = lastCheck(end);
            for (int event = 0; event < end; event++) {
                if (all.kind(event) == LogEvents.OTHER) {
                    other(all.other(event), lastCheck);
                } else {
                    report(event, all.index(event));
                }
            }
            open.stream().forEach(this::unsettle);
            this.sums = DeviceSums.of(ledger);
        }

        private @Nullable HistoryEvent lastCheck(int end) {
            HistoryEvent last = null;
            for (HistoryEvent event : all.others()) {
                last = event instanceof HistoryEvent.Checked && event.number() <= end ? event : last;
            }
            return last;
        }

        private void report(int event, int index) {
            int device = all.device(index);
            BufferType type = all.type(index);
            Effect effect = switch (all.kind(event)) {
                case LogEvents.ALLOCATED ->
                    ledger.allocated(null, device, type, all.address(index), all.reportedSize(event));
                case LogEvents.FREED -> ledger.freed(null, device, type, all.address(index));
                default -> {
                    ledger.freeIgnored(device);
                    yield Effect.NOTHING_TO_FREE;
                }
            };
            switch (effect) {
                case ENTERED, ENTERED_OVER_ANOTHER -> {
                    begins.set(event);
                    latestBegins[index] = event;
                    open.set(index);
                }
                case REMOVED -> {
                    ends.set(event);
                    open.clear(index);
                }
                case REPEATED_WITH_OTHER_SIZE, RESIZED, NOTHING_TO_FREE -> unsettle(index);
                case REPEATED, RELEASED -> {}
            }
            if (!closedDevices.isEmpty() && closedDevices.contains(device)) {
                unsettledAddresses.set(index);
            }
        }

        /** Marks the latest generation of an address as not settled: anomalies concern it, and only it can be open. */
        private void unsettle(int index) {
            if (latestBegins[index] == NONE) {
                unsettledAddresses.set(index);
            } else {
                unsettled.set(latestBegins[index]);
                mixedAddresses.set(index);
            }
        }

        private void other(HistoryEvent event, @Nullable HistoryEvent lastCheck) {
            ledger.enter(event);
            if (event instanceof HistoryEvent.DeviceClosed closed) {
                openDevices.remove(closed.device());
                closedDevices.add(closed.device());
                unsettleOpenOn(closed.device());
            } else if (event instanceof HistoryEvent.DeviceOpened opened) {
                if (!openDevices.add(opened.device())) {
                    // Then every report counts for the question whether the contents of the device can be
                    // distinguished.
                    unsettledAddresses.set(0, all.indices());
                }
                closedDevices.remove(opened.device());
                unsettleOpenOn(opened.device());
            } else if (event.equals(lastCheck) || event instanceof HistoryEvent.TrackingStopped) {
                open.stream().forEach(this::unsettle);
            } else if (!saysNothingOfAddresses(event)) {
                unsettledAddresses.set(0, all.indices());
            }
        }

        /**
         * Returns whether an event concerns no address. Other events hold more than a line of a server, so they are
         * examined with all reports.
         */
        private static boolean saysNothingOfAddresses(HistoryEvent event) {
            return event instanceof HistoryEvent.SourceAttached
                    || event instanceof HistoryEvent.SourceNoted
                    || event instanceof HistoryEvent.PhaseBegan
                    || event instanceof HistoryEvent.ProcessDied
                    || event instanceof HistoryEvent.TrackingStarted
                    || event instanceof HistoryEvent.Checked
                    || event instanceof HistoryEvent.ReportsLost
                    || event instanceof HistoryEvent.RoundBegan
                    || event instanceof HistoryEvent.RoundEnded;
        }

        private void unsettleOpenOn(int device) {
            open.stream().filter(index -> all.device(index) == device).forEach(unsettledAddresses::set);
        }
    }
}
