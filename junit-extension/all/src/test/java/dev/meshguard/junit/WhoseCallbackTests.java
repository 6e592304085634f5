package dev.meshguard.junit;

import static dev.meshguard.junit.GlobalLibraryGuard.guard;
import static dev.meshguard.junit.LibraryTestCase.leak;
import static dev.meshguard.junit.testkit.JupiterRun.run;
import static dev.meshguard.junit.testkit.JupiterRun.runConcurrently;
import static dev.meshguard.junit.testkit.Latches.await;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.junit.testkit.GlobalLibrary;
import dev.meshguard.junit.testkit.RunAssert;
import dev.meshguard.junit.testkit.StartedExecutor;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.ClassOrderer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestClassOrder;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a callback of one test does not free, although it runs on the thread of another, is nobody's: the second sentence of rule 1 in
 * {@code docs/lifecycle.md}.
 */
class WhoseCallbackTests {

    /** One test registers a callback, and a later one runs it. */
    @TestMethodOrder(MethodOrderer.MethodName.class)
    abstract static class Callback {

        private static final Map<Class<?>, CompletableFuture<Object>> FUTURES = new ConcurrentHashMap<>();

        final void listen(Consumer<Object> callback) {
            CompletableFuture<Void> unused = FUTURES.computeIfAbsent(getClass(), type -> new CompletableFuture<>())
                    .thenAccept(callback);
        }

        final void complete(Object value) {
            FUTURES.get(getClass()).complete(value);
        }

        final void complete() {
            complete("done");
        }
    }

    abstract static class OfLibrary extends Callback {

        @RegisterExtension
        static final MeshGuardExtension guard = guard();
    }

    abstract static class LeakingCallback extends OfLibrary {

        @Test
        void a_listens() {
            listen(done -> leak());
        }
    }

    abstract static class CompletedCallback extends LeakingCallback {

        @Test
        void b_completes() {
            complete();
        }
    }

    // Nobody's

    @Test
    void aCallbackOfAnEarlierTestIsNobodys() {
        assertThat(run(EarlierTestCase.class))
                .hasOnlyLeakOf("JUnit Jupiter")
                .withTextContaining("allocated by callbacks of other tests: code of"
                        + " WhoseCallbackTests$EarlierTestCase#a_listens in"
                        + " WhoseCallbackTests$EarlierTestCase#b_innocent. Free it in that code.")
                .withSizes(64L);
    }

    static class EarlierTestCase extends OfLibrary {

        @Test
        void a_listens() {
            listen(done -> leak());
        }

