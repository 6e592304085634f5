package dev.meshguard.history;

import dev.meshguard.history.MemorySnapshot.MemoryKey;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

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
 * <p>Each curve is added up from the events when it is asked for. Immutable and safe for use by several threads.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class Timeline {

    private final Consumer<Consumer<Change>> changes;

    /**
     * Creates the timeline of some changes.
     *
     * @param changes passes each change to a consumer, in the order of their events
     */
    Timeline(Consumer<Consumer<Change>> changes) {
        this.changes = changes;
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
        Map<MemoryKey, Curve> ofMemories = new HashMap<>();
        changes.accept(change -> ofMemories
                .computeIfAbsent(
                        change.memory(), memory -> curves.computeIfAbsent(group.apply(memory), unused -> new Curve()))
                .add(change));
        return curves;
    }

    /**
     * The live bytes and buffers of a group of memories after each event that changed them.
     *
     * <p>Steps count from 0, and each is about another event. Immutable and safe for use by several threads.
     */
    public static final class Curve {

        private record Step(long event, long bytes, long buffers) {}

        private static final Step START = new Step(0, 0, 0);

        private final List<Step> steps = new ArrayList<>();
        private Step mostBytes = START;
        private Step mostBuffers = START;

        private Curve() {}

        /** Adds a change, whose event is not before that of the change before; only before the curve is returned. */
        private void add(Change change) {
            Step last = before(steps.size());
            if (change.event < last.event) {
                throw new IllegalArgumentException("Event #" + change.event + " comes after #" + last.event);
            }
            Step next = new Step(change.event, last.bytes + change.bytes, last.buffers + change.buffers);
            if (!steps.isEmpty() && change.event == last.event) {
                steps.remove(steps.size() - 1);
            }
            steps.add(next);
            mostBytes = next.bytes > mostBytes.bytes ? next : mostBytes;
            mostBuffers = next.buffers > mostBuffers.buffers ? next : mostBuffers;
        }

        private Step before(int step) {
            return step == 0 ? START : steps.get(step - 1);
        }

        /** Returns the number of steps. */
        public int steps() {
            return steps.size();
        }

        /** Returns the number of the event of a step. */
        public long event(int step) {
            return steps.get(step).event;
        }

        /** Returns the live bytes after a step. */
        public long bytes(int step) {
            return steps.get(step).bytes;
        }

        /** Returns the first step at or after the event of the given number, or {@link #steps()} if there is none. */
        public int firstStepFrom(long event) {
            int found = Collections.binarySearch(steps, new Step(event, 0, 0), Comparator.comparingLong(Step::event));
            return found < 0 ? -found - 1 : found;
        }

        /** Returns the bytes that are live at the end. */
        public long liveBytes() {
            return before(steps.size()).bytes;
        }

        /** Returns the most bytes that were live at once. */
        public long peakBytes() {
            return mostBytes.bytes;
        }

        /** Returns the number of the first event after which {@link #peakBytes()} were live; 0 if they are none. */
        public long peakEvent() {
            return mostBytes.event;
        }

        /** Returns the most buffers that were live at once. */
        public long peakBuffers() {
            return mostBuffers.buffers;
        }

        /** Returns the number of the first event after which {@link #peakBuffers()} were live; 0 if they are none. */
        public long peakBuffersEvent() {
            return mostBuffers.event;
        }

        /**
         * Returns the changes by the events of a range.
         *
         * @param from the number of the first event
         * @param until the number of the first event after the range
         */
        public Section between(long from, long until) {
            int first = firstStepFrom(from);
            Step live = before(first);
            long peak = live.bytes;
            long allocated = 0;
            long allocatedBuffers = 0;
            for (Step next : steps.subList(first, firstStepFrom(until))) {
                long more = next.bytes - live.bytes;
                long moreBuffers = next.buffers - live.buffers;
                if (more > 0 || moreBuffers > 0) {
                    allocated += more;
                    allocatedBuffers += moreBuffers;
                }
                live = next;
                peak = Math.max(peak, live.bytes);
            }
            return new Section(allocated, allocatedBuffers, live.bytes, live.buffers, peak);
        }
    }

    /**
     * The changes of a curve by a range of events.
     *
     * <p>The sums of a curve wrap around above {@link Long#MAX_VALUE}, so that a free leads back below it. Here they stop there.
     *
     * @param allocatedBytes bytes of the buffers that were allocated, and by which others grew
     * @param allocatedBuffers how many were allocated
     * @param liveBytes bytes that were live at the end
     * @param liveBuffers how many buffers were live at the end
     * @param peakBytes the most bytes that were live at any moment, also at the beginning
     */
    public record Section(
            long allocatedBytes, long allocatedBuffers, long liveBytes, long liveBuffers, long peakBytes) {

        /** Bounds the bytes. */
        public Section {
            allocatedBytes = allocatedBytes < 0 ? Long.MAX_VALUE : allocatedBytes;
            liveBytes = liveBytes < 0 ? Long.MAX_VALUE : liveBytes;
        }
    }

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
