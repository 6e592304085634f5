package dev.meshguard.junit;

import static dev.meshguard.junit.LibraryTestCase.guard;
import static dev.meshguard.junit.LibraryTestCase.leak;
import static dev.meshguard.junit.testkit.Latches.await;
import static dev.meshguard.junit.testkit.Latches.meet;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.meshguard.junit.testkit.GlobalLibrary;
import dev.meshguard.junit.testkit.JupiterRun;
import dev.meshguard.junit.testkit.LaunchedRun;
import dev.meshguard.junit.testkit.RunAssert;
import dev.meshguard.junit.testkit.StartedExecutor;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
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
import org.junit.jupiter.params.provider.Arguments;
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

    private static void leakOnPoolTwice() {
        leakOnPool();
        leakOnPool();
    }

    /** Leaves a task to a later test. */
    private static void leave(Runnable leaks, Executor executor) {
        left = CompletableFuture.runAsync(leaks, executor);
    }

    private static void leakLate() {
        await(go);
        leak();
    }

    private static void leaveAThread() {
        leave(UntrackedTestsTests::leakLate, task -> new Thread(task).start());
    }

    private static void awaitLeak() {
        go.countDown();
        left.join();
    }

    /** A fixture, and the code that its test, or its method for all tests, runs. */
    private record Case(Class<?> type, Runnable code) {}

    private static Case of(Class<?> type) {
        return new Case(type, LibraryTestCase::freeAll);
    }

    private static Case tracked(Runnable code) {
        return new Case(TrackedTestCase.class, code);
    }

    private static Case untracked(Runnable code) {
        return new Case(UntrackedTestCase.class, code);
    }

    private static Case untrackedClass(Runnable code) {
        return new Case(UntrackedClassTestCase.class, code);
    }

    private static final Map<Class<?>, Runnable> CODE = new ConcurrentHashMap<>();

    static class TrackedTestCase extends LibraryTestCase {

        @Test
        void runs() {
            CODE.getOrDefault(getClass(), LibraryTestCase::freeAll).run();
        }
    }

    static class UntrackedTestCase {

        @Test
        void runs() {
            CODE.get(getClass()).run();
        }
    }

    static class UntrackedClassTestCase {

        @BeforeAll
        static void runs() {
            CODE.get(UntrackedClassTestCase.class).run();
        }

        @Test
        void allocatesNothing() {}
    }

    private String printed(Map<String, String> parameters, Case... inOrder) {
        for (Case one : inOrder) {
            CODE.put(one.type(), one.code());
        }
        List<String> printed = launcher.run(
                        parameters, Arrays.stream(inOrder).map(Case::type).toArray(Class<?>[]::new))
                .printed();
        assertThat(printed).hasSize(1);
        return printed.get(0);
    }

    static Stream<Arguments> ofNoTrackedTest() {
        Case clean = tracked(LibraryTestCase::freeAll);
        return Stream.of(
                arguments("leaks before the first tracked test", untracked(LibraryTestCase::leak), clean, 1),
                arguments("leaks after the first tracked test", clean, untracked(LibraryTestCase::leak), 1),
                arguments("leaks on threads of all tests", clean, untracked(UntrackedTestsTests::leakOnPoolTwice), 2),
                arguments("a class that leaks", clean, untrackedClass(LibraryTestCase::leak), 1),
                arguments("a class on threads of all tests", clean, untrackedClass(UntrackedTestsTests::leakOnPool), 1),
                arguments("a class that JUnit initializes", clean, of(UntrackedInitializerTestCase.class), 2),
                arguments(
                        "a helper of a tracked class",
                        of(HelpingTestCase.class),
                        untrackedClass(HelpingTestCase::help),
                        1));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("ofNoTrackedTest")
    void failNothingAndAreCounted(String what, Case first, Case second, int leaks) {
        assertThat(printed(Map.of(), first, second))
                .containsPattern("   not tracked       " + leaks
                        + " buffers? w\\w+ allocated by tests without @TrackAllocations");
        assertThat(launcher.failed()).isEmpty();
    }

    static Stream<Arguments> perhapsOfATrackedTest() {
        Case awaiting = untracked(UntrackedTestsTests::awaitLeak);
        Case leaving = tracked(UntrackedTestsTests::leaveAThread);
        return Stream.of(
                arguments(
                        "a callback of theirs in a tracked test",
                        of(ListeningTestCase.class),
                        tracked(() -> ListeningTestCase.FUTURE.complete(null))),
                arguments(
                        "a thread of theirs while a tracked test runs",
                        untracked(UntrackedTestsTests::leaveAThread),
                        tracked(UntrackedTestsTests::awaitLeak)),
                arguments("a thread of a tracked test while a test runs", leaving, awaiting),
                arguments(
                        "a thread of a tracked test while a class runs",
                        leaving,
                        untrackedClass(UntrackedTestsTests::awaitLeak)),
                arguments("late code of an invocation", of(LateInvocationsTestCase.class), awaiting),
                arguments("late code of an overload", of(LateOverloadTestCase.class), awaiting));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("perhapsOfATrackedTest")
    void failTheRunWhereATrackedTestMayHaveAllocated(String what, Case first, Case second) {
        printed(Map.of(), first, second);

        assertThat(launcher.failed()).containsExactly("JUnit Jupiter");
    }

    @Test
    void withoutAListenerTheStackShowsThem() {
        CODE.put(UntrackedTestCase.class, LibraryTestCase::leak);
        RunAssert.assertThat(JupiterRun.runTogether(TrackedTestCase.class, UntrackedTestCase.class))
                .hasPublishedTextContaining(
                        ONE,
                        "the launcher called no listener: tests without @TrackAllocations were recognized by stacks only");
    }

    @Test
    void leaksOfThreadsOfAllTestsFailTheRunWhereATrackedTestRuns() {
        printed(JupiterRun.CONCURRENTLY, meanwhile(UntrackedTestsTests::leakOnPool));
        assertThat(launcher.failed()).containsExactly("JUnit Jupiter");
    }

    @Test
    void leaksOfThreadsThatTheyStartAreCountedWhileATrackedTestRuns() {
        assertThat(printed(JupiterRun.CONCURRENTLY, meanwhile(UntrackedTestsTests::leakOnAThread)))
                .contains(ONE);
        assertThat(launcher.failed()).isEmpty();
    }

    private static void leakOnAThread() {
        CompletableFuture.runAsync(LibraryTestCase::leak, task -> new Thread(task).start())
                .join();
    }

    /** Returns a tracked test, and one without annotation that leaks while the other runs. */
    private static Case[] meanwhile(Runnable leak) {
        CyclicBarrier both = new CyclicBarrier(2);
        return new Case[] {
            tracked(() -> runBetween(both, LibraryTestCase::freeAll)), untracked(() -> runBetween(both, leak))
        };
    }

    private static void runBetween(CyclicBarrier both, Runnable code) {
        meet(both);
        code.run();
        meet(both);
    }

    static class ListeningTestCase {

        private static final CompletableFuture<Void> FUTURE = new CompletableFuture<>();

        @Test
        void listens() {
            CompletableFuture<Void> unused = FUTURE.thenRun(() -> leak());
        }
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

    // Code of a class that runs before its tests

    /** Runs code on a thread that works for no test, and whose stack shows none: until the run begins, only that counts. */
    private static <T> T onPool(Supplier<T> run) {
        return CompletableFuture.supplyAsync(run, pool).join();
    }

    private void runOnPool(Class<?>... inOrder) {
        String unused = onPool(() -> printed(
                Map.of(), Arrays.stream(inOrder).map(UntrackedTestsTests::of).toArray(Case[]::new)));
    }

    private static RunAssert.Results runWithoutListenerOnPool(Class<?> testCase) {
        return onPool(() -> JupiterRun.run(testCase));
    }

    @ParameterizedTest
    @ValueSource(
            classes = {StaticInitializerTestCase.class, EarlierExtensionTestCase.class, InstanceFactoryTestCase.class})
    void whatTrackedClassesAllocateBeforeTheirExtensionIsCalledIsTracked(Class<?> testCase) {
        runOnPool(testCase);

        assertThat(launcher.failed()).containsExactly("JUnit Jupiter");
    }

    @Test
    void whatLaterTrackedClassesAllocateBeforeTheirExtensionIsCalledIsTracked() {
        runOnPool(TrackedTestCase.class, EarlierExtensionTestCase.class);

        assertThat(launcher.failed()).containsExactly("JUnit Jupiter");
    }

    @Test
    void aStaticInitializerOfATrackedClassIsTrackedWithoutAListener() {
        RunAssert.assertThat(runWithoutListenerOnPool(UnannouncedInitializerTestCase.class))
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
    static class EarlierExtensionTestCase extends TrackedTestCase {}

    static final class LeakingFactory implements TestInstanceFactory {

        @Override
        public Object createTestInstance(TestInstanceFactoryContext factoryContext, ExtensionContext context) {
            leak();
            return new InstanceFactoryTestCase();
        }
    }

    @ExtendWith(LeakingFactory.class)
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    static class InstanceFactoryTestCase extends TrackedTestCase {}

    @Test
    void argumentsOfTrackedTestsAreTrackedOnOtherThreadsToo() {
        assertThat(printed(JupiterRun.CONCURRENTLY, of(ArgumentsTestCase.class)))
                .doesNotContain("not tracked");
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

    static class HelpingTestCase extends TrackedTestCase {

        static void help() {
            leak();
        }
    }
}
