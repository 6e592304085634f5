package dev.meshguard.server.log.internal;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.Phase;
import dev.meshguard.event.SourceDescription;
import dev.meshguard.history.AllocationHistory;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The history of a log up to the current line, and the line of each event.
 *
 * <p>Built from events and not with a tracker, because the order is that of the lines. A tracker orders the reports of
 * several devices by requests, which a log does not contain.
 */
final class LogEventList {

    /** A log contains no times; this is used where one is needed. */
    private static final Instant NO_TIME = Instant.EPOCH;

    private static final BufferType[] TYPES = BufferType.values();

    private final List<HistoryEvent> events = new ArrayList<>();
    private final Map<Long, AllocationDetails> processes = new HashMap<>();
    private long latestProcess = BufferReportLine.NO_PID;
    private AllocationDetails latestDetails = AllocationDetails.user();
    private final EventLineNumbers lines = new EventLineNumbers();
    private long line;

    /** Sets the line of the events that follow. */
    void at(long newLine) {
        line = newLine;
    }

    void sourceAttached(String source) {
        add(new HistoryEvent.SourceAttached(number(), SourceDescription.of(source)));
    }

    void allocated(BufferEntry entry, long pid, int type, long size) {
        add(new HistoryEvent.Allocated(
                number(), request(pid), entry.device, TYPES[type], entry.id, size, Ownership.UNKNOWN));
    }

    void freed(BufferEntry entry, long pid, int type) {
        add(new HistoryEvent.Freed(number(), request(pid), entry.device, TYPES[type], entry.id, Ownership.UNKNOWN));
    }

    void freeIgnored(BufferEntry entry, long pid, int type) {
        add(new HistoryEvent.FreeIgnored(
                number(), request(pid), entry.device, TYPES[type], entry.id, IgnoredFreeReason.UNKNOWN_ADDRESS));
    }

    /** Each line is a request of its own. */
    private MemoryRequest request(long pid) {
        if (pid != latestProcess) {
            latestProcess = pid;
            latestDetails = processes.computeIfAbsent(pid, LogEventList::detailsOf);
        }
        return MemoryRequest.restored(latestDetails, Optional.empty());
    }

    private static AllocationDetails detailsOf(long pid) {
        return pid == BufferReportLine.NO_PID
                ? AllocationDetails.user()
                : AllocationDetails.user().reportedBy(pid);
    }

    void deviceOpened(int device) {
        add(new HistoryEvent.DeviceOpened(number(), device));
    }

    void deviceClosed(int device) {
        add(new HistoryEvent.DeviceClosed(number(), device));
    }

    void processDied(long pid) {
        add(new HistoryEvent.ProcessDied(number(), pid));
    }

    void trackingStopped(String reason) {
        add(new HistoryEvent.TrackingStopped(number(), reason));
    }

    void trackingStarted() {
        add(new HistoryEvent.TrackingStarted(number()));
    }

    void phaseBegan(Phase phase) {
        add(new HistoryEvent.PhaseBegan(number(), NO_TIME, phase));
    }

    void roundBegan(int round) {
        add(new HistoryEvent.RoundBegan(number(), round));
    }

    void roundEnded(int round) {
        add(new HistoryEvent.RoundEnded(number(), round));
    }

    void checked(LocalDate today) {
        add(new HistoryEvent.Checked(number(), today));
    }

    void reportsLost(long count, String reason) {
        add(new HistoryEvent.ReportsLost(number(), count, reason));
    }

    boolean isEmpty() {
        return events.isEmpty();
    }

    /**
     * Returns the history; a server's log does not contain the number of banks of a buffer, so sizes do not show
     * overlaps.
     */
    AllocationHistory history() {
        return AllocationHistory.read(events);
    }

    EventLineNumbers linesOfEvents() {
        return lines;
    }

    private long number() {
        return events.size() + 1L;
    }

    private void add(HistoryEvent event) {
        lines.add(line);
        events.add(event);
    }
}
