package dev.meshguard.server.log.internal;

import dev.meshguard.capture.evidence.internal.RuntimeTextParser;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.server.log.ParsedLog;
import dev.meshguard.server.log.internal.LogRecorder.Gap;
import dev.meshguard.text.Quantities;
import dev.meshguard.tracker.Scope;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Parses one log, from its first line to its last.
 *
 * <p>Each line is matched in turn against reports of one buffer and the server's other lines. A line that matches none is
 * counted as unread.
 */
public final class LogParser {

    /** What a line is. */
    private enum Reading {
        /** A line of a log, or one that is only drawn. */
        KNOWN,
        /** A line by which a person says that lines are omitted. */
        OMISSION,
        FOREIGN
    }

    /** The whole line that begins a block: its words also occur in sentences. */
    private static final Pattern BLOCK_TITLE =
            Pattern.compile("BUFFER (?:DE)?ALLOCATED|Allocation #\\d{1,18}|Deallocation(?: #\\d{1,18})?");

    /** A short line by which a person says that lines are omitted; it counts only next to lines of the server. */
    private static final Pattern OMISSION = Pattern.compile("\\s*(?:\\[?\\.\\.\\.|…).{0,77}");

    private static final int SHORTEST_RULE = 10;

    private static final String NUMBER = "[0-9]+";

    /** The text that Docker and loggers in JSON write after a line. */
    private static final Pattern END_OF_VALUE = Pattern.compile("(?:\\\\[nr])*\".*");

    private final LogLineReader lines;
    private final Optional<Pattern> roundBegin;

    private final LogRecorder events = new LogRecorder();
    private final ReplayedLedger ledger = new ReplayedLedger(events);
    private final StatusLineReader status = new StatusLineReader(events, ledger);
    private final UnreadLineCounter unread = new UnreadLineCounter();
    private final BufferReportLine report = new BufferReportLine();
    private final RuntimeTextParser rejections = new RuntimeTextParser();

    /**
     * The prefix of the latest report, such as a time and the name of a container. The words of a report are found after any prefix.
     * Those of other lines also occur elsewhere, so these lines must have this prefix, of which only numbers may differ.
     */
    private String prefix = "";

    private Reading previous = Reading.FOREIGN;
    private long previousLine;
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
     * @param name the name of the log in messages
     * @param roundBegin matches the lines that begin a round
     */
    public static ParsedLog of(String name, LogLineReader lines, Optional<Pattern> roundBegin) throws IOException {
        return new LogParser(lines, roundBegin).readAll(name);
    }

    private ParsedLog readAll(String name) throws IOException {
        for (String line = lines.next(); line != null; line = lines.next()) {
            if (lines.isTooLong() || !line.isBlank()) {
                events.at(lines.number());
                read(line);
            }
        }
        finish();
        AllocationHistory history = events.history();
        return new ParsedLog(
                name,
                history,
                events.linesOfEvents()::of,
                lines.number(),
                reports,
                unread.lines(),
                status.figures(),
                status.disagreements(),
                notes(history));
    }

    private void read(String line) {
        if (lines.hasNul()) {
            events.gapOfLine(
                    Gap.CUT, "holds bytes that were never written (NUL), as a crash or a rotated file leaves them");
        }
        Reading reading = lines.isTooLong() ? tooLong() : reading(line);
        if (reading == Reading.KNOWN) {
            unread.interrupted();
        } else {
            unread.add(lines.number(), lines.isTooLong() ? "a line of more than 64 KiB" : withoutPrefix(utf8(line)));
        }
        if (reading == Reading.OMISSION && previous == Reading.KNOWN) {
            omitsLines(lines.number());
            reading = Reading.FOREIGN;
        } else if (reading == Reading.KNOWN && previous == Reading.OMISSION) {
            omitsLines(previousLine);
        }
        previous = reading;
        previousLine = lines.number();
    }

    private void omitsLines(long line) {
        events.gap(line, Gap.OMITTED, "line " + line + " says that lines are omitted there");
    }

    private Reading tooLong() {
        if (lines.hasUnreadReport()) {
            events.gapOfLine(Gap.UNREADABLE, "contains a report, and a line may have 64 KiB at most");
        }
        return Reading.FOREIGN;
    }

