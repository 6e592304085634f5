package dev.meshguard.junit.mesh;

import static dev.meshguard.junit.testkit.JupiterRun.run;
import static dev.meshguard.junit.testkit.JupiterRun.runInvocation;
import static dev.meshguard.junit.testkit.JupiterRun.runTest;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.junit.MeshGuardExtension;
import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.junit.testkit.JupiterRun;
import dev.meshguard.junit.testkit.MustFail;
import dev.meshguard.junit.testkit.Runs;
import dev.meshguard.junit.testkit.WithFixtures;
import dev.meshguard.mesh.MeshBuffer;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.allocator.DeviceOutOfMemoryException;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.fault.FaultPlan;
import dev.meshguard.mesh.runtime.RuntimePreset;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.verdict.Outcome;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.opentest4j.AssertionFailedError;

/** A test runs once for each of its allocations, and must free everything when that one fails. */
class FailEachAllocationTests implements WithFixtures {

    private static final String CLASS = "FailEachAllocationTests$DecodingTestCase";
    private static final String FAILED = " failed by injection: DRAM at dev.meshguard.junit.mesh." + CLASS;
    private static final String REFUSAL = "@FailEachAllocation on " + CLASS + "#";
    private static final String SKIPPED =
            " What an earlier run left in static fields, or the order of threads, may be the reason. No later allocation was failed.";

    @TrackAllocations
    @FakeMesh(rows = 1, columns = 2)
    static class DecodingTestCase {
        @Runs(4)
        @FailEachAllocation
        void runsOnceWithoutFaultsAndOnceForEachAllocation(MeshDevice mesh) {
            List<MeshBuffer> taken = new ArrayList<>();
            try {
                taken.add(Buffers.take(mesh));
                taken.add(mesh.allocate(BufferConfig.of(BufferType.L1, 2_048, 2_048)));
                taken.add(Buffers.take(mesh));
            } finally {
                taken.forEach(MeshBuffer::deallocate);
            }
        }

        @Runs(3)
        @MustFail(
                verdict = Outcome.LEAKED,
                text = {
                    "LEAK  8 KiB in 2 DRAM buffers, LOST",
                    "label \"weights\"",
                    "note    allocation 2 of 2" + FAILED + ".leaks(FailEachAllocationTests.java:NN)",
                    "note    mesh 0 was still open; MeshGuard cleared its program cache and closed it",
                    "rerun   mvn test -Dtest='FailEachAllocationTests$DecodingTestCase#leaks'"
                })
        @FailEachAllocation
        void leaks(MeshDevice mesh) {
            MeshBuffer weights = Buffers.take(mesh, "weights");
            MeshBuffer tokens = Buffers.take(mesh, "tokens");
            tokens.deallocate();
            weights.deallocate();
        }

        @Runs(2)
        @MustFail(
                error = IllegalStateException.class,
                message = "nothing to clean up",
                note = "allocation 1 of 1" + FAILED
                        + ".anErrorPathThatFailsInAnotherWayFailsTheRun(FailEachAllocationTests.java:NN)")
        @FailEachAllocation
        @SuppressWarnings("Finally") // The missing free is the tested defect.
        void anErrorPathThatFailsInAnotherWayFailsTheRun(MeshDevice mesh) {
            MeshBuffer taken = null;
            try {
                taken = Buffers.take(mesh);
            } finally {
                if (taken == null) {
                    throw new IllegalStateException("nothing to clean up");
                }
                taken.deallocate();
            }
        }

        @Runs(2)
        @FailEachAllocation
        void theInjectedErrorMayLeaveAsACauseOfAnother(MeshDevice mesh) {
            try {
                Buffers.take(mesh).deallocate();
            } catch (DeviceOutOfMemoryException full) {
                throw new IllegalStateException("cannot decode", new RuntimeException(full));
            }
        }

        @Runs(2)
        @FailEachAllocation
        void theInjectedErrorMayBeAllThatAnAssertionCollects(MeshDevice mesh) {
            org.junit.jupiter.api.Assertions.assertAll(() -> Buffers.take(mesh).deallocate());
        }

        @Runs(2)
        @FailEachAllocation(mayThrow = UnsupportedOperationException.class)
        void whatReplacesTheInjectedErrorMayBeNamed(MeshDevice mesh) {
            try {
                Buffers.take(mesh).deallocate();
            } catch (DeviceOutOfMemoryException full) {
                throw new UnsupportedOperationException("cannot decode");
            }
        }

        @MustFail(error = IllegalStateException.class, message = "always")
        @FailEachAllocation(mayThrow = IllegalStateException.class)
        void whatMayBeThrownInARunWithAFaultMayNotInTheOneWithout(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
            throw new IllegalStateException("always");
        }

