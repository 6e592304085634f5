package dev.meshguard.capture.internal;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.Quantities;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
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

    private record Outermost(String name, int end) {}

    /**
     * A contradiction.
     *
     * @param operation the operation that the snapshot follows
     * @param buffers how many buffers the two differ in
     * @param reason both numbers, and the operation
     */
    record Contradiction(int operation, long buffers, String reason) {

        /** Adds it as lost reports. */
        void addTo(EventList events) {
            events.add(number -> new HistoryEvent.ReportsLost(number, buffers, reason));
        }
    }

    private final AllocationPeriods periods = new AllocationPeriods();
    /** By the numbers of their nodes. */
    private final Map<Integer, Outermost> operations = new HashMap<>();

    // The snapshot that is being read.
    private AllocationPeriods.Index index = periods.index();
    private boolean isIndexed;
    private int[] seenIn = new int[0];
    private int allocated;
    private int freed;
    private int unknown;

    // All snapshots.
    private int snapshots;
    private int mostUnknown;
    private final SortedMap<Integer, Contradiction> contradictions = new TreeMap<>();
    private int moreContradictions;

    /** Returns the periods, which the nodes of the graph fill before the first snapshot is read. */
    AllocationPeriods periods() {
        return periods;
    }

    /** Adds an outermost operation when it ends. */
    void operationEnded(int start, String name, int end) {
        operations.put(start, new Outermost(name, end));
    }

    boolean hasOperation(int start) {
        return operations.containsKey(start);
    }

    /** Begins a snapshot. */
    void snapshotBegan() {
        if (!isIndexed) {
            isIndexed = true;
            index = periods.index();
            seenIn = new int[index.places()];
        }
        snapshots++;
        allocated = 0;
        freed = 0;
        unknown = 0;
    }

    /** Adds a buffer of the snapshot after an operation. */
    void buffer(int operation, BufferType type, long address) {
        int end = operationOf(operation).end;
        int place = index.place(type, address);
        if (place >= 0) {
            if (seenIn[place] == snapshots) {
                return;
            }
            seenIn[place] = snapshots;
        }
        switch (index.after(end, place)) {
            case ALLOCATED -> allocated++;
            case FREED -> freed++;
            case UNKNOWN -> unknown++;
        }
    }

    /** Ends a snapshot. */
    void snapshotEnded(int operation) {
        Outermost ended = operationOf(operation);
        int expected = index.allocatedAfter(ended.end);
        mostUnknown = Math.max(mostUnknown, unknown);
        if (allocated == expected && freed == 0) {
            return;
        }
        contradictions.put(
                operation,
                new Contradiction(
                        operation,
                        (long) expected - allocated + freed,
                        String.format(
                                Locale.ROOT,
                                "after %s (node %d) the graph has %s allocated, and its snapshot in per_operation_buffers has %s"
                                        + " of them%s",
                                ended.name,
                                operation,
                                Quantities.count(expected, "buffer"),
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

    /** Returns the contradictions, the first operations first. */
    List<Contradiction> contradictions() {
        List<Contradiction> all = new ArrayList<>(contradictions.values());
        if (moreContradictions > 0) {
            all.add(new Contradiction(
                    contradictions.lastKey(),
                    -1,
                    Quantities.count(moreContradictions, "more snapshot") + " contradicted the graph"));
        }
        return all;
    }

    /** Returns what a reader must know of the snapshots, if there are any. */
    List<String> notes() {
        if (snapshots == 0) {
            return List.of();
        }
        int contradicted = contradictions.size() + moreContradictions;
        String agreement = String.format(
                Locale.ROOT,
                "%s compared with the nodes: %s.",
                snapshots == 1 ? "1 snapshot was" : snapshots + " snapshots were",
                contradicted == 0 ? "all agree" : contradicted + " contradict them");
        if (mostUnknown == 0) {
            return List.of(agreement);
        }
        return Arrays.asList(
                agreement,
                String.format(
                        Locale.ROOT,
                        "Buffers of a snapshot that no node mentions are from before the capture or of another thread, and"
                                + " are not judged: %d at most at a time.",
                        mostUnknown));
    }
}
