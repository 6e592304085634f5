package dev.meshguard.junit.processes;

import dev.meshguard.event.Phase;
import dev.meshguard.junit.source.SourceContext;
import dev.meshguard.junit.source.SourcePart;
import dev.meshguard.junit.source.SourceSession;
import dev.meshguard.server.AllocationServer;
import dev.meshguard.server.process.TrackedProcess;
import dev.meshguard.server.process.TrackedProcesses;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The programs that a test starts, and the server to which others report. Nothing starts before it is requested. */
final class WatchedProcessesSession implements SourceSession {

    private static final Duration LAST_REPORTS = Duration.ofSeconds(10);

    private final SourceContext context;
    private @Nullable TrackedProcesses processes;
    private @Nullable AllocationServer server;
    private @Nullable Path folder;
    private @Nullable RuntimeException notEnded;

    WatchedProcessesSession(SourceContext context) {
        this.context = context;
    }

    /** A program of a test: it reports to a server of its own. */
    private record Program(TrackedProcess process) implements SourcePart {

        @Override
        public String kind() {
            return "process";
        }

        @Override
        public String id() {
            return Long.toString(process.pid());
        }

        @Override
        public AllocationTracker tracker() {
            return process.tracker();
        }

        @Override
        public boolean hasEnded() {
            return true;
        }

        @Override
        public LeakVerdict verdict(LeakCheck check) {
            return process.verdict(check);
        }

        @Override
        public List<String> notes() {
            return process.notes();
        }
    }

    @Override
    public Object resolve(Class<?> type) {
        return type == AllocationServer.class ? server() : processes();
    }

    private TrackedProcesses processes() {
        TrackedProcesses existing = processes;
        if (existing == null) {
            existing = TrackedProcesses.create();
            existing.begin(context.phase());
            processes = existing;
        }
        return existing;
    }

    /** Returns the server to which others report, with the test's tracker. */
    private AllocationServer server() {
        AllocationServer existing = server;
        if (existing == null) {
            try {
                Path made = Files.createTempDirectory("meshguard");
                folder = made;
                existing = AllocationServer.builder()
                        .socket(made.resolve("server.sock"))
                        .tracker(context.tracker())
                        .start();
                server = existing;
            } catch (IOException notStarted) {
                throw new UncheckedIOException(notStarted);
            }
        }
        return existing;
    }

    /** Begins a phase for the running programs and those that start later. */
    @Override
    public void begin(Phase phase) {
        if (processes != null) {
            processes.begin(phase);
        }
        if (server != null) {
            receiveAll(server);
        }
    }

    /** Ends the programs that still run. */
    @Override
    public List<SourcePart> endParts() {
        if (processes == null) {
            return List.of();
        }
        try {
            processes.close();
        } catch (RuntimeException failure) {
            notEnded = failure;
        }
        return processes.all().stream().<SourcePart>map(Program::new).toList();
    }

    /** Receives the last reports, and closes the server. */
    @Override
    public void close() {
        try {
            closeServer();
        } catch (RuntimeException failure) {
            Optional.ofNullable(notEnded).ifPresent(failure::addSuppressed);
            throw failure;
        }
        if (notEnded != null) {
            throw notEnded;
        }
    }

    private void closeServer() {
        AllocationServer open = server;
        if (open == null) {
            return;
        }
        if (!receiveAll(open)) {
            context.note("the server at " + open.socketPath() + " had not read all reports when the check was made");
        }
        open.checkProcesses();
        open.close();
        open.problems().forEach(problem -> context.note("the server: " + problem));
        if (open.connections().isEmpty()) {
            context.note("no program ever connected to " + open.socketPath());
        }
        Optional.ofNullable(folder).ifPresent(WatchedProcessesSession::delete);
    }

    /** Waits until all sent reports are recorded; an interrupted thread stops waiting. */
    private static boolean receiveAll(AllocationServer server) {
        try {
            return server.awaitQuiet(LAST_REPORTS);
        } catch (InterruptedException asksForTheEnd) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static void delete(Path folder) {
        try {
            Files.deleteIfExists(folder);
        } catch (IOException notEmpty) {
            throw new UncheckedIOException(notEmpty);
        }
    }
}
