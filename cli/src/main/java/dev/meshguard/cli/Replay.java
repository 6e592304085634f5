package dev.meshguard.cli;

import dev.meshguard.report.VerdictReport;
import dev.meshguard.report.json.VerdictJson;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.history.HistoryPlayback;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Reports a recorded run to a tracker again, and judges what the tracker then knows. */
@Command(
        name = "replay",
        description = "Reports a recorded run to a tracker again and gives its verdict.",
        sortOptions = false,
        mixinStandardHelpOptions = true,
        optionListHeading = "%nOptions:%n",
        parameterListHeading = "%nRun:%n",
        footer = {
            "",
            "The verdict is that of the run itself, word for word. A history holds all that it rests on, the day of the check"
                    + " and what was found of handles included; a log holds less, so its verdict names fewer causes.",
            "",
            "Exit status: as of meshguard analyze.",
            "",
            "Examples:",
            "  meshguard replay meshguard-history.jsonl",
            "  meshguard replay --json server.log.gz | jq .outcome"
        })
final class Replay implements Callable<Integer> {

    @Parameters(
            paramLabel = "FILE",
            description = "A history in JSON Lines or a log, plain or gzip; - reads standard input.")
    private String file = "";

    @Option(names = "--json", description = "Answer with the verdict as JSON.")
    private boolean asJson;

    @Spec
    private CommandSpec command = CommandSpec.create();

    private final InputStream standardInput;

    Replay(InputStream standardInput) {
        this.standardInput = standardInput;
    }

    @Override
    public Integer call() throws Refusal, IOException {
        RecordedFile recorded = RecordedFile.read(file, standardInput);
        LeakVerdict verdict = LeakCheck.create().examine(played(recorded).history());
        PrintWriter out = command.commandLine().getOut();
        VerdictReport report = VerdictReport.of(verdict);
        if (asJson) {
            VerdictJson.write(report, out);
        } else {
            report.text().lines().forEach(out::println);
        }
        out.flush();
        return ExitStatus.of(verdict.outcome()).code();
    }

    private static AllocationTracker played(RecordedFile recorded) throws Refusal {
        try {
            return HistoryPlayback.of(recorded.history()).toTracker();
        } catch (IllegalArgumentException e) {
            throw new Refusal(recorded.name() + ": " + e.getMessage());
        }
    }
}
