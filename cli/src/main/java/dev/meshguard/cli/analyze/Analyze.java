package dev.meshguard.cli.analyze;

import dev.meshguard.capture.OutputFormat;
import dev.meshguard.capture.RuntimeOutput;
import dev.meshguard.capture.RuntimeOutputReader;
import dev.meshguard.capture.evidence.RuntimeEvidence;
import dev.meshguard.capture.heap.internal.HeapNeed;
import dev.meshguard.cli.common.CommandFailures;
import dev.meshguard.cli.common.ExitStatus;
import dev.meshguard.cli.common.HistoryFile;
import dev.meshguard.cli.common.InputFile;
import dev.meshguard.cli.common.Printer;
import dev.meshguard.cli.common.UsageException;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.report.LogLines;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.server.log.AllocationLog;
import dev.meshguard.server.log.AllocationLogReader;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.growth.Accumulation;
import dev.meshguard.verdict.growth.Rounds;
import dev.meshguard.verdict.growth.Trend;
import java.io.BufferedInputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Judges logs of the allocation server, histories, and files that the runtime wrote. */
@Command(
        name = "analyze",
        description =
                "Checks in logs of the allocation server, histories, graph captures and databases of ttnn whether all memory was freed.",
        sortOptions = false,
        mixinStandardHelpOptions = true,
        optionListHeading = "%nOptions:%n",
        parameterListHeading = "%nLogs:%n",
        footer = {
            "",
            "Reads every form in which the server, its enhanced and its older versions have written logs, also where lines of"
                    + " them are quoted in a document."
                    + " Each log is judged by itself; the worst one decides the exit status.",
            "",
            "A history (JSON Lines) holds all that its verdict rests on, the day of the check and what was found of handles"
                    + " included, so the verdict is that of the run itself, word for word.",
            "",
            "Graph captures of ttnn (JSON) and the databases of its reports (db.sqlite) are recognised by their content."
                    + " They end before the device is closed, so what is allocated at their end cannot be judged; --at-end"
                    + " judges it nevertheless. A database of several ranks gives one answer for each, or that of --rank, and a folder one for each"
                    + " file and rank.",
            "",
            "A memory report (CSV) or the shared memory of a device has the memory of one moment. --at-end says that nothing may"
                    + " be allocated then.",
            "",
            "The answer, from top to bottom:",
            "  the verdict       what leaked, what cannot be known and why, what was misreported",
            "  events            the numbers in the verdict are events; here are their lines",
            "  sums              whether the server's own statistics and dumps agree with the lines",
            "  rounds            with --rounds, the memory that each round retained",
            "  freed             what was freed before the last dump and after it, by type and phase",
            "  addresses         how often each was allocated and freed, the least balanced first",
            "  not read          the lines of unknown forms",
            "",
            "Exit status:",
            "  0   all memory was freed, or only expected buffers or known leaks remain",
            "  1   memory was not freed",
            "  2   it cannot be known: the log is cut, lines are missing, or sums disagree",
            "  3   all memory was freed, but reports are wrong: a free is missing, or one too many",
            "  4   fewer buffers remain than an expectation entry requires",
            "  6   memory was freed, but only after the dump of the log",
            "  64  wrong usage, or a file that cannot be read",
            "  70  a defect of meshguard itself",
            "  74  the answer could not be written",
            "",
            "Examples:",
            "  meshguard analyze server.log",
            "  meshguard analyze meshguard-history.jsonl",
            "  meshguard analyze --json run1.log.gz run2.log.gz",
            "  ssh host cat /tmp/server.log | meshguard analyze -",
            "  meshguard analyze --follow --until-quiet 30 /tmp/server.log",
            "  meshguard analyze --rounds '^=== Run' three-runs.log",
            "  meshguard analyze --expected meshguard-expected.txt --phase '^=== (.+) ===$' server.log"
        })
public final class Analyze implements Callable<Integer> {

    /** Matches a name that means itself in each shell. */
    private static final Pattern PLAIN_WORD =
            Pattern.compile(File.separatorChar == '\\' ? "[\\w@+=:,.\\\\/-]+" : "[\\w@+=:,./-]+");

    private static final String STANDARD_INPUT = "-";

    @Parameters(
            paramLabel = "LOG",
            arity = "1..*",
            description =
                    "A log, a history, a graph capture or a database, plain or compressed with gzip or zstd, or a folder of"
                            + " captures and databases; - reads standard input.")
    private List<String> logs = List.of();

