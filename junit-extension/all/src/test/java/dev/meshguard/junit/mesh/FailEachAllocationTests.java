package dev.meshguard.junit.mesh;

import static dev.meshguard.junit.testkit.JupiterRun.run;
import static dev.meshguard.junit.testkit.JupiterRun.runConcurrently;
import static dev.meshguard.junit.testkit.JupiterRun.runInvocation;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.junit.ExpectBuffers;
import dev.meshguard.junit.MeshGuardExtension;
import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.mesh.MeshBuffer;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.allocator.DeviceOutOfMemoryException;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.buffer.MeshBufferConfig;
import dev.meshguard.mesh.fault.FaultPlan;
import dev.meshguard.mesh.runtime.RuntimePreset;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.Outcome;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
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
import org.opentest4j.AssertionFailedError;

/** A test runs once for each of its allocations, and must free everything when that one fails. */
class FailEachAllocationTests {

    @Test
    void runsOnceWithoutFaultsAndOnceForEachAllocation() {
        assertThat(run(CleanTestCase.class))
                .hasOnlySucceeded(4)
                .hasInvocationsNamed(
                        "decode",
                        "without faults",
                        "allocation 1 of 3 fails: FailEachAllocationTests$CleanTestCase.decode:NN",
                        "allocation 2 of 3 fails: FailEachAllocationTests$CleanTestCase.decode:NN",
                        "allocation 3 of 3 fails: FailEachAllocationTests$CleanTestCase.decode:NN");
    }

    @Test
    void reportsWhichAllocationFailedAndWhatItsErrorPathLeaks() {
        var results = run(LeakTestCase.class);
        assertThat(results).hasInvocation("decode", 1).whichSucceeded();
        assertThat(results).hasInvocation("decode", 2).whichSucceeded();
        var failure = assertThat(results)
                .hasInvocation("decode", 3)
                .whichFailed()
                .withVerdict(Outcome.LEAKED)
                .withFinding(Cause.LOST, 2, 4096, LeakTestCase.class, "decode")
                .withReport(
                        "mvn test -Dtest='FailEachAllocationTests$LeakTestCase#decode'",
                        "allocation 2 of 2 failed by injection: DRAM at dev.meshguard.junit.mesh.FailEachAllocationTests$LeakTestCase.decode(FailEachAllocationTests.java:NN)",
                        "mesh 0 was still open; MeshGuard cleared its program cache and closed it");
        Assertions.assertThat(failure.verdict().groups().get(0).label()).contains("weights");
    }

    @Test
    void anErrorPathThatFailsInAnotherWayFailsTheRun() {
        assertThat(run(BrokenCleanUpTestCase.class))
                .hasInvocation("decode", 2)
                .whichFailed()
                .with(IllegalStateException.class, "nothing to clean up")
                .withSuppressedText("allocation 1 of 1 failed by injection: DRAM at dev.meshguard.junit.mesh"
                        + ".FailEachAllocationTests$BrokenCleanUpTestCase.decode(FailEachAllocationTests.java:NN)");
    }

    @Test
    void theInjectedErrorMayLeaveAsACauseOfAnother() {
        assertThat(run(WrappingTestCase.class)).hasOnlySucceeded(2);
    }

    @Test
    void theInjectedErrorMayLeaveFromAnotherThread() {
        assertThat(run(OtherThreadTestCase.class)).hasOnlySucceeded(2);
    }

    @Test
    void theInjectedErrorMayBeAllThatAnAssertionCollects() {
        assertThat(run(CollectingTestCase.class)).hasOnlySucceeded(2);
    }

    @Test
    void whatReplacesTheInjectedErrorMayBeNamed() {
        assertThat(run(NamedTestCase.class)).hasOnlySucceeded(2);
    }

    @Test
    void whatMayBeThrownInARunWithAFaultMayNotInTheOneWithout() {
        assertThat(run(AlwaysThrowingTestCase.class))
                .hasSingleTest()
                .whichFailed()
                .with(IllegalStateException.class, "always");
    }

    @Test
    void anAssertionThatFailsBecauseTheErrorWasSwallowedFailsTheRun() {
        assertThat(run(SwallowingTestCase.class))
                .hasInvocation("decode", 2)
                .whichFailed()
                .with(AssertionFailedError.class)
                .withSuppressedText("allocation 1 of 1 failed by injection: DRAM at dev.meshguard.junit.mesh"
                        + ".FailEachAllocationTests$SwallowingTestCase.tryToDecode(FailEachAllocationTests.java:NN)");
    }

    @Test
    void aTestCanAskWhetherItsAllocationFailed() {
        assertThat(run(AskingTestCase.class)).hasOnlySucceeded(2);
    }

