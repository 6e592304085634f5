package dev.meshguard.benchmarks.closeables;

import dev.meshguard.closeables.TrackCloseables;
import dev.meshguard.junit.TestThreads;
import dev.meshguard.junit.TrackAllocations;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/** A test that tracks the handles of a thread until it is closed. */
public final class TrackedTestThread implements AutoCloseable {

    private static volatile TrackedTestThread current = none();

    private final Thread bound;
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);
    private final Optional<Thread> launcher;
    private final SummaryGeneratingListener summary = new SummaryGeneratingListener();

    private TrackedTestThread(boolean isTest) {
        this.bound = Thread.currentThread();
        this.launcher = isTest ? Optional.of(new Thread(this::launch)) : Optional.empty();
    }

    /** Returns no test. */
    public static TrackedTestThread none() {
        return new TrackedTestThread(false);
    }

    /** Begins a test for the calling thread. */
    public static TrackedTestThread begin() {
        TrackedTestThread test = new TrackedTestThread(true);
        current = test;
        test.launcher.orElseThrow().start();
        await(test.begun);
        return test;
    }

    private void launch() {
        try {
            LauncherFactory.create()
                    .execute(
                            LauncherDiscoveryRequestBuilder.request()
                                    .selectors(DiscoverySelectors.selectClass(HandlesOfAThread.class))
                                    .build(),
                            summary);
        } finally {
            begun.countDown();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Ends the test. */
    @Override
    public void close() {
        ended.countDown();
        launcher.ifPresent(thread -> {
            try {
                thread.join();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            summary.getSummary().getFailures().forEach(failure -> {
                throw new IllegalStateException(failure.getException());
            });
        });
    }

    /** The test itself. */
    @TrackAllocations
    @TrackCloseables(MeasuredHandle.Tracked.class)
    static class HandlesOfAThread {

        @Test
        void run(TestThreads threads) {
            TrackedTestThread test = current;
            threads.bind(test.bound);
            test.begun.countDown();
            await(test.ended);
        }
    }
}
