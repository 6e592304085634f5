package dev.meshguard.cli.analyze;

import dev.meshguard.capture.RuntimeOutput;
import dev.meshguard.capture.RuntimeOutputReader;
import dev.meshguard.capture.evidence.MemoryReport;
import dev.meshguard.capture.evidence.SharedMemory;
import dev.meshguard.cli.common.ExitStatus;
import dev.meshguard.cli.common.JsonDocument;
import dev.meshguard.cli.common.Printer;
import dev.meshguard.cli.common.UsageException;
import dev.meshguard.cli.input.FileKind;
import dev.meshguard.cli.input.Input;
import dev.meshguard.cli.input.InputReader;
import dev.meshguard.server.log.AllocationLog;
import dev.meshguard.server.log.AllocationLogReader;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
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
        List<UsageException> unreadable = new ArrayList<>();
        List<Input> inputs = inputs(unreadable);
        files.rejectUnusedRank(inputs);
        InputReader.rejectUnused("--phase", phaseMark, inputs, "logs", FileKind.LOG);
        InputReader.rejectUnused(
                "--rounds",
                roundMark,
                inputs,
                "logs, graph captures and databases",
                FileKind.LOG,
                FileKind.CAPTURE,
                FileKind.DATABASE);
        List<FileAnswer> answers = inputs.stream().map(this::answer).toList();
        if (asJson) {
            JsonDocument.write(out, json(answers, unreadable));
        } else {
            // All of it is made before any is printed: half an answer would look like a whole one.
            text(answers).forEach(out::println);
            out.flush();
        }
        ExitStatus worst = ExitStatus.CLEAN;
        for (FileAnswer answer : answers) {
            worst = worst.orWorse(answer.status());
        }
        for (UsageException file : unreadable) {
            errors.problem(file.getMessage());
            worst = worst.orWorse(file.status());
        }
        return worst.code();
    }

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

    private FileAnswer answer(Input input) {
        if (input instanceof Input.Moment moment) {
            return moment.memory() instanceof MemoryReport report
                    ? new MemoryReportAnswer(moment, report, judgesEnd)
                    : new SharedMemoryAnswer(moment, (SharedMemory) moment.memory(), judgesEnd);
        }
        Input.Recording recording = (Input.Recording) input;
        FileVerdict verdict = expectations.judge(recording, roundMark != null);
        if (recording.content() instanceof AllocationLog log) {
            return new LogAnswer(recording, log, verdict);
        }
        return recording.content() instanceof RuntimeOutput output
                ? new OutputAnswer(recording, output, verdict)
                : new HistoryAnswer(recording, verdict);
    }

    // Output

    private static List<String> text(List<FileAnswer> answers) {
        List<String> lines = new ArrayList<>();
        for (FileAnswer answer : answers) {
            if (!lines.isEmpty()) {
                lines.add("");
                lines.add("=".repeat(80));
            }
            lines.addAll(answer.text());
        }
        return lines;
    }

    /** Returns one document about all files, those of a kind in the order of the command line. */
    private static Map<String, Object> json(List<FileAnswer> answers, List<UsageException> unreadable) {
        Map<String, Object> document =
                JsonDocument.object("format", "meshguard-analysis", "version", 1, FileKind.LOG.list(), List.of());
        for (FileKind kind : FileKind.values()) {
            List<Map<String, Object>> ofKind = answers.stream()
                    .filter(answer -> answer.file().kind() == kind)
                    .map(Analyze::json)
                    .toList();
            if (!ofKind.isEmpty()) {
                document.put(kind.list(), ofKind);
            }
        }
        if (!unreadable.isEmpty()) {
            document.put(
                    "unreadable",
                    unreadable.stream().map(UsageException::getMessage).toList());
        }
        return document;
    }

    private static Map<String, Object> json(FileAnswer answer) {
        Map<String, Object> fields =
                JsonDocument.object(answer.file().kind().field(), answer.file().name(), "status", answer.status());
        fields.putAll(answer.fields());
        return fields;
    }
}
