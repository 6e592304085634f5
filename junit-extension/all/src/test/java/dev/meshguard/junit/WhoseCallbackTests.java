package dev.meshguard.junit;

import static dev.meshguard.junit.GlobalLibraryGuard.guard;
import static dev.meshguard.junit.testkit.JupiterRun.run;
import static dev.meshguard.junit.testkit.JupiterRun.runConcurrently;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.junit.testkit.GlobalLibrary;
import dev.meshguard.junit.testkit.RunAssert;
import dev.meshguard.junit.testkit.StartedExecutor;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verdict.Survivor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a callback of one test does not free, although it runs on the thread of another, is nobody's: the second sentence of rule 1 in
 * {@code docs/lifecycle.md}.
 */
class WhoseCallbackTests {

    private static void leak() {
        GlobalLibrary.allocate(64);
    }

    private static void await(CountDownLatch latch) {
        try {
            Assertions.assertThat(latch.await(1, TimeUnit.MINUTES)).isTrue();
        } catch (InterruptedException unexpected) {
            throw new AssertionError(unexpected);
        }
    }

    private static RunAssert.Failure assertThatTheRunFailed(RunAssert.Results results) {
        return assertThat(results)
                .hasFailedContainerCalled("JUnit Jupiter")
                .whichFailed()
                .withVerdict(Outcome.LEAKED);
    }

    private static RunAssert.Failure assertThatOnlyTheRunFailed(RunAssert.Results results) {
        Assertions.assertThat(results.events().testEvents().failed().list()).isEmpty();
        return assertThatTheRunFailed(results);
    }

    // Nobody's

