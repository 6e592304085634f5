package dev.meshguard.cli.server;

import dev.meshguard.cli.common.CommandFailures;
import dev.meshguard.cli.common.ExitStatus;
import dev.meshguard.cli.common.Printer;
import dev.meshguard.cli.common.UsageException;
import dev.meshguard.server.AllocationServer;
import dev.meshguard.server.protocol.DeviceInfo;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Runs an allocation server until it is stopped. */
@Command(
        name = "serve",
        description = "Runs an allocation server that programs report to, in place of tt-metal's own.",
        footer = {
            "",
            "Programs that report to the old server report to this one unchanged. It answers queries, logs the same"
                    + " lines, and removes the buffers of dead processes from its ledger. Stop it with Ctrl+C; the last lines of the"
                    + " log are then statistics. Problems are printed on standard error, one a line.",
            "",
            "The record size is that of the programs' own version: 72 bytes before servers knew devices, 112 with"
                    + " devices, 144 with circular buffers and kernels. No field of a record contains it. With auto the first"
                    + " program decides, as soon as its bytes prove it, which takes two records; a program that asks and"
                    + " waits for an answer proves nothing and waits.",
            "",
            "Examples:",
            "  meshguard serve --record-size 112 --log -",
            "  meshguard serve --socket /tmp/mine.sock --record-size 144 --log server.log",
            "  meshguard serve --record-size 72 --devices 2"
        })
public final class Serve implements Callable<Integer> {

    private static final int MAX_DEVICES = 1024;
    private static final long MAX_DEAD_CHECK_SECONDS = TimeUnit.DAYS.toSeconds(1);
    private static final String STANDARD_OUTPUT = "-";

    @Option(
            names = "--socket",
            paramLabel = "PATH",
            description = "Where to listen (default: ${DEFAULT-VALUE}, which is fixed in tt-metal's programs).")
    private Path socket = AllocationServer.DEFAULT_SOCKET;

    @Option(
            names = "--record-size",
            paramLabel = "72|112|144|auto",
            description = "The size of the programs' records in bytes (default: ${DEFAULT-VALUE}).")
    private String recordSize = ProgramRecords.AUTO;

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

    @Option(
            names = "--allow",
            paramLabel = "user|group|all",
            description = "Who may connect (default: ${DEFAULT-VALUE}).")
    private String allowed = "user";

    private final Printer out;
    private final Printer errors;

    public Serve(Printer out, Printer errors) {
        this.out = out;
        this.errors = errors;
    }

    @Override
    public Integer call() throws UsageException {
        AllocationServer server = start(builder().onProblem(errors::problem));
        try {
            runUntilStopped(server);
        } finally {
            server.close();
        }
        return statusOf(server).code();
    }

    private ExitStatus statusOf(AllocationServer server) {
        if (server.failure().isPresent()) {
            return ExitStatus.FAILED;
        }
        boolean isUnwritten = out.hasFailed() || server.logFailure().isPresent();
        return isUnwritten ? ExitStatus.UNWRITTEN : ExitStatus.CLEAN;
    }

    private static void checkRange(String option, long value, long max) throws UsageException {
        if (value < 0 || value > max) {
            throw new UsageException(option + " " + value + ": give a number from 0 to " + max);
        }
    }

    private AllocationServer start(AllocationServer.Builder builder) throws UsageException {
        try {
            return builder.start();
        } catch (IOException e) {
            if (e.getCause() instanceof FileSystemException cause && isLog(cause.getFile())) {
                throw unwritableLog(cause);
            }
            throw new UsageException(String.valueOf(e.getMessage()));
        }
    }

    private boolean isLog(@Nullable String file) {
        return log != null && Path.of(log).toString().equals(file);
    }

    private static UsageException unwritableLog(FileSystemException e) {
        return e instanceof NoSuchFileException
                ? new UsageException(
                        e.getFile() + " cannot be written: its folder does not exist. Give another path with --log.")
                : UsageException.unwritten(e.getFile() + " cannot be written: " + CommandFailures.reason(e)
                        + ". Give another path with --log.");
    }

    /**
     * A signal ends the process by its shutdown hooks; an interrupt ends only the command.
     *
     * <p>A stop is the normal end of a server. A signal's own status, 143 or 130, would make every stop look like a
     * failure.
     */
    private void runUntilStopped(AllocationServer server) {
        Thread hook = new Thread(
                () -> {
                    ExitStatus status = ExitStatus.FAILED;
                    try {
                        server.close();
                        status = statusOf(server);
                    } finally {
                        Runtime.getRuntime().halt(status.code());
                    }
                },
                "meshguard-serve-end");
        Runtime.getRuntime().addShutdownHook(hook);
        try {
            if (log == null) {
                out.println("Listening at " + server.socketPath() + ". Press Ctrl+C to stop.");
                out.failure().ifPresent(errors::problem);
            }
            server.awaitEnd();
        } catch (InterruptedException isEnd) {
            return;
        } finally {
            // The hook refers to the server, and with it to everything that programs reported.
            removeUnlessRun(hook);
        }
    }

    /** A running hook closes the server, which ends this wait, and then ends the process. */
    private static void removeUnlessRun(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException isEnding) {
            return;
        }
    }

    private AllocationServer.Builder builder() throws UsageException {
        checkRange("--devices", devices, MAX_DEVICES);
        checkRange("--dead-check", deadCheck, MAX_DEAD_CHECK_SECONDS);
        AllocationServer.Builder builder = AllocationServer.builder()
                .socket(socket)
                .withoutHistory()
                .devices(IntStream.range(0, devices)
                        .mapToObj(DeviceInfo::wormhole)
                        .toList())
                .permissions(permissions())
                .processCheckEvery(Duration.ofSeconds(deadCheck));
        ProgramRecords.size(recordSize).ifPresent(builder::recordSize);
        if (log != null) {
            if (log.equals(STANDARD_OUTPUT)) {
                builder.log(new FlushedWriter(out));
            } else {
                builder.log(Path.of(log));
            }
        }
        return builder;
    }

    private Set<PosixFilePermission> permissions() throws UsageException {
        return switch (allowed.toLowerCase(Locale.ROOT)) {
            case "user" -> PosixFilePermissions.fromString("rw-------");
            case "group" -> PosixFilePermissions.fromString("rw-rw----");
            case "all" -> PosixFilePermissions.fromString("rw-rw-rw-");
            default -> throw new UsageException("--allow " + allowed + ": give user, group or all");
        };
    }

    /** Flushes each line, because a watched log must not wait in a buffer. */
    private record FlushedWriter(Printer out) implements Appendable {

        @Override
        public Appendable append(@Nullable CharSequence text) throws IOException {
            out.append(text);
            Optional<String> failure = out.failure();
            if (failure.isPresent()) {
                throw new IOException(failure.get());
            }
            return this;
        }

        @Override
        public Appendable append(@Nullable CharSequence text, int start, int end) throws IOException {
            return append(String.valueOf(text).substring(start, end));
        }

        @Override
        public Appendable append(char character) throws IOException {
            return append(String.valueOf(character));
        }
    }
}
