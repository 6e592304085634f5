package dev.meshguard.junit;

import static dev.meshguard.junit.testkit.JupiterRun.run;
import static dev.meshguard.junit.testkit.JupiterRun.runConcurrently;
import static dev.meshguard.junit.testkit.JupiterRun.runInvocation;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;
import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.meshguard.junit.mesh.FailEachAllocation;
import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verdict.expectation.Expectation;
import java.util.List;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.opentest4j.AssertionFailedError;
import org.opentest4j.TestAbortedException;

/** An entry on a method must match in one of its invocations; one on a class need not match. */
class PromisedBuffersTests {

    private static final String WHERE_THAT_IS_RIGHT =
            "   fix   If that is right, remove the entry, or it will hide the next leak.";

    @Test
    void exactlySixteenWithNoneLeftFailTheTest() {
        assertThat(run(NoneLeftTestCase.class))
                .hasTest("exactly")
                .whichFailed()
                .withVerdict(Outcome.STALE_EXPECTATION)
                .withTextContaining(
                        "1. no survivor matches: exactly 16 buffers, because \"shared\"\n" + WHERE_THAT_IS_RIGHT);
        assertThat(run(NoneLeftTestCase.class)).hasTest("atLeast").whichFailed().withVerdict(Outcome.STALE_EXPECTATION);
    }

    @Test
    void aBoundThatAllowsNoneIsKeptByNone() {
        assertThat(run(NoneIsAllowedTestCase.class)).hasOnlySucceeded(3);
    }

    @Test
    void aTestThatUsesNoMemoryBreaksItsPromiseToo() {
        assertThat(run(NoMemoryTestCase.class))
                .hasSingleTest()
                .whichFailed()
                .with(AssertionFailedError.class, """
                STALE  1 expectation on PromisedBuffersTests$NoMemoryTestCase#test promises more than survived
                1. no memory was used through MeshGuard: exactly 16 buffers, because "shared"
                """ + WHERE_THAT_IS_RIGHT);
    }

    @Test
    void aTestThatFailedOrWasAbortedBreaksNoPromise() {
        assertThat(run(FailedTestCase.class))
                .hasTest("fails")
                .whichFailed()
                .with(AssertionFailedError.class, "before it allocates")
                .withNothingSuppressed();
        assertThat(run(FailedTestCase.class))
                .hasTest("aborts")
                .whichWasAborted()
                .with(TestAbortedException.class, "Assumption failed: before it allocates")
                .withNothingSuppressed();
        assertThat(run(FailedTestCase.class))
                .hasTest("failsWithoutMemory")
                .whichFailed()
                .withNothingSuppressed();
    }

    @Test
    void aTestThatIsNotCheckedBreaksNoPromise() {
        assertThat(run(UncheckedTestCase.class)).hasOnlySucceeded(2);
    }

    @Test
    void anEntryOnAClassMayMatchNothingInOneTest() {
        assertThat(run(ClassTestCase.class)).hasOnlySucceeded(2);
    }

    @Test
    void lessThanAnEntryOnAClassPromisesFailsTheTest() {
        assertThat(run(LessOnAClassTestCase.class))
                .hasSingleTest()
                .whichFailed()
                .withVerdict(Outcome.STALE_EXPECTATION);
    }

    @Test
    void anEntryOfAnExtensionInAFieldMayMatchNothingInOneTest() {
        assertThat(run(FieldTestCase.class)).hasOnlySucceeded(1);
    }

    @Test
    void oneInvocationThatKeepsThePromiseIsEnough() {
        assertThat(run(KeptByOneTestCase.class)).hasOnlySucceeded(3);
        assertThat(runConcurrently(KeptByOneTestCase.class)).hasOnlySucceeded(3);
    }

    @Test
    void aPromiseThatNoInvocationKeepsFailsTheMethod() {
        assertThat(run(KeptByNoneTestCase.class))
                .hasFailedContainerCalled("test(boolean, MeshDevice)")
                .whichFailed()
                .withFirstFrameIn(KeptByNoneTestCase.class, "test")
                .with(AssertionFailedError.class, """
                        STALE  1 expectation on PromisedBuffersTests$KeptByNoneTestCase#test promises more than survived
                        1. no survivor matches in any of 2 checks: label "weights", exactly 8 buffers, because "shared"
                        """ + WHERE_THAT_IS_RIGHT);
    }

    @Test
    void oneInvocationWithLessThanIsPromisedFailsByItself() {
        assertThat(run(LessInOneTestCase.class))
                .hasInvocation("test", 2)
                .whichFailed()
                .withVerdict(Outcome.STALE_EXPECTATION);
    }

    @Test
    void ofInvocationsOfWhichOneFailedNothingIsSaid() {
        assertThat(run(OneFailsTestCase.class))
                .hasSingleFailure()
                .whichFailed()
                .with(AssertionFailedError.class, "before it allocates")
                .withNothingSuppressed();
        assertThat(run(OneFailsTestCase.class)).hasTemplate("test").whichSucceeded();
    }

