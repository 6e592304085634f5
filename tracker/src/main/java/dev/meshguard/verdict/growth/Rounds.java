package dev.meshguard.verdict.growth;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Which stretches of one history are its rounds.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum Rounds {
    /**
     * Those that were marked, by {@link dev.meshguard.tracker.AllocationTracker#round(int)}, by the extension for the repetitions of
     * a test whose mesh lasts for the class, or in a log. Their order counts, not their numbers.
     */
    MARKED,
    /**
     * From the opening of each mesh that is no submesh to the opening of the next, so that what is reported after a close counts for
     * the round that closed; for a log in which nobody marked anything. A mesh that is still open is no round.
     */
    MESHES
}