        @Runs(2)
        @MustFail(
                error = AssertionFailedError.class,
                note = "allocation 1 of 1" + FAILED + ".tryToDecode(FailEachAllocationTests.java:NN)")
        @FailEachAllocation
        void anAssertionThatFailsBecauseTheErrorWasSwallowedFailsTheRun(MeshDevice mesh) {
            Assertions.assertThat(tryToDecode(mesh)).isTrue();
        }

        private static boolean tryToDecode(MeshDevice mesh) {
            try {
                Buffers.take(mesh).deallocate();
                return true;
            } catch (DeviceOutOfMemoryException full) {
                return false;
            }
        }

        @Runs(2)
        @FailEachAllocation
        void aTestCanAskWhetherItsAllocationFailed(MeshDevice mesh, FailedAllocation failed) {
            Assertions.assertThat(failed.hasHappened()).isFalse();
            Assertions.assertThat(tryToDecode(mesh)).isEqualTo(!failed.hasHappened());
            Assertions.assertThat(failed.hasHappened())
                    .isEqualTo(failed.number().isPresent());
            Assertions.assertThat(failed.site().map(StackTraceElement::getMethodName))
                    .isEqualTo(failed.number().stream()
                            .mapToObj(number -> "tryToDecode")
                            .findFirst());
        }

        @Runs(2)
        @FailEachAllocation
        void aSmallerAllocationMaySucceed(MeshDevice mesh) {
            decodeTwice(mesh);
        }

        @Runs(2)
        @MustFail(
                error = IllegalStateException.class,
                message = "no memory for the smaller one either",
                note = "allocation 1 of 1 and all after it" + FAILED + ".decodeTwice(FailEachAllocationTests.java:NN)")
        @FailEachAllocation(lasting = true)
        void whereMemoryStaysFullEveryLaterAllocationFailsToo(MeshDevice mesh) {
            decodeTwice(mesh);
        }

        private static void decodeTwice(MeshDevice mesh) {
            try {
                Buffers.take(mesh).deallocate();
            } catch (DeviceOutOfMemoryException full) {
                if (!tryToDecode(mesh)) {
                    throw new IllegalStateException("no memory for the smaller one either");
                }
            }
        }

        @Runs(2)
        @MustFail(
                error = AssertionFailedError.class,
                message =
                        REFUSAL + "codeThatRetriesForEverIsStopped: allocation 1 of 1 and all after it" + FAILED
                                + ".tryToDecode(FailEachAllocationTests.java:NN). After that the test made 20 allocations more than without"
                                + " faults, which is the limit, and asked again: DRAM at dev.meshguard.junit.mesh."
                                + CLASS
                                + ".tryToDecode(FailEachAllocationTests.java:NN). Let code that retries give up, or raise the limit.")
        @FailEachAllocation(limit = 20, lasting = true)
        void codeThatRetriesForEverIsStopped(MeshDevice mesh) {
            while (!tryToDecode(mesh)) {
                Thread.onSpinWait();
            }
        }

        @MustFail(
                error = AssertionFailedError.class,
                message = REFUSAL
                        + "codeThatAllocatesWithoutEndIsStoppedInTheFirstRun: the test made 5 allocations without any"
                        + " fault, which is the limit, and asked again: DRAM at dev.meshguard.junit.mesh." + CLASS
                        + ".tryToDecode(FailEachAllocationTests.java:NN). Each would be a run of its own. Raise the limit or test"
                        + " less at a time; code that allocates until memory is full needs a bound.")
        @FailEachAllocation(limit = 5)
        void codeThatAllocatesWithoutEndIsStoppedInTheFirstRun(MeshDevice mesh) {
            while (tryToDecode(mesh)) {
                Thread.onSpinWait();
            }
        }

        @MustFail(
                error = AssertionFailedError.class,
                message = REFUSAL
                        + "aTestThatAllocatesNothingFails: the test made no allocation through the mesh or the Ttnn that"
                        + " it is given, so none was failed. Only those of the test method count; a mesh that a constructor or a"
                        + " @BeforeAll method was given under PER_CLASS is the class's.")
        @FailEachAllocation
        void aTestThatAllocatesNothingFails(MeshDevice mesh) {}

        @MustFail(verdict = Outcome.LEAKED)
        @FailEachAllocation
        void aTestThatFailsWithoutFaultsRunsOnce(MeshDevice mesh) {
            Buffers.take(mesh);
        }

        @MustFail(aborted = true)
        @FailEachAllocation
        void aTestThatIsAbortedWithoutFaultsRunsOnce(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
            Assumptions.abort("not here");
        }

        @Runs(2)
        @FailEachAllocation
        void aMeshThatTheTestOpensItselfCounts(Ttnn ttnn) {
            try (MeshDevice mesh = ttnn.openDevice(0)) {
                Buffers.take(mesh).deallocate();
            }
        }

        @Runs(2)
        @FailEachAllocation
        @Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
        void worksWithATimeoutOnAnotherThread(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
        }
    }

