package dev.meshguard.verdict;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.WitnessSnapshot.Moment.CLOSE_BEGUN;
import static dev.meshguard.tracker.script.HistoryScript.device;
import static dev.meshguard.tracker.script.HistoryScript.history;
import static dev.meshguard.verdict.Judgement.judged;

import dev.meshguard.event.Reachability;
import org.junit.jupiter.api.Test;

/** A process that has exited frees nothing. */
class ProcessDiedTests {

    @Test
    void namesABufferWhoseProcessEnded() {
        var history = history()
                .allocate(DRAM, device(0), 0x1000, 64)
                .by(4711)
                .died(4711)
                .recorded();

        judged(history)
                .hasOutcome(Outcome.LEAKED)
                .hasOnly(Cause.PROCESS_DIED, SurvivorStatus.LEAKED)
                .because("process 4711 allocated it ({allocated}) and ended ({process died}) without freeing it");
    }

    @Test
    void doesNotBlameAProcessThatLives() {
        var history = history()
                .allocate(DRAM, device(0), 0x1000, 64)
                .by(4711)
                .died(4712)
                .recorded();

        judged(history).hasOnly(Cause.UNEXPLAINED, SurvivorStatus.LEAKED);
    }

    @Test
    void doesNotTakeALaterProcessOfTheSameNumberForIt() {
        var history = history()
                .died(4711)
                .allocate(DRAM, device(0), 0x1000, 64)
                .by(4711)
                .recorded();

        judged(history).hasOnly(Cause.UNEXPLAINED, SurvivorStatus.LEAKED);
    }

    @Test
    void doesNotBlameOneOfTwoProcessesThatShareABuffer() {
        var history = history()
                .allocate(DRAM, device(0), 0x1000, 64)
                .by(1)
                .allocate(DRAM, device(0), 0x1000, 64)
                .by(2)
                .died(1)
                .recorded();

        judged(history).hasOnly(Cause.UNEXPLAINED, SurvivorStatus.LEAKED);
    }

    @Test
    void goesBeforeEverythingElse() {
        var history = history()
                .mesh(0, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .by(4711)
                .traced(Reachability.held())
                .died(4711)
                .witness(CLOSE_BEGUN, DRAM, device(0), 0x1000)
                .closed();

        judged(history).hasOnly(Cause.PROCESS_DIED, SurvivorStatus.LEAKED);
    }

    @Test
    void waitsForNoCloseOfAMeshWhereOnlyTheDeadWere() {
        var history = history()
                .mesh(0, 0)
                .mesh(1, 1)
                .allocate(DRAM, device(0), 0x1000, 64)
                .by(4711)
                .allocate(DRAM, device(1), 0x1000, 64)
                .by(4712)
                .died(4711)
                .recorded();

        judged(history)
                .hasCauses(Cause.PROCESS_DIED, Cause.UNEXPLAINED)
                .inconclusiveReasons(
                        "Mesh 1 (mesh 1) is still open, so its buffers may still be freed. Close it before the check.");
    }

    @Test
    void waitsForTheCloseOfAMeshWhereSomebodyMayStillLive() {
        var history = history()
                .mesh(0, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .by(4711)
                .allocate(DRAM, device(0), 0x2000, 64)
                .died(4711)
                .recorded();

        judged(history)
                .inconclusiveReasons(
                        "Mesh 0 (mesh 0) is still open, so its buffers may still be freed. Close it before the check.");
    }
}
