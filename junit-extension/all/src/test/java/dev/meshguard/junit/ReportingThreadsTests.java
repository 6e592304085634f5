package dev.meshguard.junit;

import static dev.meshguard.junit.LibraryTestCase.guard;
import static dev.meshguard.junit.testkit.JupiterRun.run;
import static dev.meshguard.junit.testkit.JupiterRun.runConcurrently;
import static dev.meshguard.junit.testkit.Latches.await;
import static dev.meshguard.junit.testkit.Latches.meet;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;

import dev.meshguard.junit.source.SourceContext;
import dev.meshguard.junit.testkit.Configured;
import dev.meshguard.junit.testkit.GlobalLibrary;
import dev.meshguard.junit.testkit.MustFail;
import dev.meshguard.junit.testkit.MustLeak;
import dev.meshguard.junit.testkit.RunAssert;
import dev.meshguard.junit.testkit.StartedExecutor;
import dev.meshguard.junit.testkit.SteppedTimer;
import dev.meshguard.junit.testkit.WithFixtures;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.verdict.Outcome;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.assertj.core.api.Assertions;
import org.assertj.core.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A library calls one hook of the process for all tests: the thread of each report decides which test it belongs to. */
class ReportingThreadsTests implements WithFixtures {

    @Test
    void aVirtualThreadWorksForTheTestThatStartsIt() {
        Assumptions.assumeThat(Runtime.version().feature()).isGreaterThanOrEqualTo(21);

        assertThat(runConcurrently(VirtualCase.class)).hasOnlyFailed("leaks()");
    }

    /** One stray thread must not fail every test. */
    @Test
    void survivorsOfAStrayThreadAreOneFindingOfTheRun() {
        assertThat(StrayCase.run(memory -> {}))
                .hasOnlyLeakOf("JUnit Jupiter")
                .withTextContaining(
                        "note    allocated by threads that work for no test: \"stray\" (started by no known test), while these tests"
                                + " ran: ReportingThreadsTests$StrayCase#")
                .withTextContaining(
                        "note    waited 1 s for frees of other threads; none of 1 buffer came back meanwhile");
    }

    @Test
    void whatAStrayThreadFreedIsANote() {
        assertThat(StrayCase.run(GlobalLibrary.Memory::close))
                .hasOnlySucceeded(2)
                .hasPublishedTextContaining(
                        "threads that work for no test allocated 1 buffer, and all were freed: \"stray\" (started by no known test)");
    }

    /** Such a thread may be at work when the run ends. */
    @Test
    void whatAStrayThreadFreesRightAfterTheRunIsANoteToo() {
        SteppedTimer timer = StrayCase.TIMER;
        Duration end = timer.now();

        RunAssert.Results results = StrayCase.run(memory -> timer.at(end.plusMillis(40), memory::close));

        assertThat(results).hasOnlySucceeded(2).hasNoFailedClass();
        // It polls after 1, 2, 4, 8, 16 and 32 ms.
        Assertions.assertThat(timer.now()).isEqualTo(end.plusMillis(63));
    }

    @Test
    void aPoolThreadThatATestStartedDoesNotHoldTheTest() throws Exception {
        Assertions.assertThat(
                        run(PoolCase.class).events().testEvents().succeeded().count())
                .isEqualTo(1);
        WeakReference<?> instance = PoolCase.INSTANCE.getAndSet(null);
        WeakReference<?> context = PoolCase.CONTEXT.getAndSet(null);

        try {
            for (int i = 0; i < 50 && (instance.get() != null || context.get() != null); i++) {
                System.gc();
            }

            Assertions.assertThat(instance.get()).isNull();
            Assertions.assertThat(context.get()).isNull();
        } finally {
            PoolCase.POOL.getAndSet(null).shutdownNow();
        }
    }

    /** Its methods are its own: one that several classes inherit does not show whose thread it is. */
    static class VirtualCase extends LibraryTestCase {

        @Test
        void leaks() throws Exception {
            runWhenBothRun(VirtualCase::start, () -> GlobalLibrary.allocate(64));
        }

