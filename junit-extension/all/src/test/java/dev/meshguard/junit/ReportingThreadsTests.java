package dev.meshguard.junit;

import static dev.meshguard.junit.GlobalLibraryGuard.guard;
import static dev.meshguard.junit.testkit.JupiterRun.run;
import static dev.meshguard.junit.testkit.JupiterRun.runConcurrently;
import static dev.meshguard.junit.testkit.Latches.await;
import static dev.meshguard.junit.testkit.Latches.meet;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;

import dev.meshguard.junit.source.SourceContext;
import dev.meshguard.junit.testkit.GlobalLibrary;
import dev.meshguard.junit.testkit.JupiterRun;
import dev.meshguard.junit.testkit.RunAssert;
import dev.meshguard.junit.testkit.StartedExecutor;
import dev.meshguard.junit.testkit.SteppedTimer;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.verdict.Outcome;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.api.Assertions;
import org.assertj.core.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A library calls one hook of the process for all tests: the thread of each report decides which test it belongs to. */
class ReportingThreadsTests {

    private static final long FIRST_SEED = 2_000;
    private static final int RUNS = 20;
    private static final int TESTS = 24;

    @ParameterizedTest
    @ValueSource(classes = {TogetherTestCase.class, TimeoutTestCase.class})
    void ofConcurrentTestsOnlyTheLeakingOneFails(Class<?> testCase) {
        assertThat(runConcurrently(testCase)).hasOnlyFailed("leaks()");
    }

    @ParameterizedTest
    @ValueSource(classes = {BoundThreadsTestCase.class, WrappedExecutorTestCase.class})
    void ofConcurrentTestsThatBindThreadsOnlyTheLeakingOneFails(Class<?> testCase) {
        assertThat(runConcurrently(testCase)).hasOnlyFailed("leaks(TestThreads)");
    }

    /** Each test allocates and frees on its own thread, and on threads and in executors that it wraps. */
    @Test
    void ofRandomConcurrentTestsThoseFailThatLeak() {
        long firstSeed = Long.getLong("meshguard.seed", FIRST_SEED);
        System.out.println(RUNS + " concurrent runs from seed " + firstSeed);

        for (long seed = firstSeed; seed < firstSeed + RUNS; seed++) {
            RandomTestCase.seed = seed;

            Set<Integer> blamed = failedInvocations(runConcurrently(RandomTestCase.class));

            Assertions.assertThat(blamed)
                    .as("who failed; -Dmeshguard.seed=%d", seed)
                    .isEqualTo(RandomTestCase.leaking(seed));
        }
    }

