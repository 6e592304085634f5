package dev.meshguard.server.log.internal;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Ownership;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.tracker.AllocationTracker;
import java.util.HashMap;
import java.util.Map;

/**
 * Reports the lines of a log to a tracker, and keeps the line of each event.
 *
 * <p>A server's log contains neither times nor the number of banks of a buffer, so sizes do not show overlaps.
 */
final class LogRecorder {

    private final AllocationTracker tracker =
            AllocationTracker.builder().ofFile().build();

    private final EventLineNumbers lines = new EventLineNumbers();
    private final Map<Long, AllocationDetails> processes = new HashMap<>();
    private long latestProcess = BufferReportLine.NO_PID;
    private AllocationDetails latestDetails = AllocationDetails.user();
    private long line;

    /** Sets the current line, which is that of the events that follow. */
    void at(long newLine) {
        line = newLine;
    }

    /** Returns the number of the current line. */
    long line() {
        return line;
    }

    /** Returns the tracker, for exactly one report. */
    AllocationTracker next() {
        lines.add(line);
        return tracker;
    }

    void allocated(BufferEntry entry, long pid, BufferType type, long size) {
        next().allocated(request(pid), entry.device, type, entry.id, size, Ownership.UNKNOWN);
    }

    void freed(BufferEntry entry, long pid, BufferType type) {
        next().freed(request(pid), entry.device, type, entry.id, Ownership.UNKNOWN);
    }

    void freeIgnored(BufferEntry entry, long pid, BufferType type) {
        next().freeIgnored(request(pid), entry.device, type, entry.id, IgnoredFreeReason.UNKNOWN_ADDRESS);
    }

    /** Returns whether the tracker has a report of a buffer that no free matched. */
    boolean isOpen(BufferEntry entry, BufferType type) {
        return tracker.openReports(entry.device, type, entry.id) > 0;
    }

    /** Each line is a request of its own. */
    private MemoryRequest request(long pid) {
        if (pid != latestProcess) {
            latestProcess = pid;
            latestDetails = processes.computeIfAbsent(pid, LogRecorder::detailsOf);
        }
        return MemoryRequest.ofOneReport(latestDetails);
    }

    private static AllocationDetails detailsOf(long pid) {
        return pid == BufferReportLine.NO_PID
                ? AllocationDetails.user()
                : AllocationDetails.user().reportedBy(pid);
    }

    AllocationHistory history() {
        return tracker.history();
    }

    EventLineNumbers linesOfEvents() {
        return lines;
    }
}
