package dev.meshguard.verdict;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.BufferType.L1;
import static dev.meshguard.event.WitnessSnapshot.Moment.CLOSE_BEGUN;
import static dev.meshguard.tracker.script.HistoryScript.device;
import static dev.meshguard.tracker.script.HistoryScript.devices;
import static dev.meshguard.tracker.script.HistoryScript.historyWithoutOrigins;
import static dev.meshguard.tracker.script.HistoryScript.program;
import static dev.meshguard.verdict.Judgement.judged;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.L1Base;
import dev.meshguard.tracker.script.HistoryScript;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A source that reports only device, memory, address, size and process, as a server's log does. */
class BareReportsTests {

    private static final long BASE = 101_152;

    @Test
    void severalOpenReportsOfOneAddressLeaveItUndecidedEvenWhereTheProcessDied() {
        var history = historyWithoutOrigins()
                .allocate(DRAM, device(0), 0x1000, 64)
                .by(7)
                .allocate(DRAM, device(0), 0x2000, 64)
                .by(7)
                .allocate(DRAM, device(0), 0x1000, 64)
                .by(7)
                .died(7)
                .recorded();

        Judgement judgement = judged(history)
                .hasOutcome(Outcome.LEAKED)
                .hasStandings(SurvivorStatus.UNDECIDED, SurvivorStatus.LEAKED)
                .hasCauses(Cause.UNEXPLAINED, Cause.PROCESS_DIED)
                .because(
                        "2 reports of this address are open, and an allocator does not allocate an address twice: some are of a view or a"
                                + " circular buffer, or a free is missing (the last report is {last allocated})");
        assertThat(judgement.verdict().inconclusiveReasons())
                .extracting(InconclusiveReason::kind)
                .containsExactly(InconclusiveReason.Kind.REPORTS_FIT_BOTH);
    }

    @Test
    void theInconclusiveReasonSaysWhatWouldDecideIt() {
        judged(historyWithoutOrigins()
                        .allocate(DRAM, device(0), 0x1000, 64)
                        .allocate(DRAM, device(0), 0x1000, 64)
                        .recorded())
                .hasOutcome(Outcome.INCONCLUSIVE)
                .inconclusiveReasons(
                        "The reports of 1 buffer fit a leak as well as freed memory; the first is DRAM 0x1000 (4096) on"
                                + " device 0, generation 1. A reading of the allocators when the close begins would decide it, or a"
                                + " source that names the owner and the kind of each buffer.");
    }

    @Test
    void twoReportsInARowAndOneFreeLeaveItUndecided() {
        judged(historyWithoutOrigins()
                        .allocate(DRAM, device(0), 1_073_739_776, 12_288)
                        .by(7)
                        .allocate(DRAM, device(0), 1_073_739_776, 12_288)
                        .by(7)
                        .free(DRAM, device(0), 1_073_739_776)
                        .by(7)
                        .recorded())
                .hasOutcome(Outcome.INCONCLUSIVE)
                .because(
                        "it was reported twice in a row ({allocated 1 and 2}) and not freed as often: one report may be of a view,"
                                + " whose end need not be reported");
    }

    @Test
    void twoReportsWithOthersBetweenThemAndOneFreeAreALeak() {
        judged(historyWithoutOrigins()
                        .allocate(DRAM, devices(0, 1), 0x1000, 64)
                        .by(7)
                        .allocate(DRAM, devices(0, 1), 0x1000, 64)
                        .by(7)
                        .free(DRAM, devices(0, 1), 0x1000)
                        .by(7)
                        .recorded())
                .hasOutcome(Outcome.LEAKED);
    }

    @Test
    void aLaterFreeOfTheAddressThatFoundNothingOnAnotherDeviceLeavesItUndecided() {
        judged(historyWithoutOrigins()
                        .allocate(DRAM, device(0), 0x1000, 64)
                        .by(7)
                        .free(DRAM, device(3), 0x1000)
                        .by(7)
                        .recorded())
                .hasStandings(SurvivorStatus.UNDECIDED)
                .because(
                        "a free of this address on device 3 found nothing there ({freed}): it may be this buffer's, reported under"
                                + " another device");
    }

