package dev.meshguard.verdict;

import static dev.meshguard.tracker.script.HistoryScript.history;
import static dev.meshguard.tracker.script.HistoryScript.historyOf;
import static dev.meshguard.verdict.Cause.SYSTEM;
import static dev.meshguard.verdict.Judgement.judged;
import static dev.meshguard.verdict.SurvivorStatus.EXPECTED;
import static dev.meshguard.verdict.SurvivorStatus.LEAKED;

import org.junit.jupiter.api.Test;

/** Memory of the runtime itself. */
class SystemBufferTests {

    @Test
    void isRedWhenSystemMemoryOutlivesTheClose() {
        var history = historyOf("""
                mesh 0 over 0; allocate L1 0x1000 on 0, lifetime SYSTEM, of dispatch prefetcher;
                witness BEFORE_WIPE L1 on 0: 0x1000; close
                """);

        judged(history)
                .hasOutcome(Outcome.LEAKED)
                .hasOnly(SYSTEM, LEAKED)
                .because(
                        "owned by dispatch \"prefetcher\", lifetime SYSTEM: the runtime has to free it at close",
                        "the allocator reported 0x1000 (4096) as allocated before the allocators were wiped ({witnessed})");
    }

    @Test
    void isExpectedWhenItIsPersistent() {
        var history = historyOf("""
                mesh 0 over 0; allocate L1 0x1000 on 0, lifetime PERSISTENT, of dispatch prefetcher;
                witness BEFORE_WIPE L1 on 0: 0x1000; close
                """);

        judged(history)
                .hasOutcome(Outcome.EXPECTED_ONLY)
                .hasOnly(SYSTEM, EXPECTED)
                .because("owned by dispatch \"prefetcher\", lifetime PERSISTENT: it may outlive the close");
    }

    @Stories("""
            says when nobody named the owner
                allocate L1 0x1000 on 0, lifetime SYSTEM
                = SYSTEM LEAKED
                because owned by an owner that was not named, lifetime SYSTEM: the runtime has to free it at close
            is not named for the user's memory whoever owns it
                allocate L1 0x1000 on 0, of dispatch prefetcher
                = UNEXPLAINED LEAKED
            goes before what happened on other devices
                allocate L1 0x1000 on 0..3, lifetime SYSTEM, view; free L1 0x1000 on 0..2, view
                = SYSTEM LEAKED
            leaves what a cache keeps to the cache
                allocate L1 0x1000 on 0, lifetime SYSTEM, of program 7; cached program 7
                = CACHED LEAKED
            is not excused because it was free when close began only
                mesh 0 over 0; allocate L1 0x1000 on 0, lifetime SYSTEM; witness CLOSE_BEGUN L1 on 0; close
                = SYSTEM LEAKED
            """)
    void isJudgedBy(Story story) {
        story.holds();
    }
}
