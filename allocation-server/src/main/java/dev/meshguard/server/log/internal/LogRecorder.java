package dev.meshguard.server.log.internal;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Ownership;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.text.Quantities;
import dev.meshguard.tracker.AllocationTracker;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;

/**
 * Reports the lines of a log and the gaps in it to a tracker, and keeps the line of each event.
 *
 * <p>The first gap of each kind is recorded in full at its line, the others as a count. One lost line causes a disagreement
 * every ten seconds, and a thousand sentences say no more than two.
 *
 * <p>A server's log contains neither times nor the number of banks of a buffer, so sizes do not show overlaps.
 */
final class LogRecorder {

    /** The kinds of gaps. */
    enum Gap {
        /** A free of a buffer that no line allocates. */
        ALLOCATION_MISSING(true, "frees of what no line allocates"),
        /** The reference count, the size or the owner contradicts the previous lines. */
        CONTRADICTION(false, "counts, sizes or owners that do not follow from the lines before them"),
        /** A sum in the log is not the sum of the lines. */
        WITNESS(false, "figures that are not the sum of the lines before them"),
        /** The server rejected a message. */
        REJECTED(true, "messages that the server rejected"),
        /** A line begins like a report but is not valid. */
        UNREADABLE(true, "reports that cannot be read"),
        /** A block of lines reports a buffer. */
        BLOCK(true, "reports in blocks, which are not read"),
        /** A buffer was freed before it was allocated. */
        ORDER(false, "lines that may be out of order"),
        /** The device id is impossible. */
        DEVICE(true, "devices that there cannot be"),
        /** Lines were omitted. */
        OMITTED(false, "omitted lines"),
        /** A program could not report. */
        NOT_CONNECTED(false, "programs that could not report"),
        /** Circular buffers of which only the sum is known. */
        CIRCULAR_BUFFERS(false, "live circular buffers"),
        /** The log ends in the middle of a line. */
        CUT(false, "lines that are cut");

        private final boolean isCounted;
        private final String description;

        Gap(boolean isCounted, String description) {
            this.isCounted = isCounted;
            this.description = description;
        }
    }

    /** The gaps of one kind that are only counted. */
    private static final class Tally {
        private long count;
        private long lastLine;
    }

    private static final String SOURCE = "allocation server log";

    private final AllocationTracker tracker =
            AllocationTracker.builder().ofFile().build();

    private final EventLineNumbers lines = new EventLineNumbers();
    private final Map<Gap, Tally> tallies = new EnumMap<>(Gap.class);
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

    // Reports of one buffer

    void allocated(BufferReportLine report) {
        next().allocated(request(report), report.device, report.type, report.id, report.size, Ownership.UNKNOWN);
    }

    void freed(BufferReportLine report, BufferType type) {
        next().freed(request(report), report.device, type, report.id, Ownership.UNKNOWN);
    }

    void freeIgnored(BufferReportLine report, BufferType type) {
        next().freeIgnored(request(report), report.device, type, report.id, IgnoredFreeReason.UNKNOWN_ADDRESS);
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

    // Gaps

    /**
     * Records a gap at the current line.
     *
     * @param rest what follows the words {@code line 7} in its sentence, without the full stop
     */
    void gapOfLine(Gap kind, String rest) {
        gap(line, kind, "line " + line + " " + rest);
    }

    /** Records a gap at the current line, as a sentence without its full stop. */
    void gap(Gap kind, String sentence) {
        gap(line, kind, sentence);
    }

    /** Records a gap at a line. */
    void gap(long at, Gap kind, String sentence) {
        Tally tally = tallies.get(kind);
        if (tally == null) {
            tallies.put(kind, new Tally());
            lost(kind, 1, sentence);
            return;
        }
        tally.count++;
        tally.lastLine = at;
    }

    private void lost(Gap kind, long count, String sentence) {
        next().reportsLost(kind.isCounted ? count : -1, sentence);
    }

    /** Records all gaps that were only counted. */
    void addUpGaps() {
        tallies.forEach((kind, tally) -> {
            if (tally.count > 0) {
                lost(
                        kind,
                        tally.count,
                        "more of the same in " + Quantities.count(tally.count, "line") + ", the last line "
                                + tally.lastLine + ": " + kind.description);
            }
        });
    }

    // Results

    AllocationHistory history() {
        return tracker.history();
    }

    EventLineNumbers linesOfEvents() {
        return lines;
    }
}
