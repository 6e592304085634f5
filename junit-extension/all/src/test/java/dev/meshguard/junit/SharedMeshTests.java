package dev.meshguard.junit;

import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.meshguard.assertions.BudgetAssertionError;
import dev.meshguard.event.BufferType;
import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.junit.testkit.Configured;
import dev.meshguard.junit.testkit.MustFail;
import dev.meshguard.junit.testkit.MustLeak;
import dev.meshguard.junit.testkit.Runs;
import dev.meshguard.junit.testkit.WithFixtures;
import dev.meshguard.mesh.MeshBuffer;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Tensor;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.Outcome;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Each test on a mesh of its class is responsible for what it allocates there. */
class SharedMeshTests implements WithFixtures {

    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    @TestMethodOrder(MethodOrderer.MethodName.class)
    static class EachTestTestCase {

        private static MeshDevice ofOuter;

        @Test
        void a_aTestBeforeALeakIsGreen(MeshDevice mesh) {
            ofOuter = mesh;
            Buffers.take(mesh).deallocate();
        }

        @Test
        @MustFail(
                frame = "EachTestTestCase.aLeakFailsTheTestThatMadeItAndNothingElse",
                text = {
                    "LEAK  32 KiB in 8 DRAM buffers, LOST",
                    "note    checked at the end of SharedMeshTests$EachTestTestCase#aLeakFailsTheTestThatMadeItAndNothingElse,"
                            + " whose mesh stays open",
                    "rerun   mvn test"
                            + " -Dtest='SharedMeshTests$EachTestTestCase#aLeakFailsTheTestThatMadeItAndNothingElse'"
                })
        void aLeakFailsTheTestThatMadeItAndNothingElse(MeshDevice mesh) {
            Buffers.take(mesh);
        }

        @RepeatedTest(2)
        void programsInTheCacheAreTheMeshs(MeshDevice mesh, Ttnn ttnn) {
            Tensor a = ttnn.empty(TensorShape.of(1, 1, 32, 32), DataType.BFLOAT16, mesh);
            ttnn.deallocate(ttnn.add(a, a));
            ttnn.deallocate(a);
        }

        @Test
        @MustFail(verdict = Outcome.MISREPORTED)
        void aFreeOfNothingIsTheTests(AllocationTracker tracker) {
            tracker.allocated(0, BufferType.DRAM, 0x1000, 64);
            tracker.freed(0, BufferType.DRAM, 0x1000);
            tracker.freed(0, BufferType.DRAM, 0x1000);
        }

        @Test
        void aFreeIsNoFreeOfNothing(AllocationTracker tracker) {
            tracker.allocated(0, BufferType.DRAM, 0x2000, 64);
            tracker.freed(0, BufferType.DRAM, 0x2000);
        }

        @Test
        @ExpectBuffers(label = "weights", because = "one set for all")
        void anEntryOnAMethodLetsItsTestLeaveSomething(MeshDevice mesh) {
            Buffers.take(mesh, "weights");
        }

        @MustLeak
        void anEntryOnAMethodLetsNoOtherTestLeaveSomething(MeshDevice mesh) {
            Buffers.take(mesh, "weights");
        }

        @Test
        @MustFail(error = BudgetAssertionError.class)
        @MemoryBudget(type = BufferType.DRAM, peakBytes = 4_096)
        void aBudgetOnAMethodIsOfWhatItsTestTakes(MeshDevice mesh) {
            MeshBuffer first = Buffers.take(mesh);
            Buffers.take(mesh).deallocate();
            first.deallocate();
        }

        @Test
        @MemoryBudget(type = BufferType.DRAM, peakBytes = 4_096)
        void aBudgetOnAMethodIsNotOfWhatOthersHaveTaken(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
        }

        @TestFactory
        @Runs(2)
        @MustFail(invocation = 2, error = BudgetAssertionError.class)
        @MemoryBudget(type = BufferType.DRAM, peakBytes = 4_096)
        Stream<DynamicNode> aBudgetOnAFactoryIsOfWhatEachDynamicTestTakes(MeshDevice mesh) {
            return Stream.of(
                    dynamicTest("one", () -> Buffers.take(mesh).deallocate()), dynamicTest("two at once", () -> {
                        MeshBuffer first = Buffers.take(mesh);
                        Buffers.take(mesh).deallocate();
                        first.deallocate();
                    }));
        }

