package dev.meshguard.history;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.Ownership.NON_OWNING;
import static dev.meshguard.tracker.script.HistoryScript.historyOf;
import static dev.meshguard.tracker.script.HistoryScript.scriptOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.meshguard.event.Owner;
import dev.meshguard.event.Phase;
import dev.meshguard.history.BufferGeneration.CountChange;
import dev.meshguard.history.BufferGeneration.CountChange.Reason;
import dev.meshguard.history.BufferGeneration.Report;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginCapture;
import org.junit.jupiter.api.Test;

class BufferGenerationTests {

    @Test
    void isOneOfTheGenerationsOfAReusedAddress() {
        var history = historyOf("""
                allocate DRAM 2560032 on 3; free DRAM 2560032 on 3; allocate DRAM 2560032 on 3, size 128
                """);

        assertThat(history.generations())
                .hasToString("[DRAM 0x271020 (2560032) on device 3, generation 1,"
                        + " DRAM 0x271020 (2560032) on device 3, generation 2]");
        assertThat(history.live()).containsExactly(history.generations().get(1));
    }

    @Test
    void startsAnewOnAReopenedDeviceThoughTheLedgerHoldsTheOld() {
        var history = historyOf("""
                mesh 0 over 0; allocate DRAM 0x1000 on 0; close; mesh 1 over 0; allocate DRAM 0x1000 on 0; close
                """);

        assertThat(history.live()).extracting(BufferGeneration::generation).containsExactly(1, 2);
        assertThat(history.live()).extracting(BufferGeneration::openPeriod).containsExactly(1, 2);
        assertThat(history.ledgerEntries()).isEqualTo(1);
    }

    @Test
    void endsTheYoungerGenerationFirstAndThenTheAbandonedOne() {
        var script = scriptOf("""
                mesh 0 over 0; allocate DRAM 0x1000 on 0; close; mesh 1 over 0; allocate DRAM 0x1000 on 0;
                free DRAM 0x1000 on 0
                """);

        var afterOne = script.recorded();
        var afterTwo = script.report("free DRAM 0x1000 on 0").recorded();
        var afterThree = script.report("free DRAM 0x1000 on 0; close").recorded();

        assertThat(afterOne.live()).extracting(BufferGeneration::openPeriod).containsExactly(1);
        assertThat(afterTwo.live()).isEmpty();
        assertThat(afterTwo.anomalies()).isEmpty();
        assertThat(afterThree.anomalies()).extracting(Anomaly::kind).containsExactly(Anomaly.Kind.DOUBLE_FREE);
    }

    @Test
    void knowsThePhaseItWasAllocatedIn() {
        var history = historyOf("allocate DRAM 0x1000 on 0; phase TEST; allocate DRAM 0x2000 on 0");

        assertThat(history.generations())
                .extracting(BufferGeneration::allocatedIn)
                .containsExactly(Phase.START, Phase.TEST);
        assertThat(history.phaseAt(1)).isEqualTo(Phase.START);
        assertThat(history.phaseAt(3)).isEqualTo(Phase.TEST);
    }

    @Test
    void freesTheReportOfTheSameOwnership() {
        var history = historyOf("""
                allocate DRAM 0x1000 on 0, owning, again NON_OWNING; free DRAM 0x1000 on 0, owning
                """);

        assertThat(history.live().get(0).reports())
                .filteredOn(Report::isOpen)
                .extracting(Report::ownership)
                .containsExactly(NON_OWNING);
    }

    @Test
    void freesTheReportOfTheSameOwner() {
        var history = historyOf("""
                allocate L1 101152 on 0, size 4096, circular buffer of program 7;
                allocate L1 101152 on 0, size 4096, circular buffer of program 8;
                free L1 101152 on 0, circular buffer of program 7
                """);

        assertThat(history.live().get(0).reports())
                .filteredOn(Report::isOpen)
                .extracting(report -> report.request().details().owner().orElseThrow())
                .containsExactly(Owner.program("8"));
    }