    private Reading reading(String line) {
        report.begin(line, lines.number());
        BufferReportLine.Kind kind = report.next();
        if (kind == null && !report.isDamaged()) {
            return withoutReport(withoutPrefix(utf8(line)));
        }
        if (kind != null) {
            prefix = utf8(report.prefix());
            if (!prefix.isEmpty()) {
                beginsRound(prefix, true);
            }
        }
        for (; kind != null; kind = report.next()) {
            events.attach();
            status.endBlock();
            reported(kind, line);
        }
        if (!report.isDamaged()) {
            return Reading.KNOWN;
        }
        if (lines.isTerminated()) {
            events.gapOfLine(Gap.UNREADABLE, "contains a report that cannot be read");
        } else {
            cut();
        }
        return Reading.FOREIGN;
    }

    private void reported(BufferReportLine.Kind kind, String line) {
        switch (kind) {
            case REJECTED -> status.rejected(core(utf8(line)));
            case OTHER_SIZE -> ledger.otherSize(report);
            default -> {
                ledger.reported(kind, report);
                reports++;
            }
        }
    }

    private void cut() {
        if (lines.damage().isEmpty()) { // Else it is reported at the end, with the reason.
            events.gap(Gap.CUT, "the log ends in the middle of line " + lines.number());
        }
    }

    // Other lines

    /** Returns the text of a line, or of a part; invalid UTF-8 is replaced. */
    private static String utf8(String line) {
        return line.isEmpty() ? "" : new String(line.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
    }

    private String withoutPrefix(String line) {
        if (prefix.isEmpty()) {
            return line;
        }
        String form =
                Arrays.stream(prefix.split(NUMBER, -1)).map(Pattern::quote).collect(Collectors.joining(NUMBER));
        Matcher same = Pattern.compile(form).matcher(line);
        if (!same.lookingAt()) {
            return line;
        }
        String rest = line.substring(same.end());
        return prefix.endsWith("\"") ? END_OF_VALUE.matcher(rest).replaceFirst("") : rest;
    }

    private Reading withoutReport(String text) {
        if (OMISSION.matcher(text).matches()) {
            return Reading.OMISSION;
        }
        String core = core(text);
        boolean isDrawn = core.isEmpty() && (lines.isTerminated() || text.length() >= SHORTEST_RULE);
        if (isDrawn || status.read(core)) {
            return Reading.KNOWN;
        }
        boolean mayBeCut = !lines.isTerminated() && (status.isInBlock() || "[PID ".startsWith(core));
        if (BLOCK_TITLE.matcher(core).matches()) {
            events.attach();
            events.gapOfLine(
                    Gap.BLOCK,
                    "begins a block of the tracking branch's debug client, and such blocks are not read: report with a"
                            + " client of MeshGuard");
        } else if (rejections.read(text, lines.number())) {
            status.endBlock();
            return Reading.KNOWN;
        } else if (beginsRound(text, false)) {
            return Reading.KNOWN;
        } else if (mayBeCut) {
            cut();
        }
        status.endBlock();
        return Reading.FOREIGN;
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
            String reason = lines.number() == 0
                    ? "the log is empty"
                    : "none of the " + Quantities.count(lines.number(), "line")
                            + " is of a log of the allocation server";
            events.next().reportsLost(-1, reason);
        }
        endRound();
        if (ledger.areAnyHeld()) {
            events.next()
                    .trackingStopped("the log shows no end of the program: no dump, no death and no end of the server");
        }
        if (ledger.isCheckedAtEnd() || rounds > 0) {
            events.checked();
        }
    }

    private List<String> notes(AllocationHistory history) {
        RejectedRequests requests = new RejectedRequests(history, events.linesOfEvents());
        List<String> notes = new ArrayList<>(rejections.notes(requests::holders));
        if (ledger.guessedTypes() > 0) {
            notes.add(Quantities.count(ledger.guessedTypes(), "free")
                    + " of nothing name no address that the log allocates. A free does not say of which memory it is; these are"
                    + " shown as DRAM.");
        }
        notes.addAll(status.notes());
        return notes;
    }
}
