package dev.meshguard.server;

import dev.meshguard.server.ProcessProbe.Sighting;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** The processes that have reported, and which of them are dead. */
final class KnownProcesses {

    /** When a process was started, and whether there was one when it first reported. */
    private record Known(boolean wasSeen, Optional<Instant> started) {}

    private final ProcessProbe probe;
    private final Set<Compatibility> compatibility;
    private final TreeMap<Long, Known> processes = new TreeMap<>();

    KnownProcesses(ProcessProbe probe, Set<Compatibility> compatibility) {
        this.probe = probe;
        this.compatibility = compatibility;
    }

    /** Returns whether another process has the id now than the one that reported under it so far. */
    boolean isReplaced(long processId) {
        Known known = processes.get(processId);
        if (known == null || !known.wasSeen() || compatibility.contains(Compatibility.REUSED_PROCESS_IDS)) {
            return false;
        }
        return probe.look(processId)
                .filter(seen -> isAnotherProcess(known, seen))
                .isPresent();
    }

    /** Notes that a process reports. An id below 1 is of none that could be looked for. */
    void reported(long processId) {
        if (processId > 0 && !processes.containsKey(processId)) {
            Optional<Sighting> seen = probe.look(processId);
            processes.put(processId, new Known(seen.isPresent(), seen.flatMap(Sighting::started)));
        }
    }

    void forget(long processId) {
        processes.remove(processId);
    }

    /** Returns the dead, in the order of their ids. */
    List<Long> dead() {
        List<Long> dead = new ArrayList<>();
        processes.forEach((processId, known) -> {
            if (isDead(known, probe.look(processId))) {
                dead.add(processId);
            }
        });
        return dead;
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
