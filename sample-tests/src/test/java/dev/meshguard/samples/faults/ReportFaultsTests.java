package dev.meshguard.samples.faults;

import static dev.meshguard.assertions.LeakAssertions.assertThat;
import static dev.meshguard.mesh.fault.ReportKind.ALLOCATION;
import static dev.meshguard.mesh.fault.ReportKind.FREE;
import static dev.meshguard.tracker.script.ExpectedText.expected;
import static dev.meshguard.verdict.Cause.FREE_UNREPORTED;
import static dev.meshguard.verdict.Cause.REPORTED_TWICE;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.assertions.LeakAssertionError;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Tensor;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.fault.FaultPlan;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verdict.Survivor;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;

/**
 * Tests a program that frees everything while its reports are lost or disordered. The verdict detects this with the witness,
 * and is inconclusive without one.
 */
class ReportFaultsTests {

    private final AllocationTracker tracker = AllocationTracker.create();

    @Test
    void aLostFreeIsFoundOutByTheWitness() {
        allocateAndFree(FaultPlan.none().losingReport(1, FREE).onDevice(1));

        assertThat(tracker).noLeaks();
        assertThat(verdict()).hasOutcome(Outcome.MISREPORTED).hasOnlySurvivor(FREE_UNREPORTED);
        assertThatThrownBy(() -> assertThat(tracker).hasBalancedReports())
                .isInstanceOf(LeakAssertionError.class)
                .hasMessageStartingWith(expected(tracker.history(), """
                        MISREPORTED  no memory leaked; 1 DRAM buffer (2 KiB) lacks a free report: FREE_UNREPORTED

                        1. DRAM  2 KiB on device 1
                           at dev.meshguard.samples.faults.ReportFaultsTests"""));
    }

    @Test
    void aLostAllocationIsFoundOutByItsFree() {
        allocateAndFree(FaultPlan.none().losingReport(1, ALLOCATION).onDevice(1));

        assertThat(tracker).noLeaks();
        assertThatThrownBy(() -> assertThat(tracker).hasBalancedReports())
                .hasMessageStartingWith(expected(tracker.history(), """
                        MISREPORTED  no memory leaked; 1 free of nothing

                        1. free of an unknown address: DRAM 0x2d4c40 (2968640) on device 1 ({last freed})
                        """));
    }

    @Test
    void aLostAllocationThatLeaksIsFoundOutByTheWitness() {
        allocate(FaultPlan.none().losingReport(1, ALLOCATION).losingReport(2, ALLOCATION));

        assertThat(verdict()).hasOutcome(Outcome.INCONCLUSIVE);
        Assertions.assertThat(verdict().inconclusiveReasonTexts())
                .containsExactly(expected(
                        tracker.history(),
                        "When close began ({witnessed 1}) the allocator held 2 buffers that the ledger does not, the first at DRAM"
                                + " 0x2d4c40 (2968640) on device 0."));
        assertThatThrownBy(() -> assertThat(tracker).noLeaks())
                .hasMessageStartingWith("INCONCLUSIVE  it cannot be known whether all memory was freed");
    }

    @Test
    void reportsALossThatTheSourceNotices() {
        allocateAndFree(FaultPlan.none().losingReport(1, FREE).noticed());

        Assertions.assertThat(verdict().inconclusiveReasonTexts())
                .containsExactly(
                        expected(
                                tracker.history(),
                                "1 report is missing ({reports lost}: the source noticed that a report of device 0 got lost)."));
    }

    @Test
    void aDoubledAllocationIsOneAllocation() {
        allocateAndFree(FaultPlan.none().doublingReport(1, ALLOCATION).onDevice(1));

        assertThat(tracker).noLeaks();
        assertThat(verdict()).hasOutcome(Outcome.MISREPORTED).hasOnlySurvivor(REPORTED_TWICE);
    }

    @Test
    void aDoubledFreeIsADoubleFreeOfTheReportsOnly() {
        allocateAndFree(FaultPlan.none().doublingReport(1, FREE).onDevice(1));

        assertThat(tracker).noLeaks();
        assertThatThrownBy(() -> assertThat(tracker).hasNoDoubleFrees())
                .hasMessageStartingWith(expected(tracker.history(), """
                        Expecting no double free but found 1:
                        1. DRAM 0x2d4c40 (2968640) on device 1: double free ({last freed})
                        """));
    }