    @Test
    void aFreeThatFoundNothingBeforeOrElsewhereOrInOtherMemoryDecidesNothing() {
        judged(historyWithoutOrigins()
                        .free(DRAM, device(3), 0x1000)
                        .by(7)
                        .allocate(DRAM, device(0), 0x1000, 64)
                        .by(7)
                        .free(DRAM, device(3), 0x2000)
                        .by(7)
                        .free(L1, device(3), 0x1000)
                        .by(7)
                        .recorded())
                .hasOutcome(Outcome.LEAKED)
                .hasStandings(SurvivorStatus.LEAKED);
    }

    @Test
    void aFreeThatFoundNothingRightBeforeTheReportLeavesItUndecided() {
        judged(historyWithoutOrigins()
                        .free(DRAM, device(0), 0x1000)
                        .by(7)
                        .allocate(DRAM, device(0), 0x1000, 64)
                        .by(7)
                        .recorded())
                .hasStandings(SurvivorStatus.UNDECIDED)
                .because(
                        "a free of it found nothing ({freed}) before it was reported ({allocated}): the free may have overtaken the"
                                + " report");
    }

    @Test
    void aFreeOfNothingBeforeAnotherGenerationOfTheAddressDecidesNothing() {
        judged(historyWithoutOrigins()
                        .free(DRAM, device(0), 0x1000)
                        .by(7)
                        .allocate(DRAM, device(0), 0x1000, 64)
                        .by(7)
                        .free(DRAM, device(0), 0x1000)
                        .by(7)
                        .allocate(DRAM, device(0), 0x1000, 64)
                        .by(7)
                        .recorded())
                .hasOutcome(Outcome.LEAKED);
    }

    @ParameterizedTest
    @EnumSource(L1Base.class)
    void aStackOfL1WithoutGapsFromAKnownBaseIsUndecided(L1Base base) {
        judged(historyWithoutOrigins()
                        .allocate(L1, device(0), base.address() + 4_096, 100)
                        .by(7)
                        .allocate(L1, device(0), base.address(), 4_096)
                        .by(7)
                        .allocate(L1, device(0), base.address() + 4_096 + 128, 64)
                        .by(7)
                        .died(7)
                        .recorded())
                .hasOutcome(Outcome.INCONCLUSIVE)
                .hasOnly(Cause.UNEXPLAINED, SurvivorStatus.UNDECIDED);
    }

    @Test
    void whatLiesAboveAGapIsNotOfTheStack() {
        judged(historyWithoutOrigins()
                        .allocate(L1, device(0), BASE, 4_096)
                        .allocate(L1, device(0), BASE + 8_192, 4_096)
                        .allocate(L1, device(1), BASE + 4_096, 4_096)
                        .recorded())
                .hasStandings(SurvivorStatus.UNDECIDED, SurvivorStatus.LEAKED, SurvivorStatus.LEAKED);
    }

    @Test
    void whereTheBaseIsNotKnownThereIsNoStack() {
        judged(historyWithoutOrigins()
                        .allocate(L1, device(0), BASE + 32, 4_096)
                        .allocate(L1, device(0), BASE + 32 + 4_096, 4_096)
                        .recorded())
                .hasStandings(SurvivorStatus.LEAKED, SurvivorStatus.LEAKED);
    }

    @Test
    void dramAtThatAddressIsNoStack() {
        judged(historyWithoutOrigins().allocate(DRAM, device(0), BASE, 4_096).recorded())
                .hasStandings(SurvivorStatus.LEAKED);
    }

    @Test
    void aSourceThatSaysMoreIsJudgedByThat() {
        judged(onTheBase().ownedBy(program(7)).recorded()).hasStandings(SurvivorStatus.LEAKED);
        judged(onTheBase().labelled("ring").recorded()).hasStandings(SurvivorStatus.LEAKED);
        judged(onTheBase().owning().recorded()).hasStandings(SurvivorStatus.LEAKED);
        judged(HistoryScript.history().allocate(L1, device(0), BASE, 4_096).recorded())
                .hasStandings(SurvivorStatus.LEAKED);
    }

    @Test
    void aWitnessDecides() {
        judged(historyWithoutOrigins()
                        .meshWithoutDevices(0, 0)
                        .allocate(L1, device(0), BASE, 4_096)
                        .witness(CLOSE_BEGUN, L1, device(0), BASE)
                        .closeWithoutDevices()
                        .recorded())
                .hasStandings(SurvivorStatus.LEAKED);
    }

    private static HistoryScript onTheBase() {
        return historyWithoutOrigins().allocate(L1, device(0), BASE, 4_096);
    }
}
