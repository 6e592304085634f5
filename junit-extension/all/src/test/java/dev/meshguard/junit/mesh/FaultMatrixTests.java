package dev.meshguard.junit.mesh;

import static dev.meshguard.junit.testkit.JupiterRun.run;
import static dev.meshguard.junit.testkit.JupiterRun.runInvocation;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;

import dev.meshguard.event.Phase;
import dev.meshguard.junit.AllocationCheck;
import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.mesh.MeshBuffer;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Tensor;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.runtime.RuntimeDefect;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.Outcome;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.opentest4j.AssertionFailedError;

/** A test runs once for each of some faults, and the results are a grid. */
class FaultMatrixTests {

    @Test
    void runsOnceForEachPlanWithAndWithoutEachDefect() {
        assertThat(run(CleanTestCase.class))
                .hasOnlySucceeded(6)
                .hasInvocationsNamed(
                        "decode",
                        "no fault",
                        "DEVICE_INITIALISED_TWICE",
                        "failingAllocation(1)",
                        "failingAllocation(1) with DEVICE_INITIALISED_TWICE",
                        "FaultPlan.random(7L)",
                        "FaultPlan.random(7L) with DEVICE_INITIALISED_TWICE");
    }

    @Test
    void publishesAGridOfWhatBecameOfEach() {
        assertThat(run(CleanTestCase.class)).hasTemplate("decode").withPublishedText("""
                Fault matrix of FaultMatrixTests$CleanTestCase#decode: 6 cells, none failed
                                      no defect  DEVICE_INITIALISED_TWICE
                no fault              LEAK_FREE  LEAK_FREE
                failingAllocation(1)  LEAK_FREE  LEAK_FREE
                FaultPlan.random(7L)  LEAK_FREE  LEAK_FREE""");
    }

    @Test
    void theGridSaysWhichCellsFailedAndWhy() {
        assertThat(run(LeakTestCase.class)).hasTemplate("decode").withPublishedText("""
                Fault matrix of FaultMatrixTests$LeakTestCase#decode: 4 of 6 cells failed (!)
                                     no defect  CIRCULAR_BUFFERS_NEVER_REPORTED_FREE
                no fault             LEAK_FREE  MISREPORTED !
                failingOperation(1)  LEAKED !   LEAKED !
                closingTwice()       LEAK_FREE  MISREPORTED !
                ! CIRCULAR_BUFFERS_NEVER_REPORTED_FREE: MISREPORTED  no memory leaked; 6 L1 buffers (24 KiB) lack a free report: CIRCULAR_BUFFER_UNREPORTED
                ! failingOperation(1): LEAK  4 KiB in 2 DRAM buffers, LOST; allocated in FaultMatrixTests.java:NN
                ! failingOperation(1) with CIRCULAR_BUFFERS_NEVER_REPORTED_FREE: LEAK  4 KiB in 2 DRAM buffers, LOST; allocated in FaultMatrixTests.java:NN
                ! closingTwice() with CIRCULAR_BUFFERS_NEVER_REPORTED_FREE: MISREPORTED  no memory leaked; 6 L1 buffers (24 KiB) lack a free report: CIRCULAR_BUFFER_UNREPORTED""");
    }

    @Test
    void aCellThatFailsSaysWhatItWasWith() {
        assertThat(run(LeakTestCase.class))
                .hasInvocation("decode", 2)
                .whichFailed()
                .withVerdict(Outcome.MISREPORTED)
                .withFinding(Cause.CIRCULAR_BUFFER_UNREPORTED, 6, 4096, LeakTestCase.class, "decode")
                .allocatedIn(Phase.TEST)
                .withEvidence(
                        "program 1 (add) ended at {owner ended 1}, and its free was never reported",
                        "circular buffers lie outside the allocator, so closing the device cannot free it (the allocator held nothing there at {witnessed 1})")
                .withReport(
                        "mvn test -Dtest='FaultMatrixTests$LeakTestCase#decode'",
                        "injected runtime defect: CIRCULAR_BUFFERS_NEVER_REPORTED_FREE",
                        "mesh 0 was still open; MeshGuard cleared its program cache and closed it");
    }

    @Test
    void outcomesThatAreNamedAreRight() {
        assertThat(run(AcceptingTestCase.class)).hasOnlySucceeded(3);
    }

    @Test
    void outcomesThatAreNamedAreNotRightWithoutAnyFault() {
        assertThat(run(AlwaysLeakingTestCase.class))
                .hasInvocation("decode", 1)
                .whichFailed()
                .withVerdict(Outcome.LEAKED);
    }

    @Test
    void theCheckOfTheTestCountsInEachCell() {
        assertThat(run(MemoryOnlyTestCase.class)).hasOnlySucceeded(2);
    }

    @Test
    void aPlanThatComesToNothingFailsItsCell() {
        assertThat(run(OutOfReachTestCase.class))
                .hasInvocation("decode", 2)
                .whichFailed()
                .with(
                        AssertionFailedError.class,
                        "@FaultMatrix on FaultMatrixTests$OutOfReachTestCase#decode: nothing of failingAllocation(50) happened in"
                                + " this run, so it shows nothing. Choose numbers that the test reaches, or leave the plan out.");
    }

