package dev.meshguard.capture.internal;

import dev.meshguard.event.BufferType;
import dev.meshguard.text.Quantities;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Compares snapshots of allocated buffers with the nodes of a graph, in any order of the snapshots.
 *
 * <p>The nodes are the better evidence, so they make the history. A snapshot that contradicts them shows that some are missing.
 * Sizes are not compared: those of a snapshot are not aligned.
 */
final class SnapshotComparison {

    private static final int MAX_CONTRADICTIONS = 5;

    /** An address in a memory, of any device: a snapshot may count devices otherwise than the graph. */
    record Place(BufferType.Memory memory, long address) {

        static Place of(RecordedAddress buffer) {
            return new Place(buffer.type().memory(), buffer.address());
        }
    }

    /** What the graph shows of a place. */
    private static final class Changes {
        private int allocated;
        /** Whether a buffer of the capture is allocated there, from a node on. */
        private final TreeMap<Integer, Boolean> isAllocated = new TreeMap<>();
        /** The last node that frees a buffer from before the capture. */
        private int freedFromBefore;
    }

    /** An outermost operation, and at how many places the graph has buffers allocated at its end. */
    private record Outermost(String name, int end, int allocated) {}

    private record Contradiction(long buffers, String reason) {}

    private final Map<Place, Changes> places = new HashMap<>();
    private int allocatedPlaces;
    /** By the numbers of their nodes. */
    private final Map<Integer, Outermost> operations = new HashMap<>();

    private int snapshots;
    private int mostUnknown;
    private final SortedMap<Integer, Contradiction> contradictions = new TreeMap<>();
    private int moreContradictions;

    private Changes changes(RecordedAddress memory) {
        return places.computeIfAbsent(Place.of(memory), first -> new Changes());
    }

    /** Adds an allocation; the nodes of the graph come before the first snapshot. */
    void allocated(RecordedAddress memory, int node) {
        Changes place = changes(memory);
        if (place.allocated++ == 0) {
            place.isAllocated.put(node, true);
            allocatedPlaces++;
        }
    }

    void freed(RecordedAddress memory, int node) {
        Changes place = changes(memory);
        if (--place.allocated == 0) {
            place.isAllocated.put(node, false);
            allocatedPlaces--;
        }
    }

    /** Adds the free of a buffer from before the capture. */
    void freedFromBefore(RecordedAddress memory, int node) {
        Changes place = changes(memory);
        place.freedFromBefore = node;
        if (place.allocated == 0) {
            place.isAllocated.put(node, false);
        }
    }

    /** Adds an outermost operation when it ends. */
    void operationEnded(int start, String name, int end) {
        operations.put(start, new Outermost(name, end, allocatedPlaces));
    }

    boolean hasOperation(int start) {
        return operations.containsKey(start);
    }

    /**
     * Compares a snapshot.
     *
     * @param operation the number of the outermost operation that it follows
     * @param buffers the places of its buffers
     */
    void compare(int operation, List<Place> buffers) {
        snapshots++;
        Outermost ended = Objects.requireNonNull(operations.get(operation), "no outermost operation has this node");
        int allocated = 0;
        int freed = 0;
        int unknown = 0;
        Set<Place> seen = new HashSet<>();
        for (Place place : buffers) {
            Changes changes = places.get(place);
            if (changes == null) {
                unknown++;
            } else if (seen.add(place)) {
                Map.Entry<Integer, Boolean> last = changes.isAllocated.floorEntry(ended.end);
                boolean isAllocated = last != null && last.getValue();
                // Until a buffer from before is freed, a free of another one does not show that its place is empty.
                boolean isFreed = last != null && !isAllocated && last.getKey() >= changes.freedFromBefore;
                allocated += isAllocated ? 1 : 0;
                freed += isFreed ? 1 : 0;
                unknown += isAllocated || isFreed ? 0 : 1;
            }
        }
        mostUnknown = Math.max(mostUnknown, unknown);
        if (allocated == ended.allocated && freed == 0) {
            return;
        }
        contradictions.put(
                operation,
                new Contradiction(
                        Math.max(1, (long) ended.allocated - allocated + freed),
                        "after " + ended.name + " (node " + operation + ") the graph has "
                                + Quantities.count(ended.allocated, "buffer")
                                + " allocated, and its snapshot in per_operation_buffers has "
                                + (allocated == 0 ? "none" : allocated) + " of them"
                                + (freed == 0 ? "" : " and " + freed + " that the graph freed before")));
        if (contradictions.size() > MAX_CONTRADICTIONS) {
            contradictions.remove(contradictions.lastKey());
            moreContradictions++;
        }
    }

    /** Reports the contradictions as lost reports, the first operations first. */
    void report(OutputRecorder<?> recorder) {
        contradictions.values().forEach(found -> recorder.lost(found.buffers, found.reason));
        recorder.lost(
                moreContradictions > 0 ? -1 : 0,
                Quantities.count(moreContradictions, "more snapshot") + " contradicted the graph");
    }

    /** Adds what a reader must know of the snapshots, if there are any. */
    void addNotes(CaptureNotes notes) {
        int contradicted = contradictions.size() + moreContradictions;
        notes.add(
                snapshots,
                "%d [snapshot was|snapshots were] compared with the nodes: "
                        + (contradicted == 0 ? "all agree." : contradicted + " contradict them."));
        notes.add(
                mostUnknown,
                "Buffers of a snapshot that no node mentions are from before the capture or of another thread, and are not"
                        + " judged: %d at most at a time.");
    }
}
