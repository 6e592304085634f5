package dev.meshguard.verdict;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.WitnessSnapshot.Moment.CLOSE_BEGUN;
import static dev.meshguard.tracker.script.ExpectedText.expected;
import static dev.meshguard.tracker.script.HistoryScript.device;
import static dev.meshguard.tracker.script.HistoryScript.history;
import static dev.meshguard.tracker.script.HistoryScript.historyOf;
import static dev.meshguard.verdict.Judgement.judged;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.Reachability;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The holder of a buffer explains why it survived, but does not prove that it did. */
class HeldAndLostTests {

    private static final Reachability HELD = Reachability.heldBy(List.of("KvCacheTest.cache", "ArrayList[0]"));

    @Test
    void namesThePathThatHoldsTheHandle() {
        var history = history()
                .mesh(0, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .traced(HELD)
                .witness(CLOSE_BEGUN, DRAM, device(0), 0x1000)
                .closed();

        judged(history)
                .hasOnly(Cause.HELD, SurvivorStatus.LEAKED)
                .because(
                        "still referenced by KvCacheTest.cache -> ArrayList[0] ({handle traced})",
                        "the allocator reported 0x1000 (4096) as allocated when close began ({witnessed})");
    }

    @Stories("""
            says that nobody knows what holds it
                allocate DRAM 0x1000 on 0; handle held
                = HELD LEAKED
                because its handle is still reachable, but from none of the objects that were searched ({handle traced})
            names a buffer that nobody can free any more
                allocate DRAM 0x1000 on 0; handle lost
                = LOST LEAKED
                because no handle to it is reachable any more, and no free of it was reported ({handle traced})
            names memory that only the collector frees
                allocate DRAM 0x1000 on 0, collectable; handle lost
                = LOST LEAKED
                because no handle to it is reachable any more, and only the garbage collector frees it, at a moment that
                    nobody chooses ({handle traced})
                fix Free the buffer where its use ends, or expect it with a reason: the collector does not see how much
                    memory it holds.
            loses no buffer of which one of several handles was not looked for
                allocate DRAM 0x1000 on 0; handle lost; allocate DRAM 0x1000 on 0
                = UNEXPLAINED LEAKED
            waits for no handle of the runtime nor of an owner that ended
                allocate DRAM 0x1000 on 0; handle lost; allocate DRAM 0x1000 on 0, of program 7; end program 7
                = LOST LEAKED
            waits for no handle of the runtime nor of an owner that ended (2)
                allocate DRAM 0x1000 on 0; handle lost; allocate DRAM 0x1000 on 0, lifetime SYSTEM
                = LOST LEAKED
            waits for no handle of the runtime nor of an owner that ended (3)
                allocate DRAM 0x1000 on 0; handle lost; allocate DRAM 0x1000 on 0, of program 7; end program 8
                = UNEXPLAINED LEAKED
            """)
    void isJudgedBy(Story story) {
        story.holds();
    }

    /** The collector frees one of them and not the other. */
    @Test
    void promisesNoFreeOfMemoryThatAnotherRequestHoldsToo() {
        var history = historyOf("""
                allocate DRAM 0x1000 on 0; handle lost; allocate DRAM 0x1000 on 0, collectable; handle lost
                """);

        LeakVerdict verdict =
                judged(history).hasOnly(Cause.LOST, SurvivorStatus.LEAKED).verdict();

        assertThat(verdict.survivors().get(0).diagnosis().evidence().get(0).text())
                .startsWith("no handle to it is reachable any more, and no free of it was reported");
    }

    @Test
    void claimsNothingWhereCollectionCouldNotBeForced() {
        var history = history()
                .allocate(DRAM, device(0), 0x1000, 64)
                .traced(Reachability.unknown())
                .recorded();

        judged(history).hasOnly(Cause.UNEXPLAINED, SurvivorStatus.LEAKED);
    }

    @Test
    void neverOutranksAProofThatTheMemoryIsFree() {
        var history = history()
                .mesh(0, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .traced(HELD)
                .witness(CLOSE_BEGUN, DRAM, device(0))
                .closed();

        judged(history).hasOnly(Cause.FREE_UNREPORTED, SurvivorStatus.MISREPORTED);
    }

    @Test
    void neverMakesALeakOfAFreedBuffer() {
        var history = history()
                .allocate(DRAM, device(0), 0x1000, 64)
                .traced(HELD)
                .free(DRAM, device(0), 0x1000)
                .recorded();

        judged(history).hasOutcome(Outcome.LEAK_FREE);
    }

    @Test
    void holdsABufferOfWhichOneOfSeveralHandlesIsThere() {
        var history = history()
                .allocate(DRAM, device(0), 0x1000, 64)
                .traced(Reachability.lost())
                .allocate(DRAM, device(0), 0x1000, 64)
                .traced(HELD)
                .recorded();

        judged(history).hasOnly(Cause.HELD, SurvivorStatus.LEAKED);
    }

    @Test
    void namesTheShortestOfSeveralPaths() {
        var history = history()
                .allocate(DRAM, device(0), 0x1000, 64)
                .traced(Reachability.held())
                .allocate(DRAM, device(0), 0x1000, 64)
                .traced(Reachability.heldBy(List.of("KvCacheTest.model", "Model.weights", "ArrayList[12]")))
                .allocate(DRAM, device(0), 0x1000, 64)
                .traced(HELD)
                .recorded();

        LeakVerdict verdict =
                judged(history).hasOnly(Cause.HELD, SurvivorStatus.LEAKED).verdict();

        assertThat(verdict.survivors().get(0).diagnosis().evidence().get(0).text())
                .isEqualTo(expected(
                        history, "still referenced by KvCacheTest.cache -> ArrayList[0] ({last handle traced})"));
    }
}
