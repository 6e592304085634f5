package dev.meshguard.history;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Origin;
import dev.meshguard.event.Ownership;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.jspecify.annotations.Nullable;

/**
 * The events of a log in the order of its lines, two words each.
 *
 * <p>In this form a log of a million reports is analysed in a heap of 44 MiB; as objects its events take half a
 * gigabyte. An event becomes an object when it is read, and stays that object, because requests are distinguished by
 * identity.
 *
 * <p>The reader of a log fills it, with one thread. Once a history was created from it, it must not change any more.
 */
@API(status = Status.INTERNAL, since = "0.1")
public final class LogEvents {

    /** Represents a process that is not named. */
    public static final long NO_PROCESS = Long.MIN_VALUE;

    /** Represents an address that has no index yet. */
    public static final int NO_INDEX = -1;

    static final int ALLOCATED = 0;
    static final int FREED = 1;
    static final int IGNORED = 2;
    static final int OTHER = 3;

    private static final int KIND_BITS = 2;
    private static final int INDEX_SHIFT = 32;
    private static final BufferType[] TYPES = BufferType.values();

    /** The index of the address (for other events: the index of the event), that of the details, the kind. */
    private long[] words = new long[256];

    private long[] sizes = new long[256];
    private int count;

    private int indices;
    private int[] devices = new int[64];
    private byte[] types = new byte[64];
    private long[] addresses = new long[64];
    private int[] earlier = new int[64];

    /** The addresses at which buffers of two types lie in one memory, as those of L1 and L1_SMALL do. */
    private final BitSet shared = new BitSet();

    private final List<HistoryEvent> others = new ArrayList<>();

    /** The request of a report: its details and its origin. */
    private record Request(AllocationDetails details, Optional<Origin> origin) {}

    private final List<Request> requests = new ArrayList<>();
    private final Map<Long, Integer> processIds = new HashMap<>();
    private final Map<Request, Integer> requestIndices = new HashMap<>();
    private long latestProcess = NO_PROCESS;
    private int latestProcessIndex;

    private @Nullable HistoryEvent @Nullable [] made;

    private final Ownership ownership;

    /** Creates an empty list of reports that do not say whether their buffers own memory. */
    public LogEvents() {
        this(Ownership.UNKNOWN);
    }

    /** Creates an empty list of reports of one ownership. */
    public LogEvents(Ownership ownership) {
        this.ownership = ownership;
        requestIndex(new Request(AllocationDetails.user(), Optional.empty()));
        processIds.put(NO_PROCESS, 0);
    }

    /**
     * Introduces an address with its type, once, and returns its index.
     *
     * @param previous the index of the type that was introduced last for the same address of the device, or {@link #NO_INDEX}
     */
    public int index(int device, BufferType type, long address, int previous) {
        if (indices == devices.length) {
            devices = Arrays.copyOf(devices, indices * 2);
            types = Arrays.copyOf(types, indices * 2);
            addresses = Arrays.copyOf(addresses, indices * 2);
            earlier = Arrays.copyOf(earlier, indices * 2);
        }
        devices[indices] = device;
        types[indices] = (byte) type.ordinal();
        addresses[indices] = address;
        earlier[indices] = previous;
        for (int other = previous; other != NO_INDEX; other = earlier[other]) {
            if (type(other).memory() == type.memory()) {
                shared.set(other);
                shared.set(indices);
            }
        }
        return indices++;
    }

    /** Adds an allocation. */
    public void allocated(int index, long size, long processId) {
        add(word(ALLOCATED, index, processId), size);
    }

    /** Adds an allocation with the details and the origin of its request; few of them may differ. */
    public void allocated(int index, long size, AllocationDetails details, Optional<Origin> origin) {
        int request = requestIndex(new Request(details, origin));
        add(((long) index << INDEX_SHIFT) | ((long) request << KIND_BITS) | ALLOCATED, size);
    }

    /** Sets the origin of an allocation that was added without one, for a reader that learns it only later. */
    public void setOrigin(long number, Origin origin) {
        int event = (int) (number - 1);
        Request known = requests.get((int) words[event] >>> KIND_BITS);
        int request = requestIndex(new Request(known.details(), Optional.of(origin)));
        words[event] = ((long) index(event) << INDEX_SHIFT) | ((long) request << KIND_BITS) | kind(event);
    }