    @Test
    void whereMemoryStaysFullEveryLaterAllocationFailsToo() {
        var results = run(LastingTestCase.class);

        assertThat(results).hasInvocation("once", 2).whichSucceeded();
        assertThat(results)
                .hasInvocation("lasting", 2)
                .whichFailed()
                .with(IllegalStateException.class, "no memory for the smaller one either")
                .withSuppressedText(
                        "allocation 1 of 1 and all after it failed by injection: DRAM at dev.meshguard.junit.mesh"
                                + ".FailEachAllocationTests$LastingTestCase.decode(FailEachAllocationTests.java:NN)");
    }

    @Test
    void codeThatRetriesForEverIsStopped() {
        assertThat(run(RetryingTestCase.class))
                .hasInvocation("decode", 2)
                .whichFailed()
                .with(AssertionFailedError.class)
                .withText(
                        "@FailEachAllocation on FailEachAllocationTests$RetryingTestCase#decode: allocation 1 of 1 and all after it failed by injection:"
                                + " DRAM at dev.meshguard.junit.mesh.FailEachAllocationTests$SwallowingTestCase.tryToDecode(FailEachAllocationTests.java:NN). After that the test made 20 allocations more than without faults, which is the limit, and asked again:"
                                + " DRAM at dev.meshguard.junit.mesh.FailEachAllocationTests$SwallowingTestCase.tryToDecode(FailEachAllocationTests.java:NN). Let code that retries give up, or raise the limit.");
    }

    @Test
    void codeThatAllocatesWithoutEndIsStoppedInTheFirstRun() {
        assertThat(run(EndlessTestCase.class))
                .hasSingleTest()
                .whichFailed()
                .with(AssertionFailedError.class)
                .withText(
                        "@FailEachAllocation on FailEachAllocationTests$EndlessTestCase#decode: the test made 5 allocations without any fault, which is the limit, and asked again:"
                                + " DRAM at dev.meshguard.junit.mesh.FailEachAllocationTests$SwallowingTestCase.tryToDecode(FailEachAllocationTests.java:NN). Each would be a run of its own. Raise the limit or test less at a time; code that allocates until memory is"
                                + " full needs a bound.");
    }

    @Test
    void aTestThatAllocatesNothingFails() {
        assertThat(run(NothingTestCase.class))
                .hasSingleTest()
                .whichFailed()
                .with(AssertionFailedError.class)
                .withText(
                        "@FailEachAllocation on FailEachAllocationTests$NothingTestCase#decode: the test made no allocation through the mesh or the Ttnn that it is given, so none"
                                + " was failed. Only those of the test method count; a mesh that a constructor or a @BeforeAll method was given under"
                                + " PER_CLASS is the class's.");
    }

    @Test
    void aTestThatFailsWithoutFaultsRunsOnce() {
        assertThat(run(LeakWithoutFaultTestCase.class))
                .hasSingleTest()
                .whichFailed()
                .withVerdict(Outcome.LEAKED);
    }

    @Test
    void aTestThatIsAbortedWithoutFaultsRunsOnce() {
        assertThat(run(AbortedTestCase.class)).hasSingleTest().whichWasAborted();
    }

    @Test
    void aRunThatDoesNotComeToItsFaultIsAbortedAndTheLast() {
        var results = run(WarmingUpTestCase.class);

        assertThat(results)
                .hasInvocationsNamed(
                        "decode",
                        "without faults",
                        "allocation 1 of 3 fails: FailEachAllocationTests$WarmingUpTestCase.decode:NN",
                        "allocation 2 of 3 fails: FailEachAllocationTests$WarmingUpTestCase.decode:NN");
        assertThat(results)
                .hasInvocation("decode", 3)
                .whichWasAborted()
                .withText(
                        "@FailEachAllocation on FailEachAllocationTests$WarmingUpTestCase#decode: allocation 2 was to fail, but this run made 1; the one without faults made 3."
                                + " What an earlier run left in static fields, or the order of threads, may be the reason. No later allocation was failed.");
    }

    @Test
    void lifecycleMethodsAreLeftAlone() {
        assertThat(run(LifecycleTestCase.class)).hasOnlySucceeded(2);
    }

    @Test
    void aMeshThatTheTestOpensItselfCounts() {
        assertThat(run(OwnMeshTestCase.class)).hasOnlySucceeded(2);
    }

    @Test
    void worksWithWhatTheTestAsksFor() {
        assertThat(run(SettingsTestCase.class)).hasOnlySucceeded(2);
    }

    @Test
    void expectedBuffersAreExpectedInEachInvocation() {
        assertThat(run(ExpectingTestCase.class)).hasOnlySucceeded(3);
    }

