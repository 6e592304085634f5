package dev.meshguard.junit;

import dev.meshguard.history.MemorySnapshot;
import dev.meshguard.junit.internal.session.TrackingSession;
import dev.meshguard.report.LiveBuffers;
import dev.meshguard.tracker.AllocationTracker;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Takes snapshots of the memory of a test's meshes.
 *
 * <pre>{@code
 * @Test
 * void decode(MeshDevice mesh, MemorySnapshots snapshots) {
 *     model.load(mesh);
 *     MemorySnapshot loaded = snapshots.take();
 *     model.decode(tokens);
 *     assertThat(snapshots.take()).isEqualTo(loaded);
 * }
 * }</pre>
 *
 * <p>On a mesh that several tests use at the same time, a snapshot contains the memory of all of them.
 *
 * <p>Safe for use by several threads.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class MemorySnapshots {

    private final TrackingSession session;
    private final AllocationTracker tracker;
    private final MemorySnapshot first;

    MemorySnapshots(TrackingSession session) {
        this.session = session;
        this.tracker = session.tracker();
        this.first = take();
    }

    /** Returns what is allocated now, by device, type and lifetime. */
    public MemorySnapshot take() {
        session.poll();
        return tracker.snapshot();
    }

    /**
     * Returns what was allocated when this object was injected: into a method at its first line, into a field before
     * the {@code @BeforeEach} methods.
     */
    public MemorySnapshot first() {
        return first;
    }

    /** Returns the growth since the {@linkplain #first first} snapshot; negative where memory was freed. */
    public MemorySnapshot growth() {
        return take().minus(first);
    }

    /**
     * Returns a text that lists each buffer that is allocated now, with its address, label, owner and line of code.
     *
     * <p>The largest comes first; the last line adds up the buffers beyond {@value LiveBuffers#MAX_LINES}. Unlike a
     * verdict, the list makes no judgement. It can therefore be requested before the close, for example to print it
     * there.
     */
    public String listing() {
        session.poll();
        return LiveBuffers.of(tracker.history()).text();
    }
}
