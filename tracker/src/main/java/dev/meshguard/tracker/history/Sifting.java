package dev.meshguard.tracker.history;

import dev.meshguard.tracker.BufferLifetime;
import dev.meshguard.tracker.BufferType;
import dev.meshguard.tracker.MemoryTotals;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * One pass over the events of a log that adds them up and finds the places where something happened that a verdict has to look at.
 *
 * <p>A place is quiet if its reports are allocations and frees in turn, or references that are all given back, and nothing was
 * allocated there when the check was made, when the log ends, when the source heard of nothing, or when its device was given back.
 * What happens at one place changes nothing at another; only two memories at one address may meet, and so are never quiet.
 */
final class Sifting {

    private static final BufferType[] TYPES = BufferType.values();

    // What is known of a place.
    private static final int OPEN = 0;
    private static final int SIZE = 1;
    private static final int LIVES = 2;
    private static final int BYTES = 3;
    private static final int STATE = 4;

    // What is added up of one memory of one device.
    private static final int CAME_BYTES = 0;
    private static final int CAME_BUFFERS = 1;
    private static final int LIVE_BYTES = 2;
    private static final int LIVE_BUFFERS = 3;
    private static final int LIVE_REPORTS = 4;
    private static final int PEAK_BYTES = 5;
    private static final int PEAK_BUFFERS = 6;
    private static final int SUMS = 7;

    private final CompactEvents events;
    private final int end;
    private final long[] states;
    private final boolean[] notable;
    private final Set<Integer> closed = new HashSet<>();
    private final TreeMap<Integer, Sums> devices = new TreeMap<>();
    private final Sums[] sumsOfPlaces;
    private final QuietLives quiet;
    private boolean livesAreCounted = true;

    private static final class Sums {
        private final long[] values = new long[TYPES.length * SUMS];
        private long freesOfNothing;
        private long entries;
    }

    /** Looks through the first events of a list, so many. */
    Sifting(CompactEvents events, int end) {
        this.events = events;
        this.end = end;
        this.states = new long[events.places() * STATE];
        this.notable = new boolean[events.places()];
        this.sumsOfPlaces = new Sums[events.places()];
        pass();
        markTheRest();
        this.quiet = addedUp();
    }

    /** Returns whether lists of such events can be sifted: what says more than a line of a server is looked at as it is. */
    static boolean canSift(CompactEvents events) {
        return events.others().stream()
                .allMatch(event -> event instanceof HistoryEvent.SourceAttached
                        || event instanceof HistoryEvent.PhaseBegan
                        || event instanceof HistoryEvent.DeviceOpened
                        || event instanceof HistoryEvent.DeviceClosed
                        || event instanceof HistoryEvent.ProcessDied
                        || event instanceof HistoryEvent.TrackingStopped
                        || event instanceof HistoryEvent.TrackingStarted
                        || event instanceof HistoryEvent.Checked
                        || event instanceof HistoryEvent.ReportsLost
                        || event instanceof HistoryEvent.RoundBegan
                        || event instanceof HistoryEvent.RoundEnded);
    }

    /** Returns whether no device was given back while anything was allocated on it: then lives are what the references say. */
    boolean areLivesCounted() {
        return livesAreCounted;
    }

    boolean isNotable(int place) {
        return notable[place];
    }

    /** Returns the sums of each device, ascending, as a tracker would have kept them. */
    List<DeviceSums> sums() {
        List<DeviceSums> sums = new ArrayList<>();
        devices.forEach((device, values) ->
                sums.add(new DeviceSums(device, values.entries, values.freesOfNothing, accounts(values))));
        return sums;
    }

    QuietLives quiet() {
        return quiet;
    }

    private QuietLives addedUp() {
        long[] buffers = new long[TYPES.length];
        long[] bytes = new long[TYPES.length];
        for (int place = 0; place < notable.length; place++) {
            if (!notable[place]) {
                int type = events.type(place).ordinal();
                buffers[type] += states[place * STATE + LIVES];
                bytes[type] += states[place * STATE + BYTES];
            }
        }
        return new QuietLives(buffers, bytes);
    }

    private void pass() {
        int lastCheck = lastCheck();
        for (int event = 0; event < end; event++) {
            switch (events.kind(event)) {
                case CompactEvents.ALLOCATED -> allocated(events.place(event), events.reportedSize(event));
                case CompactEvents.FREED -> freed(events.place(event));
                case CompactEvents.IGNORED -> {
                    sums(events.place(event));
                    notable[events.place(event)] = true;
                }
                default -> other(events.other(event), event == lastCheck);
            }
        }
    }