    @Option(names = "--json", description = "Answer with one JSON document, with every address.")
    private boolean asJson;

    @Mixin
    private ExpectationOptions expectations = new ExpectationOptions();

    @Option(
            names = "--phase",
            paramLabel = "REGEX",
            description = "Lines in which this is found begin a phase, called like the first group.")
    private @Nullable String phaseMark;

    @Option(
            names = "--rounds",
            paramLabel = "REGEX",
            description =
                    "Lines, or operations of a capture or database, in which this is found begin a round; prints the memory that"
                            + " each round retained.")
    private @Nullable String roundMark;

    @Option(
            names = "--follow",
            description =
                    "Go on reading what is written to the log, until Ctrl+C; then answer, with the verdict's exit status.")
    private boolean follows;

    @Option(
            names = "--until-quiet",
            paramLabel = "SECONDS",
            description = "With --follow: answer when nothing was written for so long.")
    private @Nullable Long quietSeconds;

    @Option(
            names = "--rank",
            paramLabel = "N",
            description =
                    "For a database that several processes wrote, or a folder: judge the process of this rank only.")
    private @Nullable Integer rank;

    @Option(
            names = "--at-end",
            description = "For captures and databases: what is allocated at the end, and not expected, has leaked.")
    private boolean judgesEnd;

    @Option(
            names = "--after",
            paramLabel = "OPERATION",
            description = "Like --at-end, after the operation of this number; what follows is not read.")
    private @Nullable Integer lastOperation;

    @Option(
            names = "--addresses",
            paramLabel = "N",
            defaultValue = "10",
            description =
                    "How many addresses, or buffers of a capture or database, are shown (default: ${DEFAULT-VALUE}).")
    private int mostAddresses;

    private final InputStream standardInput;
    private final Printer out;
    private final Optional<Printer> progress;
    private final Interruption interruption;

    /**
     * Creates the command.
     *
     * @param progress the printer for the progress of long files, if there is a terminal
     * @param interruption delays the JVM's end until the result of a followed log is printed
     */
    public Analyze(InputStream standardInput, Printer out, Optional<Printer> progress, Interruption interruption) {
        this.standardInput = standardInput;
        this.out = out;
        this.progress = progress;
        this.interruption = interruption;
    }

    @Override
    public Integer call() throws UsageException, IOException {
        rejectWhatDoesNotFit();
        if (follows) {
            interruption.await();
        }
        AllocationLogReader reader = reader();
        CheckCriteria criteria = expectations.read();
        List<Analysis> analyses = new ArrayList<>();
        for (String name : logs) {
            try {
                analyses.addAll(read(reader, name, criteria));
            } catch (OutOfMemoryError e) {
                // The log that is being read is released here.
                throw new UsageException(tooLarge(name));
            }
        }
        try {
            print(analyses);
        } catch (OutOfMemoryError e) {
            throw new UsageException(tooLarge(logs.get(0)));
        }
        return analyses.stream()
                .map(Analysis::status)
                .reduce(ExitStatus.CLEAN, ExitStatus::orWorse)
                .code();
    }

    /** The answers about earlier logs are kept and may take most of the heap, so of several logs none is named. */
    private String tooLarge(String name) {
        if (logs.size() > 1) {
            return CommandFailures.heapFull("The answer about " + logs.size() + " logs");
        }
        return name.equals(STANDARD_INPUT)
                ? CommandFailures.heapFull(words(name))
                : CommandFailures.heapFull(Path.of(name));
    }

    /** Returns a file's name as one word of a shell; a Windows shell knows double quotes only. */
    private static String forShell(String name) {
        if (PLAIN_WORD.matcher(name).matches()) {
            return name;
        }
        return File.separatorChar == '\\' ? '"' + name + '"' : "'" + name.replace("'", "'\\''") + "'";
    }

    private static String words(String name) {
        return name.equals(STANDARD_INPUT) ? "standard input" : name;
    }

