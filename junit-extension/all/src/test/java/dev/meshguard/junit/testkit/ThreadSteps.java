package dev.meshguard.junit.testkit;

import dev.meshguard.junit.TestThreads;
import java.time.Duration;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Assertions;

/** The steps of generated tests, which allocate on threads of every age. */
public final class ThreadSteps {

    private static final int LOOPS = 4;

    private static final Queue<Late> LATE = new ConcurrentLinkedQueue<>();

    private static final Queue<Runnable> CALLBACKS = new ConcurrentLinkedQueue<>();

    /** The tests whose callbacks have leaked. */
    private static final Set<String> LEAKED_BY_CALLBACKS = ConcurrentHashMap.newKeySet();

    private static ExecutorService loops = Executors.newFixedThreadPool(LOOPS);

    /** A task that goes on after its test. */
    private record Late(CountDownLatch go, CountDownLatch done) {}

    private ThreadSteps() {}

    /** Starts the threads that are older than all tests. */
    public static void startLoops() throws Exception {
        CALLBACKS.clear();
        LEAKED_BY_CALLBACKS.clear();
        loops = Executors.newFixedThreadPool(LOOPS);
        CyclicBarrier all = new CyclicBarrier(LOOPS + 1);
        for (int i = 0; i < LOOPS; i++) {
            Future<?> unused = loops.submit(() -> all.await(1, TimeUnit.MINUTES));
        }
        all.await(1, TimeUnit.MINUTES);
    }

    /** Stops them, and lets all late tasks end. */
    public static void stopLoops() throws Exception {
        while (!LATE.isEmpty()) {
            begin();
        }
        loops.shutdownNow();
    }

    /** Lets a task of an earlier test go on now, and waits for its end. */
    public static void begin() throws InterruptedException {
        Late late = LATE.poll();
        if (late != null) {
            late.go.countDown();
            late.done.await();
        }
    }

    /** Allocates memory, and frees it unless it leaks. */
    public static void allocate(boolean leaks) {
        GlobalLibrary.Memory memory = GlobalLibrary.allocate(64);
        if (!leaks) {
            memory.close();
        }
    }

    /** Runs a task on an older thread. */
    public static void onLoop(Runnable task) throws InterruptedException, ExecutionException, TimeoutException {
        loops.submit(task).get(1, TimeUnit.MINUTES);
    }

    /** Allocates on an older thread whose stack shows no test. */
    public static void allocateOnLoop(boolean leaks) throws InterruptedException, ExecutionException, TimeoutException {
        onLoop(() -> allocate(leaks));
    }

    /** Runs a task on an older thread that the test binds for it. */
    public static void onBoundLoop(TestThreads threads, Runnable task) {
        CompletableFuture.runAsync(task, threads.wrap(loops)).join();
    }

    /** Allocates on an older thread that the test binds for it. */
    public static void allocateOnBoundLoop(TestThreads threads, boolean leaks) {
        onBoundLoop(threads, () -> allocate(leaks));
    }

    /** Registers a callback that any tracked test may run. */
    public static void listen(Runnable callback) {
        CALLBACKS.add(callback);
    }

    /** Runs a callback of any test. */
    public static void complete() {
        Runnable callback = CALLBACKS.poll();
        if (callback != null) {
            callback.run();
        }
    }

    /** Runs a callback of any test on an older thread that the test binds for it. */
    public static void completeOnBoundLoop(TestThreads threads) {
        onBoundLoop(threads, ThreadSteps::complete);
    }

    /** Allocates memory in a callback of a test. */
    public static void allocateInCallback(String test, boolean leaks) {
        allocate(leaks);
        if (leaks) {
            LEAKED_BY_CALLBACKS.add(test);
        }
    }

    /** Returns the tests whose callbacks have leaked. */
    public static Set<String> leakedByCallbacks() {
        return LEAKED_BY_CALLBACKS;
    }

    /** Runs a task on a new thread, and waits for it. */
    public static void onThread(Runnable task) {
        CompletableFuture.runAsync(task, command -> new Thread(command).start()).join();
    }

    /** Runs a task on the thread of a new timer. */
    public static void onTimer(Runnable task) throws InterruptedException, ExecutionException, TimeoutException {
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
        try {
            timer.schedule(task, 1, TimeUnit.MILLISECONDS).get(1, TimeUnit.MINUTES);
        } finally {
            timer.shutdownNow();
        }
    }

    /** Runs a task on the thread that JUnit starts for a timeout. */
    public static void withTimeout(Runnable task) {
        Assertions.assertTimeoutPreemptively(Duration.ofMinutes(1), task::run);
    }

    /** Runs a task in the common pool, whose threads are those that any test has started. */
    public static void inFuture(Runnable task) {
        CompletableFuture.supplyAsync(() -> 1)
                .thenCombineAsync(CompletableFuture.runAsync(task), (one, nothing) -> one)
                .join();
    }

    /** Allocates in the common pool; the stack shows no test. */
    public static void allocateInFuture(boolean leaks) {
        inFuture(() -> allocate(leaks));
    }

    /** Runs a task once in a parallel stream, perhaps on a thread of JUnit that runs other tests. */
    public static void inParallelStream(Runnable task) {
        IntStream.range(0, 16).parallel().filter(number -> number == 0).forEach(number -> task.run());
    }

    /** Runs a task on a new thread when a later test begins. */
    public static void late(Runnable task) {
        Late late = new Late(new CountDownLatch(1), new CountDownLatch(1));
        LATE.add(late);
        Thread thread = new Thread(() -> {
            try {
                late.go.await();
                task.run();
            } catch (InterruptedException unexpected) {
                throw new IllegalStateException(unexpected);
            } finally {
                late.done.countDown();
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    /** Allocates on a new thread when a later test begins; its stack shows no test. */
    public static void allocateLate(boolean leaks) {
        late(() -> allocate(leaks));
    }
}
