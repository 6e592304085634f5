package dev.meshguard.history;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.HistoryEvent.Allocated;
import dev.meshguard.event.HistoryEvent.Freed;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Phase;
import dev.meshguard.history.MemorySnapshot.MemoryKey;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The generations of a history: some are objects, the others are links between events and become objects on request.
 *
 * <p>Most buffers of a long history are freed without anomaly, and nobody asks for them. The links take eight bytes for each
 * event, the objects would take a hundred.
 *
 * <p>A position is the index of an event plus 1, so that 0 stands for none.
 */
final class Generations {

    private final List<HistoryEvent> events;
    private final Devices devices;
    private final Meshes meshes;
    private final NavigableMap<Long, HistoryEvent.PhaseBegan> phases;

    /** Whether the number of each event is its position. Looking up a number would create its event. */
    private final boolean isWithoutGaps;

    /** For an allocation the position of its free; for a free that of the allocation that began the ended generation. */
    private final int[] freeLinks;

    /** For an allocation the position of the next one at its address. */
    private final int[] nextAtAddress;

    /** The indices of the allocations that begin a generation. */
    private final BitSet begins = new BitSet();

    /** The indices of the reports of another request than that of the report before. */
    private final BitSet requestBegins = new BitSet();

    private @Nullable MemoryRequest latestRequest;

    /** The generations that are objects, by the numbers of their reports; during the pass by that of the first only. */
    private final Map<Long, BufferGeneration> objects = new HashMap<>(0);

    /** Those that were objects at the end of the pass, in the order of allocation. */
    private List<BufferGeneration> kept = List.of();

    /** The generations of each request of a kept object, or of each request at all; filled on first use. */
    private final IdentityHashMap<MemoryRequest, List<BufferGeneration>> byRequest = new IdentityHashMap<>(0);

    private boolean hasAllRequests;

    Generations(
            List<HistoryEvent> events,
            Devices devices,
            Meshes meshes,
            NavigableMap<Long, HistoryEvent.PhaseBegan> phases) {
        this.events = events;
        this.devices = devices;
        this.meshes = meshes;
        this.phases = phases;
        this.isWithoutGaps = events.isEmpty() || events.get(events.size() - 1).number() == events.size();
        this.freeLinks = new int[events.size()];
        this.nextAtAddress = new int[events.size()];
    }

    /** Records the request of the report at a position. */
    void reported(MemoryRequest request, int position) {
        if (request != latestRequest) {
            latestRequest = request;
            requestBegins.set(position - 1);
        }
    }

    /** Links a report at an address with the one before it there. */
    void reported(int before, int position) {
        if (before > 0) {
            nextAtAddress[before - 1] = position;
        }
    }

    /** Marks the report that begins a generation. */
    void began(int position) {
        begins.set(position - 1);
    }

    /** Returns how many generations there are. */
    int count() {
        return begins.cardinality();
    }

    /** Links a free with the report that it matches. */
    void freed(long report, int free) {
        freeLinks[positionOf(report) - 1] = free;
    }

    /** Links the free that ends a generation with the report that began it. */
    void ended(BufferGeneration generation, int free) {
        freeLinks[free - 1] = positionOf(generation.allocatedAt());
    }

    /** Keeps a generation as an object. */
    void keep(BufferGeneration generation) {
        objects.put(generation.allocatedAt(), generation);
    }

    /** Ends the pass: the live generations become objects. */
    void complete() {
        forEachAddress(address -> address.live().forEach(this::keep));
        kept = distinctObjects();
        kept.forEach(this::register);
    }

    private void forEachAddress(Consumer<AddressGenerations> consumer) {
        devices.all().forEach(device -> device.addresses().forEach(consumer));
    }

    /** Returns the generations that were objects at the end of the pass, in the order of allocation. */
    List<BufferGeneration> kept() {
        return kept;
    }

    private List<BufferGeneration> distinctObjects() {
        List<BufferGeneration> distinct = new ArrayList<>();
        objects.forEach((report, generation) -> {
            if (report == generation.allocatedAt()) {
                distinct.add(generation);
            }
        });
        distinct.sort(Comparator.comparingLong(BufferGeneration::allocatedAt));
        return Collections.unmodifiableList(distinct);
    }