    private static Set<Integer> failedInvocations(RunAssert.Results results) {
        Assertions.assertThat(results.events().containerEvents().failed().list())
                .isEmpty();
        return results.events().testEvents().failed().stream()
                .map(event -> event.getTestDescriptor().getDisplayName().replaceAll("\\D*(\\d+)\\D.*", "$1"))
                .map(index -> Integer.parseInt(index) - 1)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void aVirtualThreadWorksForTheTestThatStartsIt() {
        Assumptions.assumeThat(Runtime.version().feature()).isGreaterThanOrEqualTo(21);

        assertThat(runConcurrently(VirtualTestCase.class)).hasOnlyFailed("leaks()");
    }

    @Test
    void anOlderThreadWorksForTheOnlyTest() {
        OlderThreadTestCase.run(() -> assertThat(run(OlderThreadTestCase.class))
                .hasSingleTest()
                .whichFailed()
                .withVerdict(Outcome.LEAKED));
    }

    /** One stray thread must not fail every test. */
    @Test
    void survivorsOfAStrayThreadAreOneFindingOfTheRun() {
        assertThat(StrayTestCase.run(memory -> {}))
                .hasOnlyLeakOf("JUnit Jupiter")
                .withTextContaining(
                        "note    allocated by threads that work for no test: \"stray\" (started by no test), while these tests"
                                + " ran: ReportingThreadsTests$StrayTestCase#")
                .withTextContaining(
                        "note    waited 1 s for frees of other threads; none of 1 buffer came back meanwhile");
    }

    @Test
    void whatAStrayThreadFreedIsANote() {
        RunAssert.Results results = StrayTestCase.run(GlobalLibrary.Memory::close);

        assertThat(results).hasOnlySucceeded(2);
        Assertions.assertThat(
                        results.events().allEvents().reportingEntryPublished().list())
                .map(event -> String.valueOf(event.getPayload()))
                .anySatisfy(
                        entry -> Assertions.assertThat(entry)
                                .contains(
                                        "threads that work for no test allocated 1 buffer, and all were freed: \"stray\" (started by no test)"));
    }

    /** Such a thread may be at work when the run ends. */
    @Test
    void whatAStrayThreadFreesRightAfterTheRunIsANoteToo() {
        SteppedTimer timer = StrayTestCase.TIMER;
        Duration end = timer.now();

        RunAssert.Results results = StrayTestCase.run(memory -> timer.at(end.plusMillis(40), memory::close));

        assertThat(results).hasOnlySucceeded(2).hasNoFailedClass();
        // It polls after 1, 2, 4, 8, 16 and 32 ms.
        Assertions.assertThat(timer.now()).isEqualTo(end.plusMillis(63));
    }

    @ParameterizedTest
    @ValueSource(classes = {PreparedTestCase.class, InstanceTestCase.class})
    void whatTheFirstClassAllocatesBeforeItsTestsIsAFindingOfTheRun(Class<?> first) {
        assertThat(runConcurrently(first))
                .hasOnlyLeakOf("JUnit Jupiter")
                .withTextContaining("allocated by threads that work for no test");
    }

    @Test
    void whatABeforeAllMethodAllocatesWhileATestRunsIsAFindingOfTheRun() {
        assertThat(runConcurrently(PreparedMeanwhileTestCase.class)).hasOnlyLeakOf("JUnit Jupiter");
    }

    @Test
    void whatAStrayThreadLeavesIsAFindingThoughTheSourceBeginsInTheLastTest() {
        assertThat(OnRequestTestCase.run()).hasOnlyLeakOf("JUnit Jupiter");
    }

    /** No other test is responsible for memory that this thread allocates from now on. */
    @Test
    void aTestOnWhichATimeoutGaveUpBlamesNoOtherTest() {
        RunAssert.Results results = run(AbandonedTestCase.class);

        assertThat(results).hasTest("follows").whichSucceeded();
        assertThat(results)
                .hasFailedContainerCalled("JUnit Jupiter")
                .whichFailed()
                .withTextContaining("work for no test");
    }

    @Test
    void aPoolThreadThatATestStartedDoesNotHoldTheTest() throws Exception {
        Assertions.assertThat(run(PoolTestCase.class)
                        .events()
                        .testEvents()
                        .succeeded()
                        .count())
                .isEqualTo(1);
        WeakReference<?> instance = PoolTestCase.INSTANCE.getAndSet(null);
        WeakReference<?> context = PoolTestCase.CONTEXT.getAndSet(null);

        try {
            for (int i = 0; i < 50 && (instance.get() != null || context.get() != null); i++) {
                System.gc();
            }

            Assertions.assertThat(instance.get()).isNull();
            Assertions.assertThat(context.get()).isNull();
        } finally {
            PoolTestCase.POOL.getAndSet(null).shutdownNow();
        }
    }

    @Test
    void aSourceThatCannotBeInstalledLeavesTheVerdictOpen() {
        assertThat(run(NotInstalledTestCase.class))
                .hasSingleTest()
                .whichFailed()
                .withVerdict(Outcome.INCONCLUSIVE)
                .withTextContaining("the source \"global\" is not installed: another leak detector is set."
                        + " Remove -Dlibrary.detector.");
    }

    /** Both tests are running when one leaks. */
    abstract static class PairTestCase {

        private static final CyclicBarrier BOTH = new CyclicBarrier(2);

        /** Returns where the memory of the test is allocated and freed. */
        abstract Executor executor(boolean leaks);

        @Test
        void leaks() throws Exception {
            runWhenBothRun(executor(true), () -> GlobalLibrary.allocate(64));
        }

        @Test
        void frees() throws Exception {
            runWhenBothRun(executor(false), () -> GlobalLibrary.allocate(64).close());
        }

        static void runWhenBothRun(Executor executor, Runnable task) throws Exception {
            meet(BOTH);
            CompletableFuture.runAsync(task, executor).get(1, TimeUnit.MINUTES);
            meet(BOTH);
        }
    }

    static class TogetherTestCase extends PairTestCase {

        @RegisterExtension
        static final MeshGuardExtension guard = guard();

        @Override
        Executor executor(boolean leaks) {
            return Runnable::run;
        }
    }

    static class RandomTestCase extends LibraryTestCase {
        private static volatile long seed;

        static Set<Integer> leaking(long ofRun) {
            Random random = new Random(ofRun);
            return IntStream.range(0, TESTS)
                    .filter(test -> random.nextInt(4) == 0)
                    .boxed()
                    .collect(Collectors.toCollection(TreeSet::new));
        }

        static Stream<Integer> tests() {
            return IntStream.range(0, TESTS).boxed();
        }

        @ParameterizedTest
        @MethodSource("tests")
        void allocates(int test, TestThreads threads) throws Exception {
            Random random = new Random(seed * TESTS + test);
            ExecutorService pool = Executors.newFixedThreadPool(2);
            try {
                List<Executor> ways =
                        List.of(Runnable::run, threads.wrap(task -> joined(new Thread(task))), threads.wrap(pool));
                int leak = leaking(seed).contains(test) ? random.nextInt(10) : -1;
                for (int i = 0; i < 10; i++) {
                    boolean isLeaked = i == leak;
                    CompletableFuture.runAsync(
                                    () -> {
                                        GlobalLibrary.Memory memory = GlobalLibrary.allocate(64);
                                        if (!isLeaked) {
                                            memory.close();
                                        }
                                    },
                                    ways.get(random.nextInt(ways.size())))
                            .get(1, TimeUnit.MINUTES);
                }
            } finally {
                pool.shutdownNow();
            }
        }
    }

    private static void joined(Thread thread) {
        thread.start();
        try {
            thread.join();
        } catch (InterruptedException asksForTheEnd) {
            throw new IllegalStateException(asksForTheEnd);
        }
    }

    /** Its methods are its own: one that several classes inherit does not show whose thread it is. */
    static class VirtualTestCase extends LibraryTestCase {

        @Test
        void leaks() throws Exception {
            PairTestCase.runWhenBothRun(VirtualTestCase::start, () -> GlobalLibrary.allocate(64));
        }

        @Test
        void frees() throws Exception {
            PairTestCase.runWhenBothRun(
                    VirtualTestCase::start, () -> GlobalLibrary.allocate(64).close());
        }

        /** These class files are older than virtual threads. */
        private static void start(Runnable task) {
            try {
                Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, task);
            } catch (ReflectiveOperationException unexpected) {
                throw new IllegalStateException(unexpected);
            }
        }
    }

