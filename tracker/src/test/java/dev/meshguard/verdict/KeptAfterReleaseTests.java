package dev.meshguard.verdict;

import static dev.meshguard.event.BufferType.TRACE;
import static dev.meshguard.event.WitnessSnapshot.Moment.CLOSE_BEGUN;
import static dev.meshguard.tracker.script.HistoryScript.device;
import static dev.meshguard.tracker.script.HistoryScript.history;
import static dev.meshguard.verdict.Cause.CACHED;
import static dev.meshguard.verdict.Cause.FREE_UNREPORTED;
import static dev.meshguard.verdict.Cause.KEPT_AFTER_RELEASE;
import static dev.meshguard.verdict.Cause.UNEXPLAINED;
import static dev.meshguard.verdict.Judgement.judged;
import static dev.meshguard.verdict.SurvivorStatus.LEAKED;
import static dev.meshguard.verdict.SurvivorStatus.MISREPORTED;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.meshguard.event.Owner;
import dev.meshguard.tracker.script.HistoryScript;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A trace was released without its buffer. */
class KeptAfterReleaseTests {

    private static final Owner TRACE_0 = new Owner(Owner.Kind.TRACE, "0");

    private static HistoryScript captured() {
        return history().report("mesh 0 over 0; allocate TRACE 0x1000 on 0, of trace 0; cached trace 0");
    }

    @Test
    void namesTheReleasedTraceWhereTheWitnessStillHeldItsBuffer() {
        judged(witnessed(released()).closed())
                .hasOnly(KEPT_AFTER_RELEASE, LEAKED)
                .because(
                        "trace 0 was released at {owner ended}, and its buffer was not freed",
                        "the allocator reported 0x1000 (4096) as allocated when close began ({witnessed})");
    }

    private static HistoryScript released() {
        return captured().endOf(TRACE_0);
    }

    private static HistoryScript witnessed(HistoryScript script) {
        return script.witness(CLOSE_BEGUN, TRACE, device(0), 0x1000);
    }

    static Stream<Arguments> nearMisses() {
        HistoryScript ofProgram = history().report("""
                mesh 0 over 0; allocate TRACE 0x1000 on 0, of program 7; end program 7
                """);
        HistoryScript ofAnotherTrace = captured().endOf(new Owner(Owner.Kind.TRACE, "1"));
        return Stream.of(
                arguments("a trace that was not released", witnessed(captured()), CACHED, LEAKED),
                arguments("another trace that was released", witnessed(ofAnotherTrace), CACHED, LEAKED),
                arguments(
                        "memory that the witness calls free",
                        released().witness(CLOSE_BEGUN, TRACE, device(0)),
                        FREE_UNREPORTED,
                        MISREPORTED),
                arguments("a free that may only lack its report", released(), UNEXPLAINED, LEAKED),
                arguments("a release after the snapshot", witnessed(captured()).endOf(TRACE_0), UNEXPLAINED, LEAKED),
                arguments("a program, whose memory another may hold", witnessed(ofProgram), UNEXPLAINED, LEAKED));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("nearMisses")
    void isNotNamedFor(String nearMiss, HistoryScript script, Cause cause, SurvivorStatus status) {
        judged(script.closed()).hasOnly(cause, status);
    }
}
