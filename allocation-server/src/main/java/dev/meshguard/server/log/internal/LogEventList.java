package dev.meshguard.server.log.internal;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.Phase;
import dev.meshguard.event.SourceDescription;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.LogEvents;
import java.time.Instant;
import java.time.LocalDate;

/**
 * The history of a log up to the current line, and the line of each event.
 *
 * <p>Built from events and not with a tracker, because the order is that of the lines. A tracker orders the reports of
 * several devices by requests, which a log does not contain.
 */
final class LogEventList {

    /** A log contains no times; this is used where one is needed. */
    private static final Instant NO_TIME = Instant.EPOCH;

    private final LogEvents events = new LogEvents();
    private long count;
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
        newEvent();
        events.allocated(entry.index(type, events), size, pid);
    }

    void freed(BufferEntry entry, long pid, int type) {
        newEvent();
        events.freed(entry.index(type, events), pid);
    }

    void freeIgnored(BufferEntry entry, long pid, int type) {
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
        return count + 1;
    }

    private void add(HistoryEvent event) {
        newEvent();
        events.add(event);
    }

    private void newEvent() {
        lines.add(line);
        count++;
    }
}
