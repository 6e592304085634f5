package dev.meshguard.cli.analyze;

import dev.meshguard.capture.RuntimeOutputReader;
import dev.meshguard.capture.evidence.MemoryReport;
import dev.meshguard.capture.evidence.SharedMemory;
import dev.meshguard.cli.common.CommandFailures;
import dev.meshguard.cli.common.ExitStatus;
import dev.meshguard.cli.common.JsonDocument;
import dev.meshguard.cli.common.Printer;
import dev.meshguard.cli.common.UsageException;
import dev.meshguard.cli.input.Input;
import dev.meshguard.cli.input.InputReader;
import dev.meshguard.event.Quantities;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.report.json.VerdictJson;
import dev.meshguard.server.log.AllocationLogReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
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
            "Examples:",
            "  meshguard analyze server.log",
            "  meshguard analyze meshguard-history.jsonl",
            "  meshguard analyze --json run1.log.gz run2.log.gz",
            "  ssh host cat /tmp/server.log | meshguard analyze -",
            "  meshguard analyze --rounds '^=== Run' three-runs.log",
            "  meshguard analyze --expected meshguard-expected.txt --phase '^=== (.+) ===$' server.log"
        })
public final class Analyze implements Callable<Integer> {

    /** Matches a name that means itself in each shell. */
    private static final Pattern PLAIN_WORD =
            Pattern.compile(File.separatorChar == '\\' ? "[\\w@+=:,.\\\\/-]+" : "[\\w@+=:,./-]+");

    private static final String FORMAT = "meshguard-analysis";
    private static final int VERSION = 1;

    @Parameters(
            paramLabel = "LOG",
            arity = "1..*",
            description =
                    "A log, a history or a graph capture, plain or compressed with gzip, or a database; - reads standard"
                            + " input.")
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

    @Mixin
    private final InputReader files;

    @Option(
            names = "--at-end",
            description = "For captures and databases: what is allocated at the end, and not expected, has leaked.")
    private boolean judgesEnd;

    private final Printer out;
    private final Printer errors;

    public Analyze(InputStream standardInput, Printer out, Printer errors) {
        this.files = new InputReader(standardInput);
        this.out = out;
        this.errors = errors;
    }

    @Override
    public Integer call() throws UsageException, IOException {
        expectations.read();
        try {
            return answer().code();
        } catch (OutOfMemoryError e) {
            // What was read is garbage here.
            throw new UsageException(CommandFailures.heapFull(logs));
        }
    }

    private ExitStatus answer() throws UsageException, IOException {
        List<UsageException> unreadable = new ArrayList<>();
        List<Input> inputs = inputs(unreadable);
        if (!inputs.isEmpty()) {
            rejectUnusedOptions(inputs);
        }
        List<FileAnswer> answers = inputs.stream().map(this::answer).toList();
        if (asJson) {
            printJson(answers, unreadable);
        } else {
            printText(answers);
        }
        ExitStatus worst = ExitStatus.CLEAN;
        for (FileAnswer answer : answers) {
            worst = worst.orWorse(answer.status());
        }
        for (UsageException file : unreadable) {
            errors.problem(file.getMessage());
            worst = worst.orWorse(file.status());
        }
        return worst;
    }

    private void rejectUnusedOptions(List<Input> inputs) throws UsageException {
        InputReader.rejectUnused("--phase", phaseMark, inputs, Input.Log.class::isInstance, "logs");
        InputReader.rejectUnused(
                "--rounds",
                roundMark,
                inputs,
                input -> input instanceof Input.Log || input instanceof Input.Output,
                "logs, graph captures and databases");
        files.rejectUnusedRank(inputs);
    }

    // Reading

