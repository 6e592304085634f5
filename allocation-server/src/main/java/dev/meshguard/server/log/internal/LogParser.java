package dev.meshguard.server.log.internal;

import dev.meshguard.event.Quantities;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.server.log.AddressUse;
import dev.meshguard.server.log.UnreadLines;
import dev.meshguard.server.log.internal.LogRecorder.Gap;
import dev.meshguard.tracker.Scope;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Parses one log, from its first line to its last.
 *
 * <p>Each line is matched in turn against reports of one buffer and the server's other lines. A line that matches none is
 * counted as unread.
 */
public final class LogParser {

    /**
     * The result of parsing.
     *
     * @param history the history of the log
     * @param linesOfEvents the line of each event
     * @param lines the number of lines
     * @param reports the number of them that report a buffer
     * @param unread the unrecognized lines
     * @param addresses the use of each address, by device and address
     * @param figures the number of sums of the server that were compared with the lines
     * @param disagreements the number of them that differ
     * @param notes the notes for a reader of the verdict
     */
    public record Result(
            AllocationHistory history,
            EventLineNumbers linesOfEvents,
            long lines,
            long reports,
            UnreadLines unread,
            List<AddressUse> addresses,
            long figures,
            long disagreements,
            List<String> notes) {}

    /** The whole line that begins a block: its words also occur in sentences. */
    private static final Pattern BLOCK_TITLE =
            Pattern.compile("BUFFER (?:DE)?ALLOCATED|Allocation #\\d{1,18}|Deallocation(?: #\\d{1,18})?");

    /** A short line by which a person says that lines are omitted; it counts only next to lines of the server. */
    private static final Pattern OMISSION = Pattern.compile("\\s*(?:\\[?\\.\\.\\.|…).{0,77}");

    private static final int SHORTEST_RULE = 10;

    private final LogLineReader lines;
    private final Optional<Pattern> roundBegin;

    private final LogRecorder events = new LogRecorder();
    private final ReplayedLedger ledger = new ReplayedLedger(events);
    private final StatusLines status = new StatusLines(events, ledger);
    private final UnreadLineCounter unread = new UnreadLineCounter();
    private final BufferReportLine report = new BufferReportLine();
    private final LinePrefix prefix = new LinePrefix();
    private final RejectedRequests rejected = new RejectedRequests();

    /** The line before, if it states that lines are omitted, and does not follow a line of the server. */
    private long omittedAt;

    private boolean followsServerLine;
    private long reports;
    private int rounds;
    private String roundMark = "";

    /** Ends the current round. */
    private Scope round = () -> {};

    private LogParser(LogLineReader lines, Optional<Pattern> roundBegin) {
        this.lines = lines;
        this.roundBegin = roundBegin;
    }

    /**
     * Reads a log to its end.
     *
     * @param roundBegin matches the lines that begin a round
     */
    public static Result of(LogLineReader lines, Optional<Pattern> roundBegin) throws IOException {
        return new LogParser(lines, roundBegin).read();
    }

    private Result read() throws IOException {
        while (lines.next()) {
            if (!lines.isBlank()) {
                events.at(lines.number());
                line();
            }
        }
        finish();
        AllocationHistory history = events.history();
        return new Result(
                history,
                events.linesOfEvents(),
                lines.number(),
                reports,
                unread.lines(),
                ledger.addresses(),
                status.figures(),
                status.disagreements(),
                notes(history));
    }

    private void line() {
        if (lines.hasNul()) {
            events.gapOfLine(
                    Gap.CUT, "holds bytes that were never written (NUL), as a crash or a rotated file leaves them");
        }
        if (lines.isTooLong()) {
            unread("a line of more than 64 KiB");
            if (lines.hasUnreadReport()) {
                events.gapOfLine(Gap.UNREADABLE, "contains a report, and a line may have 64 KiB at most");
            }
            return;
        }
        report.begin(lines.bytes(), lines.from(), lines.to(), lines.number());
        BufferReportLine.Kind kind = report.next();
        boolean isReport = kind != null;
        if (isReport && prefix.learn(lines.bytes(), lines.from(), report.prefixEnd())) {
            beginsRound(prefix.learned(), true);
        }
        for (; kind != null; kind = report.next()) {
            events.attach();
            status.endBlock();
            reported(kind);
        }
        if (report.isDamaged()) {
            damaged();
        } else if (isReport || isRead(prefix.remove(lines.text()))) {
            understood();
        }
    }

    // Reports of one buffer

    private void reported(BufferReportLine.Kind kind) {
        switch (kind) {
            case ALLOCATED -> {
                status.allocatedBy(report.pid);
                ledger.allocated(report);
            }
            case FREED -> ledger.freed(report);
            case UNKNOWN_FREE -> ledger.unknownFree(report);
            case OTHER_SIZE -> ledger.otherSize(report);
            case REJECTED -> status.rejected(core(lines.text()));
        }
        reports += kind.isOfMemory() ? 1 : 0;
    }

