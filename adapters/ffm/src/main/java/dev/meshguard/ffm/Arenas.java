package dev.meshguard.ffm;

import dev.meshguard.tracker.AllocationTracker;
import java.lang.foreign.Arena;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Opens arenas that the code under test must close.
 *
 * <p>Pass it where the code under test opens arenas itself, instead of the static methods of {@link Arena}. A test that passes
 * an arena to code which must not close it needs no tracking: try-with-resources closes it.
 *
 * <p>An open arena is a leak, also if it holds only a mapped file, an upcall stub or a library. Its size is that of the segments
 * that were allocated from it; mapped files and memory that native code allocates are not known.
 *
 * <p>{@link Arena#ofAuto()} and {@link Arena#global()} cannot be closed, so there is no tracked form of them.
 *
 * <p>Safe for use by several threads.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class Arenas {

    private final AllocationTracker tracker;

    private Arenas(AllocationTracker tracker) {
        this.tracker = tracker;
    }

    /** Returns arenas that are reported to a tracker. */
    public static Arenas reportingTo(AllocationTracker tracker) {
        return new Arenas(tracker);
    }

    /** Opens an arena that only the calling thread may use and close; see {@link Arena#ofConfined()}. */
    public Arena ofConfined() {
        return new TrackedArena(Arena.ofConfined(), "confined arena", tracker);
    }

    /** Opens an arena that any thread may use and close; see {@link Arena#ofShared()}. */
    public Arena ofShared() {
        return new TrackedArena(Arena.ofShared(), "shared arena", tracker);
    }
}