    @Timeout(value = 1, unit = TimeUnit.MINUTES, threadMode = ThreadMode.SEPARATE_THREAD)
    static class TimeoutTestCase extends TogetherTestCase {}

    static class OlderThreadTestCase extends LibraryTestCase {
        private static ExecutorService loop = Executors.newSingleThreadExecutor();

        static void run(Runnable test) {
            loop = StartedExecutor.named("loop");
            try {
                test.run();
            } finally {
                loop.shutdownNow();
            }
        }

        @Test
        void leaks() throws Exception {
            loop.submit(() -> GlobalLibrary.allocate(64)).get(1, TimeUnit.MINUTES);
        }
    }

    /** Each test binds a thread that runs already. */
    static class BoundThreadsTestCase extends LibraryTestCase {

        private static final ExecutorService FIRST = StartedExecutor.named("first loop");
        private static final ExecutorService SECOND = StartedExecutor.named("second loop");
        private static final CyclicBarrier BOTH = new CyclicBarrier(2);

        @Test
        void leaks(TestThreads threads) throws Exception {
            threads.bind(FIRST);
            allocateWhenBothRun(() -> allocateOn(FIRST));
        }

        @Test
        void frees(TestThreads threads) throws Exception {
            threads.bind(SECOND.submit(Thread::currentThread).get());
            allocateWhenBothRun(() -> allocateOn(SECOND).close());
        }

        static void allocateWhenBothRun(Runnable allocate) throws Exception {
            meet(BOTH);
            allocate.run();
            meet(BOTH);
        }
    }

    private static GlobalLibrary.Memory allocateOn(Executor executor) {
        return CompletableFuture.supplyAsync(() -> GlobalLibrary.allocate(64), executor)
                .join();
    }

    /** Both tests use one thread that runs already, through an executor that works for the test. */
    static class WrappedExecutorTestCase extends LibraryTestCase {

        private static final ExecutorService LOOP = StartedExecutor.named("shared loop");

        @Test
        void leaks(TestThreads threads) throws Exception {
            BoundThreadsTestCase.allocateWhenBothRun(() -> allocateOn(threads.wrap(LOOP)));
        }

        @Test
        void frees(TestThreads threads) throws Exception {
            BoundThreadsTestCase.allocateWhenBothRun(
                    () -> allocateOn(threads.wrap(LOOP)).close());
        }
    }

    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    @Execution(ExecutionMode.CONCURRENT)
    static class PreparedMeanwhileTestCase extends LibraryTestCase {
        private final CountDownLatch running = new CountDownLatch(1);
        private final CountDownLatch prepared = new CountDownLatch(1);

        @Test
        void runsMeanwhile() throws InterruptedException {
            running.countDown();
            await(prepared);
        }