    private void damaged() {
        unread(lines.text());
        if (lines.isTerminated()) {
            events.gapOfLine(Gap.UNREADABLE, "contains a report that cannot be read");
        } else {
            cut();
        }
    }

    private void cut() {
        if (lines.damage().isEmpty()) { // Else it is reported at the end, with the reason.
            events.gap(Gap.CUT, "the log ends in the middle of line " + lines.number());
        }
    }

    // Other lines

    /** Reads a line without a report; returns whether it has a meaning, or is only drawn. Any other is counted as unread. */
    private boolean isRead(String text) {
        String core = core(text);
        boolean isDrawn = core.isEmpty() && (lines.isTerminated() || text.length() >= SHORTEST_RULE);
        if (OMISSION.matcher(text).matches()) {
            omits(text);
            return false;
        }
        if (isDrawn || status.read(core)) {
            return true;
        }
        boolean isBlock = BLOCK_TITLE.matcher(core).matches();
        if (!isBlock && rejected.read(text, lines.number())) {
            status.endBlock();
            return true;
        }
        if (!isBlock && beginsRound(text, false)) {
            return true;
        }
        boolean mayBeCut = !lines.isTerminated() && (status.isInBlock() || "[PID ".startsWith(core));
        status.endBlock();
        unread(text);
        if (isBlock) {
            events.attach();
            events.gapOfLine(
                    Gap.BLOCK,
                    "begins a block of the tracking branch's debug client, and such blocks are not read: report with a"
                            + " client of MeshGuard");
        } else if (mayBeCut) {
            cut();
        }
        return false;
    }

    /** Returns a line without the surrounding marks, emoji and frames, even if their encoding is damaged. */
    private static String core(String text) {
        int from = 0;
        int to = text.length();
        while (from < to && isMark(text.charAt(from))) {
            from++;
        }
        while (to > from && isMark(text.charAt(to - 1)) && text.charAt(to - 1) != '?') {
            to--;
        }
        return text.substring(from, to);
    }

    private static boolean isMark(char character) {
        return character > 0x7f || Character.isWhitespace(character) || character == '?' || character == '>';
    }

    /** Returns whether a line begins a round. A prefix with the mark of the current one begins none. */
    private boolean beginsRound(String text, boolean isPrefix) {
        Optional<String> mark = roundBegin
                .map(known -> known.matcher(text))
                .filter(Matcher::find)
                .map(found -> found.groupCount() > 0 && found.group(1) != null ? found.group(1) : found.group())
                .filter(found -> !(isPrefix && found.equals(roundMark)));
        mark.ifPresent(found -> {
            endRound();
            roundMark = found;
            rounds++;
            round = events.next().round(rounds);
        });
        return mark.isPresent();
    }

    private void endRound() {
        if (rounds > 0) {
            events.next();
            round.close();
        }
    }

    private void understood() {
        unread.interrupted();
        if (omittedAt > 0) {
            noteOmission(omittedAt);
        }
        omittedAt = 0;
        followsServerLine = true;
    }

    private void unread(String text) {
        unread.add(lines.number(), text);
        omittedAt = 0;
        followsServerLine = false;
    }

    private void omits(String text) {
        boolean isNext = followsServerLine;
        unread(text);
        if (isNext) {
            noteOmission(lines.number());
        } else {
            omittedAt = lines.number();
        }
    }

    private void noteOmission(long line) {
        events.gap(line, Gap.OMITTED, "line " + line + " says that lines are omitted there");
    }

    // The end

    /**
     * Only frees after the last dump are late. If anything else follows, or rounds are compared, the check is at the
     * end of the log.
     */
    private void finish() {
        events.at(lines.number());
        lines.damage()
                .ifPresent(damage ->
                        events.gap(Gap.CUT, "the log cannot be read after line " + lines.number() + ": " + damage));
        status.finish();
        events.addUpGaps();
        if (!events.isAttached() && events.history().lostReports().isEmpty()) {
            events.next()
                    .reportsLost(
                            -1,
                            lines.number() == 0
                                    ? "the log is empty"
                                    : "none of the " + Quantities.count(lines.number(), "line")
                                            + " is of a log of the allocation server");
        }
        endRound();
        if (status.areAnyHeld()) {
            events.next()
                    .trackingStopped("the log shows no end of the program: no dump, no death and no end of the server");
        }
        if (status.isCheckedAtEnd() || rounds > 0) {
            events.checked();
        }
    }

    private List<String> notes(AllocationHistory history) {
        List<String> notes = new ArrayList<>(rejected.notes(history, events.linesOfEvents()));
        if (ledger.guessedTypes() > 0) {
            notes.add(String.format(
                    Locale.ROOT,
                    "%s of nothing name no address that the log allocates. A free does not say of which memory it is; these are"
                            + " shown as DRAM.",
                    Quantities.count(ledger.guessedTypes(), "free")));
        }
        notes.addAll(status.notes());
        return notes;
    }
}
