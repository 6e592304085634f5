package dev.meshguard.verdict;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.WitnessSnapshot.Moment.CLOSE_BEGUN;
import static dev.meshguard.tracker.script.HistoryScript.device;
import static dev.meshguard.tracker.script.HistoryScript.history;
import static dev.meshguard.tracker.script.HistoryScript.program;
import static dev.meshguard.verdict.Cause.CACHED;
import static dev.meshguard.verdict.Cause.FREE_UNREPORTED;
import static dev.meshguard.verdict.Cause.UNEXPLAINED;
import static dev.meshguard.verdict.Judgement.judged;
import static dev.meshguard.verdict.SurvivorStatus.LEAKED;
import static dev.meshguard.verdict.SurvivorStatus.MISREPORTED;

import dev.meshguard.event.Owner;
import org.junit.jupiter.api.Test;

/** The owner of an open report is still cached. */
class CachedTests {

    @Test
    void namesTheCacheThatKeepsTheOwner() {
        var history = history()
                .allocate(DRAM, device(0), 0x3fff_f800L, 12_288)
                .ownedBy(program(7))
                .cached(program(7))
                .recorded();

        judged(history)
                .hasOnly(CACHED, LEAKED)
                .because("program 7 has been in the program cache since {owner cached} and never left it");
    }

    @Test
    void isNamedForALiveTrace() {
        var trace = new Owner(Owner.Kind.TRACE, "0");
        var history = history()
                .allocate(DRAM, device(0), 0x1000, 64)
                .ownedBy(trace)
                .cached(trace)
                .recorded();

        judged(history)
                .hasOnly(CACHED, LEAKED)
                .because("trace 0 has been in the program cache since {owner cached} and never left it");
    }

    @Test
    void isNotNamedWhenTheOwnerLeftTheCache() {
        var history = history()
                .allocate(DRAM, device(0), 0x1000, 64)
                .ownedBy(program(7))
                .cached(program(7))
                .endOf(program(7))
                .recorded();

        judged(history).hasOnly(UNEXPLAINED, LEAKED);
    }

    @Test
    void isNotNamedForAnOwnerInNoCache() {
        var history = history()
                .allocate(DRAM, device(0), 0x1000, 64)
                .ownedBy(program(7))
                .cached(program(8))
                .recorded();

        judged(history).hasOnly(UNEXPLAINED, LEAKED);
    }

    @Test
    void isNotNamedForABufferWithoutOwner() {
        var history = history()
                .allocate(DRAM, device(0), 0x1000, 64)
                .cached(program(7))
                .recorded();

        judged(history).hasOnly(UNEXPLAINED, LEAKED);
    }

    @Test
    void isNotNamedForAnOwnerWhoseReportWasFreed() {
        var history = history()
                .allocate(DRAM, device(0), 0x1000, 64)
                .ownedBy(program(7))
                .allocate(DRAM, device(0), 0x1000, 64)
                .cached(program(7))
                .free(DRAM, device(0), 0x1000)
                .ownedBy(program(7))
                .recorded();

        judged(history).hasOnly(UNEXPLAINED, LEAKED);
    }

    @Test
    void givesWayToTheWitnessThatCallsTheMemoryFree() {
        var history = history()
                .mesh(0, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .ownedBy(program(7))
                .cached(program(7))
                .witness(CLOSE_BEGUN, DRAM, device(0))
                .closed();

        judged(history).hasOnly(FREE_UNREPORTED, MISREPORTED);
    }
}