        @Nested
        @TestInstance(TestInstance.Lifecycle.PER_CLASS)
        class Inner {
            @BeforeAll
            void prepares() throws InterruptedException {
                await(running);
                GlobalLibrary.allocate(64);
                prepared.countDown();
            }

            @Test
            void allocatesNothing() {}
        }
    }

    static class PreparedTestCase extends LibraryTestCase {
        @BeforeAll
        static void prepares() {
            GlobalLibrary.allocate(64);
        }

        @Test
        void allocatesNothing() {}
    }

    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    static class InstanceTestCase extends LibraryTestCase {
        private final GlobalLibrary.Memory memory = GlobalLibrary.allocate(64);

        @Test
        void allocatesNothing() {
            Assertions.assertThat(memory.address()).isPositive();
        }
    }

    /** Two tests run, so a thread that none of them started works for none. */
    static class StrayTestCase {
        private static final SteppedTimer TIMER = new SteppedTimer();
        private static ExecutorService stray = Executors.newSingleThreadExecutor();
        private static volatile Consumer<GlobalLibrary.Memory> use = memory -> {};
        private static final CyclicBarrier BOTH = new CyclicBarrier(2);

        @RegisterExtension
        static final MeshGuardExtension guard = guard(TIMER);

        static RunAssert.Results run(Consumer<GlobalLibrary.Memory> newUse) {
            use = newUse;
            stray = StartedExecutor.named("stray");
            try {
                return runConcurrently(StrayTestCase.class);
            } finally {
                stray.shutdownNow();
            }
        }

        @Test
        void first() throws Exception {
            meet(BOTH);
            useStray();
            meet(BOTH);
        }

        /** Not in the test, whose name a lambda of its own would have. */
        private static void useStray() throws Exception {
            stray.submit(() -> use.accept(GlobalLibrary.allocate(64))).get(1, TimeUnit.MINUTES);
        }

        @Test
        void second() throws Exception {
            meet(BOTH);
            meet(BOTH);
        }
    }

    static class OnRequestTestCase {

        private static ExecutorService stray = Executors.newSingleThreadExecutor();

        @RegisterExtension
        static final MeshGuardExtension guard = MeshGuardExtension.builder()
                .source(GlobalLibrary.settingsOnRequest())
                .timer(new SteppedTimer())
                .build();

        static RunAssert.Results run() {
            stray = StartedExecutor.named("stray");
            try {
                return JupiterRun.run(OnRequestTestCase.class);
            } finally {
                stray.shutdownNow();
            }
        }

        @Test
        void uses(Ttnn unused) throws Exception {
            stray.submit(LibraryTestCase::leak).get(1, TimeUnit.MINUTES);
        }
    }

    @TestMethodOrder(MethodOrderer.MethodName.class)
    static class AbandonedTestCase extends LibraryTestCase {
        private static final CountDownLatch NEXT_TEST = new CountDownLatch(1);
        private static final CountDownLatch ALLOCATED = new CountDownLatch(1);

        @Test
        @Timeout(value = 1, unit = TimeUnit.MILLISECONDS, threadMode = ThreadMode.SEPARATE_THREAD)
        void abandoned() {
            while (NEXT_TEST.getCount() > 0) {
                Thread.onSpinWait();
            }
            GlobalLibrary.allocate(64);
            ALLOCATED.countDown();
        }

        @Test
        void follows() throws Exception {
            NEXT_TEST.countDown();
            await(ALLOCATED);
        }
    }

    static class PoolTestCase {
        static final AtomicReference<ExecutorService> POOL = new AtomicReference<>();
        static final AtomicReference<WeakReference<?>> INSTANCE = new AtomicReference<>();
        static final AtomicReference<WeakReference<?>> CONTEXT = new AtomicReference<>();

        @RegisterExtension
        static final MeshGuardExtension guard = MeshGuardExtension.builder()
                .source(GlobalLibrary.settings(context -> CONTEXT.set(new WeakReference<>(context))))
                .build();

        @BeforeEach
        void startPool() {
            INSTANCE.set(new WeakReference<>(this));
            POOL.set(StartedExecutor.named("pool"));
        }

        @Test
        void allocatesInThePool() throws Exception {
            POOL.get().submit(() -> GlobalLibrary.allocate(64).close()).get(1, TimeUnit.MINUTES);
        }
    }

    static class NotInstalledTestCase {
        @RegisterExtension
        static final MeshGuardExtension guard = MeshGuardExtension.builder()
                .source(GlobalLibrary.settings(ReportingThreadsTests::failToInstall))
                .build();

        @Test
        void allocatesNothing() {}
    }

    private static void failToInstall(SourceContext context) {
        context.notInstalled("another leak detector is set", "Remove -Dlibrary.detector.");
    }
}