    private void rejectWhatDoesNotFit() throws UsageException {
        if (mostAddresses < 0) {
            throw new UsageException("--addresses " + mostAddresses + ": give 0 or more");
        }
        if (rank != null && rank < 0) {
            throw new UsageException("--rank " + rank + ": give the rank of a process, 0 or more");
        }
        if (lastOperation != null && lastOperation < 0) {
            throw new UsageException("--after " + lastOperation + ": give the number of an operation, 0 or more");
        }
        if (quietSeconds != null && (!follows || quietSeconds < 0)) {
            throw new UsageException("--until-quiet " + quietSeconds + ": give 0 or more seconds, and --follow");
        }
        if (follows && (logs.size() != 1 || logs.contains(STANDARD_INPUT))) {
            throw new UsageException(
                    "--follow reads one file. Name one log, or pipe it in with - and leave --follow out.");
        }
    }

    private Analysis analysis(AllocationLog log, CheckCriteria criteria) {
        LeakVerdict verdict = criteria.examine(log.history());
        VerdictReport report = criteria.report(verdict, new LogLines(words(log.name()), log::lineOf));
        for (String note : log.notes()) {
            report = report.noting(note);
        }
        if (!verdict.groups().isEmpty() && Files.isRegularFile(Path.of(log.name()))) {
            report = report.shownAt("meshguard page " + forShell(log.name()));
        }
        Optional<Accumulation> accumulation = accumulation(verdict);
        return new LogAnalysis(log, report, accumulation, worse(criteria.status(verdict), accumulation));
    }

    private HistoryAnalysis analysis(InputStream history, String name, CheckCriteria criteria)
            throws IOException, UsageException {
        if (phaseMark != null || roundMark != null) {
            throw new UsageException(
                    name + " is a history and no log, and --phase and --rounds are not for it. Leave them out.");
        }
        AllocationHistory read = HistoryFile.read(history, name);
        LeakVerdict verdict = criteria.examine(read);
        return new HistoryAnalysis(name, read.events().size(), criteria.report(verdict), criteria.status(verdict));
    }

    private Optional<Accumulation> accumulation(LeakVerdict verdict) {
        return roundMark == null ? Optional.empty() : Optional.of(Accumulation.of(verdict, Rounds.MARKED));
    }

    /** A growing memory is a leak. */
    private static ExitStatus worse(ExitStatus status, Optional<Accumulation> accumulation) {
        boolean grows =
                accumulation.filter(over -> over.trend() == Trend.GROWING).isPresent();
        return grows ? status.orWorse(ExitStatus.LEAKED) : status;
    }

    private void print(List<Analysis> analyses) throws IOException {
        if (asJson) {
            new AnalysisJson(out).write(analyses);
        } else {
            // All of it is made before any is printed: half an answer would look like a whole one.
            List<String> lines = new ArrayList<>();
            for (Analysis analysis : analyses) {
                if (!lines.isEmpty()) {
                    lines.add("");
                    lines.add("=".repeat(80));
                }
                lines.addAll(lines(analysis));
            }
            lines.forEach(out::println);
        }
        out.flush();
    }

    private List<String> lines(Analysis analysis) {
        if (analysis instanceof LogAnalysis log) {
            return new LogText(log, mostAddresses).lines();
        }
        if (analysis instanceof HistoryAnalysis history) {
            return history.lines();
        }
        return analysis instanceof OutputAnalysis output
                ? new OutputText(output, mostAddresses).lines()
                : new EvidenceText((EvidenceAnalysis) analysis).lines();
    }

    private AllocationLogReader reader() throws UsageException {
        AllocationLogReader reader = AllocationLogReader.create();
        if (phaseMark != null) {
            reader = reader.phasesAt(pattern("--phase", phaseMark));
        }
        return roundMark == null ? reader : reader.roundsAt(pattern("--rounds", roundMark));
    }

    private static Pattern pattern(String option, String expression) throws UsageException {
        try {
            return Pattern.compile(expression);
        } catch (PatternSyntaxException e) {
            throw new UsageException(String.format(
                    Locale.ROOT,
                    "%s %s is no regular expression: %s at index %d. Example: '^=== (.+) ===$'",
                    option,
                    expression,
                    e.getDescription(),
                    e.getIndex()));
        }
    }

