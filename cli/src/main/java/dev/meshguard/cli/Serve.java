package dev.meshguard.cli;

import dev.meshguard.cli.terminal.ExitStatus;
import dev.meshguard.cli.terminal.Printer;
import dev.meshguard.cli.terminal.Terminal;
import dev.meshguard.cli.terminal.UsageException;
import dev.meshguard.server.AllocationServer;
import dev.meshguard.server.protocol.DeviceInfo;
import java.io.FilterWriter;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command {@code serve}: runs an allocation server until it is stopped. */
@Command(
        name = "serve",
        description = "Runs an allocation server that programs report to, in place of tt-metal's own.",
        footer = {
            "",
            "Programs that report to the old server report to this one unchanged. Stop it with Ctrl+C; the last lines of the log"
                    + " are then statistics. Problems are printed on standard error, one a line.",
            "",
            "The record size is that of the programs' own version: 72 bytes before servers knew devices, 112 with"
                    + " devices, 144 with circular buffers and kernels. With auto the first program decides, as soon as its bytes"
                    + " prove it, which takes two records.",
            "",
            "Examples:",
            "  meshguard serve --record-size 112 --log -",
            "  meshguard serve --socket /tmp/mine.sock --record-size 144 --log server.log",
            "  meshguard serve --record-size 72 --devices 2"
        })
final class Serve implements Subcommand {

    private static final int MAX_DEVICES = 1024;
    private static final long MAX_DEAD_CHECK_SECONDS = TimeUnit.DAYS.toSeconds(1);
    private static final String STANDARD_OUTPUT = "-";

    @Option(
            names = "--socket",
            paramLabel = "PATH",
            description = "Where to listen (default: ${DEFAULT-VALUE}, which is fixed in tt-metal's programs).")
    private Path socket = AllocationServer.DEFAULT_SOCKET;

    @Mixin
    private ProgramRecords records = new ProgramRecords();

    @Option(
            names = "--log",
            paramLabel = "FILE",
            description = "Log every report, behind what is in the file; - is standard output.")
    private @Nullable String log;

    @Option(
            names = "--devices",
            paramLabel = "N",
            defaultValue = "0",
            description = "Tell programs that ask of N Wormhole B0 devices, at most 1024 (default: none are known).")
    private int devices;

    @Option(
            names = "--dead-check",
            paramLabel = "SECONDS",
            defaultValue = "5",
            description =
                    "How often dead processes are looked for, at most 86400 (default: ${DEFAULT-VALUE}); 0 is never, for"
                            + " programs in other containers.")
    private long deadCheck;

    @Override
    public int run(Terminal terminal) throws UsageException {
        AllocationServer server = start(terminal);
        try {
            terminal.interruption().await(server::close);
            if (log == null) {
                terminal.out().println("Listening at " + server.socketPath() + ". Press Ctrl+C to stop.");
                terminal.out().failure().ifPresent(terminal.errors()::problem);
            }
            server.awaitEnd();
        } catch (InterruptedException isStop) {
            // It ends as after a signal.
        } finally {
            server.close();
        }
        if (server.failure().isPresent()) {
            return ExitStatus.FAILED.code();
        }
        // A stop is the normal end of a server: a signal's own status, 143 or 130, would look like a failure.
        boolean isUnwritten =
                terminal.out().failure().isPresent() || server.logFailure().isPresent();
        return (isUnwritten ? ExitStatus.UNWRITTEN : ExitStatus.CLEAN).code();
    }

    private AllocationServer start(Terminal terminal) throws UsageException {
        checkRange("--devices", devices, MAX_DEVICES);
        checkRange("--dead-check", deadCheck, MAX_DEAD_CHECK_SECONDS);
        AllocationServer.Builder builder = AllocationServer.builder()
                .socket(socket)
                .withoutHistory()
                .devices(IntStream.range(0, devices)
                        .mapToObj(DeviceInfo::wormhole)
                        .toList())
                .processCheckEvery(Duration.ofSeconds(deadCheck))
                .onProblem(terminal.errors()::problem);
        records.size().ifPresent(builder::recordSize);
        if (STANDARD_OUTPUT.equals(log)) {
            builder.log(flushed(terminal.out()));
        } else if (log != null) {
            builder.log(Path.of(log));
        }
        try {
            return builder.start();
        } catch (IOException e) {
            if (e.getCause() instanceof FileSystemException cause && isLog(cause.getFile())) {
                throw UsageException.unwritable(Path.of(cause.getFile()), "Give another path with --log.", cause);
            }
            throw new UsageException(String.valueOf(e.getMessage()));
        }
    }

    private static void checkRange(String option, long value, long max) throws UsageException {
        if (value < 0 || value > max) {
            throw new UsageException(option + " " + value + ": give a number from 0 to " + max);
        }
    }

    private boolean isLog(@Nullable String file) {
        return log != null && Path.of(log).toString().equals(file);
    }

    /** Flushes each text, because a watched log must not wait in a buffer. */
    private static Writer flushed(Printer printer) {
        return new FilterWriter(printer) {
            @Override
            public void write(String text, int from, int length) throws IOException {
                super.write(text, from, length);
                Optional<String> failure = printer.failure();
                if (failure.isPresent()) {
                    throw new IOException(failure.get());
                }
            }
        };
    }
}
