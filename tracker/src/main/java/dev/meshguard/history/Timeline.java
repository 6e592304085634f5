package dev.meshguard.history;

import dev.meshguard.history.MemorySnapshot.MemoryKey;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.jspecify.annotations.Nullable;

/**
 * The live bytes and buffers of a history after each of its events, by device, type and lifetime.
 *
 * <p>A generation is live from its first report to its last free. Budgets, growth, peaks, phases and the curves of a page all
 * read the timeline of {@link AllocationHistory#timeline()}. All sizes are bytes.
 *
 * <pre>{@code
 * Timeline.Curve l1 = history.timeline().curve(memory -> memory.type() == BufferType.L1);
 * l1.peakBytes(); // the most bytes of L1 that were live at once, on all devices
 * l1.peakEvent(); // the number of the event at which they were
 * }</pre>
 *
 * <p>A change takes some twenty bytes of heap. Immutable and safe for use by several threads.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class Timeline {

    private static final int FIRST_CAPACITY = 16;

    /** The memories that any change is about, in the order of their indexes; a change refers to them by index. */
    private final Map<MemoryKey, Integer> memories = new LinkedHashMap<>();

    private @Nullable MemoryKey latest;
    private int latestIndex;
    private long[] events = new long[FIRST_CAPACITY];
    private int[] memoryIndexes = new int[FIRST_CAPACITY];
    private byte[] buffers = new byte[FIRST_CAPACITY];
    private long[] bytes = new long[FIRST_CAPACITY];
    private int count;

    /** Creates a timeline without changes. */
    Timeline() {}

    /** Adds a change, whose event is not before that of the change before; only before the timeline is returned. */
    void add(Change change) {
        if (count > 0 && change.event < events[count - 1]) {
            throw new IllegalArgumentException("Event #" + change.event + " comes after #" + events[count - 1]);
        }
        if (count == events.length) {
            events = Arrays.copyOf(events, count * 2);
            memoryIndexes = Arrays.copyOf(memoryIndexes, count * 2);
            buffers = Arrays.copyOf(buffers, count * 2);
            bytes = Arrays.copyOf(bytes, count * 2);
        }
        events[count] = change.event;
        memoryIndexes[count] = indexOf(change.memory);
        buffers[count] = (byte) change.buffers;
        bytes[count] = change.bytes;
        count++;
    }

    /** Most changes are about the memory of the change before. */
    private int indexOf(MemoryKey memory) {
        if (!memory.equals(latest)) {
            latest = memory;
            latestIndex = memories.computeIfAbsent(memory, unused -> memories.size());
        }
        return latestIndex;
    }

    /** Returns the curve of the selected memories together; it has no steps if none of them was ever used. */
    public Curve curve(Predicate<MemoryKey> isSelected) {
        return curvesBy(isSelected::test).getOrDefault(true, new Curve());
    }

    /**
     * Returns the curve of each group of memories, for example of each type.
     *
     * <pre>{@code
     * Map<BufferType, Timeline.Curve> curves = history.timeline().curvesBy(MemoryKey::type);
     * }</pre>
     *
     * @param group returns the group of a memory; only memories that were used are passed
     */
    public <G> Map<G, Curve> curvesBy(Function<MemoryKey, G> group) {
        Map<G, Curve> curves = new LinkedHashMap<>();
        Curve[] ofMemories = new Curve[memories.size()];
        memories.forEach((memory, index) ->
                ofMemories[index] = curves.computeIfAbsent(group.apply(memory), unused -> new Curve()));
        for (int i = 0; i < count; i++) {
            ofMemories[memoryIndexes[i]].maxSteps++;
        }
        curves.values().forEach(Curve::reserve);
        for (int i = 0; i < count; i++) {
            ofMemories[memoryIndexes[i]].add(events[i], buffers[i], bytes[i]);
        }
        return curves;
    }

    /**
     * The live bytes and buffers of a group of memories after each event that changed them.
     *
     * <p>Steps count from 0, and each is about another event. Immutable and safe for use by several threads.
     */
    public static final class Curve {

        private int maxSteps;
        private long[] events = {};
        private long[] bytes = {};
        private long[] buffers = {};
        private int steps;
        private long peakBytes;
        private long peakEvent;
        private long peakBuffers;
        private long peakBuffersEvent;

        private Curve() {}

        private void reserve() {
            events = new long[maxSteps];
            bytes = new long[maxSteps];
            buffers = new long[maxSteps];
        }

        /** Adds a change; only before the curve is returned. */
        private void add(long event, long moreBuffers, long moreBytes) {
            long newBytes = liveBytes() + moreBytes;
            long newBuffers = liveBuffers() + moreBuffers;
            if (steps == 0 || events[steps - 1] != event) {
                steps++;
            }
            events[steps - 1] = event;
            bytes[steps - 1] = newBytes;
            buffers[steps - 1] = newBuffers;
            if (newBytes > peakBytes) {
                peakBytes = newBytes;
                peakEvent = event;
            }
            if (newBuffers > peakBuffers) {
                peakBuffers = newBuffers;
                peakBuffersEvent = event;
            }
        }

        /** Returns the number of steps. */
        public int steps() {
            return steps;
        }

        /** Returns the number of the event of a step. */
        public long event(int step) {
            return events[step];
        }

        /** Returns the live bytes after a step. */
        public long bytes(int step) {
            return bytes[step];
        }

        /** Returns the live buffers after a step. */
        public long buffers(int step) {
            return buffers[step];
        }

        /** Returns the first step at or after the event of the given number, or {@link #steps()} if there is none. */
        public int firstStepFrom(long event) {
            int found = Arrays.binarySearch(events, 0, steps, event);
            return found < 0 ? -found - 1 : found;
        }

        /** Returns the bytes that are live at the end. */
        public long liveBytes() {
            return steps == 0 ? 0 : bytes[steps - 1];
        }

        /** Returns the buffers that are live at the end. */
        public long liveBuffers() {
            return steps == 0 ? 0 : buffers[steps - 1];
        }

        /** Returns the most bytes that were live at once. */
        public long peakBytes() {
            return peakBytes;
        }

        /** Returns the number of the first event after which {@link #peakBytes()} were live; 0 if they are none. */
        public long peakEvent() {
            return peakEvent;
        }

        /** Returns the most buffers that were live at once. */
        public long peakBuffers() {
            return peakBuffers;
        }

        /** Returns the number of the first event after which {@link #peakBuffers()} were live; 0 if they are none. */
        public long peakBuffersEvent() {
            return peakBuffersEvent;
        }

        /**
         * Returns the changes by the events of a range.
         *
         * @param from the number of the first event
         * @param until the number of the first event after the range
         */
        public Section between(long from, long until) {
            int first = firstStepFrom(from);
            int end = firstStepFrom(until);
            long live = first == 0 ? 0 : bytes[first - 1];
            long liveBuffers = first == 0 ? 0 : buffers[first - 1];
            long peak = live;
            long allocated = 0;
            long allocatedBuffers = 0;
            for (int step = first; step < end; step++) {
                long more = bytes[step] - live;
                long moreBuffers = buffers[step] - liveBuffers;
                if (more > 0 || moreBuffers > 0) {
                    allocated += more;
                    allocatedBuffers += moreBuffers;
                }
                live = bytes[step];
                liveBuffers = buffers[step];
                peak = Math.max(peak, live);
            }
            return new Section(allocated, allocatedBuffers, live, liveBuffers, peak);
        }
    }

    /**
     * The changes of a curve by a range of events.
     *
     * @param allocatedBytes bytes of the buffers that were allocated, and by which others grew
     * @param allocatedBuffers how many were allocated
     * @param liveBytes bytes that were live at the end
     * @param liveBuffers how many buffers were live at the end
     * @param peakBytes the most bytes that were live at any moment, also at the beginning
     */
    public record Section(
            long allocatedBytes, long allocatedBuffers, long liveBytes, long liveBuffers, long peakBytes) {}

    /**
     * A change of one memory by one event.
     *
     * @param buffers 1 if a generation begins, -1 if one ends, 0 if one is resized
     * @param bytes the bytes more; negative if there are less
     */
    record Change(long event, MemoryKey memory, int buffers, long bytes) {

        /**
         * Returns the changes of a generation, in the order of their events.
         *
         * @param end the event that ended it, or {@link Long#MAX_VALUE}
         */
        static List<Change> of(BufferGeneration generation, long end) {
            MemoryKey memory = new MemoryKey(generation.device(), generation.type(), generation.lifetime());
            List<Change> changes = new ArrayList<>(2);
            long size = 0;
            for (BufferGeneration.HoldInterval held : generation.holdIntervals(end)) {
                changes.add(new Change(held.from(), memory, changes.isEmpty() ? 1 : 0, held.size() - size));
                size = held.size();
            }
            if (end < Long.MAX_VALUE && !changes.isEmpty()) {
                changes.add(new Change(end, memory, -1, -size));
            }
            return changes;
        }
    }
}
