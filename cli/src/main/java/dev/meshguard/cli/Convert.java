package dev.meshguard.cli;

import dev.meshguard.report.json.HistoryJson;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Writes a recorded run in another form. */
@Command(
        name = "convert",
        description = "Writes a log of the allocation server as a history in JSON Lines.",
        sortOptions = false,
        mixinStandardHelpOptions = true,
        optionListHeading = "%nOptions:%n",
        parameterListHeading = "%nRun:%n",
        footer = {
            "",
            "What a log leaves open stays open: lines that could not be read, and sums that disagree, are lost reports in the history,"
                    + " so its verdict is that of the log. A history is written again as it is.",
            "",
            "Exit status: 0 if it was written, 64 if it cannot be read or written.",
            "",
            "Examples:",
            "  meshguard convert server.log -o history.jsonl",
            "  zstd -dc server.log.zst | meshguard convert - -o history.jsonl.gz"
        })
final class Convert implements Callable<Integer> {

    @Parameters(
            paramLabel = "FILE",
            description = "A log, or a history in JSON Lines, plain or gzip; - reads standard input.")
    private String file = "";

    @Option(
            names = {"-o", "--output"},
            paramLabel = "OUT",
            description = "Where the history goes, compressed if OUT ends in .gz; standard output unless given.")
    private @Nullable Path output;

    @Spec
    private CommandSpec command = CommandSpec.create();

    private final InputStream standardInput;

    Convert(InputStream standardInput) {
        this.standardInput = standardInput;
    }

    @Override
    public Integer call() throws Refusal, IOException {
        RecordedFile recorded = RecordedFile.read(file, standardInput);
        if (output == null) {
            PrintWriter out = command.commandLine().getOut();
            HistoryJson.write(recorded.history(), out);
            out.flush();
        } else {
            RecordedFile.write(recorded.history(), output);
        }
        return ExitStatus.CLEAN.code();
    }
}