        @Test
        void frees() throws Exception {
            runWhenBothRun(VirtualCase::start, () -> GlobalLibrary.allocate(64).close());
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

    @Configured(concurrently = true)
    @Timeout(value = 1, unit = TimeUnit.MINUTES, threadMode = ThreadMode.SEPARATE_THREAD)
    static class TimeoutTestCase extends LibraryTestCase {

        @MustLeak
        void leaks() throws Exception {
            runWhenBothRun(Runnable::run, () -> GlobalLibrary.allocate(64));
        }

        @Test
        void frees() throws Exception {
            runWhenBothRun(Runnable::run, () -> GlobalLibrary.allocate(64).close());
        }
    }

    private static final CyclicBarrier BOTH = new CyclicBarrier(2);

    private static void runWhenBothRun(Executor executor, Runnable task) throws Exception {
        meet(BOTH);
        CompletableFuture.runAsync(task, executor).get(1, TimeUnit.MINUTES);
        meet(BOTH);
    }

    @MustFail(run = true, verdict = Outcome.LEAKED)
    static class BeforeAllWithoutSessionTestCase extends UnownedMemoryTestCase {}

    /** The class is responsible for what it allocates for all its tests, because it has a session. */
    @TrackAllocations(lifetime = TrackingLifetime.CLASS)
    @MustFail(verdict = Outcome.LEAKED)
    static class BeforeAllTestCase extends UnownedMemoryTestCase {}

    @TrackAllocations(lifetime = TrackingLifetime.CLASS)
    @MustFail(verdict = Outcome.LEAKED)
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    static class ConstructorTestCase extends LibraryTestCase {

        ConstructorTestCase() {
            leak();
        }

        @Test
        void whatAnInstanceForAllAllocatesIsTheClasss() {}
    }

    @Configured(concurrently = true)
    @MustFail(run = true, verdict = Outcome.LEAKED, text = "allocated by threads that work for no test")
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    static class InstanceTestCase extends LibraryTestCase {
        private final GlobalLibrary.Memory memory = GlobalLibrary.allocate(64);

        @Test
        void allocatesNothing() {
            Assertions.assertThat(memory.address()).isPositive();
        }
    }

    /** Two tests run, so a thread that none of them started works for none. */
    static class StrayCase {
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
                return runConcurrently(StrayCase.class);
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

    @MustFail(run = true, verdict = Outcome.LEAKED)
    static class OnRequestTestCase {

        private static final ExecutorService STRAY = StartedExecutor.named("stray");

        @RegisterExtension
        static final MeshGuardExtension guard = MeshGuardExtension.builder()
                .source(GlobalLibrary.settingsOnRequest())
                .timer(new SteppedTimer())
                .build();

        @Test
        void theSourceBeginsInTheLastTest(Ttnn unused) throws Exception {
            STRAY.submit(LibraryTestCase::leak).get(1, TimeUnit.MINUTES);
        }
    }

    /** No other test is responsible for memory that a thread allocates on whose test a timeout gave up. */
    @MustFail(run = true, verdict = Outcome.LEAKED, text = "work for no test")
    @TestMethodOrder(MethodOrderer.MethodName.class)
    static class AbandonedTestCase extends LibraryTestCase {
        private static final CountDownLatch NEXT_TEST = new CountDownLatch(1);
        private static final CountDownLatch ALLOCATED = new CountDownLatch(1);

        @Test
        @Timeout(value = 1, unit = TimeUnit.MILLISECONDS, threadMode = ThreadMode.SEPARATE_THREAD)
        @MustFail(error = TimeoutException.class)
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

    static class PoolCase {
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
        @MustFail(
                verdict = Outcome.INCONCLUSIVE,
                text = "the source \"global\" is not installed: another leak detector is set."
                        + " Remove -Dlibrary.detector.")
        void aSourceThatCannotBeInstalledLeavesTheVerdictOpen() {}
    }

    private static void failToInstall(SourceContext context) {
        context.notInstalled("another leak detector is set", "Remove -Dlibrary.detector.");
    }
}