    @Test
    void aCallbackOfAnEarlierTestIsNobodys() {
        assertThatOnlyTheRunFailed(run(EarlierTestCase.class))
                .withTextContaining("allocated by callbacks of other tests: code of"
                        + " WhoseCallbackTests$EarlierTestCase#a_listens in"
                        + " WhoseCallbackTests$EarlierTestCase#b_innocent. Free it in that code.")
                .verdict()
                .survivors()
                .forEach(survivor ->
                        Assertions.assertThat(survivor.buffer().size()).isEqualTo(64));
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                RunningTestCase.class,
                DeclaredClassTestCase.class,
                KotlinTestCase.class,
                InvocationsTestCase.class,
                BoundThreadTestCase.class,
                SubclassOfThreadTestCase.class,
                BeforeEachTestCase.class,
                AssertionTestCase.class,
                DynamicListenerTestCase.class,
                OneSessionOfAnotherTestCase.class
            })
    void aCallbackIsNobodysWhereverItRuns(Class<?> testCase) {
        assertThatOnlyTheRunFailed(runConcurrently(testCase));
    }

    @Test
    void aTestKeepsWhatItLeaksBesideACallback() {
        RunAssert.Results results = run(BesideTestCase.class);

        assertThat(results).hasSingleFailure();
        Assertions.assertThat(assertThat(results)
                        .hasTest("b_leaksToo")
                        .whichFailed()
                        .withVerdict(Outcome.LEAKED)
                        .verdict()
                        .survivors(survivor -> survivor.expectation().isEmpty()))
                .map(survivor -> survivor.buffer().size())
                .containsExactly(32L);
        Assertions.assertThat(assertThatTheRunFailed(results).verdict().survivors())
                .map(Survivor::buffer)
                .map(buffer -> buffer.size())
                .containsExactly(64L);
    }

    @ParameterizedTest
    @ValueSource(classes = {FreeingTestCase.class, FreedLaterTestCase.class})
    void aCallbackWhoseMemoryIsFreedFailsNothing(Class<?> testCase) {
        assertThat(run(testCase)).hasOnlySucceeded(3);
    }

    @ParameterizedTest
    @ValueSource(classes = {OneSessionTestCase.class, SharedMeshTestCase.class, DynamicTestCase.class})
    void aCallbackAmongTestsOfOneSessionIsTheirs(Class<?> testCase) {
        RunAssert.Results results = run(testCase);

        Assertions.assertThat(results.events().testEvents().failed().list()).isEmpty();
        assertThat(results).hasFailedClass().whichFailed().withVerdict(Outcome.LEAKED);
    }

    @Test
    void aClassNamesTheCallbackAndTheTestInWhichItRan() {
        assertThat(run(NamedTestCase.class))
                .hasFailedClass()
                .whichFailed()
                .withTextContaining("note    callbacks allocated for no test: code of"
                        + " WhoseCallbackTests$NamedTestCase#a_listens in"
                        + " WhoseCallbackTests$NamedTestCase#b_innocent");
    }

    // The test's

    @Test
    void codeThatATestCallsOrThatNoOtherTestHasMadeIsItsOwn() {
        assertThat(run(OwnCodeTestCase.class))
                .hasOnlyFailed(
                        "b_callsATest()",
                        "c_callsATestWithAnAssertion()",
                        "d_hasALambda()",
                        "e_usesALambdaOfTheClass()",
                        "f_usesALambdaOfAHelper()",
                        "g_usesALambdaOfBeforeEach()",
                        "h_usesAnOverloadedName()",
                        "inherited()",
                        "ofAnInterface()");
    }

    @Test
    void codeOfATestOnAThreadThatItHasBoundIsItsOwn() {
        assertThat(run(OwnThreadsTestCase.class)).hasOnlyFailed("binds(TestThreads)", "wraps(TestThreads)", "dynamic");
    }

    @Test
    void codeOfATestOnAThreadThatItsClassHasBoundIsTheClasss() {
        RunAssert.Results results = run(ThreadsOfClassTestCase.class);

        Assertions.assertThat(results.events().testEvents().failed().list()).isEmpty();
        assertThat(results)
                .hasFailedContainerCalled("WhoseCallbackTests$ThreadsOfClassTestCase")
                .whichFailed()
                .withVerdict(Outcome.LEAKED);
    }

    @Test
    void codeOfATestThatRunsOtherTestsIsTheirOwn() {
        OfRunTestCase.callback = () -> leak();

        assertThat(run(OfRunTestCase.class)).hasOnlyFailed("calls()");
    }

    /** A stack does not show the invocation. */
    @Test
    void aCallbackOfAnotherInvocationOfItsMethodIsATests() {
        assertThat(run(OneMethodTestCase.class))
                .hasSingleFailure()
                .whichFailed()
                .withVerdict(Outcome.LEAKED);
    }

    @Test
    void aCallbackOnTheMeshOfATestIsTheTests() {
        assertThat(run(OwnMeshTestCase.class)).hasOnlyFailed("b_opensAMesh(MeshDevice)");
    }

    @Test
    void aCallbackIsATestsIfNoStackIsCaptured() {
        assertThat(run(WithoutStacksTestCase.class, Map.of("meshguard.origins", "none")))
                .hasOnlyFailed("b_completes()");
    }

    @Test
    void aCallbackIsATestsIfTheRunChecksNothing() {
        assertThat(run(CheckedTestCase.class, Map.of("meshguard.check", "none")))
                .hasOnlyFailed("b_completes()");
    }

    @Test
    void aCallbackIsATestsIfItsMeshChecksNothing() {
        assertThat(run(UncheckedMeshTestCase.class)).hasOnlyFailed("b_completes(MeshDevice)");
    }

    @Test
    void aCallbackIsATestsIfTheOuterPartOfItsStackIsUnknown() {
        assertThat(run(DeepTestCase.class)).hasOnlyFailed("b_completesDeeply()");
    }

    @ParameterizedTest
    @ValueSource(classes = {UncheckedTestCase.class, ExpectedTestCase.class})
    void whatATestAllowsToRemainFailsNothing(Class<?> testCase) {
        assertThat(run(testCase)).hasOnlySucceeded(2);
    }

    // Fixtures

    abstract static class Tracked {

        @RegisterExtension
        static final MeshGuardExtension guard = guard();
    }

    @TestMethodOrder(MethodOrderer.MethodName.class)
    static class EarlierTestCase extends Tracked {

        private static final CompletableFuture<Void> FUTURE = new CompletableFuture<>();

        @Test
        void a_listens() {
            CompletableFuture<Void> unused = FUTURE.thenRun(() -> leak());
        }

        @Test
        void b_innocent() {
            FUTURE.complete(null);
        }
    }

    static class RunningTestCase extends Tracked {

        private static final CompletableFuture<Void> FUTURE = new CompletableFuture<>();
        private static final CountDownLatch LISTENS = new CountDownLatch(1);
        private static final CountDownLatch OVER = new CountDownLatch(1);

        @Test
        void listens() {
            CompletableFuture<Void> unused = FUTURE.thenRun(() -> leak());
            LISTENS.countDown();
            await(OVER);
        }

        @Nested
        class Other {

            @Test
            void innocent() {
                await(LISTENS);
                FUTURE.complete(null);
            }

            @AfterEach
            void end() {
                OVER.countDown();
            }
        }
    }

    static class DeclaredClassTestCase extends Tracked {

        private static final CompletableFuture<Runnable> LISTENER = new CompletableFuture<>();

        @Test
        void listens() {
            LISTENER.complete(new Runnable() {
                @Override
                public void run() {
                    leak();
                }
            });
        }

        @Test
        void innocent() {
            LISTENER.join().run();
        }
    }

    static class KotlinTestCase extends Tracked {

        private static final CompletableFuture<Void> FUTURE = new CompletableFuture<>();
        private static final CountDownLatch LISTENS = new CountDownLatch(1);

        @Test
        void listens$toAll() {
            CompletableFuture<Void> unused = FUTURE.thenRun(KotlinTestCase::listens_toAll$lambda$0);
            LISTENS.countDown();
        }

        /** As Kotlin names a lambda of the test. */
        private static void listens_toAll$lambda$0() {
            leak();
        }

        @Test
        void innocent() {
            await(LISTENS);
            FUTURE.complete(null);
        }
    }

    static class InvocationsTestCase extends Tracked {

        private static final CompletableFuture<Void> FUTURE = new CompletableFuture<>();
        private static final CountDownLatch LISTEN = new CountDownLatch(2);

        @ParameterizedTest
        @ValueSource(ints = {1, 2})
        void listens(int unused) {
            CompletableFuture<Void> unusedToo = FUTURE.thenRun(() -> leak());
            LISTEN.countDown();
        }

        @Test
        void innocent() {
            await(LISTEN);
            FUTURE.complete(null);
        }
    }

    static class BoundThreadTestCase extends Tracked {

        private static final CountDownLatch BOUND = new CountDownLatch(1);
        private static final CountDownLatch LEAKED = new CountDownLatch(1);
        private static ExecutorService pool;

        @BeforeAll
        static void startPool() {
            pool = StartedExecutor.named("pool");
        }

        @AfterAll
        static void stopPool() {
            pool.shutdownNow();
        }

        @Test
        void innocent(TestThreads threads) {
            threads.bind(pool);
            BOUND.countDown();
            await(LEAKED);
        }

        @Test
        void usesTheSameThread() throws Exception {
            await(BOUND);
            pool.submit(() -> leak()).get(1, TimeUnit.MINUTES);
            LEAKED.countDown();
        }
    }

    static class SubclassOfThreadTestCase extends Tracked {

        private static final CompletableFuture<Void> FUTURE = new CompletableFuture<>();
        private static final CountDownLatch LISTENS = new CountDownLatch(1);
        private static final CountDownLatch BOUND = new CountDownLatch(1);
        private static final Thread COMPLETING = new Thread() {
            @Override
            public void run() {
                await(BOUND);
                FUTURE.complete(null);
            }
        };

        @BeforeAll
        static void startThread() {
            COMPLETING.start();
        }

        @Test
        void listens() {
            CompletableFuture<Void> unused = FUTURE.thenRun(() -> leak());
            LISTENS.countDown();
        }

        @Test
        void innocent(TestThreads threads) throws InterruptedException {
            await(LISTENS);
            threads.bind(COMPLETING);
            BOUND.countDown();
            COMPLETING.join();
        }
    }

    static class BeforeEachTestCase extends Tracked {

        private static final CompletableFuture<Void> FUTURE = new CompletableFuture<>();
        private static final CountDownLatch LISTENS = new CountDownLatch(1);

        @Nested
        class Listener {

            @Test
            void listens() {
                CompletableFuture<Void> unused = FUTURE.thenRun(() -> leak());
                LISTENS.countDown();
            }
        }

        @Nested
        class Completer {

            @BeforeEach
            void complete() {
                await(LISTENS);
                FUTURE.complete(null);
            }

            @Test
            void innocent() {}
        }
    }

    /** What JUnit's assertions call is not shown to the reader of an origin. */
    @TestMethodOrder(MethodOrderer.MethodName.class)
    static class AssertionTestCase extends Tracked {

        private static final CompletableFuture<Void> FUTURE = new CompletableFuture<>();
        private static final CountDownLatch LISTENS = new CountDownLatch(1);

        @Test
        void a_listens() {
            CompletableFuture<Void> unused = FUTURE.thenRun(() -> leak());
            LISTENS.countDown();
        }

        @Test
        void b_innocent() {
            await(LISTENS);
            org.junit.jupiter.api.Assertions.assertTrue(() -> FUTURE.complete(null));
        }
    }

    static class DynamicListenerTestCase extends Tracked {

        private static final CompletableFuture<Void> FUTURE = new CompletableFuture<>();
        private static final CountDownLatch LISTENS = new CountDownLatch(1);

        @TestFactory
        Stream<DynamicTest> listens() {
            return Stream.of(dynamicTest("listens", () -> {
                CompletableFuture<Void> unused = FUTURE.thenRun(() -> leak());
                LISTENS.countDown();
            }));
        }

        @Test
        void innocent() {
            await(LISTENS);
            FUTURE.complete(null);
        }
    }

    static class OneSessionOfAnotherTestCase {

        private static final CompletableFuture<Void> FUTURE = new CompletableFuture<>();
        private static final CountDownLatch LISTENS = new CountDownLatch(1);

        @Nested
        class Listener extends Tracked {

            @Test
            void listens() {
                CompletableFuture<Void> unused = FUTURE.thenRun(() -> leak());
                LISTENS.countDown();
            }
        }

        @Nested
        @TrackAllocations(lifetime = TrackingLifetime.CLASS)
        class Innocent extends Tracked {

            @Test
            void completes() {
                await(LISTENS);
                FUTURE.complete(null);
            }
        }
    }

    @TestMethodOrder(MethodOrderer.MethodName.class)
    static class BesideTestCase extends Tracked {

        private static final CompletableFuture<Void> FUTURE = new CompletableFuture<>();

        @Test
        void a_listens() {
            CompletableFuture<Void> unused = FUTURE.thenRun(() -> leak());
        }

        @Test
        void b_leaksToo() {
            CompletableFuture<Void> unused = FUTURE.thenRun(() -> GlobalLibrary.allocate(32));
            FUTURE.complete(null);
        }
    }

    @TestMethodOrder(MethodOrderer.MethodName.class)
    static class FreeingTestCase extends Tracked {

        private static final CompletableFuture<Void> FUTURE = new CompletableFuture<>();

        @Test
        void a_listens() {
            CompletableFuture<Void> unused =
                    FUTURE.thenRun(() -> GlobalLibrary.allocate(64).close());
        }

        @Test
        void b_completes() {
            FUTURE.complete(null);
        }

        @Test
        void c_allocatesNothing() {}
    }

    @TestMethodOrder(MethodOrderer.MethodName.class)
    static class FreedLaterTestCase extends Tracked {

        private static final CompletableFuture<Void> FUTURE = new CompletableFuture<>();
        private static final List<GlobalLibrary.Memory> ALLOCATED = new ArrayList<>();

        @Test
        void a_listens() {
            CompletableFuture<Void> unused = FUTURE.thenRun(() -> ALLOCATED.add(GlobalLibrary.allocate(64)));
        }

        @Test
        void b_completes() {
            FUTURE.complete(null);
        }

        @Test
        void c_frees() {
            ALLOCATED.forEach(GlobalLibrary.Memory::close);
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS)
    static class OneSessionTestCase extends EarlierInSessionTestCase {}

    @TestMethodOrder(MethodOrderer.MethodName.class)
    abstract static class EarlierInSessionTestCase extends Tracked {

        private static final CompletableFuture<Void> FUTURE = new CompletableFuture<>();

        @Test
        void a_listens() {
            CompletableFuture<Void> unused = FUTURE.thenRun(() -> leak());
        }

        @Test
        void b_innocent() {
            FUTURE.complete(null);
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    @TestMethodOrder(MethodOrderer.MethodName.class)
    static class SharedMeshTestCase {

        private static final CompletableFuture<Void> FUTURE = new CompletableFuture<>();

        @Test
        void a_listens(MeshDevice mesh) {
            CompletableFuture<Void> unused = FUTURE.thenRun(() -> Buffers.take(mesh));
        }

        @Test
        void b_innocent(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
            FUTURE.complete(null);
        }
    }

    /** The innocent one is a dynamic test. */
    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    @TestMethodOrder(MethodOrderer.MethodName.class)
    static class DynamicTestCase extends Tracked {

        private static final CompletableFuture<Void> FUTURE = new CompletableFuture<>();

        @Test
        void a_listens() {
            CompletableFuture<Void> unused = FUTURE.thenRun(() -> leak());
        }

        @TestFactory
        Stream<DynamicTest> b_factory() {
            return Stream.of(dynamicTest("innocent", () -> FUTURE.complete(null)));
        }
    }

    abstract static class Inherited {

        @Test
        void inherited() {
            Runnable task = () -> leak();
            task.run();
        }
    }

    interface Default {

        @Test
        default void ofAnInterface() {
            Runnable task = () -> leak();
            task.run();
        }
    }

    @SuppressWarnings("UnnecessaryLambda") // Where a lambda is declared is what is tested.
    @TestMethodOrder(MethodOrderer.MethodName.class)
    static class OwnCodeTestCase extends Inherited implements Default {

        private static final Runnable OF_THE_CLASS = () -> leak();

        private static Runnable ofAll = () -> {};

        @RegisterExtension
        static final MeshGuardExtension guard = guard();

        private Runnable ofEach = () -> {};
        private boolean leaks;

        @BeforeAll
        static void makeForAll() {
            ofAll = () -> leak();
        }

        @BeforeEach
        void makeForEach() {
            ofEach = () -> leak();
        }

        @Test
        void a_leaksIfCalled() {
            leakIf(() -> {
                if (leaks) {
                    leak();
                }
            });
        }

        @Test
        void a_leaksInAnAssertionIfCalled() {
            org.junit.jupiter.api.Assertions.assertAll(() -> {
                if (leaks) {
                    leak();
                }
            });
        }

        @Test
        void a_overloaded() {
            a_overloaded(false);
        }

        private static void a_overloaded(boolean leaks) {
            keep(() -> {
                if (leaks) {
                    leak();
                }
            });
        }

        private static Runnable kept = () -> {};

        private static void keep(Runnable task) {
            kept = task;
        }

        private static void leakIf(Runnable task) {
            task.run();
        }

        private static Runnable made() {
            return () -> leak();
        }

        @Test
        void b_callsATest() {
            leaks = true;
            a_leaksIfCalled();
        }

        @Test
        void c_callsATestWithAnAssertion() {
            leaks = true;
            a_leaksInAnAssertionIfCalled();
        }

        @Test
        void d_hasALambda() {
            leakIf(() -> leak());
        }

        @Test
        void e_usesALambdaOfTheClass() {
            ofAll.run();
            OF_THE_CLASS.run();
        }

        @Test
        void f_usesALambdaOfAHelper() {
            made().run();
        }

        @Test
        void g_usesALambdaOfBeforeEach() {
            ofEach.run();
        }

        @Test
        void h_usesAnOverloadedName() {
            a_overloaded(true);
            kept.run();
        }
    }

    static class OneMethodTestCase extends Tracked {

        private static final CompletableFuture<Void> FUTURE = new CompletableFuture<>();

        @ParameterizedTest
        @ValueSource(booleans = {false, true})
        void listensOrCompletes(boolean completes) {
            if (completes) {
                FUTURE.complete(null);
            } else {
                CompletableFuture<Void> unused = FUTURE.thenRun(() -> leak());
            }
        }
    }

    @TrackAllocations
    @TestMethodOrder(MethodOrderer.MethodName.class)
    static class OwnMeshTestCase {

        private static final CompletableFuture<MeshDevice> FUTURE = new CompletableFuture<>();

        @Test
        void a_listens() {
            CompletableFuture<Void> unused = FUTURE.thenAccept(mesh -> Buffers.take(mesh));
        }

        @Test
        void b_opensAMesh(MeshDevice mesh) {
            FUTURE.complete(mesh);
        }
    }

    @TestMethodOrder(MethodOrderer.MethodName.class)
    static class WithoutStacksTestCase extends Tracked {

        private static final CompletableFuture<Void> FUTURE = new CompletableFuture<>();

        @Test
        void a_listens() {
            CompletableFuture<Void> unused = FUTURE.thenRun(() -> leak());
        }

        @Test
        void b_completes() {
            FUTURE.complete(null);
        }
    }

    @TrackAllocations(check = AllocationCheck.CLEAN)
    @TestMethodOrder(MethodOrderer.MethodName.class)
    static class CheckedTestCase extends Tracked {

        private static final CompletableFuture<Void> FUTURE = new CompletableFuture<>();

        @Test
        void a_listens() {
            CompletableFuture<Void> unused = FUTURE.thenRun(() -> leak());
        }

        @Test
        void b_completes() {
            FUTURE.complete(null);
        }
    }

    @TrackAllocations(
            lifetime = TrackingLifetime.CLASS,
            accounting = Accounting.EACH_TEST,
            check = AllocationCheck.NONE)
    @TestMethodOrder(MethodOrderer.MethodName.class)
    static class UncheckedMeshTestCase {

        private static final CompletableFuture<Void> FUTURE = new CompletableFuture<>();

        @Test
        void a_listens(MeshDevice mesh) {
            CompletableFuture<Void> unused = FUTURE.thenRun(() -> Buffers.take(mesh));
        }

        @Test
        @TrackAllocations(check = AllocationCheck.CLEAN)
        void b_completes(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
            FUTURE.complete(null);
        }
    }

    @TestMethodOrder(MethodOrderer.MethodName.class)
    static class DeepTestCase extends Tracked {

        private static final CompletableFuture<Void> FUTURE = new CompletableFuture<>();

        @Test
        void a_listens() {
            CompletableFuture<Void> unused = FUTURE.thenRun(() -> leak());
        }

        @Test
        void b_completesDeeply() {
            completeAfter(1_100);
        }

        private static void completeAfter(int calls) {
            if (calls == 0) {
                FUTURE.complete(null);
            } else {
                completeAfter(calls - 1);
            }
        }
    }

    @TestMethodOrder(MethodOrderer.MethodName.class)
    static class UncheckedTestCase extends Tracked {

        private static final CompletableFuture<Void> FUTURE = new CompletableFuture<>();

        @Test
        void a_listens() {
            CompletableFuture<Void> unused = FUTURE.thenRun(() -> leak());
        }

        @Test
        @TrackAllocations(check = AllocationCheck.NONE)
        void b_completes(AllocationTracker tracker) {
            FUTURE.complete(null);
            Assertions.assertThat(tracker.liveBuffers()).isOne();
        }
    }

    @TestMethodOrder(MethodOrderer.MethodName.class)
    static class ExpectedTestCase extends Tracked {

        private static final CompletableFuture<Void> FUTURE = new CompletableFuture<>();

        @Test
        void a_listens() {
            CompletableFuture<Void> unused = FUTURE.thenRun(() -> leak());
        }

        @Test
        @ExpectBuffers(because = "the cache of the listener", exactly = 1)
        void b_completes() {
            FUTURE.complete(null);
        }
    }

    static class OwnThreadsTestCase extends Tracked {

        private static ExecutorService pool;

        @BeforeAll
        static void startPool() {
            pool = StartedExecutor.named("pool");
        }

        @AfterAll
        static void stopPool() {
            pool.shutdownNow();
        }

        @Test
        void binds(TestThreads threads) throws Exception {
            threads.bind(pool);
            pool.submit(() -> leak()).get(1, TimeUnit.MINUTES);
        }

        @Test
        void wraps(TestThreads threads) {
            CompletableFuture.runAsync(() -> leak(), threads.wrap(pool)).join();
        }

        @TestFactory
        Stream<DynamicTest> factory() {
            return Stream.of(dynamicTest("dynamic", () -> leak()));
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS)
    static class ThreadsOfClassTestCase extends Tracked {

        private static ExecutorService pool;

        @BeforeAll
        static void bindsThePool(TestThreads threads) {
            pool = StartedExecutor.named("pool");
            threads.bind(pool);
        }

        @AfterAll
        static void stopPool() {
            pool.shutdownNow();
        }

        @Test
        void usesThePool() throws Exception {
            pool.submit(() -> leak()).get(1, TimeUnit.MINUTES);
        }
    }

    static class OfRunTestCase extends Tracked {

        private static Runnable callback = () -> {};

        @Test
        void calls() {
            callback.run();
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    @TestMethodOrder(MethodOrderer.MethodName.class)
    static class NamedTestCase extends Tracked {

        private static final CompletableFuture<Void> FUTURE = new CompletableFuture<>();

        @Test
        void a_listens() {
            CompletableFuture<Void> unused = FUTURE.thenRun(() -> leak());
        }

        @Test
        void b_innocent() {
            FUTURE.complete(null);
        }
    }
}