    private int lastCheck() {
        List<HistoryEvent> others = events.others();
        for (int i = others.size() - 1; i >= 0; i--) {
            if (others.get(i) instanceof HistoryEvent.Checked checked && checked.number() <= end) {
                return (int) checked.number() - 1;
            }
        }
        return -1;
    }

    private void allocated(int place, long size) {
        int state = place * STATE;
        long[] all = states;
        Sums device = sums(place);
        long[] sums = device.values;
        int sum = events.type(place).ordinal() * SUMS;
        sums[sum + LIVE_REPORTS]++;
        if (all[state + OPEN]++ == 0) {
            all[state + SIZE] = size;
            all[state + LIVES]++;
            all[state + BYTES] += size;
            device.entries++;
            sums[sum + CAME_BYTES] += size;
            sums[sum + CAME_BUFFERS]++;
            sums[sum + LIVE_BYTES] += size;
            sums[sum + LIVE_BUFFERS]++;
            sums[sum + PEAK_BYTES] = Math.max(sums[sum + PEAK_BYTES], sums[sum + LIVE_BYTES]);
            sums[sum + PEAK_BUFFERS] = Math.max(sums[sum + PEAK_BUFFERS], sums[sum + LIVE_BUFFERS]);
        } else if (all[state + SIZE] != size) {
            notable[place] = true;
        }
        markIfClosed(place);
    }

    private void freed(int place) {
        int state = place * STATE;
        long[] all = states;
        Sums device = sums(place);
        if (all[state + OPEN] == 0) {
            notable[place] = true;
            device.freesOfNothing++;
            return;
        }
        long[] sums = device.values;
        int sum = events.type(place).ordinal() * SUMS;
        sums[sum + LIVE_REPORTS]--;
        if (--all[state + OPEN] == 0) {
            device.entries--;
            sums[sum + LIVE_BYTES] -= all[state + SIZE];
            sums[sum + LIVE_BUFFERS]--;
        }
        markIfClosed(place);
    }

    private void markIfClosed(int place) {
        if (!closed.isEmpty() && closed.contains(events.device(place))) {
            notable[place] = true;
        }
    }

    private Sums sums(int place) {
        Sums known = sumsOfPlaces[place];
        if (known == null) {
            known = devices.computeIfAbsent(events.device(place), unused -> new Sums());
            sumsOfPlaces[place] = known;
        }
        return known;
    }

    private void other(HistoryEvent event, boolean isLastCheck) {
        if (event instanceof HistoryEvent.DeviceClosed device) {
            closed.add(device.device());
            markOpenOn(device.device());
        } else if (event instanceof HistoryEvent.DeviceOpened device) {
            closed.remove(device.device());
            markOpenOn(device.device());
        } else if (isLastCheck || event instanceof HistoryEvent.TrackingStopped) {
            markOpen();
        }
    }

    private void markOpenOn(int device) {
        for (int place = 0; place < notable.length; place++) {
            if (states[place * STATE + OPEN] > 0 && events.device(place) == device) {
                notable[place] = true;
                livesAreCounted = false;
            }
        }
    }

    private void markOpen() {
        for (int place = 0; place < notable.length; place++) {
            notable[place] |= states[place * STATE + OPEN] > 0;
        }
    }

    private void markTheRest() {
        markOpen();
        for (int place = 0; place < notable.length; place++) {
            int other = events.neighbour(place);
            while (other != CompactEvents.NO_PLACE) {
                if (events.type(other).memory() == events.type(place).memory()) {
                    notable[place] = true;
                    notable[other] = true;
                }
                other = events.neighbour(other);
            }
        }
    }

    private static List<DeviceSums.Account> accounts(Sums sums) {
        List<DeviceSums.Account> accounts = new ArrayList<>();
        for (BufferType type : TYPES) {
            int at = type.ordinal() * SUMS;
            long[] values = sums.values;
            MemoryTotals amounts = new MemoryTotals(
                    values[at + LIVE_BYTES],
                    values[at + LIVE_BUFFERS],
                    values[at + LIVE_REPORTS],
                    values[at + PEAK_BYTES],
                    values[at + PEAK_BUFFERS],
                    values[at + CAME_BYTES],
                    values[at + CAME_BUFFERS]);
            if (!amounts.equals(MemoryTotals.NOTHING)) {
                accounts.add(new DeviceSums.Account(type, Optional.empty(), amounts));
                accounts.add(new DeviceSums.Account(type, Optional.of(BufferLifetime.USER), amounts));
            }
        }
        return accounts;
    }
}