    /** Returns the origin of an allocation. */
    public Optional<Origin> originOf(long number) {
        return requests.get((int) words[(int) (number - 1)] >>> KIND_BITS).origin();
    }

    /** Adds a free. */
    public void freed(int index, long processId) {
        add(word(FREED, index, processId), 0);
    }

    /** Adds a free that the runtime ignored because it did not know the address. */
    public void freeIgnored(int index, long processId) {
        add(word(IGNORED, index, processId), 0);
    }

    /** Adds any other event; its number must be {@link #nextNumber()}. */
    public void add(HistoryEvent event) {
        if (event.number() != nextNumber()) {
            throw new IllegalArgumentException(
                    "Event #" + event.number() + " would be the one of number " + nextNumber());
        }
        add(((long) others.size() << INDEX_SHIFT) | OTHER, 0);
        others.add(event);
    }

    /** Returns a list without events that has the addresses and requests of this one, for {@link #addFrom}. */
    public LogEvents withoutEvents() {
        LogEvents copy = new LogEvents(ownership);
        copy.indices = indices;
        copy.devices = devices.clone();
        copy.types = types.clone();
        copy.addresses = addresses.clone();
        copy.earlier = earlier.clone();
        copy.shared.or(shared);
        copy.requests.clear();
        copy.requests.addAll(requests);
        copy.processIds.putAll(processIds);
        copy.requestIndices.putAll(requestIndices);
        return copy;
    }

    /** Adds an event of the list that this one was made {@linkplain #withoutEvents() from}, with the next number. */
    public void addFrom(LogEvents source, long number) {
        int event = (int) (number - 1);
        if (source.kind(event) == OTHER) {
            add(EventNumbers.numbered(source.other(event), nextNumber()));
        } else {
            add(source.words[event], source.sizes[event]);
        }
    }

    /** Returns the number that the next event has. */
    public long nextNumber() {
        return count + 1L;
    }

    /** Returns how many events there are. */
    public int size() {
        return count;
    }

    private long word(int kind, int index, long processId) {
        if (processId != latestProcess) {
            latestProcess = processId;
            latestProcessIndex = processIds.computeIfAbsent(processId, this::introduced);
        }
        return ((long) index << INDEX_SHIFT) | ((long) latestProcessIndex << KIND_BITS) | kind;
    }

    private int introduced(long processId) {
        return requestIndex(new Request(AllocationDetails.user().reportedBy(processId), Optional.empty()));
    }

    private int requestIndex(Request request) {
        Integer known = requestIndices.putIfAbsent(request, requests.size());
        if (known != null) {
            return known;
        }
        requests.add(request);
        return requests.size() - 1;
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

    // For the store, which counts events from 0.

    int kind(int event) {
        return (int) words[event] & ((1 << KIND_BITS) - 1);
    }

    int index(int event) {
        return (int) (words[event] >>> INDEX_SHIFT);
    }

    long reportedSize(int event) {
        return sizes[event];
    }

    HistoryEvent other(int event) {
        return others.get(index(event));
    }

    /** Returns the events that are no reports. */
    List<HistoryEvent> others() {
        return others;
    }

    /** Returns how many addresses were introduced. */
    int indices() {
        return indices;
    }

    int device(int index) {
        return devices[index];
    }

    BufferType type(int index) {
        return TYPES[types[index]];
    }

    long address(int index) {
        return addresses[index];
    }

    BitSet shared() {
        return shared;
    }

    /** Returns the details of all reports besides address and size. */
    List<AllocationDetails> details() {
        return requests.stream().map(Request::details).distinct().toList();
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
        int index = index(event);
        Request known = requests.get((int) words[event] >>> KIND_BITS);
        MemoryRequest request = MemoryRequest.restored(known.details(), known.origin());
        long number = event + 1L;
        return switch (kind(event)) {
            case ALLOCATED ->
                new HistoryEvent.Allocated(
                        number, request, devices[index], type(index), addresses[index], sizes[event], ownership);
            case FREED ->
                new HistoryEvent.Freed(number, request, devices[index], type(index), addresses[index], ownership);
            default ->
                new HistoryEvent.FreeIgnored(
                        number,
                        request,
                        devices[index],
                        type(index),
                        addresses[index],
                        IgnoredFreeReason.UNKNOWN_ADDRESS);
        };
    }
}
