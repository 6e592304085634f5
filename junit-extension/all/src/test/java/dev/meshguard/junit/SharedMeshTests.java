package dev.meshguard.junit;

import static dev.meshguard.junit.testkit.JupiterRun.run;
import static dev.meshguard.junit.testkit.JupiterRun.runConcurrently;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.mesh.MeshBuffer;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Tensor;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.Outcome;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * On a shared mesh, each test is responsible for its own allocations.
 *
 * <p>A test's survivors on a class's mesh are that test's leak: it fails, later tests do not, and the class does not
 * report it again. Allocations of {@code @BeforeAll} methods, and memory that the mesh keeps for all tests, are checked
 * at the end of the class.
 */
class SharedMeshTests {

    @Test
    void aLeakFailsTheTestThatMadeItAndNothingElse() {
        assertThat(run(LeakTestCase.class)).hasOnlyFailed("leaks(MeshDevice)");
        assertThat(run(LeakTestCase.class))
                .hasTest("leaks")
                .whichFailed()
                .withFirstFrameIn(LeakTestCase.class, "leaks")
                .withFinding(Cause.LOST, 8, 4096, LeakTestCase.class, "leaks")
                .withTextContaining(
                        "note    checked at the end of SharedMeshTests$LeakTestCase#leaks, whose mesh stays open\n")
                .withReport("mvn test -Dtest='SharedMeshTests$LeakTestCase#leaks'");
    }

    @Test
    void whatTheClassLeavesIsTheClasss() {
        assertThat(run(ClassLeakTestCase.class)).hasTest("isClean").whichSucceeded();
        assertThat(run(ClassLeakTestCase.class))
                .hasFailedClass()
                .whichFailed()
                .withVerdict(Outcome.LEAKED)
                .withFirstFrameIn(ClassLeakTestCase.class, "loads");
    }

    @Test
    void whatTheClassLoadsItsTestsMayUseAndItMayFree() {
        assertThat(run(LoadingTestCase.class)).hasOnlySucceeded(2);
    }

    @Test
    void aTestMayFreeBuffersOfTheClass() {
        assertThat(run(FreeingTestCase.class)).hasOnlySucceeded(1);
    }

    @Test
    void whatBeforeEachTakesIsTheTests() {
        assertThat(run(BeforeEachTestCase.class)).hasOnlyFailed("isClean()");
    }

    @Test
    void programsInTheCacheAreTheMeshs() {
        assertThat(run(CachedProgramTestCase.class)).hasOnlySucceeded(2);
    }

    @Test
    void nestedClassesShareTheMeshAndTheirTestsAnswerForThemselves() {
        assertThat(run(NestingTestCase.class)).hasOnlyFailed("inner(MeshDevice)");
    }

    @Test
    void oneInstanceForAllTestsMakesNoDifference() {
        assertThat(run(OneInstanceTestCase.class)).hasOnlyFailed("first(MeshDevice)", "third(MeshDevice)");
    }

    @Test
    void aFreeOfNothingIsTheTests() {
        assertThat(run(FreeOfNothingTestCase.class)).hasOnlyFailed("freesTwice(AllocationTracker)");
        assertThat(run(FreeOfNothingTestCase.class))
                .hasTest("freesTwice")
                .whichFailed()
                .withVerdict(Outcome.MISREPORTED);
    }

    @Test
    void anEntryOnAMethodLetsItsTestLeaveSomething() {
        assertThat(run(ExpectingTestCase.class)).hasOnlyFailed("other(MeshDevice)");
    }

    @Test
    void aBudgetOnAMethodIsOfWhatItsTestTakes() {
        assertThat(run(BudgetTestCase.class)).hasOnlyFailed("takesTooMuch(MeshDevice)");
    }

    @Test
    void whatAHelperThreadTakesIsTheTestsThatRuns() {
        assertThat(run(HelperThreadTestCase.class)).hasOnlyFailed("leaksElsewhere(MeshDevice)");
    }

    @Test
    void eachAnswersForItselfWhereTestsRunAtTheSameTime() {
        assertThat(runConcurrently(ConcurrentTestCase.class))
                .hasOnlyFailed(
                        "repetition 5 of 40",
                        "repetition 10 of 40",
                        "repetition 15 of 40",
                        "repetition 20 of 40",
                        "repetition 25 of 40",
                        "repetition 30 of 40",
                        "repetition 35 of 40",
                        "repetition 40 of 40");
    }

    @Test
    void whatANestedClassLoadsWhileATestRunsIsTheClasss() {
        assertThat(runConcurrently(LoadingNestedTestCase.class)).hasOnlySucceeded(2);
    }

    @Test
    void aConstructorForAllTestsCountsToTheClassWhileATestRuns() {
        assertThat(runConcurrently(ConstructedNestedTestCase.class)).hasOnlySucceeded(2);
    }

