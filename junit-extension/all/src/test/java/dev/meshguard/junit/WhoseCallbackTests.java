package dev.meshguard.junit;

import static dev.meshguard.junit.LibraryTestCase.guard;
import static dev.meshguard.junit.LibraryTestCase.leak;
import static dev.meshguard.junit.testkit.JupiterRun.run;
import static dev.meshguard.junit.testkit.Latches.await;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.junit.testkit.Configured;
import dev.meshguard.junit.testkit.GlobalLibrary;
import dev.meshguard.junit.testkit.MustFail;
import dev.meshguard.junit.testkit.MustLeak;
import dev.meshguard.junit.testkit.StartedExecutor;
import dev.meshguard.junit.testkit.WithFixtures;
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
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What a callback of one test does not free, although it runs on the thread of another, is nobody's: the second sentence of rule 1 in
 * {@code docs/lifecycle.md}.
 */
class WhoseCallbackTests implements WithFixtures {

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

    abstract static class Completing extends OfLibrary {
        @Test
        void b_completes() {
            complete();
        }
    }

    abstract static class CompletedCallback extends LeakingCallback {
        @Test
        void b_completes() {
            complete();
        }
    }

    abstract static class BlamedCallback extends LeakingCallback {
        @MustLeak
        void b_completes() {
            complete();
        }
    }

    // Nobody's: a callback of an earlier test, or of one that runs, wherever it runs

    @MustFail(
            run = true,
            verdict = Outcome.LEAKED,
            text = {
                "LEAK  64 B in 1 SYSTEM_MEMORY buffer",
                "allocated by callbacks of other tests: code of WhoseCallbackTests$LeakingCallback#a_listens in"
                        + " WhoseCallbackTests$EarlierTestCase#b_completes. Free it in that code."
            })
    static class EarlierTestCase extends CompletedCallback {}

    @MustFail(run = true, verdict = Outcome.LEAKED)
    static class DeclaredClassTestCase extends Completing {

        @Test
        void a_listens() {
            listen(new Consumer<>() {
                @Override
                public void accept(Object done) {
                    leak();
                }
            });
        }
    }

    @MustFail(run = true, verdict = Outcome.LEAKED)
    static class KotlinTestCase extends Completing {

        @Test
        void a_listens$toAll() {
            listen(KotlinTestCase::a_listens_toAll$lambda$0);
        }

        /** As Kotlin names a lambda of the test. */
        private static void a_listens_toAll$lambda$0(Object done) {
            leak();
        }
    }

    @MustFail(run = true, verdict = Outcome.LEAKED)
    static class InvocationsTestCase extends Completing {

        @RepeatedTest(2)
        void a_listens() {
            listen(done -> leak());
        }
    }

    /** The class of the thread is one of the test's own. */
    @MustFail(run = true, verdict = Outcome.LEAKED)
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

    /** What JUnit's assertions call is not shown to the reader of an origin. */
    @MustFail(run = true, verdict = Outcome.LEAKED)
    static class AssertionTestCase extends LeakingCallback {

        @Test
        void b_innocent() {
            org.junit.jupiter.api.Assertions.assertDoesNotThrow(() -> complete());
        }
    }

    @MustFail(run = true, verdict = Outcome.LEAKED)
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

    @Configured(concurrently = true)
    @MustFail(run = true, verdict = Outcome.LEAKED)
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

    /** A test keeps what it leaks beside a callback. */
    @MustFail(run = true, verdict = Outcome.LEAKED, text = "LEAK  64 B in 1 SYSTEM_MEMORY buffer")
    static class BesideTestCase extends LeakingCallback {

        @Test
        @MustFail(verdict = Outcome.LEAKED, text = "LEAK  32 B in 1 SYSTEM_MEMORY buffer")
        void b_leaksToo() {
            listen(done -> GlobalLibrary.allocate(32));
            complete();
        }
    }

    static class FreedLaterTestCase extends Completing {

        private static final List<GlobalLibrary.Memory> ALLOCATED = new ArrayList<>();

        @Test
        void a_listens() {
            listen(done -> ALLOCATED.add(GlobalLibrary.allocate(64)));
        }

