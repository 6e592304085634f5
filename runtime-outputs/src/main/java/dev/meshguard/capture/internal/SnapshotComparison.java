package dev.meshguard.capture.internal;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.Quantities;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Compares snapshots of allocated buffers with the nodes of a graph, in any order of the snapshots and one buffer at a time.
 *
 * <p>The nodes are the better evidence, so they make the history. A snapshot that contradicts them shows that some are missing.
 * Sizes are not compared: those of a snapshot are not aligned.
 */
final class SnapshotComparison {

    private static final int MAX_CONTRADICTIONS = 5;

    /** The state of a place after a node. */
    private enum State {
        /** The graph knows nothing: a buffer there is from before the capture, or of another thread. */
        UNKNOWN,
        /** A buffer of the capture is allocated. */
        ALLOCATED,
        /** The graph freed what was allocated. */
        FREED
    }

    /** An address in a memory, of any device: a snapshot may count devices otherwise than the graph. */
    private record Place(BufferType.Memory memory, long address) {}

    /** The states of a place, each from a node on. */
    private static final class Changes {
        private static final State[] STATES = State.values();

        /** The number of the node, and the state in the two lowest bits. */
        private long[] changes = new long[2];

        private int count;
        private int allocated;
        /** The first change that may be FREED. */
        private int firstFreed;
        /** The last snapshot that has the place. */
        private int seenIn;

        private void add(int node, State state) {
            if (count == changes.length) {
                changes = Arrays.copyOf(changes, count * 2);
            }
            changes[count++] = ((long) node << 2) | state.ordinal();
        }

        /** Until a buffer from before the capture is freed, a free of another one at its place does not show that it is empty. */
        private void replaceFreed() {
            for (; firstFreed < count; firstFreed++) {
                if (stateOf(changes[firstFreed]) == State.FREED) {
                    changes[firstFreed] -= State.FREED.ordinal() - State.UNKNOWN.ordinal();
                }
            }
        }

        private State after(int node) {
            int next = -Arrays.binarySearch(changes, 0, count, ((long) node << 2) | 3) - 1;
            return next == 0 ? State.UNKNOWN : stateOf(changes[next - 1]);
        }

        private static State stateOf(long change) {
            return STATES[(int) (change & 3)];
        }
    }

    /** An outermost operation, and at how many places the graph has buffers allocated at its end. */
    private record Outermost(String name, int end, int allocated) {}

    private record Contradiction(long buffers, String reason) {}

    private final Map<Place, Changes> places = new HashMap<>();
    private int allocatedPlaces;
    /** By the numbers of their nodes. */
    private final Map<Integer, Outermost> operations = new HashMap<>();

    // The snapshot that is being read.
    private int allocated;
    private int freed;
    private int unknown;

    // All snapshots.
    private int snapshots;
    private int mostUnknown;
    private final SortedMap<Integer, Contradiction> contradictions = new TreeMap<>();
    private int moreContradictions;

    private Changes changes(BufferType type, long address) {
        return places.computeIfAbsent(new Place(type.memory(), address), first -> new Changes());
    }

    /** Adds an allocation; the nodes of the graph come before the first snapshot. */
    void allocated(BufferType type, long address, int node) {
        Changes place = changes(type, address);
        if (place.allocated++ == 0) {
            place.add(node, State.ALLOCATED);
            allocatedPlaces++;
        }
    }

    void freed(BufferType type, long address, int node) {
        Changes place = changes(type, address);
        if (--place.allocated == 0) {
            place.add(node, State.FREED);
            allocatedPlaces--;
        }
    }

    /** Adds the free of a buffer from before the capture. */
    void freedFromBefore(BufferType type, long address, int node) {
        Changes place = changes(type, address);
        place.replaceFreed();
        if (place.allocated == 0) {
            place.add(node, State.FREED);
        }
    }

    /** Adds an outermost operation when it ends. */
    void operationEnded(int start, String name, int end) {
        operations.put(start, new Outermost(name, end, allocatedPlaces));
    }

    boolean hasOperation(int start) {
        return operations.containsKey(start);
    }

    /** Begins a snapshot. */
    void snapshotBegan() {
        snapshots++;
        allocated = 0;
        freed = 0;
        unknown = 0;
    }

    /** Adds a buffer of the snapshot after an operation. */
    void buffer(int operation, BufferType type, long address) {
        Changes place = places.get(new Place(type.memory(), address));
        if (place == null) {
            unknown++;
        } else if (place.seenIn != snapshots) {
            place.seenIn = snapshots;
            switch (place.after(operationOf(operation).end)) {
                case ALLOCATED -> allocated++;
                case FREED -> freed++;
                case UNKNOWN -> unknown++;
            }
        }
    }

    /** Ends a snapshot. */
    void snapshotEnded(int operation) {
        Outermost ended = operationOf(operation);
        mostUnknown = Math.max(mostUnknown, unknown);
        if (allocated == ended.allocated && freed == 0) {
            return;
        }
        contradictions.put(
                operation,
                new Contradiction(
                        (long) ended.allocated - allocated + freed,
                        String.format(
                                Locale.ROOT,
                                "after %s (node %d) the graph has %s allocated, and its snapshot in per_operation_buffers has %s"
                                        + " of them%s",
                                ended.name,
                                operation,
                                Quantities.count(ended.allocated, "buffer"),
                                allocated == 0 ? "none" : String.valueOf(allocated),
                                freed == 0 ? "" : " and " + freed + " that the graph freed before")));
        if (contradictions.size() > MAX_CONTRADICTIONS) {
            contradictions.remove(contradictions.lastKey());
            moreContradictions++;
        }
    }

    private Outermost operationOf(int start) {
        Outermost operation = operations.get(start);
        if (operation == null) {
            throw new IllegalArgumentException("No outermost operation has the node " + start);
        }
        return operation;
    }

    /** Reports the contradictions as lost reports, the first operations first. */
    void report(OutputRecording recording) {
        contradictions.values().forEach(found -> recording.lost(found.buffers, found.reason));
        if (moreContradictions > 0) {
            recording.lost(-1, Quantities.count(moreContradictions, "more snapshot") + " contradicted the graph");
        }
    }

    /** Adds what a reader must know of the snapshots, if there are any. */
    void addNotes(CaptureNotes notes) {
        if (snapshots == 0) {
            return;
        }
        int contradicted = contradictions.size() + moreContradictions;
        notes.add(String.format(
                Locale.ROOT,
                "%s compared with the nodes: %s.",
                snapshots == 1 ? "1 snapshot was" : snapshots + " snapshots were",
                contradicted == 0 ? "all agree" : contradicted + " contradict them"));
        if (mostUnknown > 0) {
            notes.add(String.format(
                    Locale.ROOT,
                    "Buffers of a snapshot that no node mentions are from before the capture or of another thread, and"
                            + " are not judged: %d at most at a time.",
                    mostUnknown));
        }
    }
}
