package dev.meshguard.server.process;

import dev.meshguard.event.Phase;
import dev.meshguard.tracker.AllocationTracker;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The tracked programs of one test, each with a server and a verdict of its own.
 *
 * <pre>{@code
 * @TrackAllocations
 * @WatchedProcesses
 * class DecoderTest {
 *     @Test
 *     void decodes(TrackedProcesses processes) throws Exception {
 *         TrackedProcess decoder = processes.start("python3", "decode.py");
 *
 *         assertThat(decoder.await(Duration.ofMinutes(1))).isZero();
 *     }
 * }
 * }</pre>
 *
 * <p>Safe for use by several threads.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class TrackedProcesses implements AutoCloseable {

    private final List<TrackedProcess> all = new ArrayList<>();
    private Phase phase = Phase.START;

    private TrackedProcesses() {}

    /** Returns an empty group of programs. */
    public static TrackedProcesses create() {
        return new TrackedProcesses();
    }

    /**
     * Starts a program that reports to a private socket.
     *
     * @throws IOException if it cannot be started; the message names the command
     */
    public TrackedProcess start(String... command) throws IOException {
        return command(command).start();
    }

    /** Returns a builder for a program with other options. */
    public TrackedProcess.Builder command(String... command) {
        return new TrackedProcess.Builder(List.of(command), this);
    }

    /** Begins the present phase for a program that has not started, and returns it. */
    synchronized Phase beginPhase(AllocationTracker tracker) {
        if (!phase.equals(Phase.START)) {
            tracker.phase(phase);
        }
        return phase;
    }

    /** Adds a program that was started after this phase had begun for it. */
    synchronized TrackedProcess add(TrackedProcess started, Phase begun) {
        all.add(started);
        if (!phase.equals(begun)) {
            started.enter(phase);
        }
        return started;
    }

    /** Returns the programs, in the order of their start. */
    public synchronized List<TrackedProcess> all() {
        return List.copyOf(all);
    }

    /**
     * Begins a phase for all of them, and for those that start later; reports sent before belong to the previous phase.
     */
    public synchronized void begin(Phase next) {
        phase = next;
        all.forEach(one -> one.enter(next));
    }

    /** Ends those that still run, in reverse order, and closes their servers. */
    @Override
    public void close() {
        RuntimeException failure = null;
        List<TrackedProcess> started = new ArrayList<>(all());
        Collections.reverse(started);
        for (TrackedProcess program : started) {
            try {
                program.close();
            } catch (RuntimeException notClosed) {
                if (failure != null) {
                    notClosed.addSuppressed(failure);
                }
                failure = notClosed;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