    @Test
    void ofInvocationsOfWhichSomeWereLeftOutNothingIsSaid() {
        assertThat(runInvocation(KeptByOneTestCase.class, "parameters", 2)).hasOnlySucceeded(1);
    }

    @Test
    void repetitionsKeepAPromiseTogether() {
        assertThat(run(RepeatedTestCase.class))
                .hasFailedContainerCalled("test(MeshDevice)")
                .whichFailed()
                .with(AssertionFailedError.class);
    }

    @Test
    void dynamicTestsKeepAPromiseTogether() {
        assertThat(run(DynamicTestCase.class)).hasTestCalled("keeps").whichSucceeded();
        assertThat(run(DynamicTestCase.class)).hasTemplate("kept").whichSucceeded();
        assertThat(run(DynamicTestCase.class))
                .hasFailedContainerCalled("broken(MeshDevice)")
                .whichFailed()
                .with(AssertionFailedError.class, """
                        STALE  1 expectation on PromisedBuffersTests$DynamicTestCase#broken promises more than survived
                        1. no survivor matches in any of 2 checks: exactly 8 buffers, because "shared"
                        """ + WHERE_THAT_IS_RIGHT);
    }

    @Test
    void dynamicTestsInContainersKeepAPromiseTogether() {
        assertThat(run(DynamicContainersTestCase.class))
                .hasFailedContainerCalled("broken(MeshDevice)")
                .whichFailed()
                .with(AssertionFailedError.class);
    }

    @Test
    void aFactoryOnAMeshThatOutlivesItKeepsItsPromiseByWhatItLeavesItself() {
        assertThat(run(SharedFactoryTestCase.class)).hasTemplate("kept").whichSucceeded();
    }

    @Test
    void testsOnAMeshThatOutlivesThemKeepTheirPromisesByThemselves() {
        assertThat(run(SharedMeshTestCase.class))
                .hasTest("takesAndFrees")
                .whichFailed()
                .withVerdict(Outcome.STALE_EXPECTATION);
        assertThat(run(SharedMeshTestCase.class))
                .hasTest("takesNothing")
                .whichFailed()
                .with(AssertionFailedError.class);
        assertThat(run(SharedMeshTestCase.class)).hasTest("keeps").whichSucceeded();
        assertThat(run(SharedMeshTestCase.class)).hasTemplate("once").whichSucceeded();
        assertThat(run(SharedMeshTestCase.class)).hasTemplate("never").whichFailed();
    }

    @Test
    void invocationsWithInjectedFailuresNeedNotKeepThePromise() {
        assertThat(run(FailingAllocationsTestCase.class)).hasOnlySucceeded(2);
    }

    @Test
    void invocationsOfAClassKeepAPromiseTogether() {
        assertThat(run(ParameterizedTestCase.class))
                .hasFailedClass()
                .whichFailed()
                .withTextContaining("#broken promises more than survived\n1. no survivor matches in any of 2 checks: ");
    }

    @TrackAllocations
    static class NoneLeftTestCase {
        @Test
        @ExpectBuffers(exactly = 16, because = "shared")
        void exactly(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
        }

        @Test
        @ExpectBuffers(atLeast = 1, atMost = 8, because = "shared")
        void atLeast(MeshDevice mesh) {}
    }

    @TrackAllocations
    static class NoneIsAllowedTestCase {
        @Test
        @ExpectBuffers(atMost = 16, because = "shared")
        void atMost(MeshDevice mesh) {}

        @Test
        @ExpectBuffers(exactly = 0, because = "none")
        void exactlyNone() {}

        @Test
        @ExpectBuffers(atLeast = 0, because = "any number")
        void atLeastNone(MeshDevice mesh) {}
    }

    @TrackAllocations
    static class NoMemoryTestCase {
        @Test
        @ExpectBuffers(exactly = 16, because = "shared")
        void test() {}
    }

    @TrackAllocations
    static class FailedTestCase {
        @Test
        @ExpectBuffers(exactly = 16, because = "shared")
        void fails(MeshDevice mesh) {
            Assertions.fail("before it allocates");
        }

        @Test
        @ExpectBuffers(exactly = 16, because = "shared")
        void aborts(MeshDevice mesh) {
            Assumptions.abort("Assumption failed: before it allocates");
        }

        @Test
        @ExpectBuffers(exactly = 16, because = "shared")
        void failsWithoutMemory() {
            Assertions.fail("before it allocates");
        }
    }

    @TrackAllocations(check = AllocationCheck.NONE)
    static class UncheckedTestCase {
        @Test
        @ExpectBuffers(exactly = 16, because = "shared")
        void test(MeshDevice mesh) {}

        @Test
        @ExpectBuffers(exactly = 16, because = "shared")
        void testWithoutMemory() {}
    }

    @TrackAllocations
    @ExpectBuffers(label = "weights", exactly = 8, because = "shared")
    static class ClassTestCase {
        @Test
        void keeps(MeshDevice mesh) {
            Buffers.take(mesh, "weights");
        }

        @Test
        void keepsNothing(MeshDevice mesh) {}
    }