    /** Reads the files; one that cannot be read keeps no other from its answer. */
    private List<Input> inputs(List<UsageException> unreadable) throws UsageException {
        AllocationLogReader ofLogs = AllocationLogReader.create();
        RuntimeOutputReader ofOutputs = RuntimeOutputReader.create();
        if (phaseMark != null) {
            ofLogs = ofLogs.phasesAt(pattern("--phase", phaseMark));
        }
        if (roundMark != null) {
            Pattern mark = pattern("--rounds", roundMark);
            ofLogs = ofLogs.roundsAt(mark);
            ofOutputs = ofOutputs.roundsAt(mark);
        }
        if (judgesEnd) {
            ofOutputs = ofOutputs.judgedAtEnd();
        }
        List<Input> inputs = new ArrayList<>();
        for (String name : logs) {
            try {
                inputs.addAll(files.read(name, ofLogs, ofOutputs));
            } catch (UsageException e) {
                unreadable.add(e);
            }
        }
        return inputs;
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

    // Answers

    private FileAnswer answer(Input input) {
        if (input instanceof Input.Moment moment) {
            return moment.memory() instanceof MemoryReport report
                    ? new MemoryReportAnswer(report, judgesEnd).answer()
                    : SharedMemoryAnswer.of((SharedMemory) moment.memory(), judgesEnd)
                            .answer();
        }
        Input.Recording recording = (Input.Recording) input;
        FileVerdict judgement = expectations.judge(recording, roundMark != null);
        if (input instanceof Input.Log log) {
            return new LogAnswer(log.log(), withPage(log, judgement)).answer();
        }
        if (input instanceof Input.Output output) {
            return new OutputAnswer(output.output(), judgement).answer();
        }
        int events = recording.history().events().size();
        String headline = input.name() + ": " + Quantities.count(events, "event") + " (history)";
        return judgement.answer(
                FileAnswer.Kind.HISTORY, input.name(), headline, lines -> {}, json -> json.field("events", events));
    }

    /** Names the command that writes the page of its leaks. */
    private static FileVerdict withPage(Input.Log log, FileVerdict judgement) {
        VerdictReport report = judgement.report();
        boolean hasPage = !report.verdict().groups().isEmpty() && Files.isRegularFile(Path.of(log.name()));
        return new FileVerdict(
                hasPage ? report.shownAt("meshguard page " + forShell(log.name())) : report,
                judgement.accumulation(),
                judgement.verdict());
    }

    /** Returns a file's name as one word of a shell; a Windows shell knows double quotes only. */
    private static String forShell(String name) {
        if (PLAIN_WORD.matcher(name).matches()) {
            return name;
        }
        return File.separatorChar == '\\' ? '"' + name + '"' : "'" + name.replace("'", "'\\''") + "'";
    }

    // Output

    private void printText(List<FileAnswer> answers) {
        // All of it is made before any is printed: half an answer would look like a whole one.
        List<String> lines = new ArrayList<>();
        for (FileAnswer answer : answers) {
            if (!lines.isEmpty()) {
                lines.add("");
                lines.add("=".repeat(80));
            }
            lines.addAll(answer.text().get());
        }
        lines.forEach(out::println);
        out.flush();
    }

    /** Prints one document for all files, those of a kind in the order of the command line. */
    private void printJson(List<FileAnswer> answers, List<UsageException> unreadable) throws IOException {
        // The verdicts take the most heap, so they are made before anything is written.
        IdentityHashMap<FileAnswer, String> verdicts = new IdentityHashMap<>();
        for (FileAnswer answer : answers) {
            answer.report()
                    .ifPresent(report ->
                            verdicts.put(answer, VerdictJson.text(report).strip()));
        }
        JsonDocument.write(out, FORMAT, VERSION, json -> {
            for (FileAnswer.Kind kind : FileAnswer.Kind.values()) {
                List<FileAnswer> ofKind =
                        answers.stream().filter(answer -> answer.kind() == kind).toList();
                if (kind == FileAnswer.Kind.LOG || !ofKind.isEmpty()) {
                    json.objects(kind.list(), ofKind, answer -> {
                        json.field(kind.field(), answer.name());
                        json.field("status", answer.status());
                        answer.fields().write(json);
                        if (verdicts.containsKey(answer)) {
                            json.document("verdict", verdicts.getOrDefault(answer, ""));
                        }
                    });
                }
            }
            if (!unreadable.isEmpty()) {
                json.field(
                        "unreadable",
                        unreadable.stream().map(UsageException::getMessage).toList());
            }
        });
    }
}