        @Test
        void c_frees() {
            ALLOCATED.forEach(GlobalLibrary.Memory::close);
        }
    }

    // A class's, among tests of one session

    @TrackAllocations(lifetime = TrackingLifetime.CLASS)
    @MustFail(verdict = Outcome.LEAKED)
    static class OneSessionTestCase extends CompletedCallback {}

    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    @MustFail(verdict = Outcome.LEAKED)
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
    @MustFail(verdict = Outcome.LEAKED)
    static class DynamicTestCase extends LeakingCallback {

        @TestFactory
        DynamicTest b_factory() {
            return dynamicTest("innocent", () -> complete());
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    @MustFail(
            verdict = Outcome.LEAKED,
            text = "note    callbacks allocated for no test: code of WhoseCallbackTests$LeakingCallback#a_listens in"
                    + " WhoseCallbackTests$NamedTestCase#b_completes")
    static class NamedTestCase extends CompletedCallback {}

    // The test's

    /** Code that a test calls, or that no other test has made, is its own. */
    @SuppressWarnings("UnnecessaryLambda") // Where a lambda is declared is what is tested.
    @TestMethodOrder(MethodOrderer.MethodName.class)
    static class OwnCodeTestCase {

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

        @MustLeak
        void b_callsATest() {
            leaks = true;
            a_leaksIfCalled();
        }

        @MustLeak
        void c_callsATestWithAnAssertion() {
            leaks = true;
            a_leaksInAnAssertionIfCalled();
        }

        @MustLeak
        void d_hasALambda() {
            keep(() -> leak());
            kept.run();
        }

        @MustLeak
        void e_usesALambdaOfTheClass() {
            ofAll.run();
            OF_THE_CLASS.run();
        }

        @MustLeak
        void f_usesALambdaOfAHelper() {
            made().run();
        }

        @MustLeak
        void g_usesALambdaOfBeforeEach() {
            ofEach.run();
        }

        @MustLeak
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

    /** Code of a test on a thread that it has bound is its own. */
    static class OwnThreadsTestCase extends OnPool {

        @MustLeak
        void binds(TestThreads threads) throws Exception {
            threads.bind(pool);
            pool.submit(() -> leak()).get(1, TimeUnit.MINUTES);
        }

        @TestFactory
        @MustFail(verdict = Outcome.LEAKED)
        DynamicTest factory() {
            return dynamicTest("dynamic", () -> leak());
        }
    }

    @Test
    void codeOfATestThatRunsOtherTestsIsTheirOwn() {
        OfRunCase.callback = () -> leak();

        assertThat(run(OfRunCase.class)).hasOnlyFailed("calls()");
    }

    static class OfRunCase extends OfLibrary {

        private static Runnable callback = () -> {};

        @Test
        void calls() {
            callback.run();
        }
    }

    // The test's: a callback on its own mesh, or on one that is not checked

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
        @TrackAllocations(
                lifetime = TrackingLifetime.CLASS,
                accounting = Accounting.EACH_TEST,
                check = AllocationCheck.CLEAN)
        @MustFail(verdict = Outcome.LEAKED)
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

        @MustLeak
        void b_completes(MeshDevice mesh) {
            complete(mesh);
        }
    }

    // The test's: a callback of which the stack, or the run, does not say more

    static class OneMethodTestCase extends OfLibrary {

        @RepeatedTest(2)
        @MustFail(verdict = Outcome.LEAKED)
        void listensOrCompletes(RepetitionInfo repetition) {
            if (repetition.getCurrentRepetition() == 1) {
                listen(done -> leak());
            } else {
                complete();
            }
        }
    }

    @Configured("meshguard.origins=none")
    static class WithoutStacksTestCase extends BlamedCallback {}

    /** The run checks nothing. */
    @Configured("meshguard.check=none")
    @TrackAllocations(check = AllocationCheck.CLEAN)
    static class CheckedTestCase extends BlamedCallback {}

    /** The outer part of the stack is unknown. */
    static class DeepTestCase extends LeakingCallback {

        @MustLeak
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

    // What a test allows to remain fails nothing

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
