package dev.meshguard.server.log.internal;

import dev.meshguard.event.Quantities;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

/**
 * Records the gaps that the parser finds in a log: the first of each kind in full, the others as a count.
 *
 * <p>The first of each kind is recorded in full at its line. One lost line causes a disagreement every ten seconds, and
 * a thousand sentences say no more than two.
 */
final class LogGapRecorder {

    /** The kinds of gaps. */
    enum Kind {
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

        Kind(boolean isCounted, String words) {
            this.isCounted = isCounted;
            this.description = words;
        }
    }

    private static final class Tally {
        private long count;
        private long lastLine;
    }

    private final LogRecorder events;
    private final Map<Kind, Tally> tallies = new EnumMap<>(Kind.class);

    LogGapRecorder(LogRecorder events) {
        this.events = events;
    }

    /**
     * Records a gap at the current line.
     *
     * @param format a sentence without its full stop, as {@link String#format(Locale, String, Object...)} reads it
     */
    void note(Kind kind, String format, Object... values) {
        noteAt(events.line(), kind, format, values);
    }

    /** Records a gap at a line. */
    void noteAt(long line, Kind kind, String format, Object... values) {
        Tally tally = tallies.get(kind);
        if (tally == null) {
            tallies.put(kind, new Tally());
            lost(kind, 1, String.format(Locale.ROOT, format, values));
            return;
        }
        tally.count++;
        tally.lastLine = line;
    }

    /** Records all gaps that were only counted. */
    void finish() {
        tallies.forEach((kind, tally) -> {
            if (tally.count > 0) {
                lost(
                        kind,
                        tally.count,
                        String.format(
                                Locale.ROOT,
                                "more of the same in %s, the last line %d: %s",
                                Quantities.count(tally.count, "line"),
                                tally.lastLine,
                                kind.description));
            }
        });
    }

    private void lost(Kind kind, long count, String reason) {
        events.next().reportsLost(kind.isCounted ? count : -1, reason);
    }
}
