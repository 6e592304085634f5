package dev.meshguard.server;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Counts the live buffers, or other resources, of each process, so that the server need not search for those of a process that has none.
 * Guarded by the server's lock.
 */
final class ProcessCounts {

    private final Map<Long, int[]> counts = new HashMap<>();

    /** The process of the latest change: nearly every change is of the same process as the one before it. */
    private long latest;

    /** Its count; null if it is not remembered. */
    private int @Nullable [] ofLatest;

    void add(long process, int change) {
        int[] count = ofLatest;
        if (count == null || latest != process) {
            count = counts.computeIfAbsent(process, unused -> new int[1]);
            latest = process;
            ofLatest = count;
        }
        count[0] += change;
    }

    /** Returns whether one of some processes has any. */
    boolean hasAny(Set<Long> processes) {
        return processes.stream().map(counts::get).anyMatch(count -> count != null && count[0] > 0);
    }

    /** Forgets processes that have ended, once they have none. */
    void forget(Set<Long> ended) {
        counts.keySet().removeAll(ended);
        ofLatest = null;
    }
}