        @TestFactory
        @MemoryBudget(type = BufferType.DRAM, largestFreeBlock = 1)
        DynamicNode aBudgetOfFreeMemoryIsReadForEachDynamicTest(MeshDevice mesh) {
            return dynamicTest("one", () -> Buffers.take(mesh).deallocate());
        }

        @TestFactory
        @MustFail(error = BudgetAssertionError.class)
        @MemoryBudget(type = BufferType.DRAM, largestFreeBlock = 1L << 40)
        DynamicNode tooLittleFreeMemoryFailsADynamicTestAndNotItsFactory(MeshDevice mesh) {
            return dynamicTest("one", () -> Buffers.take(mesh).deallocate());
        }

        @TestFactory
        @MustFail(container = true, error = BudgetAssertionError.class, text = "1 limit of 1 budget not met 1. DRAM")
        @MemoryBudget(type = BufferType.DRAM, peakBytes = 0, largestFreeBlock = 1)
        DynamicNode aFactoryAnswersForWhatItTakesItself(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
            return dynamicTest("takes nothing", () -> {});
        }

        @Test
        @MustFail(error = BudgetAssertionError.class)
        @MemoryBudget(type = BufferType.DRAM, largestFreeBlock = 1L << 40)
        void aBudgetOfFreeMemoryIsOfTheMeshEvenIfItsTestTakesNothing(MeshDevice mesh) {}

        @MustLeak
        void whatAHelperThreadTakesIsTheTestsThatRuns(MeshDevice mesh) throws Exception {
            FutureTask<MeshBuffer> task = new FutureTask<>(() -> Buffers.take(mesh));
            new Thread(task).start();
            task.get();
        }

        @Nested
        class Inner {
            @MustLeak
            void nestedClassesShareTheMeshAndTheirTestsAnswerForThemselves(MeshDevice mesh) {
                Assertions.assertThat(mesh).isSameAs(ofOuter);
                Buffers.take(mesh);
            }
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    @MustFail(verdict = Outcome.LEAKED, frame = "ClassLeakTestCase.loads")
    static class ClassLeakTestCase {
        @BeforeAll
        static void loads(MeshDevice mesh) {
            Buffers.take(mesh, "weights");
        }

        @Test
        void whatTheClassLeavesIsTheClasss(MeshDevice mesh) {
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

        @RepeatedTest(2)
        void whatTheClassLoadsItsTestsMayUseAndItMayFree(MeshDevice mesh) {
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
        void aTestMayFreeBuffersOfTheClass() {
            weights.deallocate();
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    static class BeforeEachTestCase {
        @BeforeEach
        void takes(MeshDevice mesh) {
            Buffers.take(mesh);
        }

        @MustLeak
        void whatBeforeEachTakesIsTheTests() {}
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    @TestMethodOrder(MethodOrderer.MethodName.class)
    static class OneInstanceTestCase {
        @MustLeak
        void aTestOfAnInstanceForAllAnswersForItself(MeshDevice mesh) {
            Buffers.take(mesh);
        }

        @Test
        void bIsCleanAfterALeak(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
        }

        @MustLeak
        void cLeaksAgain(MeshDevice mesh) {
            Buffers.take(mesh);
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    @MemoryBudget(type = BufferType.DRAM, peakBytes = 4_096)
    static class IdleTestCase {
        @RepeatedTest(2)
        void testsThatAskForNothingHaveNothingToAnswerFor() {}
    }

    /** The test has ended before the buffer is freed that the constructor allocates while the test runs. */
    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    @Execution(ExecutionMode.CONCURRENT)
    @Timeout(60)
    @Configured(concurrently = true)
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
            void whatANestedClassLoadsWhileATestRunsIsTheClasss() throws Exception {
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
    @Configured(concurrently = true)
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
            void whatANestedClassLoadsWhileATestRunsIsTheClasss() {}
        }
    }
}