    @Test
    void namesEachInvocation() {
        String test = "runsOnceWithoutFaultsAndOnceForEachAllocation";

        assertThat(runTest(DecodingTestCase.class, test, Map.of()))
                .hasInvocationsNamed(
                        test,
                        "without faults",
                        "allocation 1 of 3 fails: " + CLASS + "." + test + ":NN",
                        "allocation 2 of 3 fails: " + CLASS + "." + test + ":NN",
                        "allocation 3 of 3 fails: " + CLASS + "." + test + ":NN");
    }

    @Test
    void oneRunCanBeRunAgainByItself() {
        var results = runInvocation(DecodingTestCase.class, "leaks", 3);

        assertThat(results).hasInvocationsNamed("leaks", "allocation 2 fails");
        assertThat(results)
                .hasTest("leaks")
                .whichFailed()
                .withVerdict(Outcome.LEAKED)
                .withTextContaining("note    allocation 2 failed by injection: DRAM at dev.meshguard");
    }

    @Test
    void aRunThatIsRunByItselfAndDoesNotComeToItsFaultIsAborted() {
        assertThat(runInvocation(DecodingTestCase.class, "leaks", 5))
                .hasSingleTest()
                .whichWasAborted()
                .withText(REFUSAL + "leaks: allocation 4 was to fail, but this run made 2." + SKIPPED);
    }

    @Test
    void aRunThatDoesNotComeToItsFaultIsAbortedAndTheLast() {
        var results = run(WarmingUpCase.class);

        assertThat(results)
                .hasInvocationsNamed(
                        "decode",
                        "without faults",
                        "allocation 1 of 3 fails: FailEachAllocationTests$WarmingUpCase.decode:NN",
                        "allocation 2 of 3 fails: FailEachAllocationTests$WarmingUpCase.decode:NN");
        assertThat(results)
                .hasInvocation("decode", 3)
                .whichWasAborted()
                .withText(
                        "@FailEachAllocation on FailEachAllocationTests$WarmingUpCase#decode: allocation 2 was to fail, but"
                                + " this run made 1; the one without faults made 3." + SKIPPED);
    }

    @TestInstance(Lifecycle.PER_CLASS)
    static class WarmingUpCase {
        private boolean isWarm;

        @FailEachAllocation
        void decode(MeshDevice mesh) {
            for (int i = 0; i < (isWarm ? 1 : 3); i++) {
                Buffers.take(mesh).deallocate();
            }
            isWarm = true;
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"FORK_JOIN_POOL", "WORKER_THREAD_POOL"}) // JUnit 6 has the second one.
    void runsComeOneAfterTheOtherWhereTestsRunAtTheSameTime(String pool) {
        Map<String, String> parameters = new HashMap<>(JupiterRun.CONCURRENTLY);
        parameters.put("junit.jupiter.execution.parallel.config.executor-service", pool);

        assertThat(runTest(DecodingTestCase.class, "runsOnceWithoutFaultsAndOnceForEachAllocation", parameters))
                .hasOnlySucceeded(4);
    }

    static class LifecycleTestCase {
        private boolean isOver;

        @BeforeEach
        @AfterEach
        void allocates(MeshDevice mesh, FailedAllocation failed) {
            Assertions.assertThat(failed.hasHappened())
                    .isEqualTo(isOver && failed.number().isPresent());
            Buffers.take(mesh).deallocate();
            isOver = true;
        }

        @Runs(2)
        @FailEachAllocation
        void lifecycleMethodsAreLeftAlone(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
        }
    }

    static class SettingsTestCase {
        @RegisterExtension
        static final MeshGuardExtension MESH_GUARD = MeshGuardExtension.builder()
                .source(FakeMeshSource.builder()
                        .mesh(1, 1)
                        .runtime(runtime -> runtime.preset(RuntimePreset.OCTOBER_2025))
                        .faults(FaultPlan.none().failingOperation(1, "synchronize"))
                        .build())
                .build();

        @Runs(2)
        @FailEachAllocation
        void worksWithWhatTheTestAsksFor(MeshDevice mesh, Ttnn ttnn) {
            Assertions.assertThat(mesh.shape()).isEqualTo(MeshShape.of(1, 1));
            Assertions.assertThat(ttnn.outstandingFaults()).hasSize(1);
            Buffers.take(mesh).deallocate();
        }
    }

    static class NestedTestCase {
        @Nested
        @TrackAllocations
        @FakeMesh(rows = 1, columns = 1)
        @TestInstance(Lifecycle.PER_CLASS)
        class Inner {
            @Runs(2)
            @WithoutMemory
            void worksInNestedClassesWithOneInstanceAndInComposedAnnotations(MeshDevice mesh) {
                Buffers.take(mesh).deallocate();
            }
        }
    }

    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.METHOD)
    @FailEachAllocation(limit = 10)
    @interface WithoutMemory {}
}
