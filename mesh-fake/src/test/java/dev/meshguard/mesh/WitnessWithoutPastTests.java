package dev.meshguard.mesh;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.mesh.fault.FaultPlan;
import dev.meshguard.mesh.fault.ReportKind;
import dev.meshguard.mesh.runtime.ReportingModel;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.Retention;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests that the allocator's snapshot at the start of a close is compared with the ledger, even if the ledger keeps no history.
 */
class WitnessWithoutPastTests {

    private static final TensorShape TILE = TensorShape.of(32, 32);

    /** The first allocation is taken back twice after the second one was reported at its address. */
    private static final FaultPlan OUT_OF_ORDER =
            FaultPlan.none().doublingReport(1, ReportKind.FREE).delayingReport(1, ReportKind.FREE, 1);

    @ParameterizedTest
    @EnumSource
    void whatNoReportMentionsIsNeverCalledClean(Retention retention) {
        AllocationTracker tracker = tracker(retention);

        run(tracker, OUT_OF_ORDER);

        assertThat(tracker.liveBuffers()).isZero();
        assertThat(judge(tracker).outcome()).isNotIn(Outcome.LEAK_FREE, Outcome.EXPECTED_ONLY);
    }

    @Test
    void theInconclusiveReasonNamesMeshNumberAndAddress() {
        AllocationTracker tracker = tracker(Retention.LIVE_AND_TOTALS);

        run(tracker, OUT_OF_ORDER);

        LeakVerdict verdict = judge(tracker);
        assertThat(verdict.outcome()).isEqualTo(Outcome.INCONCLUSIVE);
        assertThat(verdict.inconclusiveReasonTexts())
                .filteredOn(doubt -> doubt.contains("reports is missing"))
                .singleElement()
                .asString()
                .contains(
                        "when the close of mesh 0 began, its allocator held 1 buffer that the ledger does not, the first at DRAM ");
    }

    @Test
    void aFreeThatComesAfterTheReadingIsNotTakenForOneThatIsMissing() {
        AllocationTracker tracker = tracker(Retention.LIVE_AND_TOTALS);
        Ttnn ttnn = Ttnn.create(tracker);
        MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(1, 1));
        Tensor late = ttnn.empty(TILE, DataType.BFLOAT16, mesh);

        ttnn.closeMeshDevice(mesh);
        ttnn.deallocate(late);

        assertThat(judge(tracker).inconclusiveReasonTexts()).noneMatch(doubt -> doubt.contains("reports is missing"));
    }

    @ParameterizedTest
    @EnumSource
    void whatIsReportedAsItHappensIsClean(Retention retention) {
        AllocationTracker tracker = tracker(retention);

        run(tracker, FaultPlan.none());

        assertThat(tracker.liveBuffers()).isEqualTo(1);
        assertThat(judge(tracker).outcome()).isEqualTo(Outcome.LEAKED);
    }

    @ParameterizedTest
    @EnumSource
    void findsWhatAWholeHistoryFinds(ReportingModel reporting) {
        AllocationTracker whole = tracker(Retention.ALL);
        AllocationTracker little = tracker(Retention.LIVE_AND_TOTALS);
        for (AllocationTracker tracker : List.of(whole, little)) {
            Ttnn ttnn = Ttnn.builder(tracker).reporting(reporting).build();
            MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(1, 2));
            Tensor one = ttnn.empty(TILE, DataType.BFLOAT16, mesh);
            ttnn.deallocate(ttnn.add(one, one));
            ttnn.closeMeshDevice(mesh);
        }

        assertThat(missesReports(little)).isEqualTo(missesReports(whole));
    }

    private static boolean missesReports(AllocationTracker tracker) {
        return judge(tracker).inconclusiveReasonTexts().stream()
                .anyMatch(doubt -> doubt.toString().contains("that the ledger does not"));
    }

    private static void run(AllocationTracker tracker, FaultPlan faults) {
        Ttnn ttnn = Ttnn.builder(tracker).faults(faults).build();
        MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(1, 1));
        ttnn.deallocate(ttnn.empty(TILE, DataType.BFLOAT16, mesh));
        ttnn.empty(TILE, DataType.BFLOAT16, mesh);
        ttnn.closeMeshDevice(mesh);
    }

    private static AllocationTracker tracker(Retention retention) {
        return AllocationTracker.builder().retention(retention).build();
    }

    private static LeakVerdict judge(AllocationTracker tracker) {
        return LeakCheck.create().examine(tracker.history());
    }
}