    private void register(BufferGeneration generation) {
        generation.reports().forEach(report -> objects.put(report.allocatedAt(), generation));
    }

    /**
     * Returns a generation as an object, always the same one.
     *
     * @param begin the position of its first report
     * @param number its number at its address
     */
    BufferGeneration objectOf(int begin, int number) {
        Allocated first = allocation(begin);
        BufferGeneration known = objects.get(first.number());
        if (known != null) {
            return known;
        }
        int devicePeriod = devices.openPeriodsOf(first.device()).at(first.number());
        BufferGeneration generation = new BufferGeneration(
                first.device(),
                first.type(),
                first.address(),
                number,
                devicePeriod,
                phaseAt(first.number()),
                meshes.allocatorOf(first.details(), first.device(), devicePeriod, first.number()));
        int position = begin;
        do {
            generation.report(allocation(position));
            position = nextAtAddress[position - 1];
        } while (position > 0 && !begins.get(position - 1));
        position = begin;
        for (int report = 0; report < generation.reports().size(); report++) {
            generation.free(report, (Freed) events.get(freeLinks[position - 1] - 1));
            position = nextAtAddress[position - 1];
        }
        register(generation);
        return generation;
    }

    /** Returns the position of the generation that begins next at the same address, or 0. */
    int nextBegin(int begin) {
        int position = nextAtAddress[begin - 1];
        while (position > 0 && !begins.get(position - 1)) {
            position = nextAtAddress[position - 1];
        }
        return position;
    }

    // Questions after the pass

    /** Returns every generation, in the order of allocation. */
    synchronized List<BufferGeneration> all() {
        forEachAddress(AddressGenerations::all);
        return distinctObjects();
    }

    /** Returns the generations of an address, in the order of allocation. */
    synchronized List<BufferGeneration> at(int device, BufferType type, long address) {
        AddressGenerations known = addressOf(device, type, address);
        return known == null ? List.of() : known.all();
    }

    /** Returns the generations with an allocation or a free whose request matches, in the order of allocation. */
    synchronized List<BufferGeneration> with(Predicate<MemoryRequest> condition) {
        Set<AddressGenerations> named = new HashSet<>();
        Set<MemoryRequest> matching = Collections.newSetFromMap(new IdentityHashMap<>());
        forEachReport(condition, event -> {
            if (event instanceof HistoryEvent.OfMemory report && !(event instanceof HistoryEvent.FreeIgnored)) {
                matching.add(report.request());
                named.add(addressOf(report.device(), report.type(), report.address()));
            }
        });
        named.remove(null);
        Set<BufferGeneration> found = new HashSet<>(kept);
        named.forEach(address -> found.addAll(address.all()));
        return found.stream()
                .filter(generation -> generation.reports().stream()
                        .anyMatch(report -> matching.contains(report.request())
                                || report.release().filter(matching::contains).isPresent()))
                .sorted(Comparator.comparingLong(BufferGeneration::allocatedAt))
                .toList();
    }

    /** Passes the reports of each request that matches to a consumer, and other events between them. */
    private void forEachReport(Predicate<MemoryRequest> condition, Consumer<HistoryEvent> consumer) {
        int end;
        for (int begin = requestBegins.nextSetBit(0); begin >= 0; begin = end) {
            end = requestBegins.nextSetBit(begin + 1);
            if (condition.test(((HistoryEvent.OfRequest) events.get(begin)).request())) {
                events.subList(begin, end < 0 ? events.size() : end).forEach(consumer);
            }
        }
    }

    private @Nullable AddressGenerations addressOf(int device, BufferType type, long address) {
        Devices.Device known = devices.find(device);
        return known == null ? null : known.addresses().find(type, address);
    }