    private List<Analysis> read(AllocationLogReader reader, String name, CheckCriteria criteria) throws UsageException {
        try {
            if (name.equals(STANDARD_INPUT)) {
                BufferedInputStream input = new BufferedInputStream(standardInput);
                return read(reader, input, OutputFormat.of(input), "standard input", criteria);
            }
            if (!follows && isFolder(name)) {
                return analyses(outputs(name).readRanks(Path.of(name)), criteria);
            }
            Path file = InputFile.path(name, "Name the logs in it: " + name + "/*.log");
            return follows ? List.of(analysis(followed(reader, file), criteria)) : read(reader, file, criteria);
        } catch (IOException e) {
            throw InputFile.unreadable(name, "a log, a history, a graph capture or a database", e);
        }
    }

    private AllocationLog followed(AllocationLogReader reader, Path file) throws IOException, UsageException {
        if (Files.exists(file) && !Files.isRegularFile(file)) {
            throw new UsageException(
                    file + " is no regular file. It is read until whoever writes to it closes it: leave --follow out.");
        }
        try (InputStream beginning = new BufferedInputStream(InputFile.open(file))) {
            if (HistoryFile.isHistory(beginning)) {
                throw new UsageException(file + " is a history and no log, and --follow is for logs. Leave it out.");
            }
        }
        long quiet = quietSeconds == null ? Long.MAX_VALUE : quietSeconds;
        return reader.follow(file, since -> interruption.isAskedFor() || since.toSeconds() >= quiet);
    }

    private static boolean isFolder(String name) {
        try {
            return Files.isDirectory(Path.of(name));
        } catch (InvalidPathException e) {
            return false;
        }
    }

    private List<Analysis> read(AllocationLogReader reader, Path file, CheckCriteria criteria)
            throws IOException, UsageException {
        try (InputStream input = ProgressStream.over(InputFile.open(file), Files.size(file), progress)) {
            BufferedInputStream buffered = new BufferedInputStream(input);
            Optional<OutputFormat> format = OutputFormat.of(buffered);
            if (!Files.isRegularFile(file) || format.isEmpty()) {
                HeapNeed.requireRoomFor(file);
                return read(reader, buffered, format, file.toString(), criteria);
            }
            RuntimeOutputReader outputs = outputs(file.toString());
            // A database is read where it is.
            return analyses(
                    format.equals(Optional.of(OutputFormat.REPORT_DATABASE))
                            ? outputs.readRanks(file)
                            : outputs.readRanks(buffered, file),
                    criteria);
        }
    }

    private List<Analysis> read(
            AllocationLogReader reader,
            InputStream input,
            Optional<OutputFormat> format,
            String name,
            CheckCriteria criteria)
            throws IOException, UsageException {
        if (format.isPresent()) {
            return analyses(outputs(name).readRanks(input, name), criteria);
        }
        if (rank != null) {
            throw new UsageException(name + " is neither a graph capture nor a database, and --rank " + rank
                    + " chooses a process of these. Leave it out.");
        }
        if (RuntimeEvidence.isOfMoment(input)) {
            return List.of(EvidenceAnalysis.of(RuntimeEvidence.read(input, name), judgesEnd));
        }
        boolean isHistory = HistoryFile.isHistory(input);
        if (lastOperation != null) {
            throw new UsageException(name + " is a " + (isHistory ? "history" : "log")
                    + ", and --after is for graph captures and databases. Leave it out.");
        }
        return List.of(isHistory ? analysis(input, name, criteria) : analysis(reader.read(input, name), criteria));
    }

    private RuntimeOutputReader outputs(String name) throws UsageException {
        if (phaseMark != null) {
            throw new UsageException(
                    name + " is a file of the runtime and no log, and --phase is for logs. Leave it out.");
        }
        RuntimeOutputReader reader = RuntimeOutputReader.create();
        if (roundMark != null) {
            reader = reader.roundsAt(pattern("--rounds", roundMark));
        }
        if (rank != null) {
            reader = reader.ofRank(rank);
        }
        if (lastOperation != null) {
            return reader.judgedAfter(lastOperation);
        }
        return judgesEnd ? reader.judgedAtEnd() : reader;
    }

    private List<Analysis> analyses(List<RuntimeOutput> outputs, CheckCriteria criteria) {
        List<Analysis> analyses = new ArrayList<>();
        for (RuntimeOutput output : outputs) {
            LeakVerdict verdict = criteria.examine(output.history());
            VerdictReport report = criteria.report(verdict);
            Optional<Accumulation> accumulation = accumulation(verdict);
            analyses.add(
                    new OutputAnalysis(output, report, accumulation, worse(criteria.status(verdict), accumulation)));
        }
        return analyses;
    }
}
