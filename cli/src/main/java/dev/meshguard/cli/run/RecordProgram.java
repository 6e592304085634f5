package dev.meshguard.cli.run;

import dev.meshguard.cli.common.ExitStatus;
import dev.meshguard.cli.common.UsageException;
import dev.meshguard.cli.server.ProgramRecords;
import dev.meshguard.page.RunPage;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.report.json.HistoryJson;
import dev.meshguard.server.process.ProcessSocket;
import dev.meshguard.server.process.TrackedProcess;
import dev.meshguard.verdict.LeakVerdict;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Runs a program with a server of its own, and records its reports. */
@Command(
        name = "record",
        description = "Runs a program that reports its allocations, judges it, and writes its page.",
        sortOptions = false,
        mixinStandardHelpOptions = true,
        optionListHeading = "%nOptions:%n",
        parameterListHeading = "%nProgram:%n",
        footer = {
            "",
            "The program gets a server of its own: TT_ALLOC_TRACKING_ENABLED=1 switches the runtime's client on, and"
                    + " MESHGUARD_SOCKET names the socket. A client that knows only the fixed path needs --default-path."
                    + " What the program prints goes to standard error, while it runs; the verdict to standard output.",
            "",
            "The page is one HTML file, for a browser; the verdict names it. The history is for meshguard analyze"
                    + " and diff.",
            "",
            "Exit status: as of meshguard analyze, whatever the program's own was; the notes say that.",
            "",
            "Examples:",
            "  meshguard record -- python3 decode.py --layers 2",
            "  meshguard record -p decode.html -o run.jsonl -- python3 decode.py",
            "  meshguard record --default-path --record-size 112 -- ./decode"
        })
public final class RecordProgram implements Callable<Integer> {

    private static final Duration FOREVER = Duration.ofDays(10_000);

    @Parameters(paramLabel = "COMMAND", arity = "1..*", description = "The program and its arguments, behind --.")
    private List<String> program = List.of();

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FILE",
            description = "Where the history goes, in JSON Lines; unless given it is not kept.")
    private @Nullable Path output;

    @Option(
            names = {"-p", "--page"},
            paramLabel = "FILE",
            description = "Where the page goes (default: ${DEFAULT-VALUE}).")
    private Path page = Path.of("meshguard-record.html");

    @Option(names = "--without-page", description = "Write no page.")
    private boolean hasNoPage;

    @Option(
            names = "--record-size",
            paramLabel = "72|112|144|auto",
            description = "The size of the program's records in bytes (default: ${DEFAULT-VALUE}).")
    private String recordSize = ProgramRecords.AUTO;

    @Option(
            names = "--default-path",
            description = "Listen at /tmp/tt_allocation_server.sock, for clients that know no other path.")
    private boolean isAtDefaultPath;

    @Spec
    private CommandSpec command = CommandSpec.create();

    private final OutputStream programOutput;

    /**
     * Creates the command.
     *
     * @param programOutput receives the program's output
     */
    public RecordProgram(OutputStream programOutput) {
        this.programOutput = programOutput;
    }

    @Override
    public Integer call() throws UsageException, IOException, InterruptedException {
        try (TrackedProcess running = start()) {
            running.await(FOREVER);
            LeakVerdict verdict = running.verdict();
            VerdictReport report = VerdictReport.of(verdict);
            for (String note : running.notes()) {
                report = report.noting(note);
            }
            Optional<UsageException> noPage = writePage(report);
            boolean isShown = !hasNoPage && noPage.isEmpty();
            print(isShown ? report.shownAt(page.toString()) : report);
            if (output != null) {
                OutputFile.write(output, writer -> HistoryJson.write(verdict.history(), writer));
            }
            if (noPage.isPresent()) {
                throw noPage.get();
            }
            return ExitStatus.of(verdict.outcome()).code();
        }
    }

    /** A page that cannot be written must not hide the verdict. */
    private Optional<UsageException> writePage(VerdictReport report) {
        if (hasNoPage) {
            return Optional.empty();
        }
        try {
            OutputFile.write(page, "-p", RunPage.of(String.join(" ", program), report)::write);
            return Optional.empty();
        } catch (UsageException notWritten) {
            return Optional.of(notWritten);
        }
    }

    private void print(VerdictReport report) {
        PrintWriter out = command.commandLine().getOut();
        report.text().lines().forEach(out::println);
        out.flush();
    }

    private TrackedProcess start() throws UsageException {
        TrackedProcess.Builder builder = TrackedProcess.command(program.toArray(String[]::new))
                .copyOutputTo(programOutput)
                .socket(isAtDefaultPath ? ProcessSocket.DEFAULT_PATH : ProcessSocket.PRIVATE);
        ProgramRecords.size(recordSize).ifPresent(builder::recordSize);
        try {
            return builder.start();
        } catch (IOException | IllegalStateException notStarted) {
            throw new UsageException(String.valueOf(notStarted.getMessage()));
        }
    }
}
