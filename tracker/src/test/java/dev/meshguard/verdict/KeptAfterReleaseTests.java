package dev.meshguard.verdict;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.BufferType.TRACE;
import static dev.meshguard.event.WitnessSnapshot.Moment.CLOSE_BEGUN;
import static dev.meshguard.tracker.script.HistoryScript.device;
import static dev.meshguard.tracker.script.HistoryScript.history;
import static dev.meshguard.tracker.script.HistoryScript.program;
import static dev.meshguard.verdict.Cause.CACHED;
import static dev.meshguard.verdict.Cause.FREE_UNREPORTED;
import static dev.meshguard.verdict.Cause.KEPT_AFTER_RELEASE;
import static dev.meshguard.verdict.Cause.UNEXPLAINED;
import static dev.meshguard.verdict.Judgement.judged;
import static dev.meshguard.verdict.SurvivorStatus.LEAKED;
import static dev.meshguard.verdict.SurvivorStatus.MISREPORTED;

import dev.meshguard.event.Owner;
import dev.meshguard.tracker.script.HistoryScript;
import org.junit.jupiter.api.Test;

/** A trace was released without its buffer. */
class KeptAfterReleaseTests {

    private static final Owner TRACE_0 = new Owner(Owner.Kind.TRACE, "0");

    private static HistoryScript captured() {
        return history()
                .mesh(0, 0)
                .allocate(TRACE, device(0), 0x1000, 64)
                .ownedBy(TRACE_0)
                .cached(TRACE_0);
    }

    @Test
    void namesTheReleasedTraceWhereTheWitnessStillHeldItsBuffer() {
        var history = captured()
                .endOf(TRACE_0)
                .witness(CLOSE_BEGUN, TRACE, device(0), 0x1000)
                .closed();

        judged(history)
                .hasOnly(KEPT_AFTER_RELEASE, LEAKED)
                .because(
                        "trace 0 was released at {owner ended}, and its buffer was not freed",
                        "the allocator reported 0x1000 (4096) as allocated when close began ({witnessed})");
    }

    @Test
    void isNotNamedForATraceThatWasNotReleased() {
        judged(captured().witness(CLOSE_BEGUN, TRACE, device(0), 0x1000).closed())
                .hasOnly(CACHED, LEAKED);
    }

    @Test
    void isNotNamedWhereTheWitnessCallsTheMemoryFree() {
        judged(captured().endOf(TRACE_0).witness(CLOSE_BEGUN, TRACE, device(0)).closed())
                .hasOnly(FREE_UNREPORTED, MISREPORTED);
    }

    /** Only the report of the free may be missing. */
    @Test
    void isNotNamedWithoutAWitness() {
        judged(captured().endOf(TRACE_0).closed()).hasOnly(UNEXPLAINED, LEAKED);
    }

    @Test
    void isNotNamedForATraceThatEndedAfterTheWitnessSpoke() {
        var history = captured()
                .witness(CLOSE_BEGUN, TRACE, device(0), 0x1000)
                .endOf(TRACE_0)
                .closed();

        judged(history).hasOnly(UNEXPLAINED, LEAKED);
    }

    /** Another program may hold what an ended program allocated. */
    @Test
    void isNotNamedForAProgramThatEnded() {
        var history = history()
                .mesh(0, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .ownedBy(program(7))
                .endOf(program(7))
                .witness(CLOSE_BEGUN, DRAM, device(0), 0x1000)
                .closed();

        judged(history).hasOnly(UNEXPLAINED, LEAKED);
    }

    @Test
    void isNotNamedForABufferOfAnotherTrace() {
        var history = captured()
                .endOf(new Owner(Owner.Kind.TRACE, "1"))
                .witness(CLOSE_BEGUN, TRACE, device(0), 0x1000)
                .closed();

        judged(history).hasOnly(CACHED, LEAKED);
    }
}
