package dev.meshguard.tracker;

import static dev.meshguard.event.BufferType.DRAM;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferKind;
import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.MemoryTotals;
import dev.meshguard.event.Origin;
import dev.meshguard.event.Owner;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.Phase;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.history.CountingPolicy;
import dev.meshguard.verdict.InconclusiveReason;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import org.junit.jupiter.api.Test;

/** {@code LIVE_AND_TOTALS} keeps live buffers and sums, but no events. */
class RetentionTests {

    private final AllocationTracker tracker =
            AllocationTracker.builder().retention(Retention.LIVE_AND_TOTALS).build();

    @Test
    void keepsLiveBuffersOnly() {
        tracker.allocated(0, DRAM, 0x1000, 64);
        tracker.allocated(0, DRAM, 0x2000, 64);
        tracker.freed(0, DRAM, 0x1000);

        assertThat(tracker.history().isComplete()).isFalse();
        assertThat(tracker.history().events()).hasSize(1);
        assertThat(tracker.history().live())
                .extracting(BufferGeneration::address)
                .containsExactly(0x2000L);
    }

    @Test
    void keepsEachOpenReportOfALiveBuffer() {
        tracker.allocated(0, DRAM, 0x1000, 64);
        tracker.allocated(0, DRAM, 0x1000, 64);
        tracker.allocated(0, DRAM, 0x1000, 64);
        tracker.freed(0, DRAM, 0x1000);

        assertThat(tracker.history().live())
                .extracting(BufferGeneration::openReports)
                .containsExactly(2);
    }

    @Test
    void keepsWhereALiveBufferCameFrom() {
        tracker.allocated(0, DRAM, 0x1000, 64);

        assertThat(tracker.history().live().get(0).origin().flatMap(Origin::site))
                .map(StackTraceElement::getMethodName)
                .contains("keepsWhereALiveBufferCameFrom");
    }

    @Test
    void keepsThePhaseALiveBufferCameFrom() {
        tracker.phase(Phase.SETUP);
        tracker.allocated(0, DRAM, 0x1000, 64);
        tracker.phase(Phase.TEST);
        tracker.allocated(0, DRAM, 0x2000, 64);
        tracker.phase(Phase.TEARDOWN);

        assertThat(tracker.history().live())
                .extracting(BufferGeneration::allocatedIn)
                .containsExactly(Phase.SETUP, Phase.TEST);
    }

    @Test
    void keepsTheSumsOfWhatIsGone() {
        for (int i = 0; i < 100; i++) {
            tracker.allocated(0, DRAM, 0x1000, 64);
            tracker.freed(0, DRAM, 0x1000);
        }
        tracker.allocated(0, DRAM, 0x1000, 64);

        assertThat(tracker.history().totals(0, DRAM)).isEqualTo(new MemoryTotals(64, 1, 1, 64, 1, 6_464, 101));
    }

    @Test
    void givesAVerdictWhoseSumComesOut() {
        for (int i = 0; i < 100; i++) {
            tracker.allocated(0, DRAM, 0x1000 + 64L * i, 64);
        }
        for (int i = 0; i < 97; i++) {
            tracker.freed(0, DRAM, 0x1000 + 64L * i);
        }

        LeakVerdict verdict = LeakCheck.create().examine(tracker.history());

        assertThat(verdict.outcome()).isEqualTo(Outcome.LEAKED);
        assertThat(verdict.sum()).isEqualTo(new LeakVerdict.Sum(100, 97, 0, 3, 0, 0, 0));
        assertThat(verdict.sum().addsUp()).isTrue();
        assertThat(verdict.totals())
                .containsExactly(new LeakVerdict.TypeTotal(DRAM, BufferLifetime.USER, 100, 6_400, 3, 192));
    }

    @Test
    void isInconclusiveAboutFreesOfNothingThatItCannotExplain() {
        tracker.freed(0, DRAM, 0x1000);

        LeakVerdict verdict = LeakCheck.create().examine(tracker.history());

        assertThat(verdict.inconclusiveReasonTexts())
                .containsExactly("Frees without a live buffer: 1, and the events that would show why were not kept.");
    }

    @Test
    void rejectsReadingALedgerFromEventsItDidNotKeep() {
        tracker.allocated(0, DRAM, 0x1000, 64);
        AllocationHistory history = tracker.history();

        assertThatIllegalStateException()
                .isThrownBy(() -> history.ledger(CountingPolicy.EVERY_REPORT))
                .withMessage("Cannot read this history as EVERY_REPORT: its tracker kept live buffers and totals only."
                        + " Record with Retention.ALL, or ask for totals(…), which are those of REFERENCE_COUNTED.");
    }

    @Test
    void namesNoOwnerForAnAddressThatTwoOwnersReported() {
        Owner one = Owner.program("1 (one)");
        Owner two = Owner.program("2 (two)");
        allocateCircularBuffer(one);
        allocateCircularBuffer(two);
        tracker.freed(
                tracker.release(AllocationDetails.circularBuffer(one)), 0, BufferType.L1, 0x18b20, Ownership.OWNING);
        tracker.ownerEnded(one);

        LeakVerdict verdict = LeakCheck.create().examine(tracker.history());

        assertThat(verdict.outcome()).isEqualTo(Outcome.LEAKED);
        assertThat(verdict.survivors().get(0).buffer().owner()).isEmpty();
        assertThat(verdict.survivors().get(0).buffer().kind()).isEqualTo(BufferKind.CIRCULAR_BUFFER);
    }

    private void allocateCircularBuffer(Owner program) {
        tracker.allocated(
                tracker.request(AllocationDetails.circularBuffer(program)),
                0,
                BufferType.L1,
                0x18b20,
                4096,
                Ownership.OWNING);
    }

    @Test
    void aLateFreeLeavesOtherLeaksCertain() {
        tracker.allocated(0, DRAM, 0x1000, 64);
        tracker.allocated(0, DRAM, 0x2000, 64);
        tracker.checked();
        tracker.freed(0, DRAM, 0x1000);

        LeakVerdict verdict = LeakCheck.create().examine(tracker.history());

        assertThat(verdict.outcome()).isEqualTo(Outcome.LEAKED);
        assertThat(verdict.sum().leaked()).isEqualTo(1);
        assertThat(verdict.sum().undecided()).isZero();
        assertThat(verdict.inconclusiveReasons())
                .extracting(InconclusiveReason::kind)
                .containsExactly(InconclusiveReason.Kind.FREES_NOT_KEPT);
    }

    @Test
    void aBufferThatIsReportedAgainAfterTheCheckWasLiveAtIt() {
        tracker.allocated(0, DRAM, 0x1000, 64);
        tracker.checked();
        tracker.allocated(0, DRAM, 0x1000, 64);
        tracker.freed(0, DRAM, 0x1000);
        tracker.freed(0, DRAM, 0x1000);

        assertThat(LeakCheck.create().examine(tracker.history()).outcome()).isEqualTo(Outcome.INCONCLUSIVE);
    }

    @Test
    void aBufferThatIsAllocatedAndFreedAfterTheCheckLeavesTheVerdictGreen() {
        tracker.checked();
        tracker.allocated(0, DRAM, 0x1000, 64);
        tracker.freed(0, DRAM, 0x1000);

        assertThat(LeakCheck.create().examine(tracker.history()).outcome()).isEqualTo(Outcome.LEAK_FREE);
    }
}
