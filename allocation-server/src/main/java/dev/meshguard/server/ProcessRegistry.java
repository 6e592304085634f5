package dev.meshguard.server;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The processes that have reported, with the dead ones among them. An id below 1 belongs to no process that could be checked. */
final class ProcessRegistry {

    private final ProcessInspector inspector;

    /** The start time of each process; empty if it did not run any more when it first reported. */
    private final TreeMap<Long, Optional<Instant>> processes = new TreeMap<>();

    ProcessRegistry(ProcessInspector inspector) {
        this.inspector = inspector;
    }

    /** Returns whether a process id now belongs to another process than the one that reported under it. */
    boolean isReplaced(long processId) {
        Optional<Instant> known = processes.getOrDefault(processId, Optional.empty());
        Optional<Instant> now = known.isEmpty() ? known : inspector.inspect(processId);
        return now.isPresent() && !now.equals(known);
    }

    /** Records that a process reports. */
    void reported(long processId) {
        processes.computeIfAbsent(processId, id -> id > 0 ? inspector.inspect(id) : Optional.empty());
    }

    void forget(long processId) {
        processes.remove(processId);
    }

    /** Returns the known processes that are dead, by their ids. */
    List<Long> dead() {
        return processes.entrySet().stream()
                .filter(process -> process.getKey() > 0 && !isRunning(process.getKey(), process.getValue()))
                .map(Map.Entry::getKey)
                .toList();
    }

    private boolean isRunning(long processId, Optional<Instant> started) {
        Optional<Instant> now = inspector.inspect(processId);
        return now.isPresent() && now.equals(started);
    }
}
