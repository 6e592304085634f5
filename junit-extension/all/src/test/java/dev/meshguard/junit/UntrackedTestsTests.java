package dev.meshguard.junit;

import static dev.meshguard.junit.LibraryTestCase.freeAll;
import static dev.meshguard.junit.LibraryTestCase.guard;
import static dev.meshguard.junit.LibraryTestCase.leak;
import static dev.meshguard.junit.testkit.Latches.await;
import static dev.meshguard.junit.testkit.Latches.meet;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.junit.testkit.GlobalLibrary;
import dev.meshguard.junit.testkit.JupiterRun;
import dev.meshguard.junit.testkit.LaunchedRun;
import dev.meshguard.junit.testkit.RunAssert;
import dev.meshguard.junit.testkit.StartedExecutor;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.extension.TestInstanceFactory;
import org.junit.jupiter.api.extension.TestInstanceFactoryContext;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Allocations of tests without annotation fail nothing, and the summary counts them. */
class UntrackedTestsTests {

    private static final String ONE = "   not tracked       1 buffer was allocated by tests without @TrackAllocations";

    private static ExecutorService pool = Executors.newSingleThreadExecutor();
    private static CountDownLatch go = new CountDownLatch(1);
    private static CompletableFuture<Void> left = CompletableFuture.completedFuture(null);

    private final LaunchedRun launcher = LaunchedRun.launcher();

    @BeforeEach
    void startPool() {
        pool = StartedExecutor.named("pool");
        go = new CountDownLatch(1);
    }

    @AfterEach
    void stopPool() {
        pool.shutdownNow();
    }

    private static void leakOnPool() {
        CompletableFuture.runAsync(LibraryTestCase::leak, pool).join();
    }

    /** Leaves a task to a later test. */
    private static void leave(Runnable leaks, Executor executor) {
        left = CompletableFuture.runAsync(leaks, executor);
    }

    private static void leakLate() {
        await(go);
        leak();
    }

    private static void awaitLeak() {
        go.countDown();
        left.join();
    }

