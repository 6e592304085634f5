package dev.meshguard.verdict;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.BufferType.L1;
import static dev.meshguard.event.IgnoredFreeReason.FAILED;
import static dev.meshguard.event.IgnoredFreeReason.STILL_SHARED;
import static dev.meshguard.event.WitnessSnapshot.Moment.CLOSE_BEGUN;
import static dev.meshguard.tracker.script.HistoryScript.device;
import static dev.meshguard.tracker.script.HistoryScript.history;
import static dev.meshguard.tracker.script.HistoryScript.on;
import static dev.meshguard.tracker.script.HistoryScript.program;
import static dev.meshguard.verdict.Judgement.judged;

import dev.meshguard.event.Owner;
import dev.meshguard.event.Phase;
import dev.meshguard.event.Reachability;
import dev.meshguard.event.SourceDescription;
import dev.meshguard.event.SourceVocabulary;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.script.HistoryScript;
import org.junit.jupiter.api.Test;

class FixesTests {

    @Test
    void ofALostBufferThatIsNotCloseableNeedsAFinallyBlock() {
        AllocationTracker tracker = AllocationTracker.create();
        tracker.sourceAttached(
                SourceDescription.of("pool").speaking(SourceVocabulary.PROGRAM.freedBy("release", "released")));

        judged(on(tracker)
                        .allocate(DRAM, device(0), 0x1000, 64)
                        .traced(Reachability.lost())
                        .recorded())
                .hasFix("Release the buffer before the program ends on every path: in a finally block.");
    }

    @Test
    void ofABufferThatAViewSharesIsAFreeOfTheView() {
        judged(leaked(history())
                        .freeIgnored(DRAM, device(0), 0x1000, STILL_SHARED)
                        .traced(Reachability.lost())
                        .closed())
                .hasFix("Free the view that shares it too, or free it with force.");
    }

    @Test
    void ofAFreeThatFailedIsTheCallThatFailed() {
        judged(leaked(history())
                        .freeIgnored(DRAM, device(0), 0x1000, FAILED)
                        .traced(Reachability.held())
                        .closed())
                .hasFix("Correct the call that failed: the buffer stays until a free succeeds.");
    }

    @Test
    void ofMemoryOfAProgramThatWasNeverClosedNamesTheProgram() {
        judged(leaked(history()).ownedBy(program(7)).traced(Reachability.held()).closed())
                .hasFix(
                        "Close the workload, or a program that is in none, before close_mesh_device: program 7 keeps its memory until then.");
    }

    @Test
    void isMissingForMemoryOfAProgramThatEnded() {
        judged(leaked(history()).ownedBy(program(7)).endOf(program(7)).closed()).hasFix("");
    }

    @Test
    void isMissingForMemoryThatTheRuntimeAllocatedInAnOperation() {
        judged(history()
                        .phase(new Phase("ttnn.matmul (operation 2)"))
                        .allocate(L1, device(0), 0x1000, 64)
                        .ownedBy(new Owner(Owner.Kind.OTHER, "ttnn.matmul"))
                        .recorded())
                .hasFix("");
    }

    @Test
    void isMissingWhereTheFreeCouldNotBeReported() {
        judged(leaked(history())
                        .stopped("the runtime shut its tracker down")
                        .started()
                        .witness(CLOSE_BEGUN, DRAM, device(0))
                        .closed())
                .hasFix("");
    }

    @Test
    void isMissingForAnUndecidedBuffer() {
        judged(leaked(history()).recorded()).hasFix("");
    }

    private static HistoryScript leaked(HistoryScript history) {
        return history.mesh(0, 0).allocate(DRAM, device(0), 0x1000, 64);
    }
}
