package dev.meshguard.server;

import dev.meshguard.server.ProcessInspector.ProcessState;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The processes that have reported, with the dead ones among them. */
final class ProcessRegistry {

    /** The start time of a process, and whether it existed when it first reported. */
    private record Known(boolean wasSeen, Optional<Instant> started) {}

    private final ProcessInspector inspector;
    private final TreeMap<Long, Known> processes = new TreeMap<>();

    ProcessRegistry(ProcessInspector inspector) {
        this.inspector = inspector;
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

    /** Records that a process reports. An id below 1 belongs to no process that could be checked. */
    void reported(long processId) {
        if (!processes.containsKey(processId)) {
            Optional<ProcessState> seen = processId > 0 ? inspector.inspect(processId) : Optional.empty();
            processes.put(processId, new Known(seen.isPresent(), seen.flatMap(ProcessState::started)));
        }
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