    /** Returns the generations with a report of a request that is not anonymous, in the order of its reports. */
    synchronized List<BufferGeneration> of(MemoryRequest request) {
        if (byRequest.isEmpty() && !hasAllRequests) {
            Set<MemoryRequest> ofKept = Collections.newSetFromMap(new IdentityHashMap<>());
            for (BufferGeneration generation : kept) {
                for (BufferGeneration.Report report : generation.reports()) {
                    if (report.request().hasOneReport()) {
                        byRequest.put(report.request(), List.of(generation));
                    } else {
                        ofKept.add(report.request());
                    }
                }
            }
            if (!ofKept.isEmpty()) {
                addRequests(ofKept::contains);
            }
        }
        if (!byRequest.containsKey(request) && !hasAllRequests) {
            hasAllRequests = true;
            byRequest.clear();
            addRequests(any -> true);
        }
        return Collections.unmodifiableList(byRequest.getOrDefault(request, List.of()));
    }

    private void addRequests(Predicate<MemoryRequest> isSelected) {
        forEachReport(request -> !request.isAnonymous() && isSelected.test(request), event -> {
            if (event instanceof Allocated report) {
                if (!objects.containsKey(report.number())) {
                    at(report.device(), report.type(), report.address());
                }
                BufferGeneration generation = objects.get(report.number());
                if (generation != null && isFirstOfItsRequest(report, generation)) {
                    byRequest
                            .computeIfAbsent(report.request(), unused -> new ArrayList<>(1))
                            .add(generation);
                }
            }
        });
    }

    private static boolean isFirstOfItsRequest(Allocated event, BufferGeneration generation) {
        for (BufferGeneration.Report report : generation.reports()) {
            if (report.request() == event.request()) {
                return report.allocatedAt() == event.number();
            }
        }
        return false;
    }

    /**
     * Passes on the changes by all generations, in the order of the events.
     *
     * @param ends the events that ended objects which are live otherwise
     */
    synchronized void forEachChange(Map<BufferGeneration, Long> ends, Consumer<Timeline.Change> consumer) {
        List<Timeline.Change> ofObjects = new ArrayList<>();
        for (BufferGeneration object : distinctObjects()) {
            long end = ends.getOrDefault(object, object.freedAt().orElse(Long.MAX_VALUE));
            ofObjects.addAll(Timeline.Change.of(object, end));
        }
        ofObjects.sort(Comparator.comparingLong(Timeline.Change::event));
        int next = 0;
        for (int index = 0; index < events.size(); index++) {
            change(index).ifPresent(consumer);
            while (next < ofObjects.size() && ofObjects.get(next).event() <= numberAt(index + 1)) {
                consumer.accept(ofObjects.get(next++));
            }
        }
    }

    /** Returns the change with which a generation without an object begins or ends at an index, if one does. */
    private Optional<Timeline.Change> change(int index) {
        boolean isBegin = begins.get(index);
        // The link of an allocation is to a later position, that of a free is to an earlier one.
        int begin = isBegin ? index + 1 : freeLinks[index] <= index ? freeLinks[index] : 0;
        if (begin == 0 || objects.containsKey(numberAt(begin))) {
            return Optional.empty();
        }
        Allocated first = allocation(begin);
        int sign = isBegin ? 1 : -1;
        MemoryKey memory =
                new MemoryKey(first.device(), first.type(), first.details().lifetime());
        return Optional.of(new Timeline.Change(numberAt(index + 1), memory, sign, sign * first.size()));
    }

    private Allocated allocation(int position) {
        return (Allocated) events.get(position - 1);
    }

    private int positionOf(long number) {
        return isWithoutGaps ? (int) number : indexOf(events, number) + 1;
    }

    private long numberAt(int position) {
        return isWithoutGaps ? position : events.get(position - 1).number();
    }

    /** Returns the index of the event of a number, or -1; numbers ascend. */
    static int indexOf(List<HistoryEvent> events, long number) {
        int low = 0;
        int high = (int) Math.min(Math.max(number, 0), events.size()) - 1;
        // Few histories have gaps, so the index of most events is their number minus 1; no index is greater than that.
        int middle = high;
        while (low <= high) {
            long found = events.get(middle).number();
            if (found == number) {
                return middle;
            }
            if (found < number) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
            middle = (low + high) >>> 1;
        }
        return -1;
    }

    /** Returns the phase in which an event happened. */
    Phase phaseAt(long event) {
        Map.Entry<Long, HistoryEvent.PhaseBegan> latest = phases.floorEntry(event);
        return latest == null ? Phase.START : latest.getValue().phase();
    }
}