    @Test
    void testsThatAskForNothingHaveNothingToAnswerFor() {
        assertThat(run(IdleTestCase.class)).hasOnlySucceeded(2);
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    @TestMethodOrder(MethodOrderer.MethodName.class)
    static class LeakTestCase {
        @Test
        void before(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
        }

        @Test
        void leaks(MeshDevice mesh) {
            Buffers.take(mesh);
        }

        @Test
        void thereafter(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    static class ClassLeakTestCase {
        @BeforeAll
        static void loads(MeshDevice mesh) {
            Buffers.take(mesh, "weights");
        }

        @Test
        void isClean(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    static class LoadingTestCase {
        private static MeshBuffer weights;

        @BeforeAll
        static void loads(MeshDevice mesh) {
            weights = Buffers.take(mesh, "weights");
        }

        @Test
        void first(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
        }

        @Test
        void second(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
        }

        @AfterAll
        static void frees() {
            weights.deallocate();
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    static class FreeingTestCase {
        private static MeshBuffer weights;

        @BeforeAll
        static void loads(MeshDevice mesh) {
            weights = Buffers.take(mesh, "weights");
        }

        @Test
        void frees() {
            weights.deallocate();
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    static class BeforeEachTestCase {
        @BeforeEach
        void takes(MeshDevice mesh) {
            Buffers.take(mesh);
        }

        @Test
        void isClean() {}
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    static class CachedProgramTestCase {
        @RepeatedTest(2)
        void adds(MeshDevice mesh, Ttnn ttnn) {
            Tensor a = ttnn.empty(TensorShape.of(1, 1, 32, 32), DataType.BFLOAT16, mesh);
            ttnn.deallocate(ttnn.add(a, a));
            ttnn.deallocate(a);
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    static class NestingTestCase {
        private static MeshDevice ofOuter;

        @Test
        void outer(MeshDevice mesh) {
            ofOuter = mesh;
            Buffers.take(mesh).deallocate();
        }

        @Nested
        class InnerTestCase {
            @Test
            void inner(MeshDevice mesh) {
                Assertions.assertThat(mesh).isSameAs(ofOuter);
                Buffers.take(mesh);
            }
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    static class OneInstanceTestCase {
        @Test
        void first(MeshDevice mesh) {
            Buffers.take(mesh);
        }

        @Test
        void second(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
        }

        @Test
        void third(MeshDevice mesh) {
            Buffers.take(mesh);
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    static class FreeOfNothingTestCase {
        @Test
        void freesTwice(AllocationTracker tracker) {
            tracker.allocated(0, BufferType.DRAM, 0x1000, 64);
            tracker.freed(0, BufferType.DRAM, 0x1000);
            tracker.freed(0, BufferType.DRAM, 0x1000);
        }

        @Test
        void freesOnce(AllocationTracker tracker) {
            tracker.allocated(0, BufferType.DRAM, 0x2000, 64);
            tracker.freed(0, BufferType.DRAM, 0x2000);
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    static class ExpectingTestCase {
        @Test
        @ExpectBuffers(label = "weights", because = "one set for all")
        void keeps(MeshDevice mesh) {
            Buffers.take(mesh, "weights");
        }

        @Test
        void other(MeshDevice mesh) {
            Buffers.take(mesh, "weights");
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    static class BudgetTestCase {
        @BeforeAll
        static void opens(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
        }

        @Test
        @MemoryBudget(type = BufferType.DRAM, peakBytes = 4_096)
        void takesTooMuch(MeshDevice mesh) {
            MeshBuffer first = Buffers.take(mesh);
            Buffers.take(mesh).deallocate();
            first.deallocate();
        }

        @Test
        @MemoryBudget(type = BufferType.DRAM, peakBytes = 4_096)
        void takesEnough(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    static class HelperThreadTestCase {
        @Test
        void leaksElsewhere(MeshDevice mesh) throws Exception {
            FutureTask<MeshBuffer> task = new FutureTask<>(() -> Buffers.take(mesh));
            new Thread(task).start();
            task.get();
        }

        @Test
        void isClean(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    static class ConcurrentTestCase {
        @RepeatedTest(40)
        void decodes(RepetitionInfo repetition, MeshDevice mesh) {
            for (int i = 0; i < 20; i++) {
                Buffers.take(mesh).deallocate();
            }
            if (repetition.getCurrentRepetition() % 5 == 0) {
                Buffers.take(mesh);
            }
        }
    }

    /** The test has ended before the buffer is freed that the constructor allocates while the test runs. */
    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    @Execution(ExecutionMode.CONCURRENT)
    @Timeout(60)
    static class ConstructedNestedTestCase {

        private final CountDownLatch running = new CountDownLatch(1);
        private final CompletableFuture<MeshBuffer> weights = new CompletableFuture<>();

        @Test
        void runsMeanwhile(MeshDevice mesh) throws Exception {
            running.countDown();
            Assertions.assertThat(weights.get().isAllocated()).isTrue();
        }

        @AfterAll
        void frees() throws Exception {
            weights.get().deallocate();
        }

        @Nested
        @TestInstance(TestInstance.Lifecycle.PER_CLASS)
        class Inner {
            Inner(MeshDevice mesh) throws InterruptedException {
                running.await();
                weights.complete(Buffers.take(mesh, "weights"));
            }

            @Test
            void uses() throws Exception {
                Assertions.assertThat(weights.get().isAllocated()).isTrue();
            }
        }
    }

    /**
     * The test instance exists when the {@code @BeforeAll} method allocates its buffer, and has ended before that is
     * freed.
     */
    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    @Execution(ExecutionMode.CONCURRENT)
    @Timeout(60)
    static class LoadingNestedTestCase {

        private final CountDownLatch running = new CountDownLatch(1);
        private MeshDevice mesh;
        private final FutureTask<MeshBuffer> loaded = new FutureTask<>(() -> Buffers.take(mesh, "weights"));

        @BeforeAll
        void opens(MeshDevice ofClass) {
            mesh = ofClass;
        }

        @Test
        void runsMeanwhile() throws Exception {
            running.countDown();
            Assertions.assertThat(loaded.get().isAllocated()).isTrue();
        }

        @AfterAll
        void frees() throws Exception {
            loaded.get().deallocate();
        }

        @Nested
        @TestInstance(TestInstance.Lifecycle.PER_CLASS)
        class Inner {
            @BeforeAll
            void loads(MeshDevice ofClass) throws InterruptedException {
                running.await();
                loaded.run();
            }

            @Test
            void uses() {}
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    @MemoryBudget(type = BufferType.DRAM, peakBytes = 4_096)
    static class IdleTestCase {
        @RepeatedTest(2)
        void asksForNothing() {}
    }
}
