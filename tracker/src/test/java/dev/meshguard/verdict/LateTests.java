package dev.meshguard.verdict;

import static dev.meshguard.tracker.BufferType.DRAM;
import static dev.meshguard.tracker.HistoryScript.device;
import static dev.meshguard.tracker.HistoryScript.history;
import static dev.meshguard.tracker.WitnessReading.Moment.CLOSE_BEGUN;
import static dev.meshguard.verdict.Judgement.judged;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Who is freed after the check is late: it was left when it mattered. */
class LateTests {

    @Test
    void namesABufferThatWasFreedAfterTheCheck() {
        var history = history()
                .mesh(0, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .witness(CLOSE_BEGUN, DRAM, device(0), 0x1000)
                .close()
                .checkedOn("2026-11-20")
                .free(DRAM, device(0), 0x1000)
                .recorded();

        judged(history)
                .hasOutcome(Outcome.LEAKED)
                .hasOnly(Cause.LATE, Standing.LEAKED)
                .because(
                        "freed at event #8, after the check (event #7)",
                        "the allocator called 0x1000 (4096) taken when close began (event #4)");
    }

    @Test
    void saysThatTheHandleWasCollected() {
        var history = history()
                .allocate(DRAM, device(0), 0x1000, 64)
                .checkedOn("2026-11-20")
                .free(DRAM, device(0), 0x1000)
                .ofCollectedHandle()
                .recorded();

        judged(history)
                .hasOnly(Cause.LATE, Standing.LEAKED)
                .because("freed, when its handle was collected, at event #3, after the check (event #2)");
    }

    @Test
    void leavesAloneWhatWasFreedBefore() {
        var history = history()
                .allocate(DRAM, device(0), 0x1000, 64)
                .free(DRAM, device(0), 0x1000)
                .checkedOn("2026-11-20")
                .recorded();

        judged(history).hasOutcome(Outcome.LEAK_FREE);
    }

    @Test
    void countsWhatWasKnownAtTheCheck() {
        var history = history()
                .allocate(DRAM, device(0), 0x1000, 64)
                .checkedOn("2026-11-20")
                .allocate(DRAM, device(0), 0x2000, 64)
                .free(DRAM, device(0), 0x1000)
                .recorded();

        LeakVerdict verdict =
                judged(history).hasOnly(Cause.LATE, Standing.LEAKED).doubts().verdict();

        assertThat(verdict.sum()).isEqualTo(new LeakVerdict.Sum(1, 0, 1, 0, 0, 0));
    }

    @Test
    void callsItAMatterOfTheBooksWhereTheWitnessSawItFreeInTime() {
        var history = history()
                .mesh(0, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .witness(CLOSE_BEGUN, DRAM, device(0))
                .close()
                .checkedOn("2026-11-20")
                .free(DRAM, device(0), 0x1000)
                .recorded();

        judged(history).hasOnly(Cause.FREE_UNREPORTED, Standing.MISREPORTED);
    }

    @Test
    void doesNotTakeALaterLifeOfTheAddressForIt() {
        var history = history()
                .allocate(DRAM, device(0), 0x1000, 64)
                .free(DRAM, device(0), 0x1000)
                .allocate(DRAM, device(0), 0x2000, 64)
                .checkedOn("2026-11-20")
                .allocate(DRAM, device(0), 0x1000, 64)
                .free(DRAM, device(0), 0x1000)
                .recorded();

        judged(history).hasOnly(Cause.UNEXPLAINED, Standing.LEAKED);
    }

    @Test
    void judgesByTheLastOfSeveralChecks() {
        var history = history()
                .allocate(DRAM, device(0), 0x1000, 64)
                .checkedOn("2026-11-20")
                .free(DRAM, device(0), 0x1000)
                .checkedOn("2026-11-20")
                .recorded();

        judged(history).hasOutcome(Outcome.LEAK_FREE);
    }
}
