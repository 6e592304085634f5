package dev.meshguard.netty;

import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.SingleThreadEventExecutor;
import io.netty.util.internal.ThreadExecutorMap;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;

/**
 * Waits for the event loops that may still release buffers of a test, or of all tests.
 *
 * <p>A test ends when it has its answer. The event loop that received the answer may still run the handlers of the channel then,
 * and releases the buffer after them.
 *
 * <p>Event loops may be remembered by several threads; one thread at a time waits for them.
 */
final class EventLoops {

    /** An event loop may hand a buffer to another one, which writes it. */
    private static final int ROUNDS = 3;

    /** A busy machine needs some time; a blocked event loop takes this long once in a test. */
    private static final Duration MAX_WAIT = Duration.ofSeconds(5);

    /** With the names of their threads. */
    private final Map<SingleThreadEventExecutor, String> used = new ConcurrentHashMap<>();

    private final Duration maxWait;
    private boolean isGivenUp;

    /** Creates an empty set. */
    EventLoops() {
        this(MAX_WAIT);
    }

    /**
     * Creates an empty set.
     *
     * @param maxWait how long an event loop may take to finish what it does
     */
    EventLoops(Duration maxWait) {
        this.maxWait = maxWait;
    }

    /** Remembers the event loop of the calling thread, if it is one that runs its tasks by itself. */
    void rememberCurrent() {
        EventExecutor current = ThreadExecutorMap.currentExecutor();
        if (current instanceof SingleThreadEventExecutor eventLoop && !used.containsKey(eventLoop)) {
            forgetTerminated();
            used.put(eventLoop, Thread.currentThread().getName());
        }
    }

    /** Remembers the event loops of another set too, which forgets those that are terminated. */
    void addAll(EventLoops others) {
        others.forgetTerminated();
        used.putAll(others.used);
    }

    private void forgetTerminated() {
        used.keySet().removeIf(EventExecutor::isTerminated);
    }

    /**
     * Waits until each event loop has finished what it does now, and what others have handed to it meanwhile.
     *
     * @return a note for the reader if one of them takes too long; they are not waited for again
     */
    Optional<String> await() {
        Optional<String> note = Optional.empty();
        for (int round = 0; round < ROUNDS && !isGivenUp; round++) {
            note = awaitCurrentTasks();
        }
        return note;
    }

    private Optional<String> awaitCurrentTasks() {
        Map<SingleThreadEventExecutor, CompletableFuture<Void>> running = used.keySet().stream()
                .filter(eventLoop -> !eventLoop.inEventLoop())
                .collect(Collectors.toMap(eventLoop -> eventLoop, EventLoops::currentTasks));
        try {
            CompletableFuture.allOf(running.values().toArray(CompletableFuture[]::new))
                    .get(maxWait.toNanos(), TimeUnit.NANOSECONDS);
            return Optional.empty();
        } catch (InterruptedException asksForTheEnd) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException busy) {
            // Their names are below.
        }
        isGivenUp = true;
        return Optional.of(running.entrySet().stream()
                .filter(eventLoop -> !eventLoop.getValue().isDone())
                .map(eventLoop -> used.getOrDefault(eventLoop.getKey(), "one that has ended"))
                .sorted()
                .collect(Collectors.joining(", ", "event loops that have not finished what they did: ", "")));
    }

    private static CompletableFuture<Void> currentTasks(Executor eventLoop) {
        try {
            return CompletableFuture.runAsync(() -> {}, eventLoop);
        } catch (RejectedExecutionException isTerminated) {
            return CompletableFuture.completedFuture(null);
        }
    }
}
