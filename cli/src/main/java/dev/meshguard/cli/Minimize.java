package dev.meshguard.cli;

import dev.meshguard.report.json.HistoryJson;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.minimize.HistoryMinimizer;
import dev.meshguard.verdict.minimize.MinimizedHistory;
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

/** Shrinks a failing run. */
@Command(
        name = "minimize",
        description = "Shrinks a run that fails to the few reports that it fails with.",
        sortOptions = false,
        mixinStandardHelpOptions = true,
        optionListHeading = "%nOptions:%n",
        parameterListHeading = "%nRun:%n",
        footer = {
            "",
            "Leaves out whole lives of buffers, then devices, then the rest, and makes sizes small, as long as the verdict has the"
                    + " same outcome and the same causes. Of two leaks with the same cause one is left. The result is a"
                    + " history like any other: replay, diff and to-test read it.",
            "",
            "Exit status: 0 if there is a result, also one that the bound ended early; 64 if nothing is wrong with the run, or"
                    + " it cannot be read.",
            "",
            "Examples:",
            "  meshguard minimize server.log -o least.jsonl",
            "  meshguard minimize --cause HELD meshguard-history.jsonl | meshguard to-test -"
        })
final class Minimize implements Callable<Integer> {

    @Parameters(
            paramLabel = "FILE",
            description = "A history in JSON Lines or a log, plain or gzip; - reads standard input.")
    private String file = "";

    @Option(
            names = {"-o", "--output"},
            paramLabel = "OUT",
            description =
                    "Where the history goes, as JSON Lines, compressed if OUT ends in .gz; standard output unless given.")
    private @Nullable Path output;

    @Option(
            names = "--cause",
            paramLabel = "CAUSE",
            description = "Keep one buffer with this cause and nothing else that is wrong: ${COMPLETION-CANDIDATES}.")
    private @Nullable Cause cause;

    @Option(
            names = "--most-checks",
            paramLabel = "N",
            defaultValue = "10000",
            description = "How many shorter histories are judged at most (default: ${DEFAULT-VALUE}).")
    private int mostChecks;

    @Spec
    private CommandSpec command = CommandSpec.create();

    private final InputStream standardInput;

    Minimize(InputStream standardInput) {
        this.standardInput = standardInput;
    }

    @Override
    public Integer call() throws Refusal, IOException {
        if (mostChecks < 1) {
            throw new Refusal("--most-checks " + mostChecks + ": give 1 or more");
        }
        RecordedFile recorded = RecordedFile.read(file, standardInput);
        MinimizedHistory least = least(recorded, cause, mostChecks);
        PrintWriter out = command.commandLine().getOut();
        PrintWriter said = output == null ? command.commandLine().getErr() : out;
        if (output == null) {
            HistoryJson.write(least.history(), out);
        } else {
            RecordedFile.write(least.history(), output);
        }
        said.println(recorded.name() + ": " + least.left());
        said.println(least);
        said.flush();
        return ExitStatus.CLEAN.code();
    }

    static MinimizedHistory least(RecordedFile recorded, @Nullable Cause cause, int mostChecks) throws Refusal {
        HistoryMinimizer minimizer = HistoryMinimizer.create().withMostChecks(mostChecks);
        try {
            return (cause == null ? minimizer : minimizer.about(cause)).minimize(recorded.history());
        } catch (IllegalArgumentException e) {
            throw new Refusal(recorded.name() + ": " + e.getMessage());
        }
    }
}
