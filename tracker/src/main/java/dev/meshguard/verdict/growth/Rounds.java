package dev.meshguard.verdict.growth;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Selects which sections of one history count as rounds.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum Rounds {
    /**
     * Marked rounds.
     *
     * <p>They are marked by {@link dev.meshguard.tracker.AllocationTracker#round(int)}, by the extension for the
     * repetitions of a test whose mesh lasts for the class, or in a log. Their order counts, not their numbers.
     */
    MARKED,
    /**
     * From the opening of each mesh that is no submesh to the opening of the next.
     *
     * <p>A report after a close therefore counts for the round that closed. Use it for a log without marks. A mesh that
     * is still open is no round.
     */
    MESHES
}
