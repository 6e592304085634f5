package dev.meshguard.junit;

import static dev.meshguard.junit.GlobalLibraryGuard.guard;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.junit.testkit.GlobalLibrary;
import dev.meshguard.junit.testkit.JupiterRun;
import dev.meshguard.junit.testkit.LaunchedRun;
import dev.meshguard.junit.testkit.RunAssert;
import dev.meshguard.junit.testkit.StartedExecutor;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.ClassOrderer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestClassOrder;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.extension.TestInstanceFactory;
import org.junit.jupiter.api.extension.TestInstanceFactoryContext;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;

/** Allocations of tests without annotation fail nothing, and the summary counts them. */
class UntrackedTestsTests {

    private static final String ONE = "   not tracked       1 buffer was allocated by tests without @TrackAllocations";

    private static final String TWO =
            "   not tracked       2 buffers were allocated by tests without @TrackAllocations";

    private static ExecutorService pool = Executors.newSingleThreadExecutor();

    private final List<String> failed = Collections.synchronizedList(new ArrayList<>());

    @BeforeEach
    void startPool() {
        pool = StartedExecutor.named("pool");
    }

    @AfterEach
    void stopPool() {
        pool.shutdownNow();
    }

    private static void leakOnPool(int buffers) {
        CompletableFuture.runAsync(
                        () -> {
                            for (int i = 0; i < buffers; i++) {
                                GlobalLibrary.allocate(64);
                            }
                        },
                        pool)
                .join();
    }

    private List<String> printed(Class<?> testCase) {
        return printed(Map.of(), testCase);
    }