    @Test
    void freesTheLatestReportWhenNothingDistinguishesThem() {
        var history = historyOf("allocate DRAM 0x1000 on 0, again UNKNOWN; free DRAM 0x1000 on 0");

        assertThat(history.live().get(0).reports()).extracting(Report::isOpen).containsExactly(true, false);
        assertThat(history.live().get(0).lastOpenReportAt()).hasValue(1);
    }

    @Test
    void endsWithTheFreeOfItsLastReport() {
        var history = historyOf("""
                allocate DRAM 0x1000 on 0, again NON_OWNING; free DRAM 0x1000 on 0; free DRAM 0x1000 on 0
                """);

        assertThat(history.generations().get(0).freedAt()).hasValue(4);
        assertThat(history.generations().get(0).lastOpenReportAt()).isEmpty();
    }

    @Test
    void describesEveryStepOfItsReferenceCountWithWhoAndWhy() {
        var history = historyOf("""
                allocate L1 101152 on 0, size 4096, circular buffer of program 7;
                allocate L1 101152 on 0, size 2048, circular buffer of program 8;
                free L1 101152 on 0, circular buffer of program 7; free L1 101152 on 0, circular buffer of program 8
                """);

        assertThat(history.generations().get(0).referenceCounts())
                .extracting(
                        CountChange::event,
                        CountChange::before,
                        CountChange::after,
                        CountChange::reason,
                        change -> change.request().details().owner().orElseThrow())
                .containsExactly(
                        tuple(1L, 0, 1, Reason.ALLOCATED, Owner.program("7")),
                        tuple(2L, 1, 2, Reason.REPORTED_AGAIN, Owner.program("8")),
                        tuple(3L, 2, 1, Reason.RELEASED, Owner.program("7")),
                        tuple(4L, 1, 0, Reason.FREED, Owner.program("8")));
    }

    @Test
    void describesWhereEachStepOfItsReferenceCountWasRequested() {
        var tracker = AllocationTracker.builder()
                .originCapture(OriginCapture.ALLOCATIONS_AND_FREES)
                .build();
        tracker.allocated(0, DRAM, 0x1000, 64);
        tracker.freed(0, DRAM, 0x1000);

        assertThat(tracker.history().generations().get(0).referenceCounts())
                .extracting(change -> change.request().origin().orElseThrow().toString())
                .allMatch(line -> line.startsWith(getClass().getName()))
                .doesNotHaveDuplicates();
    }

    @Test
    void isCollectedIfTheHandleOfItsLastReportWas() {
        var history = historyOf("""
                allocate DRAM 0x1000 on 0; free DRAM 0x1000 on 0, collected; allocate DRAM 0x1000 on 0;
                free DRAM 0x1000 on 0; allocate DRAM 0x1000 on 0;
                allocate DRAM 0x2000 on 0, again NON_OWNING; free DRAM 0x2000 on 0; free DRAM 0x2000 on 0, collected;
                allocate DRAM 0x3000 on 0, again NON_OWNING; free DRAM 0x3000 on 0, collected; free DRAM 0x3000 on 0
                """);

        assertThat(history.generations())
                .extracting(BufferGeneration::isCollected)
                .containsExactly(true, false, false, true, false);
    }

    @Test
    void belongsToTheRequestsThatReportedIt() {
        var history = historyOf("allocate DRAM 0x1000 on 0..2");

        assertThat(history.buffersOf(history.live().get(0).request())).isEqualTo(history.live());
    }

    @Test
    void belongsToNoRequestThatCannotBeDistinguished() {
        var history = historyOf("without origins; allocate DRAM 0x1000 on 0..2");

        assertThat(history.buffersOf(history.live().get(0).request())).isEmpty();
    }

    @Test
    void countsOpenPeriodsOfItsDeviceFromOne() {
        var history = historyOf("allocate DRAM 0x1000 on 0; mesh 0 over 0; close; mesh 1 over 0; close");

        assertThat(history.openPeriodAt(0, 1)).isEqualTo(1);
        assertThat(history.openPeriodAt(0, 3)).isEqualTo(1);
        assertThat(history.openPeriodAt(0, Long.MAX_VALUE)).isEqualTo(2);
        assertThat(history.openPeriodAt(9, Long.MAX_VALUE)).isEqualTo(1);
    }
}
