package dev.meshguard.junit;

import static dev.meshguard.junit.GlobalLibraryGuard.guard;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.junit.testkit.GlobalLibrary;
import dev.meshguard.junit.testkit.JupiterRun;
import dev.meshguard.junit.testkit.LaunchedRun;
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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.ClassOrderer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestClassOrder;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
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
            try {
                go.await();
            } catch (InterruptedException unexpected) {
                throw new IllegalStateException(unexpected);
            }
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
