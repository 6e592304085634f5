package dev.meshguard.server.log.internal;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Origin;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.Phase;
import dev.meshguard.event.SourceDescription;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.LogEvents;
import dev.meshguard.tracker.Retention;
import java.time.Instant;
import java.time.LocalDate;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

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

    private final LogEvents events = new LogEvents();
    private final @Nullable LiveEvents live;
    private long count;
    private final Map<Long, AllocationDetails> byProcess = new HashMap<>();
    private long latestProcess = BufferReportLine.NO_PID;
    private AllocationDetails latestDetails = AllocationDetails.user();
    private final EventLineNumbers lines = new EventLineNumbers();
    private long line;

    /** Creates an empty list; with {@link Retention#LIVE_AND_TOTALS} nothing of the past is kept. */
    LogEventList(Retention retention) {
        live = retention == Retention.ALL ? null : new LiveEvents();
    }

    /** Returns whether all events are kept, and not only the live buffers. */
    boolean keepsPast() {
        return live == null;
    }

    /** Sets the line of the events that follow. */
    void at(long newLine) {
        line = newLine;
    }

    void sourceAttached(String source) {
        add(new HistoryEvent.SourceAttached(number(), SourceDescription.of(source)));
    }

    void allocated(BufferEntry entry, long pid, int type, long size) {
        if (live != null) {
            count++;
            live.allocated(request(pid, Optional.empty()), entry.device, TYPES[type], entry.id, size);
            return;
        }
        newEvent();
        events.allocated(entry.index(type, events), size, pid);
    }

    void allocated(MemoryRequest request, int device, BufferType type, long address, long size, Ownership ownership) {
        add(new HistoryEvent.Allocated(number(), request, device, type, address, size, ownership));
    }

    void freed(BufferEntry entry, long pid, int type) {
        if (live != null) {
            count++;
            live.freed(request(pid, Optional.empty()), entry.device, TYPES[type], entry.id);
            return;
        }
        newEvent();
        events.freed(entry.index(type, events), pid);
    }

    void freed(MemoryRequest request, int device, BufferType type, long address, Ownership ownership) {
        add(new HistoryEvent.Freed(number(), request, device, type, address, ownership));
    }

    void freeIgnored(BufferEntry entry, long pid, int type) {
        if (live != null) {
            add(new HistoryEvent.FreeIgnored(
                    number(),
                    request(pid, Optional.empty()),
                    entry.device,
                    TYPES[type],
                    entry.id,
                    IgnoredFreeReason.UNKNOWN_ADDRESS));
            return;
        }
        newEvent();
        events.freeIgnored(entry.index(type, events), pid);
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
        return count == 0;
    }

    MemoryRequest request(long pid, Optional<Origin> origin) {
        return MemoryRequest.restored(detailsOf(pid), origin);
    }

    private AllocationDetails detailsOf(long pid) {
        if (pid != latestProcess) {
            latestProcess = pid;
            latestDetails = pid == BufferReportLine.NO_PID
                    ? AllocationDetails.user()
                    : byProcess.computeIfAbsent(
                            pid, process -> AllocationDetails.user().reportedBy(process));
        }
        return latestDetails;
    }

    /**
     * Returns the history; a server's log does not contain the number of banks of a buffer, so sizes do not show
     * overlaps.
     */
    AllocationHistory history() {
        return live != null ? live.history() : AllocationHistory.read(events);
    }

    EventLineNumbers linesOfEvents() {
        return lines;
    }

    private long number() {
        return count + 1;
    }

    private void add(HistoryEvent event) {
        if (live != null) {
            count++;
            live.accept(event);
            return;
        }
        newEvent();
        events.add(event);
    }

    private void newEvent() {
        lines.add(line);
        count++;
    }
}