    private String printed(Map<String, String> parameters, Class<?>... inOrder) {
        List<String> printed = launcher.run(parameters, inOrder).printed();
        assertThat(printed).hasSize(1);
        return printed.get(0);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "leaks before the first tracked test, Leaking, Clean, 1 buffer was",
        "leaks after the first tracked test, Clean, Leaking, 1 buffer was",
        "leaks of threads of all tests where no tracked test runs, Clean, OnPool, 2 buffers were",
        "leaks of a class on threads of all tests before its tests, Clean, BeforeAll, 2 buffers were",
        "leaks of a class that JUnit initializes, Clean, UntrackedInitializer, 2 buffers were",
        "code of a tracked class that they call, Helping, Calling, 1 buffer was"
    })
    void failNothingAndAreCounted(String what, String first, String second, String counted)
            throws ClassNotFoundException {
        assertThat(printed(Map.of(), fixture(first), fixture(second)))
                .contains("   not tracked       " + counted + " allocated by tests without @TrackAllocations");
        assertThat(launcher.failed()).isEmpty();
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "leaks of their callbacks where a tracked test runs, Listening, Completing",
        "leaks of threads that they have left where a tracked test runs, Leaving, TrackedAwaiting",
        "a thread of a tracked test while a test without annotation runs, TrackedLeaving, Awaiting",
        "a thread of a tracked test while a class without annotation runs, TrackedLeaving, AwaitingClass",
        "late code of one of several invocations of a tracked test, LateInvocations, Awaiting",
        "late code of one of several overloads of a tracked test, LateOverload, Awaiting"
    })
    void failTheRunWhereATrackedTestMayHaveAllocated(String what, String first, String second)
            throws ClassNotFoundException {
        printed(Map.of(), fixture(first), fixture(second));

        assertThat(launcher.failed()).containsExactly("JUnit Jupiter");
    }

    private static Class<?> fixture(String name) throws ClassNotFoundException {
        return Class.forName(UntrackedTestsTests.class.getName() + "$" + name + "TestCase");
    }

    static class CleanTestCase extends LibraryTestCase {

        @Test
        void clean() {
            freeAll();
        }
    }

    static class LeakingTestCase {

        @Test
        void leaks() {
            leak();
        }
    }

    @Test
    void withoutAListenerTheStackShowsThem() {
        RunAssert.assertThat(JupiterRun.runTogether(CleanTestCase.class, LeakingTestCase.class))
                .hasPublishedTextContaining(
                        ONE,
                        "the launcher called no listener: tests without @TrackAllocations were recognized by stacks only");
    }

    static class OnPoolTestCase {

        @Test
        void leaks() {
            leakOnPool();
            leakOnPool();
        }
    }

    @Test
    void leaksOfThreadsOfAllTestsFailTheRunWhereATrackedTestRuns() {
        printed(JupiterRun.CONCURRENTLY, InnocentMeanwhileTestCase.class, OnPoolMeanwhileTestCase.class);

        assertThat(launcher.failed()).containsExactly("JUnit Jupiter");
    }

    private static final CyclicBarrier MEANWHILE = new CyclicBarrier(2);

    static class InnocentMeanwhileTestCase extends LibraryTestCase {

        @Test
        void innocent() {
            meet(MEANWHILE);
            freeAll();
            meet(MEANWHILE);
        }
    }

    static class OnPoolMeanwhileTestCase {

        @Test
        void leaks() {
            meet(MEANWHILE);
            leakOnPool();
            meet(MEANWHILE);
        }
    }

    @Test
    void leaksOfThreadsThatTheyStartAreCountedWhileATrackedTestRuns() {
        assertThat(printed(JupiterRun.CONCURRENTLY, InnocentMeanwhileTestCase.class, OwnThreadTestCase.class))
                .contains(ONE);
        assertThat(launcher.failed()).isEmpty();
    }

    static class OwnThreadTestCase {

        @Test
        void leaks() throws InterruptedException {
            meet(MEANWHILE);
            Thread thread = new Thread(LibraryTestCase::leak);
            thread.start();
            thread.join();
            meet(MEANWHILE);
        }
    }

    static class ListeningTestCase {

        private static final CompletableFuture<Void> FUTURE = new CompletableFuture<>();

        @Test
        void listens() {
            CompletableFuture<Void> unused = FUTURE.thenRun(() -> leak());
        }
    }

    static class CompletingTestCase extends LibraryTestCase {

        @Test
        void completes() {
            ListeningTestCase.FUTURE.complete(null);
        }
    }

    static class LeavingTestCase {

        @Test
        void leavesAThread() {
            leave(UntrackedTestsTests::leakLate, task -> new Thread(task).start());
        }
    }

    static class TrackedAwaitingTestCase extends LibraryTestCase {

        @Test
        void innocent() {
            awaitLeak();
        }
    }

    static class TrackedLeavingTestCase extends LibraryTestCase {

        @Test
        void leavesAThread() {
            leave(UntrackedTestsTests::leakLate, task -> new Thread(task).start());
        }
    }

    static class AwaitingTestCase {

        @Test
        void awaits() {
            awaitLeak();
        }
    }

    static class AwaitingClassTestCase {

        @BeforeAll
        static void awaits() {
            awaitLeak();
        }

        @Test
        void allocatesNothing() {}
    }

    static class LateInvocationsTestCase extends LibraryTestCase {

        @RepeatedTest(2)
        void leaks(RepetitionInfo repetition) {
            if (repetition.getCurrentRepetition() == 2) {
                leave(() -> leakLate(), pool);
            }
        }
    }

    static class LateOverloadTestCase extends LibraryTestCase {

        @Test
        void leaks() {
            leaks(64);
        }

        private void leaks(int bytes) {
            leave(
                    () -> {
                        await(go);
                        GlobalLibrary.allocate(bytes);
                    },
                    pool);
        }
    }

    static class BeforeAllTestCase {

        @BeforeAll
        static void leaks() {
            leak();
            leakOnPool();
        }

        @Test
        void allocatesNothing() {}
    }

    // Code of a class that runs before its tests

    /** Runs a class on a thread that works for no test, and whose stack shows none: until the run begins, only that counts. A lambda would show its test. */
    private static <T> T onPool(Function<Class<?>[], T> run, Class<?>... inOrder) {
        return CompletableFuture.supplyAsync(() -> run.apply(inOrder), pool).join();
    }

    private static RunAssert.Results runOf(Class<?>... one) {
        return JupiterRun.run(one[0]);
    }

    private String printedOf(Class<?>... inOrder) {
        return printed(Map.of(), inOrder);
    }

    @ParameterizedTest
    @ValueSource(
            classes = {StaticInitializerTestCase.class, EarlierExtensionTestCase.class, InstanceFactoryTestCase.class})
    void whatTrackedClassesAllocateBeforeTheirExtensionIsCalledIsTracked(Class<?> testCase) {
        onPool(this::printedOf, testCase);

        assertThat(launcher.failed()).containsExactly("JUnit Jupiter");
    }

    @Test
    void whatLaterTrackedClassesAllocateBeforeTheirExtensionIsCalledIsTracked() {
        onPool(this::printedOf, CleanTestCase.class, EarlierExtensionTestCase.class);

        assertThat(launcher.failed()).containsExactly("JUnit Jupiter");
    }

    @Test
    void aStaticInitializerOfATrackedClassIsTrackedWithoutAListener() {
        RunAssert.assertThat(onPool(UntrackedTestsTests::runOf, UnannouncedInitializerTestCase.class))
                .hasOnlyLeakOf("JUnit Jupiter")
                .withTextContaining("1 allocated = 0 freed + 1 leaked");
    }

    static class StaticInitializerTestCase {

        /** JUnit reads it before any test, which initializes the class. */
        @RegisterExtension
        static final MeshGuardExtension guard = guard();

        private static final GlobalLibrary.Memory MEMORY = GlobalLibrary.allocate(64);

        @Test
        void allocatesNothing() {
            assertThat(MEMORY.address()).isPositive();
        }
    }

    static class UnannouncedInitializerTestCase {

        @RegisterExtension
        static final MeshGuardExtension guard = guard();

        private static final GlobalLibrary.Memory MEMORY = GlobalLibrary.allocate(64);

        @Test
        void allocatesNothing() {
            assertThat(MEMORY.address()).isPositive();
        }
    }

    @ExtendWith(Leaking.class)
    static class UntrackedInitializerTestCase {

        private static final GlobalLibrary.Memory MEMORY = GlobalLibrary.allocate(64);

        @Test
        void allocatesNothing() {
            assertThat(MEMORY.address()).isPositive();
        }
    }

    /** Allocates before the extension of the class is called, or without one. */
    static final class Leaking implements BeforeAllCallback {

        @Override
        public void beforeAll(ExtensionContext context) {
            leak();
        }
    }

    @ExtendWith(Leaking.class)
    static class EarlierExtensionTestCase extends CleanTestCase {}

    static final class LeakingFactory implements TestInstanceFactory {

        @Override
        public Object createTestInstance(TestInstanceFactoryContext factoryContext, ExtensionContext context) {
            leak();
            return new InstanceFactoryTestCase();
        }
    }

    @ExtendWith(LeakingFactory.class)
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    static class InstanceFactoryTestCase extends CleanTestCase {}

    @Test
    void argumentsOfTrackedTestsAreTrackedOnOtherThreadsToo() {
        assertThat(printed(JupiterRun.CONCURRENTLY, ArgumentsTestCase.class)).doesNotContain("not tracked");
        assertThat(launcher.failed()).containsExactly("JUnit Jupiter");
    }

    /** The arguments of both tests are made at the same time, so at least those of one on another thread than that of the class. */
    static class ArgumentsTestCase extends LibraryTestCase {

        private static final CyclicBarrier BOTH = new CyclicBarrier(2);

        static Stream<GlobalLibrary.Memory> memory() {
            meet(BOTH);
            return Stream.of(GlobalLibrary.allocate(64));
        }

        @ParameterizedTest(autoCloseArguments = false)
        @MethodSource("memory")
        void allocatesNothing(GlobalLibrary.Memory memory) {
            assertThat(memory.address()).isPositive();
        }

        @ParameterizedTest(autoCloseArguments = false)
        @MethodSource("memory")
        void allocatesNothingToo(GlobalLibrary.Memory memory) {
            assertThat(memory.address()).isPositive();
        }
    }

    static class HelpingTestCase extends CleanTestCase {

        static void help() {
            leak();
        }
    }

    static class CallingTestCase {

        @BeforeAll
        static void callsAHelper() {
            HelpingTestCase.help();
        }

        @Test
        void allocatesNothing() {}
    }
}
