package dev.meshguard.tracker.history;

import dev.meshguard.tracker.BufferLifetime;
import dev.meshguard.tracker.BufferType;
import dev.meshguard.tracker.MemoryTotals;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * One pass over the events of a log that adds them up and finds the lives of which a verdict has to know more.
 *
 * <p>A life is quiet if all its reports name one size and are all given back, nothing was left of it when the check was made, when the
 * log ends or when the source heard of nothing, and no free found nothing from its beginning to the next life at its place.
 *
 * <p>What happens at one place changes nothing at another. But two memories at one address may meet, and where something was allocated
 * while its device was given back, or is closed, lives are not what the references say: at such places every life is looked at. So is
 * every life of a log that opens a device while it is open.
 */
final class Sifting {

    private static final BufferType[] TYPES = BufferType.values();

    // What is known of a place: of its present life, or the last one, and of all.
    private static final int OPEN = 0;
    private static final int SIZE = 1;
    private static final int FIRST_EVENT = 2;
    private static final int LAST_EVENT = 3;
    private static final int IS_NOTABLE = 4;
    private static final int LIVES = 5;
    private static final int QUIET_LIVES = 6;
    private static final int QUIET_BYTES = 7;
    private static final int STATE = 8;

    private final CompactEvents events;
    private final int end;
    private long[] states;
    /** The event of the same life before an event. */
    private int[] before;

    private final BitSet notable = new BitSet();
    /** Which life of its place a notable one is, by the number of the event that begins it, where quiet ones are before it. */
    private final Map<Long, Integer> notableLives = new HashMap<>();

    /** The places of which any life is looked at. */
    private final BitSet placesWithNotable = new BitSet();

    /** The places of which every life is looked at. */
    private final BitSet wholePlaces = new BitSet();

    private final LifeSums lives = new LifeSums();
    private final Set<Integer> openDevices = new HashSet<>();
    private final Set<Integer> closedDevices = new HashSet<>();
    /** Then every report counts for whether what the devices lent can be told apart. */
    private boolean wasAnyOpenedWhileOpen;

    private final TreeMap<Integer, Sums> devices = new TreeMap<>();
    private Sums[] sumsOfPlaces;
    private final QuietLives quiet;
    private boolean livesAreCounted = true;

    /** What is added up of one device beside its lives. */
    private static final class Sums {

        private final LifeSums.Device lives;
        private final long[] liveReports = new long[TYPES.length];
        private long freesOfNothing;

        private Sums(LifeSums.Device lives) {
            this.lives = lives;
        }
    }

    /** Looks through the first events of a list, so many. */
    Sifting(CompactEvents events, int end) {
        this.events = events;
        this.end = end;
        this.states = new long[events.places() * STATE];
        this.before = new int[end];
        this.sumsOfPlaces = new Sums[events.places()];
        pass();
        lives.finish();
        markOpen();
        markNeighbours();
        if (wasAnyOpenedWhileOpen) {
            wholePlaces.set(0, events.places());
        }
        markEventsOfWholePlaces();
        this.quiet = addedUp();
        forgetTheWay();
    }

