package dev.meshguard.junit;

import static dev.meshguard.junit.testkit.JupiterRun.run;
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
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verdict.expectation.Expectation;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A mesh of all tests of a class is checked after the last test, or after each one, which is then responsible for what it allocates
 * there.
 */
class SharedMeshTests implements WithFixtures {

    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    @TestMethodOrder(MethodOrderer.MethodName.class)
    static class EachTestTestCase {

        private static MeshDevice ofClass;
        private static MeshBuffer weights;

        @BeforeAll
        static void loads(MeshDevice mesh) {
            ofClass = mesh;
            weights = Buffers.take(mesh, "weights");
        }

        @Test
        void aTestMayFreeBuffersOfTheClass() {
            weights.deallocate();
        }

        @Test
        @MustFail(error = IllegalStateException.class, message = "the test itself", suppressed = Outcome.LEAKED)
        void aFailureOfTheTestItselfHasItsLeakSuppressed(MeshDevice mesh) {
            Buffers.take(mesh);
            throw new IllegalStateException("the test itself");
        }

        @Test
        @Unchecked
        void aTestThatIsNotCheckedSharesTheMesh(MeshDevice mesh) {
            Assertions.assertThat(mesh).isSameAs(ofClass);
            Buffers.take(mesh);
        }

        @Nested
        @Unchecked
        class UncheckedInner {
            @Test
            void aNestedClassThatIsNotCheckedSharesTheMesh(MeshDevice mesh) {
                Assertions.assertThat(mesh).isSameAs(ofClass);
                Buffers.take(mesh);
            }
        }

        @MustLeak
        @TrackAllocations(lifetime = TrackingLifetime.TEST)
        void aMethodWithAMeshOfItsOwnNeedsNoAccounting(MeshDevice mesh) {
            Buffers.take(mesh);
        }

        @Test
        void a_aTestBeforeALeakIsGreen(MeshDevice mesh) {
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
            Buffers.addAndFree(mesh, ttnn);
        }

        @Test
        @MustFail(verdict = Outcome.MISREPORTED)
        void aFreeOfNothingIsTheTests(AllocationTracker tracker) {
            tracker.allocated(0, BufferType.DRAM, 0x1000, 64);
            tracker.freed(0, BufferType.DRAM, 0x1000);
            tracker.freed(0, BufferType.DRAM, 0x1000);
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
        @MustFail(error = BudgetAssertionError.class, text = "OVER BUDGET  1 limit of 1 budget not met")
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
                Assertions.assertThat(mesh).isSameAs(ofClass);
                Buffers.take(mesh);
            }
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
    @MemoryBudget(type = BufferType.DRAM, peakBytes = 4_096)
    static class IdleTestCase {
        @RepeatedTest(2)
        void testsThatAskForNothingHaveNothingToAnswerFor() {}
    }

    // A mesh of all tests of a class, which is checked after the last one

    @TrackAllocations(lifetime = TrackingLifetime.CLASS)
    static class FieldsTestCase {
        @Nested
        @MustFail(verdict = Outcome.LEAKED)
        class InstanceFieldTestCase {
            @RegisterExtension
            final MeshGuardExtension guard = MeshGuardExtension.create();

            @Test
            void aNestedClassWithAnExtensionInAnInstanceFieldIsItsOwner(MeshDevice mesh) {
                Buffers.take(mesh);
            }
        }

        @Test
        void outer(MeshDevice mesh) {}

        @Nested
        @MustFail(verdict = Outcome.LEAKED)
        class LeakingTestCase {
            @RegisterExtension
            static final MeshGuardExtension guard = MeshGuardExtension.create();

            @Test
            void aNestedClassWithAnExtensionOfItsOwnIsItsOwner(MeshDevice mesh) {
                Buffers.take(mesh);
            }
        }

        @Nested
        class KeepingTestCase {
            @RegisterExtension
            static final MeshGuardExtension guard = MeshGuardExtension.builder()
                    .expecting(Expectation.because("kept").label("weights"))
                    .build();

