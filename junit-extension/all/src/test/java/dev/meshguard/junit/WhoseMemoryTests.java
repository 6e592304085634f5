package dev.meshguard.junit;

import static dev.meshguard.junit.LibraryTestCase.freeAll;
import static dev.meshguard.junit.LibraryTestCase.guard;
import static dev.meshguard.junit.LibraryTestCase.leak;
import static dev.meshguard.junit.testkit.JupiterRun.run;
import static dev.meshguard.junit.testkit.Latches.await;
import static dev.meshguard.junit.testkit.Latches.meet;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.meshguard.junit.internal.thread.RunningTest;
import dev.meshguard.junit.internal.thread.UnattributedReports;
import dev.meshguard.junit.summary.SummaryListener;
import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.junit.testkit.Configured;
import dev.meshguard.junit.testkit.GlobalLibrary;
import dev.meshguard.junit.testkit.JupiterRun;
import dev.meshguard.junit.testkit.LaunchedRun;
import dev.meshguard.junit.testkit.MustFail;
import dev.meshguard.junit.testkit.MustLeak;
import dev.meshguard.junit.testkit.Runs;
import dev.meshguard.junit.testkit.StartedExecutor;
import dev.meshguard.junit.testkit.WithFixtures;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.tracker.AllocationContext;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginCapture;
import dev.meshguard.verdict.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.UniqueId;
import org.junit.platform.engine.support.descriptor.AbstractTestDescriptor;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;

/** An allocation belongs to a test only if that is certain: the rules of {@code docs/lifecycle.md}, case by case. */
class WhoseMemoryTests implements WithFixtures {

    /** A pool whose thread is older than all tests. */
    private static ExecutorService pool = Executors.newSingleThreadExecutor();

    @BeforeEach
    void startPool() {
        pool = StartedExecutor.named("pool");
    }

    @AfterEach
    void stopPool() {
        pool.shutdownNow();
    }

    private static void onPool(Runnable task) throws Exception {
        pool.submit(task).get(1, TimeUnit.MINUTES);
    }

    /** The stack shows no test. */
    private static void leakOnPool() throws Exception {
        onPool(LibraryTestCase::leak);
    }

    /** What a thread does after the test that has started it, while another awaits it. */
    private static final class LateTask {

        private final CountDownLatch go = new CountDownLatch(1);
        private final CountDownLatch done = new CountDownLatch(1);

        void run(Runnable leak) {
            await(go);
            leak.run();
            done.countDown();
        }

        void awaitEnd() {
            go.countDown();
            await(done);
        }
    }

    // Rule 1: the binding

    @Test
    void aThreadThatIsBoundWhileTheTestEndsIsNotBound() throws Exception {
        AllocationTracker tracker = AllocationTracker.create();
        RunningTest type = RunningTest.ofClass("type", "[type]");
        RunningTest ending = type.testInside("ending", "[type]/[ending]");
        ending.attribute(tracker.context("ending"));
        ending.begin(Optional.empty());
        AtomicReference<Optional<AllocationContext>> found = new AtomicReference<>();
        AtomicBoolean ends = new AtomicBoolean(true);
        Thread bound = new Thread(() -> found.set(type.context())) {
            @Override
            public int hashCode() {
                if (ends.getAndSet(false)) {
                    ending.end();
                }
                return System.identityHashCode(this);
            }
        };

        ending.bind(bound);
        bound.start();
        bound.join();

        Assertions.assertThat(ends).isFalse();
        Assertions.assertThat(found.get()).isEmpty();
    }

    // Rule 2: the stack

    /** As a worker of the engine's pool that another worker starts. */
    @Test
    void aRunWithinATestMayBeginOnAThreadThatAContainerOfTheRunHasStarted() throws Exception {
        UnattributedReports run = new UnattributedReports();
        RunningTest tracked = RunningTest.test("tracked", "[inner]/[type]/[tracked]");
        RunningTest.announce("[outer]/[test]", true, "test", Optional.empty(), Optional.empty());
        ExecutorService ofOuter = StartedExecutor.named("of the outer test");
        RunningTest.announce("[inner]", false, "inner", Optional.empty(), Optional.empty());
        try {
            Thread worker = new Thread(() -> run.begin("[inner]/[type]"));
            worker.start();
            worker.join();
            run.receive("source", OriginCapture.ALLOCATIONS);
            tracked.begin(Optional.empty());

            Optional<AllocationTracker> receiver =
                    ofOuter.submit(() -> RunningTest.trackerOf("source", true)).get(1, TimeUnit.MINUTES);

            Assertions.assertThat(receiver).isPresent();
            Assertions.assertThat(run.untracked()).isZero();
        } finally {
            tracked.end();
            run.end();
            RunningTest.finished("[inner]");
            RunningTest.finished("[outer]/[test]");
            ofOuter.shutdownNow();
        }
    }

