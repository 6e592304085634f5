package dev.meshguard.cli;

import dev.meshguard.capture.RuntimeOutput;
import dev.meshguard.capture.RuntimeOutputReader;
import dev.meshguard.cli.terminal.ExitStatus;
import dev.meshguard.cli.terminal.JsonDocument;
import dev.meshguard.cli.terminal.Terminal;
import dev.meshguard.cli.terminal.UsageException;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.server.log.AllocationLogReader;
import dev.meshguard.server.log.ParsedLog;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.expectation.ExpectedBuffers;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command {@code analyze}: judges logs of the allocation server, histories, and files that the runtime wrote. */
@Command(
        name = "analyze",
        description =
                "Checks in logs of the allocation server, histories, graph captures and databases of ttnn whether all memory was freed.",
        footer = {
            "",
            "The content of a file shows what it is; memory reports (CSV) and the shared memory of a device are read too. Each"
                    + " file is judged by itself, and the worst one decides the exit status. A database of several ranks has one"
                    + " answer for each.",
            "",
            "Examples:",
            "  meshguard analyze server.log",
            "  meshguard analyze meshguard-history.jsonl",
            "  meshguard analyze --json run1.log.gz run2.log.gz",
            "  ssh host cat /tmp/server.log | meshguard analyze -",
            "  meshguard analyze --rounds '^=== Run' three-runs.log",
            "  meshguard analyze --expected meshguard-expected.txt server.log"
        })
final class Analyze implements Subcommand {

    @Parameters(
            paramLabel = "LOG",
            arity = "1..*",
            description =
                    "A log, a history or a graph capture, plain or compressed with gzip, or a database; - reads standard"
                            + " input.")
    private List<String> logs = List.of();

    @Option(names = "--json", description = "Answer with one JSON document, with every address.")
    private boolean asJson;

    @Option(
            names = "--expected",
            paramLabel = "FILE",
            description = "The expected buffers, one entry a line, as in meshguard-expected.txt.")
    private @Nullable Path expectedFile;

    @Option(
            names = "--rounds",
            paramLabel = "REGEX",
            description =
                    "Lines, or operations of a capture or database, in which this is found begin a round; prints the memory that"
                            + " each round retained.")
    private @Nullable Pattern roundMark;

    @Mixin
    private InputReader files = new InputReader();

    @Option(
            names = "--at-end",
            description =
                    "For captures, databases and the memory of a moment: what is allocated at the end, and not expected, has"
                            + " leaked.")
    private boolean judgesEnd;

    @Override
    public int run(Terminal terminal) throws UsageException, IOException {
        LeakCheck check = check();
        List<UsageException> unreadable = new ArrayList<>();
        List<Input> inputs = inputs(terminal, unreadable);
        files.rejectUnusedRank(inputs);
        InputReader.rejectUnused(
                "--rounds",
                roundMark,
                inputs,
                "logs, graph captures and databases",
                FileKind.LOG,
                FileKind.GRAPH_CAPTURE,
                FileKind.REPORT_DATABASE);
        List<FileAnswer> answers =
                inputs.stream().map(input -> answer(input, check)).toList();
        if (asJson) {
            JsonDocument.write(terminal.out(), json(answers, unreadable));
        } else {
            // All of it is made before any is printed: half an answer would look like a whole one.
            text(answers).forEach(terminal.out()::println);
            terminal.out().flush();
        }
        unreadable.forEach(file -> terminal.errors().problem(file.getMessage()));
        return Stream.concat(
                        answers.stream().map(FileAnswer::status),
                        unreadable.stream().map(UsageException::status))
                .reduce(ExitStatus.CLEAN, ExitStatus::orWorse)
                .code();
    }

    private LeakCheck check() throws UsageException {
        LeakCheck check = LeakCheck.create();
        try {
            return expectedFile == null ? check : check.expecting(ExpectedBuffers.load(expectedFile));
        } catch (IOException e) {
            throw UsageException.unreadable(expectedFile.toString(), "Give another path with --expected.", e);
        } catch (IllegalArgumentException e) {
            throw new UsageException(String.valueOf(e.getMessage()));
        }
    }

    /** Reads the files; one that cannot be read keeps no other from its answer. */
    private List<Input> inputs(Terminal terminal, List<UsageException> unreadable) {
        AllocationLogReader ofLogs = AllocationLogReader.create();
        RuntimeOutputReader ofOutputs = RuntimeOutputReader.create();
        if (roundMark != null) {
            ofLogs = ofLogs.roundsAt(roundMark);
            ofOutputs = ofOutputs.roundsAt(roundMark);
        }
        if (judgesEnd) {
            ofOutputs = ofOutputs.judgedAtEnd();
        }
        List<Input> inputs = new ArrayList<>();
        for (String name : logs) {
            try {
                inputs.addAll(files.read(name, terminal.in(), ofLogs, ofOutputs));
            } catch (UsageException e) {
                unreadable.add(e);
            }
        }
        return inputs;
    }

    private FileAnswer answer(Input input, LeakCheck check) {
        if (input instanceof Input.Moment moment) {
            return MomentAnswer.of(moment, judgesEnd);
        }
        Input.Recording recording = (Input.Recording) input;
        VerdictReport report = recording.report(check.examine(recording.history()));
        boolean hasRounds = roundMark != null;
        if (recording.content() instanceof ParsedLog log) {
            return new LogAnswer(recording, log, report, hasRounds);
        }
        return recording.content() instanceof RuntimeOutput output
                ? new OutputAnswer(recording, output, report, hasRounds)
                : new HistoryAnswer(recording, report, hasRounds);
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
