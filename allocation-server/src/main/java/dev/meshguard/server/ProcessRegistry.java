package dev.meshguard.server;

import dev.meshguard.server.ProcessInspector.ProcessState;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.LongPredicate;

/** The processes that have reported, with the dead ones among them. */
final class ProcessRegistry {

    /** The number of processes that are examined for removal if there is no room for another. */
    private static final int MAX_ASKED = 8;

    /** The start time of a process, and whether it existed when it first reported. */
    private record Known(boolean wasSeen, Optional<Instant> started) {}

    private final ProcessInspector inspector;
    private final int limit;
    private final LongPredicate isForgotten;
    private final TreeMap<Long, Known> processes = new TreeMap<>();
    private long lastAsked = Long.MIN_VALUE;

    /**
     * Creates an empty registry.
     *
     * @param limit the maximum number of known processes
     * @param isForgotten forgets a process without allocations, and returns whether it did
     */
    ProcessRegistry(ProcessInspector inspector, int limit, LongPredicate isForgotten) {
        this.inspector = inspector;
        this.limit = limit;
        this.isForgotten = isForgotten;
    }

    /** Returns whether a process id now belongs to another process than the one that reported under it. */
    boolean isReplaced(long processId) {
        Known known = processes.get(processId);
        if (processId <= 0 || known == null || !known.wasSeen()) {
            return false;
        }
        return inspector
                .inspect(processId)
                .filter(seen -> isAnotherProcess(known, seen))
                .isPresent();
    }

    /**
     * Records that a process reports, if there is room for it. An id below 1 belongs to no process that could be
     * checked.
     */
    boolean reported(long processId) {
        if (processes.containsKey(processId)) {
            return true;
        }
        if (processes.size() >= limit && !makeRoom()) {
            return false;
        }
        Optional<ProcessState> seen = processId > 0 ? inspector.inspect(processId) : Optional.empty();
        processes.put(processId, new Known(seen.isPresent(), seen.flatMap(ProcessState::started)));
        return true;
    }

    /**
     * Forgets some processes without allocations. The search continues where it ended, so that a process without room
     * does not cost more.
     */
    private boolean makeRoom() {
        boolean hasRoom = false;
        for (int asked = 0; asked < MAX_ASKED && !processes.isEmpty(); asked++) {
            Long next = processes.higherKey(lastAsked);
            lastAsked = next == null ? processes.firstKey() : next;
            if (isForgotten.test(lastAsked)) {
                processes.remove(lastAsked);
                hasRoom = true;
            }
        }
        return hasRoom;
    }

    void forget(long processId) {
        processes.remove(processId);
    }

    /** Returns the known processes that are dead, by their ids. */
    List<Long> dead() {
        return processes.entrySet().stream()
                .filter(process ->
                        process.getKey() > 0 && isDead(process.getValue(), inspector.inspect(process.getKey())))
                .map(Map.Entry::getKey)
                .toList();
    }

    private boolean isDead(Known known, Optional<ProcessState> now) {
        if (now.isEmpty()) {
            return true;
        }
        ProcessState seen = now.get();
        return seen.hasEnded() || isAnotherProcess(known, seen);
    }

    private static boolean isAnotherProcess(Known known, ProcessState seen) {
        return !known.wasSeen()
                || (known.started().isPresent()
                        && seen.started().isPresent()
                        && !known.started().equals(seen.started()));
    }
}
