package dev.meshguard.junit.testkit;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import org.assertj.core.api.Assertions;

/** Waits for other threads of a fixture, without checked exceptions. */
public final class Latches {

    private Latches() {}

    /** Waits for a latch; an interruption, for example by a timeout of JUnit, does not end that. */
    public static void await(CountDownLatch latch) {
        boolean isInterrupted = false;
        while (true) {
            try {
                Assertions.assertThat(latch.await(1, TimeUnit.MINUTES)).isTrue();
                break;
            } catch (InterruptedException ofTimeout) {
                isInterrupted = true;
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Runs a task on several threads that begin it together, each with its number, and waits for all. */
    public static void together(int threads, IntConsumer task) {
        CyclicBarrier start = new CyclicBarrier(threads);
        CompletableFuture.allOf(IntStream.range(0, threads)
                        .mapToObj(thread -> CompletableFuture.runAsync(
                                () -> {
                                    meet(start);
                                    task.accept(thread);
                                },
                                command -> new Thread(command).start()))
                        .toArray(CompletableFuture<?>[]::new))
                .join();
    }

    /** Waits until all tests of a fixture have come here. */
    public static void meet(CyclicBarrier barrier) {
        try {
            barrier.await(1, TimeUnit.MINUTES);
        } catch (Exception unexpected) {
            throw new IllegalStateException(unexpected);
        }
    }
}
