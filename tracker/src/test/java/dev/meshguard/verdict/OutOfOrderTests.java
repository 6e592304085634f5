package dev.meshguard.verdict;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.WitnessSnapshot.Moment.CLOSE_BEGUN;
import static dev.meshguard.tracker.script.HistoryScript.device;
import static dev.meshguard.tracker.script.HistoryScript.history;
import static dev.meshguard.tracker.script.HistoryScript.program;
import static dev.meshguard.verdict.Cause.UNEXPLAINED;
import static dev.meshguard.verdict.Judgement.judged;
import static dev.meshguard.verdict.SurvivorStatus.LEAKED;
import static dev.meshguard.verdict.SurvivorStatus.UNDECIDED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.Owner;
import dev.meshguard.tracker.script.HistoryScript;
import org.junit.jupiter.api.Test;

/** A free that arrives before the report of its allocation leaves a buffer in the ledger that may be gone. */
class OutOfOrderTests {

    private static HistoryScript allocated(HistoryScript script, Owner owner) {
        return script.allocate(DRAM, device(0), 0x1000, 64).onMesh(0).extent(64).ownedBy(owner);
    }

    private static HistoryScript freed(HistoryScript script, Owner owner) {
        return script.free(DRAM, device(0), 0x1000).onMesh(0).extent(64).ownedBy(owner);
    }

    private static HistoryScript onAMesh() {
        return history().mesh(0, 0);
    }

    @Test
    void isInferredFromAFreeOfNothing() {
        var history = allocated(freed(onAMesh(), program(1)), program(1)).closed();

        LeakVerdict verdict = judged(history)
                .hasOnly(UNEXPLAINED, UNDECIDED)
                .because(
                        "no free was reported",
                        "a free that fits it came at {freed}, before it was reported ({allocated})")
                .verdict();

        assertThat(verdict.inconclusiveReasonTexts())
                .containsExactly("1 buffer was freed before it was reported, the first DRAM 0x1000 (4096) on device 0,"
                        + " generation 1, so reports are out of order and what became of the memory is not known.");
    }

    @Test
    void isInferredFromAFreeOfWhatAnotherOwnerHas() {
        var history = allocated(
                        freed(allocated(onAMesh(), program(1)), program(2))
                                .witness(CLOSE_BEGUN, DRAM, device(0), 0x1000),
                        program(2))
                .closed();

        judged(history)
                .hasOnly(UNEXPLAINED, UNDECIDED)
                .because(
                        "no free was reported",
                        "a free that fits it came at {freed}, before it was reported ({last allocated})");
    }

    @Test
    void isNotInferredFromAFreeByItsOwnerOfWhatThatOwnerHad() {
        var history = allocated(freed(allocated(onAMesh(), program(1)), program(1)), program(1))
                .closed();

        judged(history).hasOnly(UNEXPLAINED, LEAKED);
    }

    @Test
    void isNotInferredFromAFreeInTheNameOfAThirdOwner() {
        var history = allocated(freed(allocated(onAMesh(), program(1)), program(3)), program(2))
                .closed();

        judged(history).hasOnly(UNEXPLAINED, LEAKED);
    }

    @Test
    void isNotInferredFromALaterFree() {
        var history = freed(
                        allocated(allocated(onAMesh(), program(2)), program(1)).ownedBy(program(1)), program(3))
                .closed();

        judged(history).hasOnly(UNEXPLAINED, LEAKED);
    }
}