    @TrackAllocations
    @ExpectBuffers(label = "weights", exactly = 9, because = "shared")
    static class LessOnAClassTestCase {
        @Test
        void keeps(MeshDevice mesh) {
            Buffers.take(mesh, "weights");
        }
    }

    static class FieldTestCase {
        @RegisterExtension
        static final MeshGuardExtension guard = MeshGuardExtension.builder()
                .expecting(Expectation.because("shared").exactly(8))
                .build();

        @Test
        void keepsNothing(MeshDevice mesh) {}
    }

    @TrackAllocations
    static class KeptByOneTestCase {
        @ParameterizedTest
        @ValueSource(booleans = {true, false, false})
        @ExpectBuffers(label = "weights", exactly = 8, because = "shared")
        void parameters(boolean keeps, MeshDevice mesh) {
            if (keeps) {
                Buffers.take(mesh, "weights");
            }
        }
    }

    @TrackAllocations
    static class KeptByNoneTestCase {
        @ParameterizedTest
        @ValueSource(booleans = {true, false})
        @ExpectBuffers(label = "weights", exactly = 8, because = "shared")
        void test(boolean unused, MeshDevice mesh) {}
    }

    @TrackAllocations
    static class LessInOneTestCase {
        @ParameterizedTest
        @ValueSource(ints = {2, 1})
        @ExpectBuffers(exactly = 16, because = "shared")
        void test(int times, MeshDevice mesh) {
            for (int i = 0; i < times; i++) {
                Buffers.take(mesh);
            }
        }
    }

    @TrackAllocations
    static class OneFailsTestCase {
        @ParameterizedTest
        @ValueSource(booleans = {true, false})
        @ExpectBuffers(exactly = 8, because = "shared")
        void test(boolean fails, MeshDevice mesh) {
            if (fails) {
                Assertions.fail("before it allocates");
            }
        }
    }

    @TrackAllocations
    static class RepeatedTestCase {
        @RepeatedTest(2)
        @ExpectBuffers(exactly = 8, because = "shared")
        void test(MeshDevice mesh) {}
    }

    @TrackAllocations
    static class DynamicTestCase {
        @TestFactory
        @ExpectBuffers(exactly = 8, because = "shared")
        List<DynamicTest> kept(MeshDevice mesh) {
            return List.of(dynamicTest("keeps", () -> Buffers.take(mesh)), dynamicTest("keeps nothing", () -> {}));
        }

        @TestFactory
        @ExpectBuffers(exactly = 8, because = "shared")
        List<DynamicTest> broken(MeshDevice mesh) {
            return List.of(
                    dynamicTest("frees", () -> Buffers.take(mesh).deallocate()),
                    dynamicTest("takes nothing", () -> {}));
        }
    }

    @TrackAllocations
    static class DynamicContainersTestCase {
        @TestFactory
        @ExpectBuffers(exactly = 8, because = "shared")
        List<DynamicNode> broken(MeshDevice mesh) {
            return List.of(
                    dynamicContainer("first", List.of(dynamicTest("takes nothing", () -> {}))),
                    dynamicContainer("second", List.of(dynamicTest("takes nothing", () -> {}))),
                    dynamicTest("takes nothing", () -> {}));
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    static class SharedFactoryTestCase {
        @TestFactory
        @ExpectBuffers(exactly = 8, because = "shared")
        List<DynamicTest> kept(MeshDevice mesh) {
            Buffers.take(mesh);
            return List.of(dynamicTest("takes nothing", () -> {}));
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    static class SharedMeshTestCase {
        @Test
        @ExpectBuffers(exactly = 8, because = "shared")
        void takesAndFrees(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
        }

        @Test
        @ExpectBuffers(exactly = 8, because = "shared")
        void takesNothing() {}

        @Test
        @ExpectBuffers(exactly = 8, because = "shared")
        void keeps(MeshDevice mesh) {
            Buffers.take(mesh);
        }

        @ParameterizedTest
        @ValueSource(booleans = {false, true})
        @ExpectBuffers(exactly = 8, because = "shared")
        void once(boolean keeps, MeshDevice mesh) {
            if (keeps) {
                Buffers.take(mesh);
            }
        }

        @ParameterizedTest
        @ValueSource(booleans = {false, true})
        @ExpectBuffers(exactly = 8, because = "shared")
        void never(boolean unused, MeshDevice mesh) {}
    }

    @TrackAllocations
    static class FailingAllocationsTestCase {
        @FailEachAllocation
        @ExpectBuffers(exactly = 8, because = "shared")
        void test(MeshDevice mesh) {
            Buffers.take(mesh);
        }
    }

    @TrackAllocations
    @ParameterizedClass
    @ValueSource(booleans = {false, true})
    static class ParameterizedTestCase {
        @Parameter
        private boolean keeps;

        @Test
        @ExpectBuffers(exactly = 8, because = "shared")
        void kept(MeshDevice mesh) {
            if (keeps) {
                Buffers.take(mesh);
            }
        }

        @Test
        @ExpectBuffers(exactly = 8, because = "shared")
        void broken(MeshDevice mesh) {}
    }
}
