package dev.meshguard.cli.run;

import dev.meshguard.cli.common.CheckCriteria;
import dev.meshguard.cli.common.ExitStatus;
import dev.meshguard.cli.common.ExpectationOptions;
import dev.meshguard.cli.common.Printer;
import dev.meshguard.cli.common.UsageException;
import dev.meshguard.report.json.HistoryJson;
import dev.meshguard.reproduce.minimize.HistoryMinimizer;
import dev.meshguard.reproduce.minimize.MinimizedHistory;
import dev.meshguard.verdict.Cause;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
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
            "Removes whole generations of buffers, then devices, then the rest, and makes sizes small, as long as the verdict has the"
                    + " same outcome and the same causes. Of two leaks with the same cause one remains. The result is a"
                    + " history like any other: replay, diff and to-test read it.",
            "",
            "With --expected or --baseline, expected and known buffers are no findings; the rest is shrunk.",
            "",
            "Exit status: 0 if there is a result, also one that the bound ended early; 64 if nothing is wrong with the run, or"
                    + " it cannot be read; 74 if the result cannot be written.",
            "",
            "Examples:",
            "  meshguard minimize server.log -o least.jsonl",
            "  meshguard minimize --baseline meshguard-baseline.txt server.log -o new.jsonl",
            "  meshguard minimize --cause HELD meshguard-history.jsonl | meshguard to-test -"
        })
public final class Minimize implements Callable<Integer> {

    @Mixin
    private HistoryInput run = new HistoryInput();

    @Mixin
    private HistoryOutput output = new HistoryOutput();

    @Mixin
    private ExpectationOptions expectations = new ExpectationOptions();

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

    public Minimize(InputStream standardInput) {
        this.standardInput = standardInput;
    }

    @Override
    public Integer call() throws UsageException, IOException {
        if (mostChecks < 1) {
            throw new UsageException("--most-checks " + mostChecks + ": give 1 or more");
        }
        output.rejectSameFile(run);
        RecordedFile recorded = run.read(standardInput);
        CheckCriteria criteria = expectations.read();
        HistoryMinimizer minimizer = HistoryMinimizer.create()
                .withMaxChecks(mostChecks)
                .judgedBy(criteria.check())
                .excluding(criteria.known());
        MinimizedHistory least = least(recorded, cause, minimizer);
        Printer out = Printer.of(command);
        PrintWriter said = output.isStandardOutput() ? command.commandLine().getErr() : out;
        output.write(out, writer -> HistoryJson.write(least.history(), writer));
        said.println(recorded.name() + ": " + least.remaining());
        said.println(least);
        said.flush();
        return ExitStatus.CLEAN.code();
    }

    static MinimizedHistory least(RecordedFile recorded, @Nullable Cause cause, HistoryMinimizer minimizer)
            throws UsageException {
        try {
            return (cause == null ? minimizer : minimizer.about(cause)).minimize(recorded.history());
        } catch (IllegalArgumentException e) {
            throw new UsageException(recorded.name() + ": " + e.getMessage());
        }
    }
}
