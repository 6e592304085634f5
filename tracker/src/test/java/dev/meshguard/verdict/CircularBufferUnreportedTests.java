package dev.meshguard.verdict;

import static dev.meshguard.tracker.BufferType.L1;
import static dev.meshguard.tracker.HistoryScript.device;
import static dev.meshguard.tracker.HistoryScript.history;
import static dev.meshguard.tracker.HistoryScript.program;
import static dev.meshguard.verdict.Cause.CACHED;
import static dev.meshguard.verdict.Cause.CIRCULAR_BUFFER_UNREPORTED;
import static dev.meshguard.verdict.Cause.UNEXPLAINED;
import static dev.meshguard.verdict.Judgement.judged;
import static dev.meshguard.verdict.Standing.LEAKED;
import static dev.meshguard.verdict.Standing.MISREPORTED;
import static dev.meshguard.verdict.Standing.UNDECIDED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.tracker.AllocationDetails;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.Ownership;
import org.junit.jupiter.api.Test;

/** Every program that still has a report open has ended. */
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
                .because("program 7 ended at event #2, and nobody reported that it is gone", OUTSIDE_THE_ALLOCATOR);
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
                        "program 7 ended at event #3, program 8 ended at event #4, and nobody reported that it is gone",
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
                .because("program 7 ended at event #3, and nobody reported that it is gone", OUTSIDE_THE_ALLOCATOR);
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

    /** Two runtimes on one tracker, one after the other, number their programs alike. */
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
}
