package dev.meshguard.junit;

import static dev.meshguard.junit.testkit.JupiterRun.runInvocation;
import static dev.meshguard.junit.testkit.JupiterRun.runTest;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;
import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.meshguard.event.BufferType;
import dev.meshguard.junit.mesh.FailEachAllocation;
import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.junit.testkit.JupiterRun;
import dev.meshguard.junit.testkit.MustFail;
import dev.meshguard.junit.testkit.MustLeak;
import dev.meshguard.junit.testkit.Runs;
import dev.meshguard.junit.testkit.WithFixtures;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.verdict.Outcome;
import java.util.List;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.opentest4j.AssertionFailedError;

/** Expected buffers may remain, within their bounds. */
class ExpectBuffersTests implements WithFixtures {

    @TrackAllocations
    static class ConditionsTestCase {
        @Test
        @ExpectBuffers(
                type = BufferType.DRAM,
                devices = {0, 1, 2, 3, 4, 5, 6, 7},
                size = 4_096,
                atLeast = 8,
                atMost = 9,
                label = "weights",
                origin = "ConditionsTestCase.aBufferThatFitsEveryConditionIsExpected",
                until = "9999-12-31",
                because = "shared")
        void aBufferThatFitsEveryConditionIsExpected(MeshDevice mesh) {
            Buffers.take(mesh, "weights");
        }

        @Test
        @ExpectBuffers(
                type = BufferType.L1,
                device = 3,
                size = 64,
                atMost = 7,
                label = "weights",
                owner = "program",
                origin = "Model.load",
                until = "9999-12-31",
                because = "loaded before")
        @MustFail(
                verdict = Outcome.LEAKED,
                text =
                        "Never matched: 1 (L1, device 3, 64 B each, owner \"program\", label \"weights\", origin \"Model.load\","
                                + " at most 7 buffers, until 9999-12-31, because \"loaded before\")")
        void oneThatDoesNotIsALeakThatNamesThem(MeshDevice mesh) {
            Buffers.take(mesh);
        }

        @Test
        @ExpectBuffers(type = BufferType.DRAM, atMost = 7, because = "seven are enough")
        @MustFail(verdict = Outcome.LEAKED, text = "because \"seven are enough\"); 1 more than that allows")
        void oneMoreThanTheBoundIsALeak(MeshDevice mesh) {
            Buffers.take(mesh);
        }
    }

    @TrackAllocations
    @ExpectBuffers(label = "outer", because = "of the class around")
    static class AddingTestCase {
        @Nested
        @ExpectBuffers(label = "class", because = "of the class")
        @ExpectBuffers(label = "class too", because = "of the class as well")
        class InnerTestCase {
            @Test
            @ExpectBuffers(label = "method", because = "of the method")
            void entriesOfMethodClassAndClassAroundAddUp(MeshDevice mesh) {
                Buffers.take(mesh, "outer");
                Buffers.take(mesh, "class");
                Buffers.take(mesh, "class too");
                Buffers.take(mesh, "method");
            }
        }
    }

    @ExpectBuffers(label = "weights", because = "shared")
    static class AloneTestCase {
        @MustLeak
        void anEntryAloneTracksTheTest(MeshDevice mesh) {
            Buffers.take(mesh, "cache");
        }
    }

    // An entry that requires buffers: one on a method must match in one of its invocations; one on a class need not
    // match

    private static final String RIGHT = "   fix   If that is right, remove the entry, or it will hide the next leak.";

    @TrackAllocations
    static class OnMethodsTestCase {
        @Test
        @MustFail(
                verdict = Outcome.STALE_EXPECTATION,
                text = "1. no survivor matches: exactly 16 buffers, because \"shared\"\n" + RIGHT)
        @ExpectBuffers(exactly = 16, because = "shared")
        void exactlySixteenWithNoneLeftFailTheTest(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
        }

        @Test
        @MustFail(error = AssertionFailedError.class, message = """
                STALE  1 expectation on ExpectBuffersTests$OnMethodsTestCase#aTestThatUsesNoMemoryBreaksItsPromiseToo promises \
                more than survived
                1. no memory was used through MeshGuard: exactly 16 buffers, because "shared"
                """ + RIGHT)
        @ExpectBuffers(exactly = 16, because = "shared")
        void aTestThatUsesNoMemoryBreaksItsPromiseToo() {}

