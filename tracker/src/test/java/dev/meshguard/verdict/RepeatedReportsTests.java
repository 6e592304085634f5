package dev.meshguard.verdict;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.Ownership.NON_OWNING;
import static dev.meshguard.event.Ownership.OWNING;
import static dev.meshguard.event.WitnessSnapshot.Moment.CLOSE_BEGUN;
import static dev.meshguard.tracker.script.HistoryScript.device;
import static dev.meshguard.tracker.script.HistoryScript.history;
import static dev.meshguard.tracker.script.HistoryScript.historyWithoutOrigins;
import static dev.meshguard.tracker.script.HistoryScript.program;
import static dev.meshguard.verdict.Judgement.judged;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.history.AllocationHistory;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An address that was reported more than once, or allocated over a part of a live buffer, is explained by proof. */
class RepeatedReportsTests {

    private static final String REUSED =
            "the address was allocated again at {last allocated}: the free of what {allocated 1} reported got lost, or another"
                    + " allocator over the device holds it too";

    /** The three suspected causes of survivors after a close: each has different evidence. */
    @Nested
    class ThreeWays {

        @Test
        void aViewIsDestroyedWithoutAReport() {
            var history = history()
                    .allocate(DRAM, device(0), 0x1000, 64)
                    .owning()
                    .allocate(DRAM, device(0), 0x1000, 64)
                    .nonOwning()
                    .free(DRAM, device(0), 0x1000)
                    .owning()
                    .recorded();

            judged(history)
                    .hasOnly(Cause.REPORTED_TWICE, SurvivorStatus.MISREPORTED)
                    .because(
                            "reported 2 times at one live address ({allocated 1, 2}), freed once",
                            "the view of {last allocated} was destroyed without a report; the buffer that it looked at was freed at"
                                    + " {freed}");
        }

        @Test
        void aLastingBufferIsStillAlive() {
            var history = history()
                    .mesh(0, 0)
                    .allocate(DRAM, device(0), 0x1000, 64)
                    .owning()
                    .andOnceMore(NON_OWNING)
                    .free(DRAM, device(0), 0x1000)
                    .nonOwning()
                    .witness(CLOSE_BEGUN, DRAM, device(0), 0x1000)
                    .closed();

            judged(history)
                    .hasOnly(Cause.UNEXPLAINED, SurvivorStatus.LEAKED)
                    .because(
                            "reported twice, freed once",
                            "the allocator reported 0x1000 (4096) as allocated when close began ({witnessed})",
                            "what was freed at {freed} is the view of {last allocated}; the lasting buffer of {allocated 1} is still"
                                    + " there");
        }

        @Test
        void aBufferIsDestroyedWhenNothingIsReportedAnyMore() {
            var history = history()
                    .mesh(0, 0)
                    .allocate(DRAM, device(0), 0x1000, 64)
                    .stopped("the runtime shut its tracker down")
                    .witness(CLOSE_BEGUN, DRAM, device(0))
                    .closed();

            judged(history)
                    .hasOnly(Cause.FREE_UNREPORTED, SurvivorStatus.MISREPORTED)
                    .because(
                            "the allocator reported 0x1000 (4096) as free when close began ({witnessed})",
                            "tracking was off from {tracking stopped} on: the runtime shut its tracker down");
        }

        @Test
        void aBufferIsReleasedAfterItsDeviceWasClosed() {
            var history = history()
                    .mesh(0, 0)
                    .allocate(DRAM, device(0), 0x1000, 64)
                    .witness(CLOSE_BEGUN, DRAM, device(0), 0x1000)
                    .close()
                    .freeIgnored(DRAM, device(0), 0x1000, IgnoredFreeReason.DEVICE_CLOSED)
                    .recorded();

            judged(history)
                    .hasOnly(Cause.LATE, SurvivorStatus.FREED_LATE)
                    .becauseOf("its handle was released at {free ignored}, after close began ({witnessed})");
        }
    }

