package dev.meshguard.junit.source;

import dev.meshguard.history.AllocationHistory;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import java.util.List;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * A part of a session that has a tracker of its own and is checked separately, for example one process.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public interface SourcePart {

    /** Returns the kind of part, for example {@code process}. */
    String kind();

    /** Returns what identifies it among parts of its kind, for example a process id. */
    String id();

    /**
     * Returns its tracker. The check is {@linkplain AllocationTracker#checked() recorded} in it after the wait for late
     * frees.
     */
    AllocationTracker tracker();

    /** Returns whether nothing can free its memory any more, so that a check does not wait for late frees. */
    default boolean hasEnded() {
        return false;
    }

    /** Returns the history of its memory; that of its tracker, unless the tracker has memory of others too. */
    default AllocationHistory history() {
        return tracker().history();
    }

    /** Judges its memory; called repeatedly while a check waits for late frees, and once for the check. */
    default LeakVerdict verdict(LeakCheck check) {
        return check.examine(history());
    }

    /** Returns notes for the reader of a failure. */
    default List<String> notes() {
        return List.of();
    }
}
