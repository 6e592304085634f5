package dev.meshguard.junit.source;

import dev.meshguard.junit.internal.thread.ThreadSession;
import dev.meshguard.tracker.AllocationTracker;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The tests for which threads work, for a source whose library reports through one hook of the process.
 *
 * <p>Such a source calls {@link SourceContext#receiveFromThreads()} when a session begins, and {@link #tracker} for each
 * report. The first of these rules that applies decides where the report goes:
 *
 * <ol>
 * <li>The thread runs a method of a test: to that test. If the test is over, because a timeout stopped waiting for the thread,
 *     to no test.
 * <li>One running test has {@linkplain SourceContext#bind bound} the thread: to that test. If several have: to no test.
 * <li>A thread of a running test has started it: to that test. Virtual threads and those of executors count too.
 * <li>One test runs: to that test. A test without the source does not count, and neither does its thread.
 * <li>To no test.
 * </ol>
 *
 * <p>What belongs to no test is checked at the end of the run: what was freed is a note, what is not freed within a second is
 * one finding of the run.
 *
 * <p>Safe for use by several threads.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class TestThreads {

    private TestThreads() {}

    /**
     * Returns the tracker for a report of the calling thread; empty if no test examines the source, so that nobody needs the
     * report. Report the free of what was allocated to the same tracker.
     *
     * @param source the {@linkplain AllocationSource#id() id} of the source
     */
    public static Optional<AllocationTracker> tracker(String source) {
        return ThreadSession.trackerOf(source);
    }
}