    @Test
    void worksInNestedClassesAndInComposedAnnotations() {
        assertThat(run(NestedTestCase.class)).hasOnlySucceeded(2);
    }

    @Test
    void worksWithOneInstanceForAllRuns() {
        assertThat(run(PerClassTestCase.class)).hasOnlySucceeded(4);
    }

    @Test
    void worksWithATimeoutOnAnotherThread() {
        assertThat(run(TimeoutTestCase.class)).hasOnlySucceeded(2);
    }

    @Test
    void runsComeOneAfterTheOtherWhereTestsRunAtTheSameTime() {
        assertThat(runConcurrently(CleanTestCase.class)).hasOnlySucceeded(4);
    }

    @Test
    void runsComeOneAfterTheOtherOnThePoolOfWorkersThatJUnit6Has() {
        assertThat(runConcurrently(
                        CleanTestCase.class,
                        Map.of("junit.jupiter.execution.parallel.config.executor-service", "WORKER_THREAD_POOL")))
                .hasOnlySucceeded(4);
    }

    @Test
    void oneRunCanBeRunAgainByItself() {
        var results = runInvocation(LeakTestCase.class, "decode", 3);

        assertThat(results).hasInvocationsNamed("decode", "allocation 2 fails");
        assertThat(results)
                .hasInvocation("decode", 3)
                .whichFailed()
                .withVerdict(Outcome.LEAKED)
                .withTextContaining("note    allocation 2 failed by injection: DRAM at dev.meshguard");
    }

    @Test
    void aRunThatIsRunByItselfAndDoesNotComeToItsFaultIsAborted() {
        assertThat(runInvocation(LeakTestCase.class, "decode", 5))
                .hasSingleTest()
                .whichWasAborted()
                .withText(
                        "@FailEachAllocation on FailEachAllocationTests$LeakTestCase#decode: allocation 4 was to fail, but"
                                + " this run made 2. What an earlier run left in static fields, or the order of threads, may be the"
                                + " reason. No later allocation was failed.");
    }

    @TrackAllocations
    @FakeMesh(rows = 1, columns = 2)
    static class CleanTestCase {
        @FailEachAllocation
        void decode(MeshDevice mesh) {
            List<MeshBuffer> taken = new ArrayList<>();
            try {
                taken.add(Buffers.take(mesh));
                taken.add(mesh.allocate(MeshBufferConfig.replicated(BufferConfig.of(BufferType.L1, 2_048, 2_048))));
                taken.add(Buffers.take(mesh));
            } finally {
                taken.forEach(MeshBuffer::deallocate);
            }
        }
    }

    @TrackAllocations
    @FakeMesh(rows = 1, columns = 2)
    static class LeakTestCase {
        @FailEachAllocation
        void decode(MeshDevice mesh) {
            MeshBuffer weights = Buffers.take(mesh, "weights");
            MeshBuffer tokens = Buffers.take(mesh, "tokens");
            tokens.deallocate();
            weights.deallocate();
        }
    }

    @TrackAllocations
    @FakeMesh(rows = 1, columns = 2)
    static class BrokenCleanUpTestCase {
        @FailEachAllocation
        @SuppressWarnings("Finally") // The missing free is the tested defect.
        void decode(MeshDevice mesh) {
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
    }

    static class WrappingTestCase {
        @FailEachAllocation
        void decode(MeshDevice mesh) {
            try {
                Buffers.take(mesh).deallocate();
            } catch (DeviceOutOfMemoryException full) {
                throw new IllegalStateException("cannot decode", new RuntimeException(full));
            }
        }
    }

    static class OtherThreadTestCase {
        @FailEachAllocation
        void decode(MeshDevice mesh) {
            CompletableFuture.runAsync(() -> Buffers.take(mesh).deallocate()).join();
        }
    }

    static class CollectingTestCase {
        @FailEachAllocation
        void decode(MeshDevice mesh) {
            org.junit.jupiter.api.Assertions.assertAll(() -> Buffers.take(mesh).deallocate());
        }
    }

    static class NamedTestCase {
        @FailEachAllocation(mayThrow = UnsupportedOperationException.class)
        void decode(MeshDevice mesh) {
            try {
                Buffers.take(mesh).deallocate();
            } catch (DeviceOutOfMemoryException full) {
                throw new UnsupportedOperationException("cannot decode");
            }
        }
    }

    static class AlwaysThrowingTestCase {
        @FailEachAllocation(mayThrow = IllegalStateException.class)
        void decode(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
            throw new IllegalStateException("always");
        }
    }

    static class SwallowingTestCase {
        @FailEachAllocation
        void decode(MeshDevice mesh) {
            Assertions.assertThat(tryToDecode(mesh)).isTrue();
        }

