package dev.meshguard.history;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.HistoryEvent.Allocated;
import dev.meshguard.event.HistoryEvent.Freed;
import dev.meshguard.event.Phase;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The generations of a history: some are objects, the others are links between events and become objects on request.
 *
 * <p>Most buffers of a long history are freed without anomaly, and nobody asks for them. The links take eight bytes for each
 * event, the objects would take a hundred.
 *
 * <p>A position is the index of an event plus 1, so that 0 stands for none.
 */
final class GenerationStore {

    private final List<HistoryEvent> events;
    private final DeviceOpenPeriods devices;
    private final Meshes meshes;
    private final List<HistoryEvent.PhaseBegan> phases;

    /** Whether the number of each event is its position. Looking up a number would create its event. */
    private final boolean isWithoutGaps;

    /** For an allocation the position of its free; for a free that of the allocation that began the ended generation. */
    private final int[] freeLinks;

    /** For an allocation the position of the next one at its address. */
    private final int[] nextAtAddress;

    /** The indices of the allocations that begin a generation. */
    private final BitSet begins = new BitSet();

    /** The generations that are objects, by the numbers of their reports; during the pass by that of the first only. */
    private final Map<Long, BufferGeneration> objects = new HashMap<>(0);

    GenerationStore(
            List<HistoryEvent> events, DeviceOpenPeriods devices, Meshes meshes, List<HistoryEvent.PhaseBegan> phases) {
        this.events = events;
        this.devices = devices;
        this.meshes = meshes;
        this.phases = phases;
        this.isWithoutGaps = events.isEmpty() || events.get(events.size() - 1).number() == events.size();
        this.freeLinks = new int[events.size()];
        this.nextAtAddress = new int[events.size()];
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

    boolean isObject(BufferGeneration generation) {
        return objects.containsKey(generation.allocatedAt());
    }

    /** Registers all reports of the objects, and returns these in the order of allocation; for the end of the pass. */
    List<BufferGeneration> registeredObjects() {
        List<BufferGeneration> kept = distinctObjects();
        kept.forEach(this::register);
        return kept;
    }

    /** Returns the generations that are objects so far, in the order of allocation. */
    List<BufferGeneration> distinctObjects() {
        return objects.entrySet().stream()
                .filter(entry -> entry.getKey() == entry.getValue().allocatedAt())
                .map(Map.Entry::getValue)
                .sorted(Comparator.comparingLong(BufferGeneration::allocatedAt))
                .toList();
    }

    private void register(BufferGeneration generation) {
        generation.reports().forEach(report -> objects.put(report.allocatedAt(), generation));
    }

    /** Returns the generation that a report belongs to, if it is an object. */
    @Nullable
    BufferGeneration of(Allocated report) {
        return objects.get(report.number());
    }

    /**
     * Returns a generation as an object, always the same one.
     *
     * @param begin the position of its first report
     * @param number its number at its address
     */
    BufferGeneration at(int begin, int number) {
        Allocated first = allocation(begin);
        BufferGeneration known = objects.get(first.number());
        if (known != null) {
            return known;
        }
        int devicePeriod = devices.at(first.device(), first.number());
        BufferGeneration generation = new BufferGeneration(
                first.device(),
                first.type(),
                first.address(),
                number,
                devicePeriod,
                phaseAt(phases, first.number()),
                meshes.allocatorAt(first, devicePeriod));
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

    /** Adds the change with which a generation without an object begins or ends at an index, and returns whether one does. */
    boolean addChange(int index, Timeline.Builder timeline) {
        boolean isBegin = begins.get(index);
        // The link of an allocation is to a later position, that of a free is to an earlier one.
        int begin = isBegin ? index + 1 : freeLinks[index] <= index ? freeLinks[index] : 0;
        if (begin == 0 || objects.containsKey(numberAt(begin))) {
            return false;
        }
        Allocated first = allocation(begin);
        int sign = isBegin ? 1 : -1;
        timeline.add(
                numberAt(index + 1),
                first.device(),
                first.type(),
                first.request().details().lifetime(),
                sign,
                sign * first.size());
        return true;
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
    static Phase phaseAt(List<HistoryEvent.PhaseBegan> phases, long number) {
        int low = 0;
        int high = phases.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (phases.get(middle).number() > number) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low == 0 ? Phase.START : phases.get(low - 1).phase();
    }
}