        @Test
        void b_innocent() {
            complete();
        }
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                DeclaredClassTestCase.class,
                KotlinTestCase.class,
                InvocationsTestCase.class,
                BoundThreadTestCase.class,
                BeforeEachTestCase.class,
                AssertionTestCase.class,
                DynamicListenerTestCase.class,
                OneSessionOfAnotherTestCase.class
            })
    void aCallbackIsNobodysWhereverItRuns(Class<?> testCase) {
        assertThat(run(testCase)).hasOnlyLeakOf("JUnit Jupiter");
    }

    static class DeclaredClassTestCase extends OfLibrary {

        @Test
        void a_listens() {
            listen(new Consumer<>() {
                @Override
                public void accept(Object done) {
                    leak();
                }
            });
        }

        @Test
        void b_innocent() {
            complete();
        }
    }

    static class KotlinTestCase extends OfLibrary {

        @Test
        void a_listens$toAll() {
            listen(KotlinTestCase::a_listens_toAll$lambda$0);
        }

        /** As Kotlin names a lambda of the test. */
        private static void a_listens_toAll$lambda$0(Object done) {
            leak();
        }

        @Test
        void b_innocent() {
            complete();
        }
    }

    static class InvocationsTestCase extends OfLibrary {

        @RepeatedTest(2)
        void a_listens() {
            listen(done -> leak());
        }

        @Test
        void b_innocent() {
            complete();
        }
    }

    /** The class of the thread is one of the test's own. */
    static class BoundThreadTestCase extends LeakingCallback {

        @Test
        void b_innocent(TestThreads threads) throws InterruptedException {
            CountDownLatch bound = new CountDownLatch(1);
            CompletingThread thread = new CompletingThread(this, bound);
            thread.start();
            threads.bind(thread);
            bound.countDown();
            thread.join();
        }
    }

    private static final class CompletingThread extends Thread {

        private final Callback callback;
        private final CountDownLatch bound;

        CompletingThread(Callback callback, CountDownLatch bound) {
            this.callback = callback;
            this.bound = bound;
        }

        @Override
        public void run() {
            await(bound);
            callback.complete();
        }
    }

    static class BeforeEachTestCase extends LeakingCallback {

        @BeforeEach
        void completeBefore(TestInfo test) {
            if (test.getDisplayName().startsWith("b_")) {
                complete();
            }
        }

        @Test
        void b_innocent() {}
    }

    /** What JUnit's assertions call is not shown to the reader of an origin. */
    static class AssertionTestCase extends LeakingCallback {

        @Test
        void b_innocent() {
            org.junit.jupiter.api.Assertions.assertDoesNotThrow(() -> complete());
        }
    }

    static class DynamicListenerTestCase extends OfLibrary {

        @TestFactory
        DynamicTest a_factory() {
            return dynamicTest("listens", () -> listen(done -> leak()));
        }

        @Test
        void b_innocent() {
            complete();
        }
    }

    @TestClassOrder(ClassOrderer.OrderAnnotation.class)
    static class OneSessionOfAnotherTestCase {

        private static final CompletableFuture<Void> FUTURE = new CompletableFuture<>();

        @Nested
        @Order(1)
        class Listener extends OfLibrary {

            @Test
            void listens() {
                CompletableFuture<Void> unused = FUTURE.thenRun(() -> leak());
            }
        }

        @Nested
        @Order(2)
        @TrackAllocations(lifetime = TrackingLifetime.CLASS)
        class Innocent extends OfLibrary {

            @Test
            void completes() {
                FUTURE.complete(null);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {RunningTestCase.class, SharedThreadTestCase.class})
    void aCallbackOfARunningTestIsNobodys(Class<?> testCase) {
        assertThat(runConcurrently(testCase)).hasOnlyLeakOf("JUnit Jupiter");
    }

    static class RunningTestCase {

        private static final CompletableFuture<Void> FUTURE = new CompletableFuture<>();
        private static final CountDownLatch LISTENS = new CountDownLatch(1);
        private static final CountDownLatch OVER = new CountDownLatch(1);

        @RegisterExtension
        static final MeshGuardExtension guard = guard();

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

    static class SharedThreadTestCase extends OnPool {

        private static final CountDownLatch BOUND = new CountDownLatch(1);
        private static final CountDownLatch LEAKED = new CountDownLatch(1);

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

    @Test
    void aTestKeepsWhatItLeaksBesideACallback() {
        RunAssert.Results results = run(BesideTestCase.class);

        assertThat(results)
                .hasSingleFailure()
                .whichFailed()
                .withVerdict(Outcome.LEAKED)
                .withSizes(32L);
        assertThat(results)
                .hasFailedContainerCalled("JUnit Jupiter")
                .whichFailed()
                .withSizes(64L);
    }

    static class BesideTestCase extends LeakingCallback {

        @Test
        void b_leaksToo() {
            listen(done -> GlobalLibrary.allocate(32));
            complete();
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {FreeingTestCase.class, FreedLaterTestCase.class})
    void aCallbackWhoseMemoryIsFreedFailsNothing(Class<?> testCase) {
        assertThat(run(testCase)).hasOnlySucceeded(3);
    }

    static class FreeingTestCase extends OfLibrary {

        @Test
        void a_listens() {
            listen(done -> GlobalLibrary.allocate(64).close());
        }

        @Test
        void b_completes() {
            complete();
        }

        @Test
        void c_allocatesNothing() {}
    }

    static class FreedLaterTestCase extends OfLibrary {

        private static final List<GlobalLibrary.Memory> ALLOCATED = new ArrayList<>();

        @Test
        void a_listens() {
            listen(done -> ALLOCATED.add(GlobalLibrary.allocate(64)));
        }

        @Test
        void b_completes() {
            complete();
        }

        @Test
        void c_frees() {
            ALLOCATED.forEach(GlobalLibrary.Memory::close);
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {OneSessionTestCase.class, SharedMeshTestCase.class, DynamicTestCase.class})
    void aCallbackAmongTestsOfOneSessionIsTheirs(Class<?> testCase) {
        assertThat(run(testCase)).hasOnlyLeakOf("WhoseCallbackTests$" + testCase.getSimpleName());
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS)
    static class OneSessionTestCase extends CompletedCallback {}

    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    static class SharedMeshTestCase extends Callback {

        @Test
        void a_listens(MeshDevice mesh) {
            listen(done -> Buffers.take(mesh));
        }

        @Test
        void b_innocent(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
            complete();
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    static class DynamicTestCase extends LeakingCallback {

        @TestFactory
        DynamicTest b_factory() {
            return dynamicTest("innocent", () -> complete());
        }
    }

    @Test
    void aClassNamesTheCallbackAndTheTestInWhichItRan() {
        assertThat(run(NamedTestCase.class))
                .hasFailedClass()
                .whichFailed()
                .withTextContaining("note    callbacks allocated for no test: code of"
                        + " WhoseCallbackTests$LeakingCallback#a_listens in"
                        + " WhoseCallbackTests$NamedTestCase#b_completes");
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    static class NamedTestCase extends CompletedCallback {}

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
        private static Runnable kept = () -> {};

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

        private static void leakIf(boolean leaks) {
            if (leaks) {
                leak();
            }
        }

        private static void keep(Runnable task) {
            kept = task;
        }

        private static Runnable made() {
            return () -> leak();
        }

        @Test
        void a_leaksIfCalled() {
            keep(() -> leakIf(leaks));
            kept.run();
        }

        @Test
        void a_leaksInAnAssertionIfCalled() {
            org.junit.jupiter.api.Assertions.assertAll(() -> leakIf(leaks));
        }

        @Test
        void a_overloaded() {
            a_overloaded(false);
        }

        private static void a_overloaded(boolean leaks) {
            keep(() -> leakIf(leaks));
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
            keep(() -> leak());
            kept.run();
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

    /** A pool whose thread no test has started. */
    abstract static class OnPool {

        @RegisterExtension
        static final MeshGuardExtension guard = guard();

        final ExecutorService pool = POOLS.computeIfAbsent(getClass(), type -> StartedExecutor.named("pool"));

        private static final Map<Class<?>, ExecutorService> POOLS = new ConcurrentHashMap<>();
    }

    @Test
    void codeOfATestOnAThreadThatItHasBoundIsItsOwn() {
        assertThat(run(OwnThreadsTestCase.class)).hasOnlyFailed("binds(TestThreads)", "wraps(TestThreads)", "dynamic");
    }

    static class OwnThreadsTestCase extends OnPool {

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
        DynamicTest factory() {
            return dynamicTest("dynamic", () -> leak());
        }
    }

    @Test
    void codeOfATestOnAThreadThatItsClassHasBoundIsTheClasss() {
        assertThat(run(ThreadsOfClassTestCase.class)).hasOnlyLeakOf("WhoseCallbackTests$ThreadsOfClassTestCase");
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS)
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    static class ThreadsOfClassTestCase extends OnPool {

        @BeforeAll
        void bindsThePool(TestThreads threads) {
            threads.bind(pool);
        }

        @Test
        void usesThePool() throws Exception {
            pool.submit(() -> leak()).get(1, TimeUnit.MINUTES);
        }
    }

    @Test
    void codeOfATestThatRunsOtherTestsIsTheirOwn() {
        OfRunTestCase.callback = () -> leak();

        assertThat(run(OfRunTestCase.class)).hasOnlyFailed("calls()");
    }

    static class OfRunTestCase extends OfLibrary {

        private static Runnable callback = () -> {};

        @Test
        void calls() {
            callback.run();
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {UncheckedMeshTestCase.class, OwnMeshTestCase.class})
    void aCallbackOnTheMeshOfATestOrOnOneThatIsNotCheckedIsTheTests(Class<?> testCase) {
        assertThat(run(testCase)).hasOnlyFailed("b_completes(MeshDevice)");
    }

    @TrackAllocations(
            lifetime = TrackingLifetime.CLASS,
            accounting = Accounting.EACH_TEST,
            check = AllocationCheck.NONE)
    static class UncheckedMeshTestCase extends Callback {

        @Test
        void a_listens(MeshDevice mesh) {
            listen(done -> Buffers.take(mesh));
        }

        @Test
        @TrackAllocations(check = AllocationCheck.CLEAN)
        void b_completes(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
            complete();
        }
    }

    @TrackAllocations
    static class OwnMeshTestCase extends Callback {

        @Test
        void a_listens() {
            listen(mesh -> Buffers.take((MeshDevice) mesh));
        }

        @Test
        void b_completes(MeshDevice mesh) {
            complete(mesh);
        }
    }

    /** A stack does not show the invocation. */
    @Test
    void aCallbackOfAnotherInvocationOfItsMethodIsATests() {
        assertThat(run(OneMethodTestCase.class)).hasOnlyFailed("repetition 2 of 2");
    }

    static class OneMethodTestCase extends OfLibrary {

        @RepeatedTest(2)
        void listensOrCompletes(RepetitionInfo repetition) {
            if (repetition.getCurrentRepetition() == 1) {
                listen(done -> leak());
            } else {
                complete();
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"origins", "check"})
    void aCallbackIsATestsIfNoStackIsCapturedOrTheRunChecksNothing(String parameter) {
        Class<?> testCase = parameter.equals("origins") ? WithoutStacksTestCase.class : CheckedTestCase.class;

        assertThat(run(testCase, Map.of("meshguard." + parameter, "none"))).hasOnlyFailed("b_completes()");
    }

    static class WithoutStacksTestCase extends CompletedCallback {}

    @TrackAllocations(check = AllocationCheck.CLEAN)
    static class CheckedTestCase extends CompletedCallback {}

    @Test
    void aCallbackIsATestsIfTheOuterPartOfItsStackIsUnknown() {
        assertThat(run(DeepTestCase.class)).hasOnlyFailed("b_completesDeeply()");
    }

    static class DeepTestCase extends LeakingCallback {

        @Test
        void b_completesDeeply() {
            completeAfter(1_100);
        }

        private void completeAfter(int calls) {
            if (calls == 0) {
                complete();
            } else {
                completeAfter(calls - 1);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {UncheckedTestCase.class, ExpectedTestCase.class})
    void whatATestAllowsToRemainFailsNothing(Class<?> testCase) {
        assertThat(run(testCase)).hasOnlySucceeded(2);
    }

    static class UncheckedTestCase extends LeakingCallback {

        @Test
        @TrackAllocations(check = AllocationCheck.NONE)
        void b_completes(AllocationTracker tracker) {
            complete();
            Assertions.assertThat(tracker.liveBuffers()).isOne();
        }
    }

    static class ExpectedTestCase extends LeakingCallback {

        @Test
        @ExpectBuffers(because = "the cache of the listener", exactly = 1)
        void b_completes() {
            complete();
        }
    }
}
