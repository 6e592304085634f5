package dev.meshguard.junit;

import dev.meshguard.event.Phase;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.Scope;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The phases of a test: what a buffer was allocated in, and what a failure's timeline shows.
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
 * <p>MeshGuard itself begins {@code SETUP}, {@code TEST} and {@code TEARDOWN}; a phase of one's own lies within them, and when it ends,
 * the one around it goes on.
 *
 * <p>Safe for use by several threads, but phases are not by thread: those that overlap run into each other.
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

    /** Returns the phase in which a buffer would be allocated now. */
    public Phase current() {
        return tracker.currentPhase();
    }
}
