package dev.meshguard.server.log.internal;

import dev.meshguard.event.Phase;
import dev.meshguard.event.Quantities;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.server.log.AddressUse;
import dev.meshguard.server.log.FreedMemory;
import dev.meshguard.server.log.LogDialect;
import dev.meshguard.server.log.UnreadLines;
import dev.meshguard.server.log.internal.LogGapRecorder.Kind;
import dev.meshguard.tracker.Scope;
import java.io.IOException;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
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
     * @param dialects the dialects of its lines
     * @param addresses the use of each address, by device and address
     * @param unseenFrees the frees without an allocation
     * @param lastDump the line of the last dump
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
            Set<LogDialect> dialects,
            List<AddressUse> addresses,
            List<FreedMemory> unseenFrees,
            OptionalLong lastDump,
            long figures,
            long disagreements,
            List<String> notes) {}

    /** The whole line that begins a block: its words also occur in sentences. */
    private static final Pattern BLOCK_TITLE =
            Pattern.compile("BUFFER (?:DE)?ALLOCATED|Allocation #\\d{1,18}|Deallocation(?: #\\d{1,18})?");

    private static final int MAX_OMISSION_LENGTH = 80;

    private static final String SOURCE = "allocation server log";

    private final LogLineReader lines;
    private final Optional<Pattern> phaseBegin;
    private final Optional<Pattern> roundBegin;

    private final LogRecorder events = new LogRecorder();
    private final LogGapRecorder gaps = new LogGapRecorder(events);
    private final ReplayedLedger ledger = new ReplayedLedger(events, gaps);
    private final StatisticsVerifier statistics = new StatisticsVerifier(ledger, gaps, events);
    private final Set<LogDialect> dialects = EnumSet.noneOf(LogDialect.class);
    private final UnreadLineCounter unread = new UnreadLineCounter();
    private final BufferReportLine report = new BufferReportLine();
    private final LinePrefix prefix = new LinePrefix();
    private final RejectedRequests rejected = new RejectedRequests();
    private final FreesWithoutAllocation unseen = new FreesWithoutAllocation();

    private final Map<Integer, LastTotal> circularBuffers = new TreeMap<>();
    private final Map<Integer, LastTotal> kernels = new TreeMap<>();

    /** Whether a block of the server has begun, such as its statistics. */
    private boolean isInBlock;

    private Phase phase = Phase.START;

    /** The current line, if it states that lines are omitted; it counts only next to lines of the server. */
    private long omittedAt;

    private boolean followsServerLine;
    private long reports;
    private int rounds;
    private String roundMark = "";

    /** Ends the current round. */
    private Scope round = () -> {};

    /** The processes that may still run: they allocated after the last dump, and did not die. */
    private final Set<Long> running = new HashSet<>();

    private long lastDump;
    private boolean isAttached;
    private boolean hasStarted;
    private boolean wentOnAfterDump;
    private boolean isInDump;

    /** The latest process whose buffers are removed; its circular buffers and kernels have lines of their own. */
    private long removedProcess = BufferReportLine.NO_PID;

    /** The line of the latest death; totals of later lines exclude its circular buffers and kernels. */
    private long deathLine;

    /** The sum in a device's last line of circular buffers or kernels. */
    private record LastTotal(String megabytes, long line) {}

    private LogParser(LogLineReader lines, Optional<Pattern> phaseBegin, Optional<Pattern> roundBegin) {
        this.lines = lines;
        this.phaseBegin = phaseBegin;
        this.roundBegin = roundBegin;
    }

    /**
     * Reads a log to its end.
     *
     * @param phaseBegin matches the lines that begin a phase; its first group is the name
     * @param roundBegin matches the lines that begin a round
     */
    public static Result of(LogLineReader lines, Optional<Pattern> phaseBegin, Optional<Pattern> roundBegin)
            throws IOException {
        return new LogParser(lines, phaseBegin, roundBegin).read();
    }

    private Result read() throws IOException {
        while (lines.next()) {
            if (!lines.isBlank()) {
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
                Set.copyOf(dialects),
                ledger.addresses(),
                unseen.freed(),
                lastDump == 0 ? OptionalLong.empty() : OptionalLong.of(lastDump),
                statistics.figures(),
                statistics.disagreements(),
                notes(history));
    }

    private void line() {
        events.at(lines.number());
        long unreadBefore = unread.count();
        long leftOutBefore = omittedAt;
        eachKind();
        boolean isRead = unread.count() == unreadBefore;
        if (isRead && leftOutBefore > 0 && omittedAt == leftOutBefore) {
            omitted(leftOutBefore);
        }
        followsServerLine = isRead;
        omittedAt = omittedAt == leftOutBefore ? 0 : omittedAt;
    }

    private void eachKind() {
        if (lines.hasNul()) {
            gaps.note(
                    Kind.CUT,
                    "line %d holds bytes that were never written (NUL), as a crash or a rotated file leaves them",
                    lines.number());
        }
        if (lines.isTooLong()) {
            unread("a line of more than 64 KiB");
            if (lines.hasUnreadReport()) {
                gaps.note(
                        Kind.UNREADABLE,
                        "line %d contains a report, and a line may have 64 KiB at most",
                        lines.number());
            }
            return;
        }
        report.begin(lines.bytes(), lines.from(), lines.to(), lines.number());
        BufferReportLine.Kind kind = report.next();
        boolean isReport = kind != BufferReportLine.Kind.NONE;
        if (isReport && prefix.learn(lines.bytes(), lines.from(), report.prefixEnd())) {
            beginsSomething(prefix.learned(), true);
        }
        while (kind != BufferReportLine.Kind.NONE) {
            serverLine();
            reported(kind);
            kind = report.next();
        }
        if (report.isDamaged()) {
            damaged();
        } else if (!isReport) {
            otherLine(prefix.remove(lines.text()));
        }
    }

    // Reports of one buffer

    /** Handles that a line is of a server, and neither in a section nor after unread lines. */
    private void serverLine() {
        attach();
        isInBlock = false;
        unread.interrupted();
    }

    private void reported(BufferReportLine.Kind kind) {
        switch (kind) {
            case ALLOCATED -> {
                reports++;
                wentOnAfterDump = true;
                running.add(report.pid);
                if (report.references > 0) {
                    dialects.add(LogDialect.REFERENCE_COUNTED);
                }
                ledger.allocated(report);
            }
            case FREED -> {
                reports++;
                dialects.add(report.hasRemaining ? LogDialect.REFERENCE_COUNTED : LogDialect.WITHOUT_REFERENCES);
                if (!ledger.freed(report)) {
                    unseen.add(phase, report.size);
                }
            }
            case UNKNOWN_FREE -> {
                reports++;
                if (report.isAlreadyFreed) {
                    dialects.add(LogDialect.WITH_BUFFER_HISTORIES);
                }
                ledger.unknownFree(report);
            }
            case OTHER_SIZE -> {
                dialects.add(LogDialect.WITH_BUFFER_HISTORIES);
                ledger.otherSize(report);
            }
            case REJECTED -> {
                rejected(ServerStatusLine.core(lines.text()));
                return;
            }
            case NONE -> throw new IllegalStateException("No report: " + kind);
        }
        if (report.isHexadecimal) {
            dialects.add(LogDialect.HEXADECIMAL);
        }
    }

    private void damaged() {
        unread(lines.text());
        if (lines.isTerminated()) {
            unreadable("a report");
        } else {
            cut();
        }
    }

    private void unreadable(String what) {
        gaps.note(Kind.UNREADABLE, "line %d contains %s that cannot be read", lines.number(), what);
    }

    private void cut() {
        if (lines.damage().isEmpty()) { // Else it is reported at the end, with the reason.
            gaps.note(Kind.CUT, "the log ends in the middle of line %d", lines.number());
        }
    }

    private void rejected(String text) {
        gaps.note(
                Kind.REJECTED,
                "the server rejected a message (line %d, %s): programs and server are of different versions, or the"
                        + " program reports what cannot be",
                lines.number(),
                Quantities.quoted(text));
    }

    // Other lines

    private void otherLine(String text) {
        if (text.isBlank() || ServerStatusLine.isRule(text)) {
            unread.interrupted();
            return;
        }
        String core = ServerStatusLine.core(text);
        Optional<ServerStatusLine> line = ServerStatusLine.read(core, isInBlock);
        if (reportsOmittedLines(text)) {
            omittedAt = lines.number();
            unread(text);
            if (followsServerLine) {
                omitted(lines.number());
                omittedAt = 0;
            }
        } else if (line.isPresent()) {
            unread.interrupted();
            understood(line.get());
        } else if (BLOCK_TITLE.matcher(core).matches()) {
            unreadBlock(text);
        } else if (rejected.read(text, lines.number())) {
            unread.interrupted();
            isInBlock = false;
        } else if (beginsSomething(text, false)) {
            unread.interrupted();
        } else {
            notUnderstood(text);
        }
    }

    private void unreadBlock(String text) {
        attach();
        unread(text);
        isInBlock = false;
        gaps.note(
                Kind.BLOCK,
                "line %d begins a block of the tracking branch's debug client, and such blocks are not read: report with"
                        + " a client of MeshGuard",
                lines.number());
    }

    private static boolean reportsOmittedLines(String text) {
        String stripped = text.strip();
        return stripped.length() <= MAX_OMISSION_LENGTH
                && (stripped.startsWith("...") || stripped.startsWith("…") || stripped.startsWith("[..."));
    }

    /** A line may begin a phase and a round. A prefix with the mark of the current one begins none. */
    private boolean beginsSomething(String text, boolean isPrefix) {
        Optional<String> newPhase = mark(phaseBegin, text)
                .map(String::strip)
                .filter(name -> !name.isEmpty() && !(isPrefix && name.equals(phase.name())));
        Optional<String> newRound = mark(roundBegin, text).filter(mark -> !(isPrefix && mark.equals(roundMark)));
        newPhase.ifPresent(name -> {
            phase = new Phase(name);
            events.next().phase(phase);
        });
        newRound.ifPresent(mark -> {
            endRound();
            roundMark = mark;
            rounds++;
            round = events.next().round(rounds);
        });
        return newPhase.isPresent() || newRound.isPresent();
    }

    private static Optional<String> mark(Optional<Pattern> pattern, String text) {
        return pattern.map(known -> known.matcher(text))
                .filter(Matcher::find)
                .map(mark -> mark.groupCount() > 0 && mark.group(1) != null ? mark.group(1) : mark.group());
    }

    private void endRound() {
        if (rounds > 0) {
            events.next();
            round.close();
        }
    }

    private void notUnderstood(String text) {
        boolean mayBeCut = !lines.isTerminated() && (isInBlock || "[PID ".startsWith(ServerStatusLine.core(text)));
        unread(text);
        isInBlock = false;
        if (mayBeCut) {
            cut();
        }
    }

    private void unread(String text) {
        unread.add(lines.number(), text);
    }

    private void understood(ServerStatusLine line) {
        attach();
        statistics.read(line);
        switch (line.form()) {
            case STARTED -> started();
            case STOPPED -> running.clear();
            case STATISTICS, KERNELS -> isInBlock = true;
            case DUMP -> dump();
            case ACTIVE, DECORATION -> isInBlock = false;
            case DUMP_COMPLETE -> dumpComplete();
            case SHARED_WITH_DEAD -> ledger.sharedWithDead(line);
            case DEAD -> died(line.number(0));
            case REMOVED -> removed(line);
            case SUM -> sum(line);
            case UNREADABLE_SUM -> unreadable("a sum of circular buffers or kernels");
            case HISTORY -> dialects.add(LogDialect.WITH_BUFFER_HISTORIES);
            case REJECTED -> rejected(line.word(0));
            case NOT_CONNECTED ->
                gaps.note(
                        Kind.NOT_CONNECTED,
                        "a program could not report (line %d, %s)",
                        lines.number(),
                        Quantities.quoted(line.word(0)));
            default -> {}
        }
    }

    private void attach() {
        if (!isAttached) {
            isAttached = true;
            events.next().sourceAttached(SOURCE);
        }
    }

    private void started() {
        if (hasStarted) {
            ledger.restarted();
        }
        hasStarted = true;
        removedProcess = BufferReportLine.NO_PID;
        circularBuffers.clear();
        kernels.clear();
    }

    /** The check is at the last dump request, unless more was allocated afterwards; see {@link #finish()}. */
    private void dump() {
        isInBlock = true;
        isInDump = true;
        ledger.countsReferences();
        dialects.add(LogDialect.REFERENCE_COUNTED);
        checked();
        running.clear();
        lastDump = lines.number();
        wentOnAfterDump = false;
    }

    /** The check is at the beginning of a dump, so what was freed before it is not known without that line. */
    private void dumpComplete() {
        isInBlock = false;
        if (!isInDump) {
            gaps.note(Kind.CUT, "line %d ends a dump, and no line before it begins one", lines.number());
        }
        isInDump = false;
    }

    private ReplayedLedger.Death died(long pid) {
        ledger.countsReferences();
        dialects.add(LogDialect.REFERENCE_COUNTED);
        wentOnAfterDump = true;
        deathLine = lines.number();
        running.remove(pid);
        return ledger.processDied(pid);
    }

    private void removed(ServerStatusLine line) {
        long pid = line.number(3);
        if (line.word(1).equals("buffers")) {
            ReplayedLedger.Death death = ledger.deathOf(pid).orElseGet(() -> died(pid));
            statistics.removed(pid, line.number(0), line.word(2), death);
            ledger.removedAll();
            removedProcess = pid;
            return;
        }
        if (pid != removedProcess && ledger.deathOf(pid).isEmpty()) {
            died(pid);
        }
        boolean isOfKernels = line.word(1).equals("kernels");
        if (!isOfKernels) {
            gaps.note(
                    Kind.CIRCULAR_BUFFERS,
                    "process %d died with %s of %s MB (line %d), and a log does not identify them",
                    pid,
                    Quantities.count(line.number(0), "circular buffer"),
                    line.word(2),
                    lines.number());
        }
        (isOfKernels ? kernels : circularBuffers).values().removeIf(total -> total.line() < deathLine);
    }

    private void sum(ServerStatusLine line) {
        dialects.add(LogDialect.WITH_CIRCULAR_BUFFERS);
        Map<Integer, LastTotal> totals = line.word(0).equals("CB") ? circularBuffers : kernels;
        totals.put((int) line.number(1), new LastTotal(line.word(3), lines.number()));
    }

    private void omitted(long line) {
        gaps.noteAt(line, Kind.OMITTED, "line %d says that lines are omitted there", line);
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
                        gaps.note(Kind.CUT, "the log cannot be read after line %d: %s", lines.number(), damage));
        circularBuffers.forEach(this::circularBuffersRemaining);
        gaps.finish();
        if (!isAttached && events.history().lostReports().isEmpty()) {
            events.next()
                    .reportsLost(
                            -1,
                            lines.number() == 0
                                    ? "the log is empty"
                                    : "none of the " + Quantities.count(lines.number(), "line")
                                            + " is of a log of the allocation server");
        }
        endRound();
        if (ledger.hasEntriesOf(running)) {
            events.next()
                    .trackingStopped("the log shows no end of the program: no dump, no death and no end of the server");
        }
        if (lastDump == 0 || wentOnAfterDump || rounds > 0) {
            checked();
        }
    }

    private void checked() {
        events.next().checked(LocalDate.now(ZoneOffset.UTC));
        unseen.checked();
    }

    private void circularBuffersRemaining(int ofDevice, LastTotal total) {
        if (!RoundedNumbers.isZero(total.megabytes())) {
            gaps.noteAt(
                    total.line(),
                    Kind.CIRCULAR_BUFFERS,
                    "by line %d circular buffers of %s MB are live on device %d, and a log does not identify them",
                    total.line(),
                    total.megabytes(),
                    ofDevice);
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
        kernels.forEach((ofDevice, total) -> {
            if (!RoundedNumbers.isZero(total.megabytes())) {
                notes.add(String.format(
                        Locale.ROOT,
                        "Kernels of %s MB are loaded on device %d at the end (line %d). Kernels are no buffers and are not judged.",
                        total.megabytes(),
                        ofDevice,
                        total.line()));
            }
        });
        return notes;
    }
}
