package dev.meshguard.cli.run;

import dev.meshguard.capture.RuntimeOutputWriter;
import dev.meshguard.cli.common.ExitStatus;
import dev.meshguard.cli.common.Printer;
import dev.meshguard.cli.common.UsageException;
import dev.meshguard.report.json.HistoryJson;
import java.io.IOException;
import java.io.InputStream;
import java.io.Writer;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Writes a recorded run in another format. */
@Command(
        name = "convert",
        description =
                "Writes a recorded run in another form: as a history, as a file of the runtime or its server, or for other"
                        + " tools.",
        sortOptions = false,
        mixinStandardHelpOptions = true,
        optionListHeading = "%nOptions:%n",
        parameterListHeading = "%nRun:%n",
        footer = {
            "",
            "As a history it is JSON Lines. Gaps of a log stay gaps: lines that could not be read, and sums that disagree, are lost reports in the history,"
                    + " so its verdict is that of the log. As a log it is what tt-metal's server would have written: its"
                    + " own tools can read it. A log has no lines for some facts, which are lost: owners, origins, phases,"
                    + " meshes, what allocators held.",
            "",
            "COLLAPSED is where the leaked bytes came from, for tools that draw flame graphs; PERFETTO a trace with"
                    + " counters and a slice for each buffer, for ui.perfetto.dev; CSV a table of the survivors.",
            "",
            "GRAPH_CAPTURE is the JSON of ttnn.graph, REPORT_DATABASE the db.sqlite of ttnn's reports; both need -o. Such files have"
                    + " buffers and the operations that allocated them. What a run has besides is counted on standard error.",
            "",
            "Exit status: 0 if it was written, 64 if the run cannot be read, 74 if the result cannot be written.",
            "",
            "Examples:",
            "  meshguard convert server.log -o history.jsonl",
            "  meshguard convert --to REFERENCE_COUNTED history.jsonl -o server.log",
            "  meshguard convert --to perfetto history.jsonl -o trace.json",
            "  meshguard convert --to report_database history.jsonl -o db.sqlite",
            "  zstd -dc server.log.zst | meshguard convert - -o history.jsonl.gz"
        })
public final class Convert implements Callable<Integer> {

    @Mixin
    private HistoryInput run = new HistoryInput();

    @Mixin
    private HistoryOutput output = new HistoryOutput();

    @Option(
            names = "--to",
            paramLabel = "FORM",
            description =
                    "Write a log as the server of a dialect does (WITHOUT_REFERENCES, REFERENCE_COUNTED, HEXADECIMAL or"
                            + " WITH_CIRCULAR_BUFFERS), as the runtime does (GRAPH_CAPTURE or REPORT_DATABASE), or for another tool"
                            + " (COLLAPSED, PERFETTO or CSV); a history unless given.")
    private @Nullable ConversionTarget target;

    @Spec
    private CommandSpec command = CommandSpec.create();

    private final InputStream standardInput;

    public Convert(InputStream standardInput) {
        this.standardInput = standardInput;
    }

    @Override
    public Integer call() throws UsageException, IOException {
        output.rejectSameFile(run);
        RecordedFile recorded = run.read(standardInput);
        Optional<RuntimeOutputWriter> runtimeOutput = runtimeOutput(recorded);
        if (runtimeOutput.isPresent()) {
            write(runtimeOutput.get());
        } else {
            output.write(Printer.of(command), writer -> write(recorded, writer));
        }
        return ExitStatus.CLEAN.code();
    }

    private Optional<RuntimeOutputWriter> runtimeOutput(RecordedFile recorded) throws UsageException {
        ConversionTarget form = target;
        if (form == null) {
            return Optional.empty();
        }
        try {
            return form.runtimeOutput(recorded.history());
        } catch (IllegalArgumentException e) {
            throw new UsageException(recorded.name() + ": " + e.getMessage());
        }
    }

    private void write(RuntimeOutputWriter writer) throws UsageException {
        output.writeBytes("--to " + target, writer::write);
        Map<String, Long> losses = writer.losses();
        if (!losses.isEmpty()) {
            command.commandLine()
                    .getErr()
                    .println(losses.entrySet().stream()
                            .map(loss -> loss.getValue() + " × " + loss.getKey())
                            .collect(Collectors.joining(", ", "Not in the file: ", ".")));
        }
    }

    private void write(RecordedFile recorded, Writer writer) throws IOException, UsageException {
        ConversionTarget form = target;
        if (form == null) {
            HistoryJson.write(recorded.history(), writer);
            return;
        }
        try {
            form.write(recorded.history(), writer);
        } catch (IllegalArgumentException e) {
            throw new UsageException(recorded.name() + ": " + e.getMessage());
        }
    }
}