    @Test
    void codeThatATestOfAnEarlierRunHasLeftIsNotThatOfTheNextRun() {
        assertThat(run(EarlierRunCase.class)).hasOnlySucceeded(1);

        assertThat(run(EarlierRunCase.class)).hasOnlyLeakOf("JUnit Jupiter");
    }

    // Rule 3: who has started the thread

    /** Starts a task that goes on after its test. */
    private enum Start {
        THREAD(task -> new Thread(task).start()),
        /** As the HTTP client of the JDK starts its threads. */
        THREAD_THAT_INHERITS_NOTHING(task -> new Thread(null, task, "inherits nothing", 0, false).start()),
        THREAD_OF_A_THREAD(task -> new Thread(() -> {
                    await(LateThreadCase.task.go);
                    new Thread(task).start();
                })
                .start()),
        TIMEOUT(task -> Assertions.assertThatThrownBy(
                        () -> org.junit.jupiter.api.Assertions.assertTimeoutPreemptively(Duration.ZERO, task::run))
                .isInstanceOf(AssertionError.class));

        @SuppressWarnings("ImmutableEnumChecker") // A function without state.
        private final Consumer<Runnable> start;

        Start(Consumer<Runnable> start) {
            this.start = start;
        }
    }

    @ParameterizedTest
    @EnumSource
    void aThreadThatOutlivesItsTestIsNobodys(Start start) {
        LateThreadCase.prepare(start);

        assertThat(run(LateThreadCase.class)).hasOnlyLeakOf("JUnit Jupiter");
    }

    @Test
    void aFindingOfTheRunNamesTheThreadAndWhoHasStartedIt() {
        LateThreadCase.prepare(Start.THREAD);

        assertThat(run(LateThreadCase.class))
                .hasFailedContainer()
                .withTextContaining("(started by WhoseMemoryTests$LateThreadCase#a_startsAThread 1 test ago), while"
                        + " these tests ran: WhoseMemoryTests$LateThreadCase#b_innocent. To find the test that leaks,"
                        + " let tests bind their threads with TestThreads.\n");
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "THREAD_THAT_INHERITS_NOTHING")
    void onASharedMeshItIsTheClasss(Start start) {
        LateThreadCase.prepare(start);

        assertThat(run(LateOnMeshCase.class))
                .hasOnlyLeakOf("WhoseMemoryTests$LateOnMeshCase")
                .withTextContaining("note    threads that worked for no test: ")
                .withTextContaining("(started by WhoseMemoryTests$LateOnMeshCase#a_startsAThread");
    }

    // Rule 4: one test runs

    /** That test may have left a task there. */
    @Test
    void aThreadThatATestStartsIsNobodysIfAnotherHasRunBesideIt() {
        Assertions.assertThat(failedOfPoolTests(PoolOfAnotherCase.class)).containsExactly("JUnit Jupiter");
    }

    @Test
    void aThreadThatATestOfAClassWithOneSessionStartsIsTheClasssIfAnotherHasRunBesideIt() {
        Assertions.assertThat(failedOfPoolTests(PoolInOneSessionCase.class))
                .containsExactly("WhoseMemoryTests$PoolInOneSessionCase");
    }

