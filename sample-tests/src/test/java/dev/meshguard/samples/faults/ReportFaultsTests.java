package dev.meshguard.samples.faults;

import static dev.meshguard.assertions.LeakAssertions.assertThat;
import static dev.meshguard.samples.corpus.faults.ReportKind.ALLOCATION;
import static dev.meshguard.samples.corpus.faults.ReportKind.FREE;
import static dev.meshguard.tracker.script.ExpectedText.expected;
import static dev.meshguard.verdict.Cause.FREE_UNREPORTED;
import static dev.meshguard.verdict.Cause.REPORTED_TWICE;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.assertions.LeakAssertionError;
import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferType;
import dev.meshguard.mesh.Buffer;
import dev.meshguard.mesh.MeshBuffer;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Tensor;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.buffer.MeshBufferConfig;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.samples.corpus.faults.FaultyListener;
import dev.meshguard.samples.corpus.faults.RunFaults;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verdict.Survivor;
import dev.meshguard.verdict.SurvivorStatus;
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
        allocateAndFree(RunFaults.none().losingReport(1, FREE).onDevice(1));

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
        allocateAndFree(RunFaults.none().losingReport(1, ALLOCATION).onDevice(1));

        assertThat(tracker).noLeaks();
        assertThatThrownBy(() -> assertThat(tracker).hasBalancedReports())
                .hasMessageStartingWith(expected(tracker.history(), """
                        MISREPORTED  no memory leaked; 1 free of nothing

                        1. free of an unknown address: DRAM 0x2d4c40 (2968640) on device 1 ({last freed})
                        """));
    }

    @Test
    void aLostAllocationThatLeaksIsFoundOutByTheWitness() {
        allocate(RunFaults.none().losingReport(1, ALLOCATION).losingReport(2, ALLOCATION));

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
        allocateAndFree(RunFaults.none().losingReport(1, FREE).noticed());

        Assertions.assertThat(verdict().inconclusiveReasonTexts())
                .containsExactly(
                        expected(
                                tracker.history(),
                                "1 report is missing ({reports lost}: the source noticed that a report of device 0 got lost)."));
    }

    @Test
    void aDoubledAllocationIsOneAllocation() {
        allocateAndFree(RunFaults.none().doublingReport(1, ALLOCATION).onDevice(1));

        assertThat(tracker).noLeaks();
        assertThat(verdict()).hasOutcome(Outcome.MISREPORTED).hasOnlySurvivor(REPORTED_TWICE);
    }

    @Test
    void aDoubledFreeIsADoubleFreeOfTheReportsOnly() {
        allocateAndFree(RunFaults.none().doublingReport(1, FREE).onDevice(1));

        assertThat(tracker).noLeaks();
        assertThatThrownBy(() -> assertThat(tracker).hasNoDoubleFrees())
                .hasMessageStartingWith(expected(tracker.history(), """
                        Expecting no double free but found 1:
                        1. DRAM 0x2d4c40 (2968640) on device 1: double free ({last freed})
                        """));
    }

    @Test
    void aFreeThatIsReportedAfterTheCloseIsAFree() {
        allocateAndFree(RunFaults.none().delayingReport(1, FREE, 100).onDevice(1));

        assertThat(tracker).noLeaks().hasBalancedReports();
        Assertions.assertThat(verdict().anomalies())
                .extracting(anomaly -> anomaly.kind().description())
                .containsExactly("free after close");
    }

    @Test
    void anAllocationThatItsFreeOvertakesIsFoundOutByTheWitness() {
        allocateAndFree(RunFaults.none().delayingReport(1, ALLOCATION, 1).onDevice(1));

        assertThat(tracker).noLeaks();
        assertThat(verdict()).hasOutcome(Outcome.MISREPORTED).hasOnlySurvivor(FREE_UNREPORTED);
    }

    @Test
    void anAllocationThatIsReportedAfterTheCloseCannotBeJudged() {
        allocateAndFree(RunFaults.none().delayingReport(1, ALLOCATION, 100).onDevice(1));

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
        allocateAndFree(RunFaults.none().reorderingReports(2, 1));

        assertThat(tracker).noLeaks();
        Assertions.assertThat(verdict().survivors())
                .extracting(Survivor::cause)
                .containsExactly(FREE_UNREPORTED, FREE_UNREPORTED);
    }

    @Test
    void aLeakIsALeakWhateverBecomesOfItsReports() {
        allocate(RunFaults.none().doublingReport(1, ALLOCATION).delayingReport(2, ALLOCATION, 1));

        assertThat(verdict()).hasOutcome(Outcome.LEAKED);
        Assertions.assertThat(verdict().survivors()).extracting(Survivor::cause).containsOnly(Cause.UNEXPLAINED);
    }

    @Test
    void aLostEndOfCircularBuffersIsFoundOutByTheEndOfTheirProgram() {
        RunFaults lost = RunFaults.none()
                .losingReport(3, FREE)
                .onDevice(1)
                .losingReport(4, FREE)
                .onDevice(1)
                .losingReport(5, FREE)
                .onDevice(1);
        Ttnn ttnn = Ttnn.create(lost.between(tracker));
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

    @Test
    void theOwnAllocatorOfADeviceSaysThatAFreeGotLost() {
        Ttnn ttnn = Ttnn.create(RunFaults.none().losingReport(1, FREE).between(tracker));
        MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(1, 2));
        BufferConfig page = BufferConfig.of(BufferType.DRAM, 2_048, 2_048);
        Buffer freed = mesh.allocateOn(0, page);
        MeshBuffer left = mesh.allocate(MeshBufferConfig.replicated(page));
        Assertions.assertThat(left.address()).isEqualTo(freed.address());
        freed.deallocate();
        mesh.close();

        LeakVerdict verdict = verdict();
        Assertions.assertThat(verdict.survivors(survivor -> survivor.status() == SurvivorStatus.LEAKED))
                .hasSize(2)
                .allSatisfy(survivor ->
                        Assertions.assertThat(survivor.buffer().allocator()).hasValue(AllocatorId.MESH));
        Assertions.assertThat(verdict.survivors(survivor -> survivor.status() == SurvivorStatus.MISREPORTED))
                .singleElement()
                .satisfies(survivor -> {
                    Assertions.assertThat(survivor.buffer().allocator()).hasValue(AllocatorId.DEVICE);
                    Assertions.assertThat(survivor.cause()).isEqualTo(FREE_UNREPORTED);
                });
        Assertions.assertThat(verdict.inconclusiveReasonTexts()).isEmpty();
    }

    private void allocateAndFree(RunFaults plan) {
        FaultyListener listener = new FaultyListener(tracker, plan.ofReports());
        Ttnn ttnn = Ttnn.create(listener);
        MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(1, 2));
        ttnn.deallocate(ttnn.empty(TensorShape.of(32, 32), DataType.BFLOAT16, mesh));
        ttnn.closeMeshDevice(mesh);
        Assertions.assertThat(listener.outstanding()).isEmpty();
    }

    private void allocate(RunFaults plan) {
        FaultyListener listener = new FaultyListener(tracker, plan.ofReports());
        Ttnn ttnn = Ttnn.create(listener);
        MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(1, 2));
        ttnn.empty(TensorShape.of(32, 32), DataType.BFLOAT16, mesh);
        ttnn.closeMeshDevice(mesh);
        Assertions.assertThat(listener.outstanding()).isEmpty();
    }

    private LeakVerdict verdict() {
        return LeakCheck.create().examine(tracker.history());
    }
}