    @Test
    void aFreeThatIsReportedAfterTheCloseIsAFree() {
        allocateAndFree(FaultPlan.none().delayingReport(1, FREE, 100).onDevice(1));

        assertThat(tracker).noLeaks().hasBalancedReports();
        Assertions.assertThat(verdict().anomalies())
                .extracting(anomaly -> anomaly.kind().description())
                .containsExactly("free after close");
    }

    @Test
    void anAllocationThatItsFreeOvertakesIsFoundOutByTheWitness() {
        allocateAndFree(FaultPlan.none().delayingReport(1, ALLOCATION, 1).onDevice(1));

        assertThat(tracker).noLeaks();
        assertThat(verdict()).hasOutcome(Outcome.MISREPORTED).hasOnlySurvivor(FREE_UNREPORTED);
    }

    @Test
    void anAllocationThatIsReportedAfterTheCloseCannotBeJudged() {
        allocateAndFree(FaultPlan.none().delayingReport(1, ALLOCATION, 100).onDevice(1));

        assertThat(verdict()).hasOutcome(Outcome.INCONCLUSIVE);
        Assertions.assertThat(verdict().inconclusiveReasonTexts())
                .containsExactly(expected(
                        tracker.history(),
                        "1 buffer was reported too late to be true, the first (DRAM 0x2d4c40 (2968640) on device 1,"
                                + " {last allocated}) after the last mesh over the device began to close, so what became of the memory is"
                                + " not known."));
    }

    @Test
    void reportsInAnotherOrderAreMisreportedAndNotALeak() {
        allocateAndFree(FaultPlan.none().reorderingReports(2, 1));

        assertThat(tracker).noLeaks();
        Assertions.assertThat(verdict().survivors())
                .extracting(Survivor::cause)
                .containsExactly(FREE_UNREPORTED, FREE_UNREPORTED);
    }

    @Test
    void aLeakIsALeakWhateverBecomesOfItsReports() {
        allocate(FaultPlan.none().doublingReport(1, ALLOCATION).delayingReport(2, ALLOCATION, 1));

        assertThat(verdict()).hasOutcome(Outcome.LEAKED);
        Assertions.assertThat(verdict().survivors()).extracting(Survivor::cause).containsOnly(Cause.UNEXPLAINED);
    }

    @Test
    void aLostEndOfCircularBuffersIsFoundOutByTheEndOfTheirProgram() {
        Ttnn ttnn = Ttnn.builder(tracker)
                .faults(FaultPlan.none()
                        .losingReport(3, FREE)
                        .onDevice(1)
                        .losingReport(4, FREE)
                        .onDevice(1)
                        .losingReport(5, FREE)
                        .onDevice(1))
                .build();
        MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(1, 2));
        Tensor a = ttnn.empty(TensorShape.of(32, 32), DataType.BFLOAT16, mesh);
        ttnn.deallocate(ttnn.add(a, a));
        mesh.disableAndClearProgramCache();
        ttnn.deallocate(a);
        ttnn.closeMeshDevice(mesh);

        assertThat(tracker).noLeaks();
        Assertions.assertThat(verdict().survivors())
                .extracting(Survivor::cause)
                .containsExactly(
                        Cause.CIRCULAR_BUFFER_UNREPORTED,
                        Cause.CIRCULAR_BUFFER_UNREPORTED,
                        Cause.CIRCULAR_BUFFER_UNREPORTED);
    }

    private void allocateAndFree(FaultPlan plan) {
        Ttnn ttnn = Ttnn.builder(tracker).faults(plan).build();
        MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(1, 2));
        ttnn.deallocate(ttnn.empty(TensorShape.of(32, 32), DataType.BFLOAT16, mesh));
        ttnn.closeMeshDevice(mesh);
        Assertions.assertThat(ttnn.outstandingFaults()).isEmpty();
    }

    private void allocate(FaultPlan plan) {
        Ttnn ttnn = Ttnn.builder(tracker).faults(plan).build();
        MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(1, 2));
        ttnn.empty(TensorShape.of(32, 32), DataType.BFLOAT16, mesh);
        ttnn.closeMeshDevice(mesh);
        Assertions.assertThat(ttnn.outstandingFaults()).isEmpty();
    }

    private LeakVerdict verdict() {
        return LeakCheck.create().examine(tracker.history());
    }
}
