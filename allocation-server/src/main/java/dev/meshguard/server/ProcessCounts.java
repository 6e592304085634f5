package dev.meshguard.server;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** Counts what each process has, so that a process that has nothing is not searched for. Guarded by the server's lock. */
final class ProcessCounts {

    private final Map<Long, int[]> counts = new HashMap<>();

    void add(long process, int change) {
        counts.computeIfAbsent(process, unused -> new int[1])[0] += change;
    }

    /** Returns whether one of some processes has any. */
    boolean hasAny(Set<Long> processes) {
        return processes.stream().map(counts::get).anyMatch(count -> count != null && count[0] > 0);
    }

    /** Forgets processes that have ended, once they have none. */
    void forget(Set<Long> ended) {
        counts.keySet().removeAll(ended);
    }
}
