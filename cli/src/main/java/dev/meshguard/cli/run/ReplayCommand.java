package dev.meshguard.cli.run;

import dev.meshguard.cli.common.CheckCriteria;
import dev.meshguard.cli.common.ExitStatus;
import dev.meshguard.cli.common.ExpectationOptions;
import dev.meshguard.cli.common.UsageException;
import dev.meshguard.cli.server.ServerAddress;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.Quantities;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.report.json.VerdictJson;
import dev.meshguard.server.client.AllocationClient;
import dev.meshguard.server.client.AllocationReporter;
import dev.meshguard.tracker.HistoryPlayback;
import dev.meshguard.verdict.LeakVerdict;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Judges a recorded run, or reports it to an allocation server. */
@Command(
        name = "replay",
        description = "Gives the verdict on a recorded run, or reports the run to a server.",
        sortOptions = false,
        mixinStandardHelpOptions = true,
        optionListHeading = "%nOptions:%n",
        parameterListHeading = "%nRun:%n",
        footer = {
            "",
            "The verdict is that of the run itself, word for word. A history holds all that it rests on, the day of the check"
                    + " and what was found of handles included; a log holds less, so its verdict names fewer causes.",
            "",
            "With --to the run is reported to an allocation server, in the name of this process: the protocol has no field for"
                    + " more than device, memory, address and size. At the end the server is asked to dump the live buffers;"
                    + " once this process has ended, it counts them as those of a dead process.",
            "",
            "Exit status: as of meshguard analyze; with --to 0 if every report was sent, 64 if no server answers.",
            "",
            "Examples:",
            "  meshguard replay meshguard-history.jsonl",
            "  meshguard replay --to /tmp/tt_allocation_server.sock server.log",
            "  meshguard replay --expected meshguard-expected.txt meshguard-history.jsonl",
            "  meshguard replay --json server.log.gz | jq .outcome"
        })
public final class ReplayCommand implements Callable<Integer> {

    @Mixin
    private HistoryInput run = new HistoryInput();

    @Mixin
    private ExpectationOptions expectations = new ExpectationOptions();

    @Option(names = "--json", description = "Answer with the verdict as JSON.")
    private boolean asJson;

    @Option(names = "--to", paramLabel = "SOCKET", description = "Report to the allocation server at this socket.")
    private @Nullable Path socket;

    @Option(
            names = "--record-size",
            paramLabel = "72|112|144",
            defaultValue = "112",
            description = "The size of that server's records in bytes (default: ${DEFAULT-VALUE}).")
    private int recordSize;

    @Spec
    private CommandSpec command = CommandSpec.create();

    private final InputStream standardInput;

    public ReplayCommand(InputStream standardInput) {
        this.standardInput = standardInput;
    }

    @Override
    public Integer call() throws UsageException, IOException {
        RecordedFile recorded = run.read(standardInput);
        if (socket != null) {
            return send(recorded, socket);
        }
        CheckCriteria criteria = expectations.read();
        LeakVerdict verdict = criteria.examine(recorded.history());
        PrintWriter out = command.commandLine().getOut();
        VerdictReport report = criteria.report(verdict);
        if (asJson) {
            VerdictJson.write(report, out);
        } else {
            report.text().lines().forEach(out::println);
        }
        out.flush();
        return criteria.status(verdict).code();
    }

    private int send(RecordedFile recorded, Path to) throws UsageException {
        HistoryPlayback playback = playback(recorded);
        List<Integer> devices = recorded.history().events().stream()
                .flatMap(ReplayCommand::deviceOfReport)
                .toList();
        long withoutDevice =
                devices.stream().filter(one -> one == HistoryEvent.NO_DEVICE).count();
        try (AllocationReporter reporter = AllocationReporter.over(ServerAddress.connect(to, recordSize))) {
            AllocationClient client = reporter.client();
            playback.to(reporter);
            client.dumpRemaining();
            client.flush();
            if (!client.unsent().isEmpty()) {
                throw new UsageException("The server at " + to + " took only a part of " + recorded.name() + ": "
                        + Quantities.count(client.unsent().reports(), "report") + " could not be sent"
                        + client.unsent()
                                .reason()
                                .map(reason -> " (" + reason + ")")
                                .orElse("") + ".");
            }
        }
        PrintWriter out = command.commandLine().getOut();
        out.println(
                recorded.name() + ": " + Quantities.count(devices.size() - withoutDevice, "report") + " sent to " + to
                        + (withoutDevice > 0
                                ? ", and " + Quantities.count(withoutDevice, "report")
                                        + " of memory without a device left out, because the protocol needs a device"
                                : ""));
        out.flush();
        return ExitStatus.CLEAN.code();
    }

    private static Stream<Integer> deviceOfReport(HistoryEvent event) {
        if (event instanceof HistoryEvent.Allocated report) {
            return Stream.of(report.device());
        }
        return event instanceof HistoryEvent.Freed report ? Stream.of(report.device()) : Stream.empty();
    }

    private static HistoryPlayback playback(RecordedFile recorded) throws UsageException {
        try {
            return HistoryPlayback.of(recorded.history());
        } catch (IllegalArgumentException e) {
            throw new UsageException(recorded.name() + ": " + e.getMessage());
        }
    }
}