        static boolean tryToDecode(MeshDevice mesh) {
            try {
                Buffers.take(mesh).deallocate();
                return true;
            } catch (DeviceOutOfMemoryException full) {
                return false;
            }
        }
    }

    static class AskingTestCase {
        @FailEachAllocation
        void decode(MeshDevice mesh, FailedAllocation failed) {
            Assertions.assertThat(failed.hasHappened()).isFalse();
            Assertions.assertThat(SwallowingTestCase.tryToDecode(mesh)).isEqualTo(!failed.hasHappened());
            Assertions.assertThat(failed.hasHappened())
                    .isEqualTo(failed.number().isPresent());
            Assertions.assertThat(failed.site().map(StackTraceElement::getMethodName))
                    .isEqualTo(failed.number().stream()
                            .mapToObj(number -> "tryToDecode")
                            .findFirst());
        }
    }

    static class LastingTestCase {
        @FailEachAllocation
        void once(MeshDevice mesh) {
            decode(mesh);
        }

        @FailEachAllocation(lasting = true)
        void lasting(MeshDevice mesh) {
            decode(mesh);
        }

        private static void decode(MeshDevice mesh) {
            try {
                Buffers.take(mesh).deallocate();
            } catch (DeviceOutOfMemoryException full) {
                if (!SwallowingTestCase.tryToDecode(mesh)) {
                    throw new IllegalStateException("no memory for the smaller one either");
                }
            }
        }
    }

    static class RetryingTestCase {
        @FailEachAllocation(limit = 20, lasting = true)
        void decode(MeshDevice mesh) {
            while (!SwallowingTestCase.tryToDecode(mesh)) {
                Thread.onSpinWait();
            }
        }
    }

    static class EndlessTestCase {
        @FailEachAllocation(limit = 5)
        void decode(MeshDevice mesh) {
            while (SwallowingTestCase.tryToDecode(mesh)) {
                Thread.onSpinWait();
            }
        }
    }

    static class NothingTestCase {
        @FailEachAllocation
        void decode(MeshDevice mesh) {}
    }

    static class LeakWithoutFaultTestCase {
        @FailEachAllocation
        void decode(MeshDevice mesh) {
            Buffers.take(mesh);
        }
    }

    static class AbortedTestCase {
        @FailEachAllocation
        void decode(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
            Assumptions.abort("not here");
        }
    }

    @TestInstance(Lifecycle.PER_CLASS)
    static class WarmingUpTestCase {
        private boolean isWarm;

        @FailEachAllocation
        void decode(MeshDevice mesh) {
            for (int i = 0; i < (isWarm ? 1 : 3); i++) {
                Buffers.take(mesh).deallocate();
            }
            isWarm = true;
        }
    }

    static class LifecycleTestCase {
        @BeforeEach
        @AfterEach
        void allocates(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
        }

        @FailEachAllocation
        void decode(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
        }
    }

    static class OwnMeshTestCase {
        @FailEachAllocation
        void decode(Ttnn ttnn) {
            try (MeshDevice mesh = ttnn.openDevice(0)) {
                Buffers.take(mesh).deallocate();
            }
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

        @FailEachAllocation
        void decode(MeshDevice mesh, Ttnn ttnn) {
            Assertions.assertThat(mesh.shape()).isEqualTo(MeshShape.of(1, 1));
            Assertions.assertThat(ttnn.outstandingFaults()).hasSize(1);
            Buffers.take(mesh).deallocate();
        }
    }

    static class ExpectingTestCase {
        @FailEachAllocation
        @ExpectBuffers(label = "weights", because = "loaded once")
        void decode(MeshDevice mesh) {
            Buffers.take(mesh, "weights");
            Buffers.take(mesh).deallocate();
        }
    }

    static class NestedTestCase {
        @Nested
        @TrackAllocations
        @FakeMesh(rows = 1, columns = 1)
        class Inner {
            @WithoutMemory
            void decode(MeshDevice mesh) {
                Buffers.take(mesh).deallocate();
            }
        }
    }

    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.METHOD)
    @FailEachAllocation(limit = 10)
    @interface WithoutMemory {}

    @TestInstance(Lifecycle.PER_CLASS)
    static class PerClassTestCase {
        private int runs;

        @FailEachAllocation
        void decode(MeshDevice mesh) {
            runs++;
            Buffers.take(mesh).deallocate();
        }

        @FailEachAllocation
        void encode(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
        }

        @AfterEach
        void isTheSameInstance(FailedAllocation failed) {
            Assertions.assertThat(runs).isGreaterThanOrEqualTo(failed.number().isPresent() ? 1 : 0);
        }
    }

    static class TimeoutTestCase {
        @FailEachAllocation
        @Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
        void decode(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
        }
    }
}
