package dev.meshguard.cli;

import dev.meshguard.cli.terminal.ExitStatus;
import dev.meshguard.cli.terminal.Terminal;
import dev.meshguard.cli.terminal.UsageException;
import dev.meshguard.file.FileReplacement;
import dev.meshguard.page.RunPage;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.report.json.HistoryJson;
import dev.meshguard.server.process.ProcessSocket;
import dev.meshguard.server.process.TrackedProcess;
import dev.meshguard.server.protocol.RecordSize;
import dev.meshguard.verdict.LeakVerdict;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command {@code record}: runs a program with a server of its own, and records its reports. */
@Command(
        name = "record",
        description = "Runs a program that reports its allocations, judges it, and writes its page.",
        footer = {
            "",
            "The program gets a server of its own: TT_ALLOC_TRACKING_ENABLED=1 switches the runtime's client on, and"
                    + " MESHGUARD_SOCKET names the socket. What the program prints goes to standard error, the verdict to"
                    + " standard output, also after Ctrl+C. If the program fails, its own status is that of this command.",
            "",
            "Examples:",
            "  meshguard record -- python3 decode.py --layers 2",
            "  meshguard record -p decode.html -o run.jsonl -- python3 decode.py",
            "  meshguard record --default-path --record-size 112 -- ./decode"
        })
final class RecordProgram implements Subcommand {

    private static final Duration FOREVER = Duration.ofDays(10_000);
    private static final int SECONDS_TO_END = 3;

    /** The value for a size that the records must prove. */
    private static final String FROM_RECORDS = "auto";

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
    private String recordSize = FROM_RECORDS;

    @Option(
            names = "--default-path",
            description = "Listen at /tmp/tt_allocation_server.sock, for clients that know no other path.")
    private boolean isAtDefaultPath;

    @Override
    public int run(Terminal terminal) throws UsageException, IOException, InterruptedException {
        AtomicReference<TrackedProcess> started = new AtomicReference<>();
        terminal.interruption().await(() -> Optional.ofNullable(started.get()).ifPresent(RecordProgram::end));
        try (TrackedProcess running = start(terminal)) {
            started.set(running);
            if (terminal.interruption().isAskedFor()) {
                end(running);
            }
            int status = running.await(FOREVER);
            LeakVerdict verdict = running.verdict();
            VerdictReport report = VerdictReport.of(verdict).ofNoTest();
            for (String note : running.notes()) {
                report = report.noting(note);
            }
            boolean hasFailed = running.server().failure().isPresent();
            ExitStatus result = hasFailed ? ExitStatus.FAILED : ExitStatus.of(verdict.outcome());
            result = result.orWorse(write(report, terminal));
            return status == 0 ? result.code() : status;
        }
    }

    /** Ends the program after a signal; a Ctrl+C in a terminal has already reached it, and it may need time. */
    private static void end(TrackedProcess running) {
        ProcessHandle.of(running.pid())
                .map(ProcessHandle::onExit)
                .ifPresent(end -> end.completeOnTimeout(ProcessHandle.current(), SECONDS_TO_END, TimeUnit.SECONDS)
                        .join());
        try {
            running.end();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Writes page, verdict and history; a file that cannot be written must hide neither the verdict nor the other file. */
    private ExitStatus write(VerdictReport report, Terminal terminal) {
        ExitStatus ofPage = hasNoPage
                ? ExitStatus.CLEAN
                : write(page, "-p", RunPage.of(String.join(" ", program), report)::write, terminal);
        boolean hasPage = !hasNoPage && ofPage == ExitStatus.CLEAN;
        (hasPage ? report.shownAt(page.toString()) : report).text().lines().forEach(terminal.out()::println);
        ExitStatus ofHistory = output == null
                ? ExitStatus.CLEAN
                : write(output, "-o", to -> HistoryJson.write(report.verdict().history(), to), terminal);
        return ofPage.orWorse(ofHistory);
    }

    private static ExitStatus write(
            Path file, String option, FileReplacement.Text<IOException> content, Terminal terminal) {
        try {
            FileReplacement.writeText(file, content);
            return ExitStatus.CLEAN;
        } catch (IOException e) {
            UsageException failure = UsageException.unwritable(file, "Give another path with " + option + ".", e);
            terminal.errors().problem(failure.getMessage());
            return failure.status();
        }
    }

    private TrackedProcess start(Terminal terminal) throws UsageException {
        TrackedProcess.Builder builder = TrackedProcess.command(program.toArray(String[]::new))
                .inputFrom(ProcessBuilder.Redirect.INHERIT)
                .copyOutputTo(terminal.rawErrors())
                .socket(isAtDefaultPath ? ProcessSocket.DEFAULT_PATH : ProcessSocket.PRIVATE);
        recordSize().ifPresent(builder::recordSize);
        try {
            return builder.start();
        } catch (IOException notStarted) {
            throw new UsageException(String.valueOf(notStarted.getMessage()));
        }
    }

    private Optional<RecordSize> recordSize() throws UsageException {
        Optional<RecordSize> given = Arrays.stream(RecordSize.values())
                .filter(size -> recordSize.equals(Integer.toString(size.bytes())))
                .findFirst();
        if (given.isEmpty() && !recordSize.equalsIgnoreCase(FROM_RECORDS)) {
            throw new UsageException("--record-size " + recordSize
                    + ": give 72, 112 or 144, whichever the program was built with, or auto");
        }
        return given;
    }
}