    private List<String> printed(Map<String, String> parameters, Class<?> testCase) {
        return LaunchedRun.launcher(new TestExecutionListener() {
                    @Override
                    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
                        if (result.getStatus() != TestExecutionResult.Status.SUCCESSFUL) {
                            failed.add(test.getDisplayName());
                        }
                    }
                })
                .run(parameters, testCase)
                .printed();
    }

    /** Runs a class on a thread that works for no test, and whose stack shows none: until the run begins, only that counts. */
    private static <T> T onPool(Function<Class<?>, T> run, Class<?> testCase) {
        return CompletableFuture.supplyAsync(() -> run.apply(testCase), pool).join();
    }

    private void assertThatNothingFailsAndTheSummaryHas(String line, Class<?> testCase) {
        assertThat(printed(Map.of(), testCase)).singleElement().asString().contains(line);
        assertThat(failed).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(classes = {UntrackedFirstTestCase.class, TrackedFirstTestCase.class})
    void leaksBeforeAndAfterTheFirstTrackedTestAreCounted(Class<?> testCase) {
        assertThatNothingFailsAndTheSummaryHas(ONE, testCase);
    }

    @Test
    void leaksOfThreadsOfAllTestsAreCountedWhereNoTrackedTestRuns() {
        assertThatNothingFailsAndTheSummaryHas(TWO, UntrackedPoolTestCase.class);
    }

    @Test
    void leaksOfThreadsOfAllTestsFailTheRunWhereATrackedTestRuns() {
        printed(JupiterRun.CONCURRENTLY, BothTestCase.class);

        assertThat(failed).containsExactly("JUnit Jupiter");
    }

    @Test
    void leaksOfTrackedClassesAreTracked() {
        printed(Map.of(), TrackedBeforeAllTestCase.class);

        assertThat(failed).containsExactly("JUnit Jupiter");
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                StaticInitializerTestCase.class,
                EarlierExtensionTestCase.class,
                InstanceFactoryTestCase.class,
                LaterClassesTestCase.class
            })
    void whatTrackedClassesAllocateBeforeTheirExtensionIsCalledIsTracked(Class<?> testCase) {
        onPool(this::printed, testCase);

        assertThat(failed).containsExactly("JUnit Jupiter");
    }

    @Test
    void argumentsOfTrackedTestsAreTrackedOnOtherThreadsToo() {
        assertThat(printed(JupiterRun.CONCURRENTLY, ArgumentsTestCase.class))
                .singleElement()
                .asString()
                .doesNotContain("not tracked");
        assertThat(failed).containsExactly("JUnit Jupiter");
    }

    @Test
    void aStaticInitializerOfATrackedClassIsTrackedWithoutAListener() {
        RunAssert.Results results = onPool(JupiterRun::run, UnannouncedInitializerTestCase.class);

        RunAssert.assertThat(results)
                .hasFailedContainerCalled("JUnit Jupiter")
                .whichFailed()
                .withTextContaining("1 allocated = 0 freed + 1 leaked");
    }

    @Test
    void whatOtherClassesAllocateBeforeTheirTestsIsCounted() {
        assertThatNothingFailsAndTheSummaryHas(TWO, UntrackedInitializerTestCase.class);
    }

    @Test
    void codeOfATrackedClassThatTheyCallIsNotTracked() {
        assertThatNothingFailsAndTheSummaryHas(ONE, HelperTestCase.class);
    }

    @Test
    void leaksOfThreadsThatTheyStartAreCountedWhileATrackedTestRuns() {
        assertThat(printed(JupiterRun.CONCURRENTLY, OwnThreadTestCase.class))
                .singleElement()
                .asString()
                .contains(ONE);
        assertThat(failed).isEmpty();
    }

    @Test
    void leaksOfTheirCallbacksFailTheRunWhereATrackedTestRuns() {
        printed(Map.of(), CallbackTestCase.class);

        assertThat(failed).containsExactly("JUnit Jupiter");
    }

    @Test
    void leaksOfThreadsThatTheyHaveLeftFailTheRunWhereATrackedTestRuns() {
        printed(Map.of(), LeftThreadTestCase.class);

        assertThat(failed).containsExactly("JUnit Jupiter");
    }

    @Test
    void aClassWithoutAnnotationMayUseThreadsOfAllTestsBeforeItsTests() {
        assertThatNothingFailsAndTheSummaryHas(TWO, UntrackedBeforeAllTestCase.class);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aThreadOfATrackedTestIsTrackedWhileAClassOrTestWithoutAnnotationRuns(boolean isClass) {
        LateTestCase.go = new CountDownLatch(1);
        LateTestCase.isClass = isClass;

        printed(Map.of(), LateTestCase.class);

        assertThat(failed).containsExactly("JUnit Jupiter");
    }

    @ParameterizedTest
    @ValueSource(classes = {LateInvocationsTestCase.class, LateOverloadTestCase.class})
    void lateCodeOfTrackedTestsIsTrackedThoughItIsNotCertainOfWhich(Class<?> testCase) {
        go = new CountDownLatch(1);

        printed(Map.of(), testCase);

        assertThat(failed).containsExactly("JUnit Jupiter");
    }

    @Test
    void withoutAListenerTheStackShowsThem() {
        List<String> entries = JupiterRun.run(TrackedFirstTestCase.class)
                .events()
                .allEvents()
                .reportingEntryPublished()
                .map(event -> String.valueOf(event.getPayload()))
                .toList();

        assertThat(entries)
                .anySatisfy(entry -> assertThat(entry)
                        .contains(ONE)
                        .contains("the launcher called no listener: tests without @TrackAllocations were recognized by"
                                + " stacks only"));
    }

    abstract static class TrackedTestCase {

        @RegisterExtension
        static final MeshGuardExtension guard = guard();

        @Test
        void clean() {
            GlobalLibrary.allocate(64).close();
        }
    }

    abstract static class UntrackedTestCase {

        @Test
        void leaks() {
            GlobalLibrary.allocate(64);
        }
    }

    @TestClassOrder(ClassOrderer.OrderAnnotation.class)
    static class UntrackedFirstTestCase {

        @Nested
        @Order(1)
        class Untracked extends UntrackedTestCase {}

        @Nested
        @Order(2)
        class Tracked extends TrackedTestCase {}
    }

    @TestClassOrder(ClassOrderer.OrderAnnotation.class)
    static class TrackedFirstTestCase {

        @Nested
        @Order(1)
        class Tracked extends TrackedTestCase {}

        @Nested
        @Order(2)
        class Untracked extends UntrackedTestCase {}
    }

    @TestClassOrder(ClassOrderer.OrderAnnotation.class)
    static class UntrackedPoolTestCase {

        @Nested
        @Order(1)
        class Tracked extends TrackedTestCase {}

        @Nested
        @Order(2)
        class Untracked {

            @Test
            void leaks() {
                leakOnPool(2);
            }
        }
    }

    static class BothTestCase {

        private static final CyclicBarrier BOTH = new CyclicBarrier(2);

        private static void meet() throws Exception {
            BOTH.await(1, TimeUnit.MINUTES);
        }

        @Nested
        class Tracked {

            @RegisterExtension
            static final MeshGuardExtension guard = guard();

            @Test
            void innocent() throws Exception {
                meet();
                GlobalLibrary.allocate(64).close();
                meet();
            }
        }

        @Nested
        class Untracked {

            @Test
            void leaks() throws Exception {
                meet();
                leakOnPool(1);
                meet();
            }
        }
    }

    @TestClassOrder(ClassOrderer.OrderAnnotation.class)
    static class UntrackedBeforeAllTestCase {

        @Nested
        @Order(1)
        class Tracked extends TrackedTestCase {}

        @Nested
        @Order(2)
        class Untracked {

            @BeforeAll
            static void leaks() {
                GlobalLibrary.allocate(64);
                leakOnPool(1);
            }

            @Test
            void allocatesNothing() {}
        }
    }

    @TestClassOrder(ClassOrderer.OrderAnnotation.class)
    static class LateTestCase {

        private static CountDownLatch go = new CountDownLatch(1);
        private static CompletableFuture<Void> leaked = CompletableFuture.completedFuture(null);
        private static boolean isClass;

        @Nested
        @Order(1)
        class Tracked {

            @RegisterExtension
            static final MeshGuardExtension guard = guard();

            @Test
            void leavesAThread() {
                leaked = CompletableFuture.runAsync(LateTestCase::leakLate, task -> new Thread(task).start());
            }
        }

        @Nested
        @Order(2)
        class Untracked {

            @BeforeAll
            static void waitsInTheClass() {
                if (isClass) {
                    awaitLeak();
                }
            }

            @Test
            void waits() {
                if (!isClass) {
                    awaitLeak();
                }
            }

            private static void awaitLeak() {
                go.countDown();
                leaked.join();
            }
        }

        private static void leakLate() {
            await(go);
            GlobalLibrary.allocate(64);
        }
    }

    private static CountDownLatch go = new CountDownLatch(1);
    private static CompletableFuture<Void> left = CompletableFuture.completedFuture(null);

    private static void leavesATask(Runnable leaks) {
        left = CompletableFuture.runAsync(leaks, pool);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException unexpected) {
            throw new IllegalStateException(unexpected);
        }
    }

    abstract static class AwaitingTestCase {

        @Test
        void awaits() {
            go.countDown();
            left.join();
        }
    }

    @TestClassOrder(ClassOrderer.OrderAnnotation.class)
    static class LateInvocationsTestCase {

        @Nested
        @Order(1)
        class Tracked {

            @RegisterExtension
            static final MeshGuardExtension guard = guard();

            @RepeatedTest(2)
            void leaks(RepetitionInfo repetition) {
                if (repetition.getCurrentRepetition() == 2) {
                    leavesATask(() -> {
                        await(go);
                        GlobalLibrary.allocate(64);
                    });
                }
            }
        }

        @Nested
        @Order(2)
        class Untracked extends AwaitingTestCase {}
    }

    @TestClassOrder(ClassOrderer.OrderAnnotation.class)
    static class LateOverloadTestCase {

        @Nested
        @Order(1)
        class Tracked {

            @RegisterExtension
            static final MeshGuardExtension guard = guard();

            @Test
            void leaks() {
                leaks(64);
            }

            private void leaks(int bytes) {
                leavesATask(() -> {
                    await(go);
                    GlobalLibrary.allocate(bytes);
                });
            }
        }

        @Nested
        @Order(2)
        class Untracked extends AwaitingTestCase {}
    }

    static class StaticInitializerTestCase {

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

    /** Allocates before the extension of the class is called, or without one. */
    static final class Leaking implements BeforeAllCallback {

        @Override
        public void beforeAll(ExtensionContext context) {
            GlobalLibrary.allocate(64);
        }
    }

    @ExtendWith(Leaking.class)
    static class EarlierExtensionTestCase extends TrackedTestCase {}

    static final class LeakingFactory implements TestInstanceFactory {

        @Override
        public Object createTestInstance(TestInstanceFactoryContext factoryContext, ExtensionContext context) {
            GlobalLibrary.allocate(64);
            return new InstanceFactoryTestCase();
        }
    }

    @ExtendWith(LeakingFactory.class)
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    static class InstanceFactoryTestCase extends TrackedTestCase {}

    @TestClassOrder(ClassOrderer.OrderAnnotation.class)
    static class LaterClassesTestCase {

        @Nested
        @Order(1)
        class Tracked extends TrackedTestCase {}

        @Nested
        @Order(2)
        @ExtendWith(Leaking.class)
        class Later extends TrackedTestCase {}
    }

    /** The arguments of both tests are made at the same time, so at least those of one on another thread than that of the class. */
    static class ArgumentsTestCase {

        private static final CyclicBarrier BOTH = new CyclicBarrier(2);

        @RegisterExtension
        static final MeshGuardExtension guard = guard();

        static Stream<GlobalLibrary.Memory> memory() throws Exception {
            BOTH.await(1, TimeUnit.MINUTES);
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

    @TestClassOrder(ClassOrderer.OrderAnnotation.class)
    static class UntrackedInitializerTestCase {

        @Nested
        @Order(1)
        class Tracked extends TrackedTestCase {}

        @Nested
        @Order(2)
        @ExtendWith(Leaking.class)
        class Untracked extends Initialized {}
    }

    abstract static class Initialized {

        private static final GlobalLibrary.Memory MEMORY = GlobalLibrary.allocate(64);

        @Test
        void allocatesNothing() {
            assertThat(MEMORY.address()).isPositive();
        }
    }

    @TestClassOrder(ClassOrderer.OrderAnnotation.class)
    static class HelperTestCase {

        @Nested
        @Order(1)
        class Tracked extends TrackedTestCase {

            static void leak() {
                GlobalLibrary.allocate(64);
            }
        }

        @Nested
        @Order(2)
        class Untracked {

            @BeforeAll
            static void callsAHelper() {
                Tracked.leak();
            }

            @Test
            void allocatesNothing() {}
        }
    }

    @TestClassOrder(ClassOrderer.OrderAnnotation.class)
    static class CallbackTestCase {

        private static final CompletableFuture<Void> FUTURE = new CompletableFuture<>();

        @Nested
        @Order(1)
        class Untracked {

            @Test
            void listens() {
                CompletableFuture<Void> unused = FUTURE.thenRun(() -> GlobalLibrary.allocate(64));
            }
        }

        @Nested
        @Order(2)
        class Tracked {

            @RegisterExtension
            static final MeshGuardExtension guard = guard();

            @Test
            void completes() {
                FUTURE.complete(null);
            }
        }
    }

    static class OwnThreadTestCase {

        private static final CyclicBarrier BOTH = new CyclicBarrier(2);

        @Nested
        class Tracked {

            @RegisterExtension
            static final MeshGuardExtension guard = guard();

            @Test
            void innocent() throws Exception {
                BOTH.await(1, TimeUnit.MINUTES);
                BOTH.await(1, TimeUnit.MINUTES);
            }
        }

        @Nested
        class Untracked {

            @Test
            void leaks() throws Exception {
                BOTH.await(1, TimeUnit.MINUTES);
                Thread thread = new Thread(OwnThreadTestCase::leak);
                thread.start();
                thread.join();
                BOTH.await(1, TimeUnit.MINUTES);
            }
        }

        private static void leak() {
            GlobalLibrary.allocate(64);
        }
    }

    @TestClassOrder(ClassOrderer.OrderAnnotation.class)
    static class LeftThreadTestCase {

        private static final CountDownLatch GO = new CountDownLatch(1);
        private static CompletableFuture<Void> leaked = CompletableFuture.completedFuture(null);

        @Nested
        @Order(1)
        class Untracked {

            @Test
            void leavesAThread() {
                leaked = CompletableFuture.runAsync(LeftThreadTestCase::leakLate, task -> new Thread(task).start());
            }
        }

        @Nested
        @Order(2)
        class Tracked {

            @RegisterExtension
            static final MeshGuardExtension guard = guard();

            @Test
            void innocent() {
                GO.countDown();
                leaked.join();
            }
        }

        private static void leakLate() {
            await(GO);
            GlobalLibrary.allocate(64);
        }
    }

    static class TrackedBeforeAllTestCase {

        @RegisterExtension
        static final MeshGuardExtension guard = guard();

        @BeforeAll
        static void leaks() {
            GlobalLibrary.allocate(64);
        }

        @Test
        void clean() {}
    }
}
