package dev.meshguard.junit;

import dev.meshguard.junit.internal.thread.RunningTest;
import dev.meshguard.junit.source.AllocationSource;
import dev.meshguard.junit.source.SourceContext;
import dev.meshguard.tracker.AllocationTracker;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The threads that work for a test although other code has started them, for all sources of allocations.
 *
 * <p>A parameter of a test, constructor or lifecycle method. {@code docs/lifecycle.md} lists the rules by which an allocation of
 * another thread belongs to a test; a thread that the test binds needs none of them.
 *
 * <pre>{@code
 * @Test
 * void answers(TestThreads threads) {
 *     threads.bind(SERVER.group());
 *     client.send(request, threads.wrap(POOL));
 * }
 * }</pre>
 *
 * <p>Safe for use by several threads.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class TestThreads {

    private final RunningTest test;

    TestThreads(RunningTest test) {
        this.test = test;
    }

    /**
     * Returns the tracker for an allocation by the calling thread, for a source whose library reports through one hook of the
     * process; empty if no tracked test examines it. Report the free of what was allocated to the same tracker.
     *
     * <p>The session of such a source calls {@link SourceContext#receiveFromThreads()} when it begins. What belongs to no test is checked
     * at the end of the run.
     *
     * @param source the {@linkplain AllocationSource#id() id} of the source
     */
    public static Optional<AllocationTracker> trackerOfThread(String source) {
        return RunningTest.trackerOf(source, true);
    }

    /** Returns the tracker for something that the calling thread has allocated before, and that was counted then. */
    @API(status = Status.INTERNAL, since = "0.1")
    public static Optional<AllocationTracker> trackerOfEarlier(String source) {
        return RunningTest.trackerOf(source, false);
    }

    /**
     * Returns whether {@link #trackerOfThread} may find a tracker, without a look at the thread: JUnit runs tests, or a run that examines
     * the source has not ended.
     */
    @API(status = Status.INTERNAL, since = "0.1")
    public static boolean isReceived(String source) {
        return RunningTest.isReceived(source);
    }

    /** Calls code each time that {@link #isReceived} may have become true. */
    @API(status = Status.INTERNAL, since = "0.1")
    public static void whenReceived(Runnable code) {
        RunningTest.whenReceived(code);
    }

    /** Attributes the allocations of threads to the test until its end, unless another running test has bound them too. */
    public void bind(Thread... threads) {
        Arrays.asList(threads).forEach(test::bind);
    }

    /**
     * Attributes the allocations of executors with one thread each to the test until its end; see {@link #bind(Iterable)}. For
     * an executor with several threads, use {@link #wrap}.
     *
     * @throws java.util.concurrent.RejectedExecutionException if one is shut down
     */
    public void bind(Executor... executors) {
        bind(Arrays.asList(executors));
    }

    /**
     * Attributes the allocations of executors with one thread each to the test until its end, for example those of the event loops
     * of a group. Waits until each of them has run a task.
     *
     * @throws java.util.concurrent.RejectedExecutionException if one is shut down
     */
    public void bind(Iterable<? extends Executor> executors) {
        List<CompletableFuture<Void>> bound = new ArrayList<>();
        for (Executor executor : executors) {
            bound.add(CompletableFuture.runAsync(() -> test.bind(Thread.currentThread()), executor));
        }
        bound.forEach(CompletableFuture::join);
    }

    /** Returns an executor whose tasks run on the threads of another one and work for the test. */
    public Executor wrap(Executor executor) {
        return test.wrap(executor);
    }
}
