package dev.meshguard.junit;

import dev.meshguard.event.Phase;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.Scope;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The phases of a test, to which allocations are attributed and which a failure's timeline shows.
 *
 * <pre>{@code
 * @Test
 * void decode(MeshDevice mesh, Phases phases) {
 *     try (Scope warmUp = phases.begin("warm-up")) {
 *         model.decode(tokens);
 *     }
 *     model.decode(tokens);
 * }
 * }</pre>
 *
 * <p>MeshGuard itself begins {@code SETUP}, {@code TEST} and {@code TEARDOWN}. A phase of your own is nested in one of
 * them, which continues when yours ends.
 *
 * <p>Safe for use by several threads, but phases are not per thread: overlapping phases interfere with each other.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class Phases {

    private final AllocationTracker tracker;

    Phases(AllocationTracker tracker) {
        this.tracker = tracker;
    }

    /**
     * Begins a phase, which lasts until the scope is closed.
     *
     * @throws IllegalArgumentException if the name is blank
     */
    public Scope begin(String name) {
        return tracker.phase(name);
    }

    /** Returns the current phase, to which allocations are attributed now. */
    public Phase current() {
        return tracker.currentPhase();
    }
}
