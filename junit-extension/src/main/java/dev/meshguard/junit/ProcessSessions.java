package dev.meshguard.junit;

import dev.meshguard.event.Phase;
import dev.meshguard.server.AllocationServer;
import dev.meshguard.server.process.TrackedProcess;
import dev.meshguard.server.process.TrackedProcesses;
import dev.meshguard.tracker.AllocationTracker;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The programs that a test starts, and the server to which others report. Nothing starts before it is requested.
 *
 * <p>Guarded by its owner.
 */
final class ProcessSessions {

    private static final Duration LAST_REPORTS = Duration.ofSeconds(10);

    private @Nullable TrackedProcesses processes;
    private @Nullable AllocationServer server;
    private @Nullable Path folder;

    TrackedProcesses processes(Phase phase) {
        TrackedProcesses existing = processes;
        if (existing == null) {
            existing = TrackedProcesses.create();
            existing.begin(phase);
            processes = existing;
        }
        return existing;
    }

    /** Returns the server to which others report, with the test's tracker. */
    AllocationServer server(Supplier<AllocationTracker> tracker) {
        AllocationServer existing = server;
        if (existing == null) {
            try {
                Path made = Files.createTempDirectory("meshguard");
                folder = made;
                existing = AllocationServer.builder()
                        .socket(made.resolve("server.sock"))
                        .tracker(tracker.get())
                        .processCheckEvery(Duration.ZERO)
                        .start();
                server = existing;
            } catch (IOException notStarted) {
                throw new UncheckedIOException(notStarted);
            }
        }
        return existing;
    }

    /** Begins a phase for the running programs and those that start later. */
    void begin(Phase phase) {
        if (processes != null) {
            processes.begin(phase);
        }
        if (server != null) {
            receiveAll(server);
        }
    }

    /** Ends the programs that still run, and returns all programs. */
    List<TrackedProcess> ended() {
        if (processes == null) {
            return List.of();
        }
        processes.close();
        return processes.all();
    }

    /**
     * Receives the last reports, and closes the server.
     *
     * @return notes for the reader of a verdict
     */
    List<String> closeServer() {
        AllocationServer open = server;
        if (open == null) {
            return List.of();
        }
        List<String> notes = new ArrayList<>();
        if (!receiveAll(open)) {
            notes.add("the server at " + open.socketPath() + " had not read all reports when the check was made");
        }
        open.checkProcesses();
        open.close();
        open.problems().forEach(problem -> notes.add("the server: " + problem));
        if (open.connections().isEmpty()) {
            notes.add("no program ever connected to " + open.socketPath());
        }
        Optional.ofNullable(folder).ifPresent(ProcessSessions::delete);
        return notes;
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