    @Test
    void aBufferFromBeforeItsDeviceWasOpenedAgainExplainsNoMemory() {
        var history = history()
                .mesh(0, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .owning()
                .witness(CLOSE_BEGUN, DRAM, device(0))
                .close()
                .mesh(0, 0)
                .witness(CLOSE_BEGUN, DRAM, device(0), 0x1000)
                .closed();

        judged(history).hasOutcome(Outcome.INCONCLUSIVE).hasOnly(Cause.FREE_UNREPORTED, SurvivorStatus.MISREPORTED);
    }

    @Test
    void aViewThatTheWitnessContradictsIsNotCalledOne() {
        var history = history()
                .mesh(0, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .owning()
                .andOnceMore(NON_OWNING)
                .free(DRAM, device(0), 0x1000)
                .owning()
                .witness(CLOSE_BEGUN, DRAM, device(0), 0x1000)
                .closed();

        judged(history)
                .hasOnly(Cause.UNEXPLAINED, SurvivorStatus.LEAKED)
                .because(
                        "reported twice, freed once",
                        "the allocator reported 0x1000 (4096) as allocated when close began ({witnessed})");
    }

    @Test
    void anAddressThatIsReusedLostAFree() {
        var history = history()
                .allocate(DRAM, device(0), 0x1000, 64)
                .owning()
                .allocate(DRAM, device(0), 0x1000, 64)
                .owning()
                .recorded();

        judged(history)
                .hasOnly(Cause.UNEXPLAINED, SurvivorStatus.LEAKED)
                .because(
                        "no free was reported",
                        REUSED,
                        "2 reports of that address are open, the last one of {last allocated} (64 B), at "
                                + lineOf(history, 2));
    }

    @Test
    void aLargerSizeAtAnAddressIsNoView() {
        var history = history()
                .allocate(DRAM, device(0), 0x1000, 64)
                .allocate(DRAM, device(0), 0x1000, 128)
                .free(DRAM, device(0), 0x1000)
                .recorded();

        judged(history).because("reported twice, freed once", REUSED.replace(":", ", for 128 B instead of 64 B:"));
    }

    @ParameterizedTest
    @ValueSource(longs = {64, 128})
    void aSizeThatIsNoLargerMayBeAView(long firstSize) {
        var history = history()
                .allocate(DRAM, device(0), 0x1000, firstSize)
                .allocate(DRAM, device(0), 0x1000, 64)
                .free(DRAM, device(0), 0x1000)
                .recorded();

        judged(history).because("reported twice, freed once");
    }

    @Test
    void severalAllocatorsAllocateTheSameAddresses() {
        var history = history()
                .mesh(0, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .allocate(DRAM, device(0), 0x1000, 128)
                .free(DRAM, device(0), 0x1000)
                .closed();

        judged(history).because("reported twice, freed once");
    }

    @Nested
    class Overlaps {

        @Test
        void withMemoryThatTheWitnessHoldsTwiceAreTrue() {
            var history = history()
                    .mesh(0, 0)
                    .allocate(DRAM, device(0), 0x1000, 0x1000)
                    .allocate(DRAM, device(0), 0x1800, 64)
                    .free(DRAM, device(0), 0x1800)
                    .witness(CLOSE_BEGUN, DRAM, device(0), 0x1000, 0x1800)
                    .closed();

            judged(history)
                    .hasOnly(Cause.UNEXPLAINED, SurvivorStatus.LEAKED)
                    .because(
                            "no free was reported",
                            "the allocator reported 0x1000 (4096) as allocated when close began ({witnessed})",
                            "64 B at 0x1800 (6144) was allocated over a part of it ({last allocated}), and the allocator held both: a true"
                                    + " overlap");
        }

        @Test
        void withMemoryThatTheWitnessCallsFreeShowWhenItWent() {
            var history = history()
                    .mesh(0, 0)
                    .allocate(DRAM, device(0), 0x1000, 0x1000)
                    .allocate(DRAM, device(0), 0x1800, 64)
                    .free(DRAM, device(0), 0x1800)
                    .witness(CLOSE_BEGUN, DRAM, device(0))
                    .closed();

            judged(history)
                    .hasOnly(Cause.FREE_UNREPORTED, SurvivorStatus.MISREPORTED)
                    .because(
                            "the allocator reported 0x1000 (4096) as free when close began ({witnessed})",
                            "64 B at 0x1800 (6144) was allocated over a part of it ({last allocated}), so it had been freed by then");
        }

        @Test
        void thatNoWitnessSawStayOpen() {
            var history = history()
                    .allocate(DRAM, device(0), 0x1000, 0x1000)
                    .allocate(DRAM, device(0), 0x1800, 64)
                    .free(DRAM, device(0), 0x1800)
                    .recorded();

            judged(history)
                    .hasOnly(Cause.UNEXPLAINED, SurvivorStatus.LEAKED)
                    .because(
                            "no free was reported",
                            "64 B at 0x1800 (6144) was allocated over a part of it ({last allocated}), so one of the two had been freed, and no witness shows which");
        }

        @Test
        void ofNeighboursAreNone() {
            var history = history()
                    .allocate(DRAM, device(0), 0x1000, 0x800)
                    .allocate(DRAM, device(0), 0x1800, 64)
                    .free(DRAM, device(0), 0x1800)
                    .recorded();

            judged(history).because("no free was reported");
        }
    }

    private static String lineOf(AllocationHistory history, int event) {
        return ((HistoryEvent.Allocated) history.events().get(event - 1))
                .request()
                .origin()
                .orElseThrow()
                .toString();
    }

    @Test
    void theLastOfSeveralOpenReportsIsNamed() {
        var history = history()
                .allocate(DRAM, device(0), 0x1000, 64)
                .allocate(DRAM, device(0), 0x1000, 64)
                .allocate(DRAM, device(0), 0x1000, 32)
                .recorded();

        judged(history)
                .because(
                        "no free was reported",
                        "3 reports of that address are open, the last one of {last allocated} (32 B), at "
                                + lineOf(history, 3));
    }

    @Test
    void aCircularBufferAtTheAddressIsNotAllocatedByTheAllocator() {
        var history = history()
                .allocate(DRAM, device(0), 0x1000, 64)
                .owning()
                .allocate(DRAM, device(0), 0x1000, 64)
                .circularBufferOf(program(7))
                .owning()
                .recorded();

        judged(history)
                .because(
                        "no free was reported",
                        "2 reports of that address are open, the last one of {last allocated} (64 B), at "
                                + lineOf(history, 2));
    }

    @Test
    void anAddressThatOneRequestReportsTwiceIsNotReused() {
        var history = history()
                .allocate(DRAM, device(0), 0x1000, 64)
                .owning()
                .andOnceMore(OWNING)
                .recorded();

        judged(history).because("no free was reported");
    }

    @Test
    void anAddressMayBeReusedWhereRequestsCannotBeDistinguished() {
        var history = historyWithoutOrigins()
                .allocate(DRAM, device(0), 0x1000, 64)
                .owning()
                .allocate(DRAM, device(0), 0x1000, 64)
                .owning()
                .recorded();

        judged(history).because("no free was reported", REUSED);
    }

    @Test
    void anOverlapIsNotCalledTrueWhereTheWitnessHoldsOneOfTheTwo() {
        var history = history()
                .mesh(0, 0)
                .allocate(DRAM, device(0), 0x1000, 0x1000)
                .allocate(DRAM, device(0), 0x1800, 64)
                .free(DRAM, device(0), 0x1800)
                .witness(CLOSE_BEGUN, DRAM, device(0), 0x1000)
                .closed();

        judged(history)
                .because(
                        "no free was reported",
                        "the allocator reported 0x1000 (4096) as allocated when close began ({witnessed})",
                        "64 B at 0x1800 (6144) was allocated over a part of it ({last allocated})");
    }
}