    /** What the pass needed is as large as the log, and its answers are not. */
    private void forgetTheWay() {
        states = new long[0];
        before = new int[0];
        sumsOfPlaces = new Sums[0];
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

    /** Returns the events that are needed to know the lives that are not quiet. */
    BitSet notable() {
        return notable;
    }

    /** Returns which life of its place a notable one is, by the number of the event that begins it, where quiet ones are before it. */
    Map<Long, Integer> notableLives() {
        return notableLives;
    }

    /** Returns the same of the quiet lives, where notable ones may be before them. */
    Map<Long, Integer> quietLives() {
        Map<Long, Integer> begun = new HashMap<>();
        int[] begunAt = new int[events.places()];
        int[] openAt = new int[events.places()];
        for (int event = 0; event < end; event++) {
            int place = events.place(event);
            if (events.kind(event) == CompactEvents.FREED && openAt[place] > 0) {
                openAt[place]--;
            } else if (events.kind(event) == CompactEvents.ALLOCATED && openAt[place]++ == 0) {
                begunAt[place]++;
                if (placesWithNotable.get(place) && !notable.get(event)) {
                    begun.put(event + 1L, begunAt[place]);
                }
            }
        }
        return begun;
    }

    /** Returns what the lives add up to, if they are counted. */
    LifeSums lives() {
        return lives;
    }

    /** Returns the sums of each device, ascending, as a tracker would have kept them. */
    List<DeviceSums> sums() {
        List<DeviceSums> sums = new ArrayList<>();
        devices.forEach((device, known) ->
                sums.add(new DeviceSums(device, entries(known), known.freesOfNothing, accounts(known))));
        return sums;
    }

    private static long entries(Sums device) {
        long entries = 0;
        for (BufferType type : TYPES) {
            entries += device.lives.sums[type.ordinal() * LifeSums.SUMS + LifeSums.LIVE_BUFFERS];
        }
        return entries;
    }

    QuietLives quiet() {
        return quiet;
    }

    private QuietLives addedUp() {
        long[] buffers = new long[TYPES.length];
        long[] bytes = new long[TYPES.length];
        for (int place = 0; place < events.places(); place++) {
            if (!wholePlaces.get(place)) {
                int type = events.type(place).ordinal();
                buffers[type] += states[place * STATE + QUIET_LIVES];
                bytes[type] += states[place * STATE + QUIET_BYTES];
            }
        }
        return new QuietLives(buffers, bytes);
    }

    private void pass() {
        int lastCheck = lastCheck();
        for (int event = 0; event < end; event++) {
            int place = events.place(event);
            switch (events.kind(event)) {
                case CompactEvents.ALLOCATED -> allocated(event, place, events.reportedSize(event));
                case CompactEvents.FREED -> freed(event, place);
                case CompactEvents.IGNORED -> {
                    sums(place);
                    foundNothing(event, place);
                }
                default -> {
                    notable.set(event);
                    other(events.other(event), event == lastCheck);
                }
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

    private void allocated(int event, int place, long size) {
        int state = place * STATE;
        long[] all = states;
        Sums device = sums(place);
        BufferType type = events.type(place);
        device.liveReports[type.ordinal()]++;
        if (all[state + OPEN]++ == 0) {
            all[state + SIZE] = size;
            all[state + FIRST_EVENT] = event;
            all[state + IS_NOTABLE] = 0;
            all[state + LIVES]++;
            all[state + QUIET_LIVES]++;
            all[state + QUIET_BYTES] += size;
            lives.began(device.lives, type, size);
        } else if (all[state + SIZE] != size) {
            mark(place);
        }
        joins(event, place);
    }

    private void freed(int event, int place) {
        int state = place * STATE;
        long[] all = states;
        Sums device = sums(place);
        if (all[state + OPEN] == 0) {
            foundNothing(event, place);
            device.freesOfNothing++;
            return;
        }
        BufferType type = events.type(place);
        device.liveReports[type.ordinal()]--;
        if (--all[state + OPEN] == 0) {
            lives.ended(device.lives, type, all[state + SIZE]);
        }
        joins(event, place);
    }

    /** An event is the latest of the present life of a place. */
    private void joins(int event, int place) {
        int state = place * STATE;
        before[event] = (int) states[state + LAST_EVENT];
        states[state + LAST_EVENT] = event;
        if (states[state + IS_NOTABLE] != 0) {
            notable.set(event);
        }
        markIfClosed(place);
    }

    /** Who hears of a free that found nothing asks what was there before. */
    private void foundNothing(int event, int place) {
        mark(place);
        notable.set(event);
        markIfClosed(place);
    }

    private void markIfClosed(int place) {
        if (!closedDevices.isEmpty() && closedDevices.contains(events.device(place))) {
            wholePlaces.set(place);
        }
    }

    /** Marks the present life of a place, or the last one, if there was any. */
    private void mark(int place) {
        int state = place * STATE;
        long[] all = states;
        if (all[state + LIVES] == 0 || all[state + IS_NOTABLE] != 0) {
            return;
        }
        all[state + IS_NOTABLE] = 1;
        all[state + QUIET_LIVES]--;
        all[state + QUIET_BYTES] -= all[state + SIZE];
        placesWithNotable.set(place);
        int first = (int) all[state + FIRST_EVENT];
        if (all[state + QUIET_LIVES] > 0) {
            notableLives.put(first + 1L, (int) all[state + LIVES]);
        }
        int event = (int) all[state + LAST_EVENT];
        while (event != first) {
            notable.set(event);
            event = before[event];
        }
        notable.set(first);
    }

    private Sums sums(int place) {
        Sums known = sumsOfPlaces[place];
        if (known == null) {
            known = devices.computeIfAbsent(events.device(place), id -> new Sums(lives.device(id)));
            sumsOfPlaces[place] = known;
        }
        return known;
    }

    private void other(HistoryEvent event, boolean isLastCheck) {
        if (event instanceof HistoryEvent.DeviceClosed device) {
            openDevices.remove(device.device());
            closedDevices.add(device.device());
            markOpenOn(device.device());
        } else if (event instanceof HistoryEvent.DeviceOpened device) {
            wasAnyOpenedWhileOpen |= !openDevices.add(device.device());
            closedDevices.remove(device.device());
            markOpenOn(device.device());
        } else if (event instanceof HistoryEvent.PhaseBegan began) {
            lives.phaseBegan(began.phase());
        } else if (isLastCheck) {
            lives.checked();
            markOpen();
        } else if (event instanceof HistoryEvent.TrackingStopped) {
            markOpen();
        }
    }

    private void markOpenOn(int device) {
        for (int place = 0; place < events.places(); place++) {
            if (isOpen(place) && events.device(place) == device) {
                wholePlaces.set(place);
                livesAreCounted = false;
            }
        }
    }

    private void markOpen() {
        for (int place = 0; place < events.places(); place++) {
            if (isOpen(place)) {
                mark(place);
            }
        }
    }

    private boolean isOpen(int place) {
        return states[place * STATE + OPEN] > 0;
    }

    private void markNeighbours() {
        for (int place = 0; place < events.places(); place++) {
            int other = events.neighbour(place);
            while (other != CompactEvents.NO_PLACE) {
                if (events.type(other).memory() == events.type(place).memory()) {
                    wholePlaces.set(place);
                    wholePlaces.set(other);
                }
                other = events.neighbour(other);
            }
        }
    }

    /** Where nothing is left out, lives are numbered as they come. */
    private void markEventsOfWholePlaces() {
        if (wholePlaces.isEmpty()) {
            return;
        }
        notableLives.keySet().removeIf(number -> wholePlaces.get(events.place((int) (number - 1))));
        for (int event = 0; event < end; event++) {
            if (events.kind(event) != CompactEvents.OTHER && wholePlaces.get(events.place(event))) {
                notable.set(event);
            }
        }
    }

    private static List<DeviceSums.Account> accounts(Sums device) {
        List<DeviceSums.Account> accounts = new ArrayList<>();
        for (BufferType type : TYPES) {
            int at = type.ordinal() * LifeSums.SUMS;
            long[] sums = device.lives.sums;
            MemoryTotals amounts = new MemoryTotals(
                    sums[at + LifeSums.LIVE_BYTES],
                    sums[at + LifeSums.LIVE_BUFFERS],
                    device.liveReports[type.ordinal()],
                    sums[at + LifeSums.PEAK_BYTES],
                    sums[at + LifeSums.PEAK_BUFFERS],
                    sums[at + LifeSums.CAME_BYTES],
                    sums[at + LifeSums.CAME_BUFFERS]);
            if (!amounts.equals(MemoryTotals.NOTHING)) {
                accounts.add(new DeviceSums.Account(type, Optional.empty(), amounts));
                accounts.add(new DeviceSums.Account(type, Optional.of(BufferLifetime.USER), amounts));
            }
        }
        return accounts;
    }
}
