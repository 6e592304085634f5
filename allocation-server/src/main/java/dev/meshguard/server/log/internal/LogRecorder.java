package dev.meshguard.server.log.internal;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Ownership;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.tracker.AllocationTracker;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.Map;

/**
 * Reports the lines of a log to a tracker, and keeps the line of each event.
 *
 * <p>A server's log contains neither times nor the number of banks of a buffer, so sizes do not show overlaps.
 */
final class LogRecorder {

    private static final String SOURCE = "allocation server log";

    private final AllocationTracker tracker =
            AllocationTracker.builder().ofFile().build();

    private final EventLineNumbers lines = new EventLineNumbers();
    private final Map<Long, AllocationDetails> processes = new HashMap<>();
    private long latestProcess = BufferReportLine.NO_PID;
    private AllocationDetails latestDetails = AllocationDetails.user();
    private long line;
    private boolean isAttached;

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

    /** Records that a line is of a server. */
    void attach() {
        if (!isAttached) {
            isAttached = true;
            next().sourceAttached(SOURCE);
        }
    }

    boolean isAttached() {
        return isAttached;
    }

    /** Records a check, today because a log has no date. */
    void checked() {
        next().checked(LocalDate.now(ZoneOffset.UTC));
    }

    void allocated(BufferEntry entry, BufferReportLine report) {
        next().allocated(request(report), entry.device, report.type, entry.id, report.size, Ownership.UNKNOWN);
    }

    void freed(BufferEntry entry, BufferReportLine report, BufferType type) {
        next().freed(request(report), entry.device, type, entry.id, Ownership.UNKNOWN);
    }

    void freeIgnored(BufferEntry entry, BufferReportLine report, BufferType type) {
        next().freeIgnored(request(report), entry.device, type, entry.id, IgnoredFreeReason.UNKNOWN_ADDRESS);
    }

    /** Returns the number of reports of a buffer that no free matched. */
    int openReports(BufferEntry entry, BufferType type) {
        return tracker.openReports(entry.device, type, entry.id);
    }

    /** Each line is a request of its own. */
    private MemoryRequest request(BufferReportLine report) {
        if (report.pid != latestProcess) {
            latestProcess = report.pid;
            latestDetails = processes.computeIfAbsent(latestProcess, LogRecorder::detailsOf);
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
