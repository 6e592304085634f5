package dev.meshguard.verdict;

import static dev.meshguard.event.BufferType.L1;
import static dev.meshguard.event.WitnessSnapshot.Moment.CLOSE_BEGUN;
import static dev.meshguard.tracker.script.HistoryScript.device;
import static dev.meshguard.tracker.script.HistoryScript.history;
import static dev.meshguard.tracker.script.HistoryScript.program;
import static dev.meshguard.verdict.Cause.CACHED;
import static dev.meshguard.verdict.Cause.CIRCULAR_BUFFER_UNREPORTED;
import static dev.meshguard.verdict.Cause.UNEXPLAINED;
import static dev.meshguard.verdict.Judgement.judged;
import static dev.meshguard.verdict.SurvivorStatus.LEAKED;
import static dev.meshguard.verdict.SurvivorStatus.MISREPORTED;
import static dev.meshguard.verdict.SurvivorStatus.UNDECIDED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Ownership;
import dev.meshguard.tracker.AllocationTracker;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Every program with an open report has ended. */
class CircularBufferUnreportedTests {

    private static final String OUTSIDE_THE_ALLOCATOR =
            "circular buffers lie outside the allocator, so closing the device cannot free it";

    @Test
    void namesTheProgramWhoseCircularBufferWasNeverReportedFreed() {
        var history = history()
                .allocate(L1, device(0), 101_152, 4_096)
                .circularBufferOf(program(7))
                .endOf(program(7))
                .recorded();

        judged(history)
                .hasOnly(CIRCULAR_BUFFER_UNREPORTED, MISREPORTED)
                .because("program 7 ended at {owner ended}, and its free was never reported", OUTSIDE_THE_ALLOCATOR);
    }

    @Test
    void namesBothProgramsThatUsedTheAddress() {
        var history = history()
                .allocate(L1, device(0), 109_344, 4_096)
                .circularBufferOf(program(7))
                .allocate(L1, device(0), 109_344, 2_048)
                .circularBufferOf(program(8))
                .endOf(program(7))
                .endOf(program(8))
                .recorded();

        judged(history)
                .hasOnly(CIRCULAR_BUFFER_UNREPORTED, MISREPORTED)
                .because(
                        "program 7 ended at {owner ended 1}, program 8 ended at {last owner ended}, and its free was never reported",
                        OUTSIDE_THE_ALLOCATOR);
    }

    @Test
    void isNotNamedWhileTheProgramIsAlive() {
        var history = history()
                .allocate(L1, device(0), 101_152, 4_096)
                .circularBufferOf(program(7))
                .endOf(program(8))
                .recorded();

        judged(history).hasOnly(UNEXPLAINED, LEAKED);
    }

    @Test
    void isNotNamedWhileOneOfTwoProgramsIsAlive() {
        var history = history()
                .allocate(L1, device(0), 101_152, 4_096)
                .circularBufferOf(program(7))
                .allocate(L1, device(0), 101_152, 4_096)
                .circularBufferOf(program(8))
                .endOf(program(7))
                .recorded();

        judged(history).hasOnly(UNEXPLAINED, LEAKED);
    }

    @Test
    void isNamedWhileAProgramIsAliveWhoseOwnFreeWasReported() {
        var history = history()
                .allocate(L1, device(0), 101_152, 4_096)
                .circularBufferOf(program(7))
                .allocate(L1, device(0), 101_152, 4_096)
                .circularBufferOf(program(8))
                .endOf(program(7))
                .free(L1, device(0), 101_152)
                .circularBufferOf(program(8))
                .recorded();

        judged(history)
                .hasOnly(CIRCULAR_BUFFER_UNREPORTED, MISREPORTED)
                .because("program 7 ended at {owner ended}, and its free was never reported", OUTSIDE_THE_ALLOCATOR);
    }

    @Test
    void isNotNamedWhileAProgramIsAliveAndTheOneFreeIsNobodys() {
        var history = history()
                .allocate(L1, device(0), 101_152, 4_096)
                .circularBufferOf(program(7))
                .allocate(L1, device(0), 101_152, 4_096)
                .circularBufferOf(program(8))
                .endOf(program(7))
                .free(L1, device(0), 101_152)
                .recorded();

        judged(history).hasOnly(UNEXPLAINED, LEAKED);
    }

    @Test
    void isNotNamedForAReportAfterTheEndOfTheProgram() {
        var history = history()
                .endOf(program(7))
                .allocate(L1, device(0), 101_152, 4_096)
                .circularBufferOf(program(7))
                .recorded();

        judged(history).hasOnly(UNEXPLAINED, UNDECIDED);
    }

    @Test
    void isNotNamedForABufferOfTheAllocator() {
        var history = history()
                .allocate(L1, device(0), 101_152, 4_096)
                .ownedBy(program(7))
                .endOf(program(7))
                .recorded();

        judged(history).hasOnly(UNEXPLAINED, LEAKED);
    }

    @Test
    void isNotNamedWhileABufferOfTheAllocatorHoldsTheSameAddress() {
        var history = history()
                .allocate(L1, device(0), 101_152, 4_096)
                .circularBufferOf(program(7))
                .allocate(L1, device(0), 101_152, 4_096)
                .ownedBy(program(7))
                .endOf(program(7))
                .recorded();

        judged(history).hasOnly(UNEXPLAINED, LEAKED);
    }