        @Test
        @MustFail(error = AssertionFailedError.class, message = "before it allocates", alone = true)
        @ExpectBuffers(exactly = 16, because = "shared")
        void aTestThatFailedBreaksNoPromise(MeshDevice mesh) {
            Assertions.fail("before it allocates");
        }

        @Test
        @Disabled("JUnit creates its instance nevertheless")
        @Runs(0)
        @ExpectBuffers(exactly = 16, because = "shared")
        void aTestThatIsDisabledBreaksNoPromise(MeshDevice mesh) {}

        @TestFactory
        @Disabled("JUnit creates its instance nevertheless")
        @Runs(0)
        @ExpectBuffers(exactly = 16, because = "shared")
        List<DynamicTest> aFactoryThatIsDisabledBreaksNoPromise(MeshDevice mesh) {
            return List.of();
        }

        @Runs(2)
        @FailEachAllocation
        @ExpectBuffers(exactly = 8, because = "shared")
        void invocationsWithInjectedFailuresNeedNotKeepThePromise(MeshDevice mesh) {
            Buffers.take(mesh);
        }
    }

    @TrackAllocations(check = AllocationCheck.NONE)
    static class UncheckedTestCase {
        @Test
        @ExpectBuffers(exactly = 16, because = "shared")
        void aTestThatIsNotCheckedBreaksNoPromise() {}
    }

    @TrackAllocations
    @ExpectBuffers(label = "weights", exactly = 8, because = "shared")
    static class OnClassTestCase {
        @Test
        void oneTestOfAClassMayKeepItsPromise(MeshDevice mesh) {
            Buffers.take(mesh, "weights");
        }

        @Test
        void anEntryOnAClassMayMatchNothingInOneTest(MeshDevice mesh) {}
    }

    @TrackAllocations
    @ExpectBuffers(label = "weights", exactly = 9, because = "shared")
    static class LessOnAClassTestCase {
        @Test
        @MustFail(verdict = Outcome.STALE_EXPECTATION)
        void lessThanAnEntryOnAClassPromisesFailsTheTest(MeshDevice mesh) {
            Buffers.take(mesh, "weights");
        }
    }

    @TrackAllocations
    static class InvocationsTestCase {
        @Runs(3)
        @ParameterizedTest
        @ValueSource(booleans = {false, true, false})
        @ExpectBuffers(label = "weights", exactly = 8, because = "shared")
        void oneInvocationThatKeepsThePromiseIsEnough(boolean keeps, MeshDevice mesh) {
            if (keeps) {
                Buffers.take(mesh, "weights");
            }
        }

        @RepeatedTest(2)
        @MustFail(
                container = true,
                frame = "InvocationsTestCase.aPromiseThatNoInvocationKeepsFailsTheMethod",
                error = AssertionFailedError.class,
                message = """
                STALE  1 expectation on ExpectBuffersTests$InvocationsTestCase#aPromiseThatNoInvocationKeepsFailsTheMethod \
                promises more than survived
                1. no survivor matches in any of 2 checks: label "weights", exactly 8 buffers, because "shared"
                """ + RIGHT)
        @ExpectBuffers(label = "weights", exactly = 8, because = "shared")
        void aPromiseThatNoInvocationKeepsFailsTheMethod(MeshDevice mesh) {}

        @Runs(2)
        @ParameterizedTest
        @ValueSource(ints = {2, 1})
        @MustFail(verdict = Outcome.STALE_EXPECTATION)
        @ExpectBuffers(exactly = 16, because = "shared")
        void oneInvocationWithLessThanIsPromisedFailsByItself(int times, MeshDevice mesh) {
            for (int i = 0; i < times; i++) {
                Buffers.take(mesh);
            }
        }

        @Runs(2)
        @ParameterizedTest
        @ValueSource(booleans = {true, false})
        @MustFail(invocation = 1, error = AssertionFailedError.class, message = "before it allocates", alone = true)
        @ExpectBuffers(exactly = 8, because = "shared")
        void ofInvocationsOfWhichOneFailedNothingIsSaid(boolean fails, MeshDevice mesh) {
            if (fails) {
                Assertions.fail("before it allocates");
            }
        }
    }

    /** JUnit enters a disabled test only if that has an instance of its own. */
    @TrackAllocations
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    static class DisabledInvocationTestCase {
        @RepeatedTest(2)
        @Runs(1)
        @ExtendWith(DisablesTheSecond.class)
        @ExpectBuffers(exactly = 8, because = "shared")
        void ofInvocationsOfWhichOneIsDisabledNothingIsSaid(MeshDevice mesh) {}
    }

