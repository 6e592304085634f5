package dev.meshguard.junit.source;

import dev.meshguard.event.Phase;
import dev.meshguard.tracker.AllocationTracker;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The test, class or run for which a session begins.
 *
 * <p>Safe for use by several threads. The first call of {@link #tracker} waits for calls of the session that run.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public interface SourceContext {

    /**
     * Returns the tracker of the session. Once it is requested, its memory is checked at the end; if it is never requested,
     * only {@linkplain SourceSession#endParts() parts} are.
     *
     * <p>Announce the source with {@link AllocationTracker#sourceAttached(String)}: without a source or any report, the
     * verdict is inconclusive.
     */
    AllocationTracker tracker();

    /** Returns the current phase. */
    Phase phase();

    /** Returns the name of the test, class or run, as selected by build tools. */
    String name();

    /** Adds a note for the reader of a failure. */
    void note(String note);

    /**
     * Makes the verdict inconclusive, because the source does not see its memory. The same reason is reported once.
     *
     * @param reason why it does not, as a part of a sentence: {@code another leak detector is set}
     * @param fix what the user can do about it, as whole sentences
     */
    void notInstalled(String reason, String fix);

    /**
     * Receives the reports of the threads of the session: {@link dev.meshguard.junit.TestThreads#trackerOfThread} returns its tracker to
     * them. For sources whose library reports through one hook of the process.
     */
    void receiveFromThreads();
}