    private static List<String> failedOfPoolTests(Class<? extends PoolOfAnotherCase> testCase) {
        PoolOfAnotherCase.prepare();
        return LaunchedRun.launcher(new TestExecutionListener() {
                    @Override
                    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
                        if (test.getDisplayName().equals("guilty()")) {
                            PoolOfAnotherCase.over.countDown();
                        }
                    }
                })
                .run(JupiterRun.CONCURRENTLY, testCase)
                .failed();
    }

    @Test
    void aTestOfAnEngineThatEndsItOnAnotherThreadRunsNoLonger() throws Exception {
        TestIdentifier ofEngine = TestIdentifier.from(
                new AbstractTestDescriptor(UniqueId.root("test", "of another engine"), "of another engine") {
                    @Override
                    public Type getType() {
                        return Type.TEST;
                    }
                });
        SummaryListener listener = SummaryListener.to(text -> {});
        onPool(() -> listener.executionStarted(ofEngine));
        listener.executionFinished(ofEngine, TestExecutionResult.successful());

        assertThat(run(StartingTestCase.class)).hasOnlyFailed("leaks()");
    }

    // Rule 1: a thread that a class binds is the class's

    @TrackAllocations(lifetime = TrackingLifetime.CLASS)
    @MustFail(verdict = Outcome.LEAKED)
    static class BindingClassTestCase extends LibraryTestCase {

        @BeforeAll
        static void bindsTheThread(TestThreads threads) throws Exception {
            threads.bind(pool.submit(Thread::currentThread).get());
        }

        @Test
        void aThreadThatAClassBindsIsTheClasss() throws Exception {
            leakOnPool();
        }
    }

    // Rule 2: code of a test on a thread of all tests is the test's

    abstract static class Shown {

        @MustLeak
        void inherited() throws Exception {
            onPool(() -> leak());
        }
    }

    interface ShownByDefault {

        @MustLeak
        default void ofAnInterface() throws Exception {
            onPool(() -> leak());
        }
    }

    /** While another test runs, only the stack says whose a thread is that all share. */
    @Configured(concurrently = true)
    static class ShownTestCase extends Shown implements ShownByDefault {

        private static final CountDownLatch LAST = new CountDownLatch(10);

        @RegisterExtension
        static final MeshGuardExtension guard = guard();

        @AfterEach
        void countDown() {
            LAST.countDown();
        }

        /** Runs until ten others have run. */
        @Test
        void innocent() {
            await(LAST);
        }

        @MustLeak
        void lambdaInALambda() throws Exception {
            onPool(() -> Stream.of(1).forEach(one -> leak()));
        }

        @MustLeak
        void anonymousClass() throws Exception {
            onPool(new Runnable() {
                @Override
                public void run() {
                    leak();
                }
            });
        }

        /** The method of a class is no lambda, although Kotlin would name a lambda of the other test so. */
        @MustLeak
        void anonymousClass$lambda$0() throws Exception {
            onPool(new Runnable() {
                @Override
                public void run() {
                    leak();
                }
            });
        }

        @MustLeak
        void classInALocalClass() throws Exception {
            class Local {
                static final class Deep {
                    void leakDeeply() {
                        leak();
                    }
                }
            }
            Local.Deep deep = new Local.Deep();
            onPool(deep::leakDeeply);
        }

        @MustLeak
        void kotlinLambda() throws Exception {
            onPool(ShownTestCase::kotlinLambda$lambda$0);
        }

        private static void kotlinLambda$lambda$0() {
            leak();
        }

        /** Kotlin replaces what is neither a letter nor a digit in the names of its lambdas. */
        @MustLeak
        void kotlin$name() throws Exception {
            onPool(ShownTestCase::kotlin_name$lambda$0);
        }

        private static void kotlin_name$lambda$0() {
            leak();
        }

        @ParameterizedTest(name = "parameterizedOnce")
        @ValueSource(ints = 1)
        @MustFail(verdict = Outcome.LEAKED)
        void parameterizedOnce(int unused) throws Exception {
            onPool(() -> leak());
        }

        @TestFactory
        @MustFail(container = true, verdict = Outcome.LEAKED)
        Stream<DynamicTest> factory() {
            return Stream.of(dynamicTest("leaks", () -> onPool(() -> leak())));
        }
    }

    /** The first run leaves a task, which the second one awaits. */
    static class EarlierRunCase extends LibraryTestCase {

        private static final LateTask TASK = new LateTask();
        private static boolean isSecond;

        @Test
        void leavesATask() {
            if (!isSecond) {
                isSecond = true;
                pool.execute(() -> TASK.run(() -> leak()));
            } else {
                TASK.awaitEnd();
            }
        }
    }

    /** A thread of the engine that waits for the tests of a class may run tasks of a test, for example those of a parallel stream. */
    @Configured(concurrently = true)
    static class WaitingEngineTestCase extends LibraryTestCase {

        private static final SynchronousQueue<Runnable> TASKS = new SynchronousQueue<>();
        private static final CountDownLatch DONE = new CountDownLatch(1);

        /** Runs a task of a test on the thread that runs the nested class. */
        static final class TaskRunner implements AfterAllCallback {

            @Override
            public void afterAll(ExtensionContext context) throws Exception {
                TASKS.take().run();
                DONE.countDown();
            }
        }

        @MustLeak
        void leaks() throws Exception {
            TASKS.put(() -> leak());
            await(DONE);
        }

        @Nested
        @ExtendWith(TaskRunner.class)
        class Waiting {

            @Test
            void allocatesNothing() {}
        }
    }

    // Rule 2: code that may be of several tests is nobody's

    @Configured(concurrently = true)
    @MustFail(run = true, verdict = Outcome.LEAKED)
    static class SeveralInvocationsTestCase extends LibraryTestCase {

        private static final CyclicBarrier BOTH = new CyclicBarrier(2);

        @ParameterizedTest
        @Runs(2)
        @ValueSource(booleans = {true, false})
        void allocates(boolean leaks) throws Exception {
            meet(BOTH);
            onPool(() -> {
                if (leaks) {
                    leak();
                }
            });
            meet(BOTH);
        }
    }

    @Configured(concurrently = true)
    @MustFail(run = true, verdict = Outcome.LEAKED)
    static class OverloadedTestCase extends LibraryTestCase {

        @Test
        void allocates() throws Exception {
            allocates(64);
        }

        private static void allocates(int bytes) throws Exception {
            onPool(() -> GlobalLibrary.allocate(bytes));
        }
    }

    /** The lambdas of both have one name. */
    @Configured(concurrently = true)
    @MustFail(run = true, verdict = Outcome.LEAKED)
    static class KotlinNamesTestCase extends LibraryTestCase {

        private static final CyclicBarrier BOTH = new CyclicBarrier(2);

        @Test
        void a_b() throws Exception {
            meet(BOTH);
            meet(BOTH);
        }

        @Test
        void a$b() throws Exception {
            meet(BOTH);
            onPool(KotlinNamesTestCase::a_b$lambda$0);
            meet(BOTH);
        }

        private static void a_b$lambda$0() {
            leak();
        }
    }

    @Configured(concurrently = true)
    @MustFail(run = true, verdict = Outcome.LEAKED)
    static class OverridingTestCase extends Shown {

        @RegisterExtension
        static final MeshGuardExtension guard = guard();

        @Test
        @Override
        void inherited() throws Exception {
            super.inherited();
        }
    }

    // Rule 2: late code of a test is not that of the next

    /** The first repetition leaves a task, which the second one awaits. */
    @MustFail(run = true, verdict = Outcome.LEAKED)
    static class LateRepetitionTestCase extends LibraryTestCase {

        private static final LateTask TASK = new LateTask();

        @RepeatedTest(2)
        void repeated(RepetitionInfo repetition) {
            if (repetition.getCurrentRepetition() == 1) {
                pool.execute(() -> TASK.run(() -> leak()));
            } else {
                freeAll();
                TASK.awaitEnd();
            }
        }
    }

    @MustFail(run = true, verdict = Outcome.LEAKED)
    @TestMethodOrder(MethodOrderer.MethodName.class)
    static class LateLambdaTestCase extends LibraryTestCase {

        private static final LateTask TASK = new LateTask();

        @Test
        void a_leavesATask() {
            pool.execute(() -> TASK.run(() -> leak()));
        }

        @Test
        void b_innocent() {
            freeAll();
            TASK.awaitEnd();
        }
    }

    // Rules 3 and 4: who has started the thread, and which tests run

    /** The guilty test is over before its task leaks. */
    static class PoolOfAnotherCase extends LibraryTestCase {

        private static CountDownLatch started = new CountDownLatch(1);
        private static CountDownLatch over = new CountDownLatch(1);
        private static LateTask task = new LateTask();

        static void prepare() {
            started = new CountDownLatch(1);
            over = new CountDownLatch(1);
            task = new LateTask();
        }

        @Test
        void innocent() {
            pool = StartedExecutor.named("pool");
            started.countDown();
            await(over);
            task.awaitEnd();
        }

        @Test
        void guilty() {
            await(started);
            pool.execute(PoolOfAnotherCase::leakLate);
        }

        private static void leakLate() {
            task.run(LibraryTestCase::leak);
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS)
    static class PoolInOneSessionCase extends PoolOfAnotherCase {}

    @TestMethodOrder(MethodOrderer.MethodName.class)
    static class LateThreadCase extends LibraryTestCase {

        private static Start start = Start.THREAD;
        private static LateTask task = new LateTask();

        static void prepare(Start newStart) {
            start = newStart;
            task = new LateTask();
        }

        static void startLate(Runnable leak) {
            LateTask started = task;
            start.start.accept(() -> started.run(leak));
        }

        @Test
        void a_startsAThread() {
            startLate(LibraryTestCase::leak);
        }

        @Test
        void b_innocent() {
            freeAll();
            task.awaitEnd();
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    @TestMethodOrder(MethodOrderer.MethodName.class)
    static class LateOnMeshCase {

        @Test
        void a_startsAThread(MeshDevice mesh) {
            LateThreadCase.startLate(() -> Buffers.take(mesh));
        }

        @Test
        void b_innocent(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
            LateThreadCase.task.awaitEnd();
        }
    }

    static class StartingTestCase extends LibraryTestCase {

        @MustLeak
        void leaks() throws Exception {
            StartedExecutor.named("pool").submit(LibraryTestCase::leak).get(1, TimeUnit.MINUTES);
        }
    }

    /** An earlier test may have left a task on an older thread, or the class. */
    @MustFail(
            run = true,
            verdict = Outcome.LEAKED,
            text = {
                "why   HELD: still referenced by UsingTestCase.kept",
                "seen  allocated in no test, while WhoseMemoryTests$UsingTestCase#leaks ran (event #2)"
            })
    static class UsingTestCase extends LibraryTestCase {

        private static final List<GlobalLibrary.Memory> kept = new ArrayList<>();

        @Test
        void leaks() throws Exception {
            freeAll();
            onPool(UsingTestCase::keep);
        }

        private static void keep() {
            kept.add(GlobalLibrary.allocateWithHandle(64));
        }
    }
}