            @Test
            void keeps(MeshDevice mesh) {
                Buffers.take(mesh, "weights");
            }

            @Nested
            class SharingTestCase {
                @Test
                void keepsToo(MeshDevice mesh, AllocationTracker tracker) {
                    Assertions.assertThat(tracker.history().meshes()).hasSize(1);
                    Buffers.take(mesh, "weights");
                }
            }
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS)
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    @TestMethodOrder(MethodOrderer.OrderAnnotation.class)
    static class SeveralTestsTestCase {
        private MeshBuffer buffer;

        @Test
        @Order(1)
        void takes(MeshDevice mesh) {
            buffer = Buffers.take(mesh);
        }

        @Test
        @Order(2)
        void whatOneTestTakesAnotherMayFree(AllocationTracker tracker) {
            Assertions.assertThat(tracker.liveBuffers()).isEqualTo(8);
            buffer.deallocate();
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS)
    static class NestingTestCase {
        @Nested
        @TrackAllocations
        class OwnTestCase {
            @MustLeak
            void aNestedClassWithAnAnnotationHasItsOwnLifetime(MeshDevice mesh) {
                Buffers.take(mesh);
            }
        }

        @BeforeAll
        static void opens(MeshDevice mesh, AllocationTracker tracker) {
            Assertions.assertThat(tracker.history().meshes()).hasSize(1);
        }

        @Test
        void aTestSharesTheMeshOfItsClass(MeshDevice mesh, AllocationTracker tracker) {
            Assertions.assertThat(tracker.history().meshes()).hasSize(1);
        }

        @Nested
        class InnerTestCase {
            @Test
            void aNestedClassThatAsksForTheSameSharesIt(MeshDevice mesh, AllocationTracker tracker) {
                Assertions.assertThat(tracker.history().phases()).hasSizeGreaterThan(3);
                Assertions.assertThat(tracker.history().meshes()).hasSize(1);
            }
        }
    }

    // Policies of tests that are each responsible and share the mesh

    @TrackAllocations(
            lifetime = TrackingLifetime.CLASS,
            accounting = Accounting.EACH_TEST,
            check = AllocationCheck.NONE)
    @Retention(RetentionPolicy.RUNTIME)
    private @interface Unchecked {}

    @TrackAllocations(
            lifetime = TrackingLifetime.CLASS,
            accounting = Accounting.EACH_TEST,
            check = AllocationCheck.CLEAN)
    @Retention(RetentionPolicy.RUNTIME)
    private @interface Clean {}

    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    @MustFail(verdict = Outcome.LEAKED, frame = "ClassSaysNothingTestCase.leaks")
    static class ClassSaysNothingTestCase {
        @BeforeAll
        static void leaks(MeshDevice mesh) {
            Buffers.take(mesh);
        }

        @Test
        @Clean
        void test() {}
    }

    @Configured("meshguard.check=clean")
    @Unchecked
    static class ClassSaysNoneTestCase extends ClassSaysNothingTestCase {}

    @Configured("meshguard.check=none")
    static class RunSaysNoneTestCase extends ClassSaysNothingTestCase {}

    @TrackAllocations(check = AllocationCheck.NONE)
    @MustFail(run = true, verdict = Outcome.LEAKED)
    static class OfRunTestCase extends UnownedMemoryTestCase {}

    @Configured("meshguard.check=none")
    static class OfUncheckedRunTestCase extends OfRunTestCase {}

    @TrackAllocations(lifetime = TrackingLifetime.CLASS)
    @MustFail(error = IllegalStateException.class, message = "the class itself", suppressed = Outcome.LEAKED)
    static class BrokenClassTestCase {
        @BeforeAll
        static void leaks(MeshDevice mesh) {
            Buffers.take(mesh);
            throw new IllegalStateException("the class itself");
        }

        @Test
        @Runs(0)
        void isNeverReached() {}
    }
}
