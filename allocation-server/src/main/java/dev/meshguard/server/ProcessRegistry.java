package dev.meshguard.server;

import dev.meshguard.server.ProcessInspector.Sighting;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/** The processes that have reported, and which of them are dead. */
final class ProcessRegistry {

    /** How many processes are asked whether they may be forgotten where there is no room for another. */
    private static final int MAX_ASKED = 8;

    /** When a process was started, and whether there was one when it first reported. */
    private record Known(boolean wasSeen, Optional<Instant> started) {}

    private final ProcessInspector probe;
    private final Set<Compatibility> compatibility;
    private final int limit;
    private final LongPredicate isForgotten;
    private final TreeMap<Long, Known> processes = new TreeMap<>();
    private long lastAsked = Long.MIN_VALUE;
    private long looks;

    /**
     * Knows none.
     *
     * @param limit how many are known at a time
     * @param isForgotten forgets a process if it has nothing, and says whether it did
     */
    ProcessRegistry(ProcessInspector probe, Set<Compatibility> compatibility, int limit, LongPredicate isForgotten) {
        this.probe = probe;
        this.compatibility = compatibility;
        this.limit = limit;
        this.isForgotten = isForgotten;
    }

    /** Returns whether another process has the id now than the one that reported under it so far. */
    boolean isReplaced(long processId) {
        Known known = processes.get(processId);
        if (processId <= 0
                || known == null
                || !known.wasSeen()
                || compatibility.contains(Compatibility.REUSED_PROCESS_IDS)) {
            return false;
        }
        return look(processId).filter(seen -> isAnotherProcess(known, seen)).isPresent();
    }

    /** Notes that a process reports, if there is room for it. An id below 1 is of none that could be looked for. */
    boolean reported(long processId) {
        if (processes.containsKey(processId)) {
            return true;
        }
        if (processes.size() >= limit && !makeRoom()) {
            return false;
        }
        Optional<Sighting> seen = processId > 0 ? look(processId) : Optional.empty();
        processes.put(processId, new Known(seen.isPresent(), seen.flatMap(Sighting::started)));
        return true;
    }

    /** Forgets some that have nothing; the search goes on where it ended, so that one for whom there is no room does not cost more. */
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

    /** Returns the next process in the order of their ids, or null after the last. */
    @Nullable
    Long after(long processId) {
        return processes.higherKey(processId);
    }

    /** Looks whether a process that is known is dead. */
    boolean isDead(long processId) {
        Known known = processes.get(processId);
        return processId > 0 && known != null && isDead(known, look(processId));
    }

    private Optional<Sighting> look(long processId) {
        looks++;
        return probe.look(processId);
    }

    /** Returns how often a process was looked for so far. */
    long looks() {
        return looks;
    }

    private boolean isDead(Known known, Optional<Sighting> now) {
        if (now.isEmpty()) {
            return true;
        }
        Sighting seen = now.get();
        if (seen.hasEnded() && !compatibility.contains(Compatibility.ZOMBIES_LIVE)) {
            return true;
        }
        if (seen.isOfAnotherUser() && compatibility.contains(Compatibility.OTHER_USERS_ARE_DEAD)) {
            return true;
        }
        return !compatibility.contains(Compatibility.REUSED_PROCESS_IDS) && isAnotherProcess(known, seen);
    }

    private static boolean isAnotherProcess(Known known, Sighting seen) {
        return !known.wasSeen()
                || (known.started().isPresent()
                        && seen.started().isPresent()
                        && !known.started().equals(seen.started()));
    }
}
