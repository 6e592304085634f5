package dev.meshguard.tracker.history;

import dev.meshguard.tracker.AllocationDetails;
import dev.meshguard.tracker.AllocationRequest;
import dev.meshguard.tracker.BufferType;
import dev.meshguard.tracker.IgnoredFreeReason;
import dev.meshguard.tracker.Ownership;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.jspecify.annotations.Nullable;

/**
 * The events of a log while it is read, two words each.
 *
 * <p>A log of a server says of millions of reports nothing but address, size and process, and of most of them nobody ever wants to
 * know more than that they cancel out. So an event becomes an object when somebody asks for it, and stays that object: its request is
 * told from others by identity.
 *
 * <p>Filled by one thread; once a history was made of it, it must not change any more.
 */
@API(status = Status.INTERNAL, since = "0.1")
public final class CompactEvents {

    /** Stands for a process that is not named. */
    public static final long NO_PROCESS = Long.MIN_VALUE;

    /** Stands for a place that is not known. */
    public static final int NO_PLACE = -1;

    static final int ALLOCATED = 0;
    static final int FREED = 1;
    static final int IGNORED = 2;
    static final int OTHER = 3;

    private static final int KIND_BITS = 2;
    private static final int PLACE_SHIFT = 32;
    private static final BufferType[] TYPES = BufferType.values();

    /** The place (of other events: which of them it is), the process, the kind. */
    private long[] words = new long[256];

    private long[] sizes = new long[256];
    private int count;

    private int places;
    private int[] devices = new int[64];
    private byte[] types = new byte[64];
    private long[] addresses = new long[64];
    private int[] neighbours = new int[64];

    private final List<HistoryEvent> others = new ArrayList<>();
    private int[] othersAt = new int[16];

    private final List<AllocationDetails> processes = new ArrayList<>();
    private final Map<Long, Integer> processIds = new HashMap<>();
    private long latestProcess = NO_PROCESS;
    private int latestProcessIndex;

    private @Nullable HistoryEvent @Nullable [] made;

    /** Creates an empty list. */
    public CompactEvents() {
        processes.add(AllocationDetails.user());
        processIds.put(NO_PROCESS, 0);
    }

    /**
     * Introduces an address of one memory of one device, once, and returns its number.
     *
     * @param neighbour the number of the last place that was introduced for the same address of the device, or {@link #NO_PLACE}
     */
    public int place(int device, BufferType type, long address, int neighbour) {
        if (places == devices.length) {
            devices = Arrays.copyOf(devices, places * 2);
            types = Arrays.copyOf(types, places * 2);
            addresses = Arrays.copyOf(addresses, places * 2);
            neighbours = Arrays.copyOf(neighbours, places * 2);
        }
        devices[places] = device;
        types[places] = (byte) type.ordinal();
        addresses[places] = address;
        neighbours[places] = neighbour;
        return places++;
    }

    /** Adds an allocation. */
    public void allocated(int place, long size, long processId) {
        add(word(ALLOCATED, place, processId), size);
    }

    /** Adds a free. */
    public void freed(int place, long processId) {
        add(word(FREED, place, processId), 0);
    }

    /** Adds a free that the runtime ignored because it did not know the address. */
    public void freeIgnored(int place, long processId) {
        add(word(IGNORED, place, processId), 0);
    }

    /** Adds any other event; it is numbered like its place in the list. */
    public void add(HistoryEvent event) {
        if (event.number() != nextNumber()) {
            throw new IllegalArgumentException(
                    "Event #" + event.number() + " would be the one of number " + nextNumber());
        }
        if (others.size() == othersAt.length) {
            othersAt = Arrays.copyOf(othersAt, othersAt.length * 2);
        }
        othersAt[others.size()] = count;
        add(((long) others.size() << PLACE_SHIFT) | OTHER, 0);
        others.add(event);
    }

    /** Returns the number that the next event has. */
    public long nextNumber() {
        return count + 1L;
    }

    /** Returns how many events there are. */
    public int size() {
        return count;
    }

    private long word(int kind, int place, long processId) {
        if (processId != latestProcess) {
            latestProcess = processId;
            latestProcessIndex = processIds.computeIfAbsent(processId, this::introduced);
        }
        return ((long) place << PLACE_SHIFT) | ((long) latestProcessIndex << KIND_BITS) | kind;
    }

    private int introduced(long processId) {
        processes.add(AllocationDetails.user().reportedBy(processId));
        return processes.size() - 1;
    }

    private void add(long word, long size) {
        if (count == words.length) {
            words = Arrays.copyOf(words, count * 2);
            sizes = Arrays.copyOf(sizes, count * 2);
        }
        words[count] = word;
        sizes[count] = size;
        count++;
    }

    // For whoever reads them; events are counted from 0 here.

    int kind(int event) {
        return (int) words[event] & ((1 << KIND_BITS) - 1);
    }

    int place(int event) {
        return (int) (words[event] >>> PLACE_SHIFT);
    }

    long reportedSize(int event) {
        return sizes[event];
    }

    HistoryEvent other(int event) {
        return others.get(place(event));
    }

    /** Returns the events that are no reports. */
    List<HistoryEvent> others() {
        return others;
    }

    int places() {
        return places;
    }

    int device(int place) {
        return devices[place];
    }

    BufferType type(int place) {
        return TYPES[types[place]];
    }

    /** Returns the place that was introduced before for the same address of the device, or {@link #NO_PLACE}. */
    int neighbour(int place) {
        return neighbours[place];
    }

    /** Returns an event as an object, always the same one. */
    synchronized HistoryEvent event(int event) {
        if (kind(event) == OTHER) {
            return other(event);
        }
        if (made == null) {
            made = new @Nullable HistoryEvent[count];
        }
        HistoryEvent known = made[event];
        if (known == null) {
            known = make(event);
            made[event] = known;
        }
        return known;
    }

    private HistoryEvent make(int event) {
        int place = place(event);
        int process = (int) words[event] >>> KIND_BITS;
        AllocationRequest request = AllocationRequest.restored(processes.get(process), Optional.empty());
        long number = event + 1L;
        return switch (kind(event)) {
            case ALLOCATED ->
                new HistoryEvent.Allocated(
                        number,
                        request,
                        devices[place],
                        type(place),
                        addresses[place],
                        sizes[event],
                        Ownership.UNKNOWN);
            case FREED ->
                new HistoryEvent.Freed(
                        number, request, devices[place], type(place), addresses[place], Ownership.UNKNOWN);
            default ->
                new HistoryEvent.FreeIgnored(
                        number,
                        request,
                        devices[place],
                        type(place),
                        addresses[place],
                        IgnoredFreeReason.UNKNOWN_ADDRESS);
        };
    }
}