    @Test
    void aPlanThatComesToSomethingOnlyWhenTheMeshIsClosedIsTried() {
        assertThat(run(ClosingTestCase.class)).hasOnlySucceeded(2);
    }

    @Test
    void whatElseLeavesTheTestFailsTheCell() {
        assertThat(run(ThrowingTestCase.class))
                .hasInvocation("decode", 2)
                .whichFailed()
                .with(IllegalStateException.class, "cannot add");
    }

    @Test
    void aCellThatIsAbortedSaysSo() {
        assertThat(run(AbortedTestCase.class)).hasTemplate("decode").withPublishedText("""
                Fault matrix of FaultMatrixTests$AbortedTestCase#decode: 2 cells, none failed
                                no defect
                no fault        aborted
                closingTwice()  aborted""");
    }

    @Test
    void whatTheTestAsksForIsThereInEachCell() {
        assertThat(run(SettingsTestCase.class)).hasOnlySucceeded(2);
    }

    @Test
    void oneCellCanBeRunAgainByItself() {
        var results = runInvocation(LeakTestCase.class, "decode", 3);

        assertThat(results).hasSingleTest().whichFailed().withVerdict(Outcome.LEAKED);
        assertThat(results).hasTemplate("decode").withPublishedText("""
                Fault matrix of FaultMatrixTests$LeakTestCase#decode: 1 of 6 cells failed (!)
                                     no defect  CIRCULAR_BUFFERS_NEVER_REPORTED_FREE
                no fault             not run    not run
                failingOperation(1)  LEAKED !   not run
                closingTwice()       not run    not run
                ! failingOperation(1): LEAK  4 KiB in 2 DRAM buffers, LOST; allocated in FaultMatrixTests.java:NN""");
    }

    private static void add(MeshDevice mesh, Ttnn ttnn) {
        Tensor one = ttnn.empty(TensorShape.of(32, 32), DataType.BFLOAT16, mesh);
        try {
            ttnn.deallocate(ttnn.add(one, one));
        } finally {
            ttnn.deallocate(one);
        }
    }

    @TrackAllocations(check = AllocationCheck.NO_LEAKS)
    @FakeMesh(rows = 1, columns = 2)
    static class CleanTestCase {
        @FaultMatrix(
                plans = {"failingAllocation(1)", "FaultPlan.random(7L)"},
                defects = RuntimeDefect.DEVICE_INITIALISED_TWICE)
        void decode(MeshDevice mesh, Ttnn ttnn) {
            add(mesh, ttnn);
        }
    }

    @TrackAllocations
    @FakeMesh(rows = 1, columns = 2)
    static class LeakTestCase {
        @FaultMatrix(
                plans = {"failingOperation(1)", "closingTwice()"},
                defects = RuntimeDefect.CIRCULAR_BUFFERS_NEVER_REPORTED_FREE)
        void decode(MeshDevice mesh, Ttnn ttnn) {
            Tensor one = ttnn.empty(TensorShape.of(32, 32), DataType.BFLOAT16, mesh);
            ttnn.deallocate(ttnn.add(one, one));
            ttnn.deallocate(one);
        }
    }

    @TrackAllocations
    @FakeMesh(rows = 1, columns = 2)
    static class AcceptingTestCase {
        @FaultMatrix(
                plans = {"losingReport(1, FREE)", "losingReport(1, FREE).noticed()"},
                accepted = {Outcome.MISREPORTED, Outcome.INCONCLUSIVE})
        void decode(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
        }
    }

    static class AlwaysLeakingTestCase {
        @FaultMatrix(plans = "closingTwice()", accepted = Outcome.LEAKED)
        void decode(MeshDevice mesh) {
            Buffers.take(mesh);
        }
    }

    @TrackAllocations(check = AllocationCheck.NO_LEAKS)
    static class MemoryOnlyTestCase {
        @FaultMatrix(plans = "losingReport(1, FREE)")
        void decode(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
        }
    }

    static class OutOfReachTestCase {
        @FaultMatrix(plans = "failingAllocation(50)")
        void decode(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
        }
    }

    static class ClosingTestCase {
        @FaultMatrix(plans = "closingTwice()")
        void decode(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
        }
    }

    static class ThrowingTestCase {
        @FaultMatrix(plans = "failingOperation(1)")
        void decode(MeshDevice mesh, Ttnn ttnn) {
            try {
                add(mesh, ttnn);
            } catch (RuntimeException error) {
                throw new IllegalStateException("cannot add");
            }
        }
    }

    static class AbortedTestCase {
        @FaultMatrix(plans = "closingTwice()")
        void decode(MeshDevice mesh) {
            Assumptions.abort("not here");
        }
    }

    @TrackAllocations
    @FakeMesh(faults = "failingAllocation(1)", defects = RuntimeDefect.DEVICE_INITIALISED_TWICE)
    static class SettingsTestCase {
        @FaultMatrix(plans = "closingTwice()")
        void decode(MeshDevice mesh) {
            Assertions.assertThatThrownBy(() -> Buffers.take(mesh)).hasMessageStartingWith("Out of Memory");
            MeshBuffer second = Buffers.take(mesh);
            second.deallocate();
        }
    }
}
