package dev.meshguard.verdict;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.BufferType.L1;
import static dev.meshguard.event.Ownership.NON_OWNING;
import static dev.meshguard.event.WitnessSnapshot.Moment.BEFORE_WIPE;
import static dev.meshguard.event.WitnessSnapshot.Moment.CLOSE_BEGUN;
import static dev.meshguard.tracker.script.HistoryScript.device;
import static dev.meshguard.tracker.script.HistoryScript.devices;
import static dev.meshguard.tracker.script.HistoryScript.history;
import static dev.meshguard.tracker.script.HistoryScript.historyWithoutOrigins;
import static dev.meshguard.tracker.script.HistoryScript.program;
import static dev.meshguard.verdict.Judgement.judged;

import dev.meshguard.event.BufferLifetime;
import dev.meshguard.tracker.script.HistoryScript;
import org.junit.jupiter.api.Test;

/** If several causes have proof, the order of {@link Cause} decides; if facts are missing, there are fewer causes. */
class PrecedenceTests {

    /** Reported twice, gone by the witness, memory of a cached program, freed on all other devices. */
    private static HistoryScript everything(HistoryScript script) {
        return script.mesh(0, devices(0, 3))
                .allocate(DRAM, devices(0, 3), 0x1000, 64)
                .lifetime(BufferLifetime.SYSTEM)
                .ownedBy(program(7))
                .nonOwning()
                .andOnceMore(NON_OWNING)
                .cached(program(7))
                .free(DRAM, devices(0, 2), 0x1000)
                .ownedBy(program(7))
                .nonOwning()
                .free(DRAM, devices(0, 2), 0x1000)
                .ownedBy(program(7))
                .nonOwning();
    }

    @Test
    void namesTwoReportsOfOneAllocationFirst() {
        var history = everything(history())
                .free(DRAM, device(3), 0x1000)
                .ownedBy(program(7))
                .nonOwning()
                .witness(BEFORE_WIPE, DRAM, devices(0, 3))
                .closed();

        judged(history).hasOnly(Cause.REPORTED_TWICE, SurvivorStatus.MISREPORTED);
    }

    @Test
    void namesAMissingReportOfAFreeSecond() {
        var history =
                everything(history()).witness(BEFORE_WIPE, DRAM, devices(0, 3)).closed();

        judged(history).hasOnly(Cause.FREE_UNREPORTED, SurvivorStatus.MISREPORTED);
    }

    @Test
    void namesACacheBeforeTheSystem() {
        judged(everything(history()).closed()).hasOnly(Cause.CACHED, SurvivorStatus.LEAKED);
    }

    @Test
    void namesTheSystemBeforeOtherDevices() {
        judged(everything(history()).endOf(program(7)).closed()).hasOnly(Cause.SYSTEM, SurvivorStatus.LEAKED);
    }

    @Test
    void namesAnEndedProgramBeforeOtherDevices() {
        var history = history()
                .allocate(L1, devices(0, 3), 101_152, 4_096)
                .circularBufferOf(program(7))
                .free(L1, devices(0, 2), 101_152)
                .circularBufferOf(program(7))
                .endOf(program(7))
                .recorded();

        judged(history).hasOnly(Cause.CIRCULAR_BUFFER_UNREPORTED, SurvivorStatus.MISREPORTED);
    }

    /** The same generation without owners and origins, and without a witness: a server's log. */
    @Test
    void namesNoOtherCauseWhereNothingButAddressesIsKnown() {
        var history = historyWithoutOrigins()
                .meshWithoutDevices(0, devices(0, 3))
                .allocate(DRAM, devices(0, 3), 0x1000, 64)
                .allocate(DRAM, devices(0, 3), 0x1000, 64)
                .free(DRAM, devices(0, 2), 0x1000)
                .free(DRAM, devices(0, 2), 0x1000)
                .free(DRAM, device(3), 0x1000)
                .closeWithoutDevices()
                .recorded();

        judged(history)
                .hasOutcome(Outcome.LEAKED)
                .hasOnly(Cause.UNEXPLAINED, SurvivorStatus.LEAKED)
                .because("reported twice, freed once");
    }

    @Test
    void namesNoCauseForAServersCircularBuffers() {
        var history = historyWithoutOrigins()
                .allocate(L1, device(0), 101_152, 4_096)
                .endOf(program(7))
                .recorded();

        judged(history).hasOnly(Cause.UNEXPLAINED, SurvivorStatus.UNDECIDED);
    }

    @Test
    void usesTheWitnessWhereNothingElseIsKnown() {
        var history = historyWithoutOrigins()
                .meshWithoutDevices(0, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .allocate(DRAM, device(0), 0x2000, 64)
                .witness(CLOSE_BEGUN, DRAM, device(0), 0x2000)
                .closeWithoutDevices()
                .recorded();

        judged(history).hasCauses(Cause.FREE_UNREPORTED, Cause.UNEXPLAINED);
    }
}