    private static final class DisablesTheSecond implements ExecutionCondition {
        @Override
        public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
            return context.getUniqueId().endsWith("#2]")
                    ? ConditionEvaluationResult.disabled("for now")
                    : ConditionEvaluationResult.enabled("not the second");
        }
    }

    @Test
    void invocationsAtTheSameTimeKeepAPromiseTogether() {
        assertThat(runTest(
                        InvocationsTestCase.class, "oneInvocationThatKeepsThePromiseIsEnough", JupiterRun.CONCURRENTLY))
                .hasOnlySucceeded(3);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void ofInvocationsOfWhichSomeWereLeftOutNothingIsSaid(int selected) {
        assertThat(runInvocation(InvocationsTestCase.class, "oneInvocationThatKeepsThePromiseIsEnough", selected))
                .hasOnlySucceeded(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void ofDynamicTestsOfWhichSomeWereLeftOutNothingIsSaid(int selected) {
        assertThat(runInvocation(DynamicTestCase.class, "dynamicTestsKeepAPromiseTogether", selected))
                .hasOnlySucceeded(1);
    }

    @TrackAllocations
    static class DynamicTestCase {
        @Runs(3)
        @TestFactory
        @ExpectBuffers(exactly = 8, because = "shared")
        List<DynamicTest> dynamicTestsKeepAPromiseTogether(MeshDevice mesh) {
            return List.of(
                    dynamicTest("keeps nothing", () -> {}),
                    dynamicTest("keeps", () -> Buffers.take(mesh)),
                    dynamicTest("keeps nothing either", () -> {}));
        }

        @Runs(2)
        @TestFactory
        @MustFail(container = true, error = AssertionFailedError.class, message = """
                STALE  1 expectation on ExpectBuffersTests$DynamicTestCase#dynamicTestsBreakAPromiseTogether promises more \
                than survived
                1. no survivor matches in any of 2 checks: exactly 8 buffers, because "shared"
                """ + RIGHT)
        @ExpectBuffers(exactly = 8, because = "shared")
        List<DynamicNode> dynamicTestsBreakAPromiseTogether(MeshDevice mesh) {
            return List.of(
                    dynamicTest("frees", () -> Buffers.take(mesh).deallocate()),
                    dynamicContainer("container", List.of(dynamicTest("takes nothing", () -> {}))));
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    static class SharedMeshTestCase {
        @Test
        @MustFail(verdict = Outcome.STALE_EXPECTATION)
        @ExpectBuffers(exactly = 8, because = "shared")
        void aTestThatFreesBreaksItsPromise(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
        }

        @Test
        @ExpectBuffers(exactly = 8, because = "shared")
        void aTestKeepsItsPromiseByItself(MeshDevice mesh) {
            Buffers.take(mesh);
        }

        @Runs(2)
        @ParameterizedTest
        @ValueSource(booleans = {false, true})
        @ExpectBuffers(exactly = 8, because = "shared")
        void oneInvocationIsEnough(boolean keeps, MeshDevice mesh) {
            if (keeps) {
                Buffers.take(mesh);
            }
        }

        @RepeatedTest(2)
        @MustFail(
                container = true,
                text = "noInvocationKeepsIt promises more than survived 1. no memory was used through MeshGuard")
        @ExpectBuffers(exactly = 8, because = "shared")
        void noInvocationKeepsIt(MeshDevice mesh) {}

        @TestFactory
        @ExpectBuffers(exactly = 8, because = "shared")
        DynamicTest aFactoryKeepsItsPromiseByWhatItLeavesItself(MeshDevice mesh) {
            Buffers.take(mesh);
            return dynamicTest("takes nothing", () -> {});
        }
    }

    @TrackAllocations
    @ParameterizedClass
    @ValueSource(booleans = {false, true})
    @MustFail(text = "#broken promises more than survived\n1. no survivor matches in any of 2 checks: ")
    static class ParameterizedTestCase {
        @Parameter
        private boolean keeps;

        @Runs(2)
        @Test
        @ExpectBuffers(exactly = 8, because = "shared")
        void kept(MeshDevice mesh) {
            if (keeps) {
                Buffers.take(mesh);
            }
        }

        @Runs(2)
        @Test
        @ExpectBuffers(exactly = 8, because = "shared")
        void broken(MeshDevice mesh) {}
    }
}