    @Test
    void isNotNamedForALifeThatBeganAsABufferOfTheAllocator() {
        var history = history()
                .allocate(L1, device(0), 101_152, 4_096)
                .allocate(L1, device(0), 101_152, 4_096)
                .circularBufferOf(program(7))
                .endOf(program(7))
                .free(L1, device(0), 101_152)
                .recorded();

        judged(history).hasOnly(UNEXPLAINED, LEAKED);
    }

    @Test
    void leavesTheBufferOfAProgramInTheCacheToTheCache() {
        var history = history()
                .allocate(L1, device(0), 101_152, 4_096)
                .circularBufferOf(program(7))
                .cached(program(7))
                .recorded();

        judged(history).hasOnly(CACHED, LEAKED);
    }

    /** Two runtimes that use one tracker in turn number their programs alike. */
    @Test
    void isNotNamedForTheEndOfAProgramOfTheSameNameOnADeviceOpenedAgain() {
        var tracker = AllocationTracker.create();
        for (int round = 0; round < 2; round++) {
            tracker.deviceOpened(0);
            tracker.allocated(
                    tracker.request(AllocationDetails.circularBuffer(program(1))),
                    0,
                    L1,
                    101_152 + round * 4_096,
                    4_096,
                    Ownership.OWNING);
            tracker.deviceClosed(0);
        }
        tracker.freed(tracker.release(AllocationDetails.circularBuffer(program(1))), 0, L1, 105_248, Ownership.OWNING);
        tracker.ownerEnded(program(1));

        LeakVerdict verdict = LeakCheck.create().examine(tracker.history());

        assertThat(verdict.survivors()).extracting(Survivor::cause).containsExactly(UNEXPLAINED);
    }

    @Test
    void isNamedForABufferWhoseProgramEndedRightAfterwards() {
        var history = history()
                .mesh(0, 0)
                .allocate(L1, device(0), 101_152, 4_096)
                .circularBufferOf(program(7))
                .endOf(program(7))
                .witness(CLOSE_BEGUN, L1, device(0))
                .closed();

        judged(history)
                .hasOnly(CIRCULAR_BUFFER_UNREPORTED, MISREPORTED)
                .because(
                        "program 7 ended at {owner ended}, and its free was never reported",
                        OUTSIDE_THE_ALLOCATOR + " (the allocator held nothing there at {witnessed})");
    }

    @Test
    void takesNoComfortFromAWitnessThatHoldsTheAddress() {
        var history = history()
                .mesh(0, 0)
                .allocate(L1, device(0), 101_152, 4_096)
                .circularBufferOf(program(7))
                .endOf(program(7))
                .witness(CLOSE_BEGUN, L1, device(0), 101_152)
                .closed();

        judged(history)
                .hasOnly(CIRCULAR_BUFFER_UNREPORTED, MISREPORTED)
                .because("program 7 ended at {owner ended}, and its free was never reported", OUTSIDE_THE_ALLOCATOR);
    }

    private static String onlyOnThatDevice(MeshDescription mesh, int device) {
        var tracker = AllocationTracker.create();
        tracker.meshOpened(mesh);
        tracker.allocated(
                tracker.request(AllocationDetails.circularBuffer(program(7))),
                device,
                L1,
                101_152,
                4_096,
                Ownership.UNKNOWN);
        tracker.ownerEnded(program(7));
        tracker.meshClosed(0);
        List<Evidence> evidence = judged(tracker.history())
                .hasOnly(CIRCULAR_BUFFER_UNREPORTED, MISREPORTED)
                .verdict()
                .survivors()
                .get(0)
                .diagnosis()
                .evidence();
        return evidence.size() == 3 ? evidence.get(2).text() : "nothing";
    }

    @Test
    void saysThatTheDeviceStandsForItsWholeMesh() {
        assertThat(onlyOnThatDevice(new MeshDescription(0, "1x2 mesh", List.of(0, 1), 1), 1))
                .isEqualTo("it shows on device 1 only because this source reports circular buffers of the whole mesh"
                        + " under that device");
    }

    @Test
    void saysNothingOfADeviceThatStandsForItselfOnly() {
        assertThat(onlyOnThatDevice(new MeshDescription(0, "1x2 mesh", List.of(0, 1), 1), 0))
                .isEqualTo("nothing");
        assertThat(onlyOnThatDevice(new MeshDescription(0, "1x1 mesh", List.of(0), 0), 0))
                .isEqualTo("nothing");
    }

    @Test
    void isNotNamedWhileAProgramIsAliveAndTheOneFreeIsOfAnother() {
        var history = history()
                .allocate(L1, device(0), 101_152, 4_096)
                .circularBufferOf(program(7))
                .allocate(L1, device(0), 101_152, 4_096)
                .circularBufferOf(program(8))
                .endOf(program(7))
                .free(L1, device(0), 101_152)
                .circularBufferOf(program(9))
                .recorded();

        judged(history).hasOnly(UNEXPLAINED, LEAKED);
    }
}
