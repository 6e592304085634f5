package dev.meshguard.verdict;

import static dev.meshguard.event.BufferType.L1;
import static dev.meshguard.event.WitnessSnapshot.Moment.BEFORE_WIPE;
import static dev.meshguard.event.WitnessSnapshot.Moment.CLOSE_BEGUN;
import static dev.meshguard.tracker.script.HistoryScript.device;
import static dev.meshguard.tracker.script.HistoryScript.devices;
import static dev.meshguard.tracker.script.HistoryScript.history;
import static dev.meshguard.tracker.script.HistoryScript.program;
import static dev.meshguard.verdict.Cause.CACHED;
import static dev.meshguard.verdict.Cause.SYSTEM;
import static dev.meshguard.verdict.Cause.UNEXPLAINED;
import static dev.meshguard.verdict.Judgement.judged;
import static dev.meshguard.verdict.SurvivorStatus.EXPECTED;
import static dev.meshguard.verdict.SurvivorStatus.LEAKED;

import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.Owner;
import org.junit.jupiter.api.Test;

/** Memory of the runtime itself. */
class SystemBufferTests {

    private static final Owner DISPATCH = new Owner(Owner.Kind.DISPATCH, "prefetcher");

    @Test
    void isRedWhenSystemMemoryOutlivesTheClose() {
        var history = history()
                .mesh(0, 0)
                .allocate(L1, device(0), 0x1000, 64)
                .lifetime(BufferLifetime.SYSTEM)
                .ownedBy(DISPATCH)
                .witness(BEFORE_WIPE, L1, device(0), 0x1000)
                .closed();

        judged(history)
                .hasOutcome(Outcome.LEAKED)
                .hasOnly(SYSTEM, LEAKED)
                .because(
                        "owned by dispatch \"prefetcher\", lifetime SYSTEM: the runtime has to free it at close",
                        "the allocator reported 0x1000 (4096) as allocated before the allocators were wiped ({witnessed})");
    }

    @Test
    void isExpectedWhenItIsPersistent() {
        var history = history()
                .mesh(0, 0)
                .allocate(L1, device(0), 0x1000, 64)
                .lifetime(BufferLifetime.PERSISTENT)
                .ownedBy(DISPATCH)
                .witness(BEFORE_WIPE, L1, device(0), 0x1000)
                .closed();

        judged(history)
                .hasOutcome(Outcome.EXPECTED_ONLY)
                .hasOnly(SYSTEM, EXPECTED)
                .because("owned by dispatch \"prefetcher\", lifetime PERSISTENT: it may outlive the close");
    }

    @Test
    void saysWhenNobodyNamedTheOwner() {
        var history = history()
                .allocate(L1, device(0), 0x1000, 64)
                .lifetime(BufferLifetime.SYSTEM)
                .recorded();

        judged(history)
                .hasOnly(SYSTEM, LEAKED)
                .because("owned by an owner that was not named, lifetime SYSTEM: the runtime has to free it at close");
    }

    @Test
    void isNotNamedForTheUsersMemoryWhoeverOwnsIt() {
        var history =
                history().allocate(L1, device(0), 0x1000, 64).ownedBy(DISPATCH).recorded();

        judged(history).hasOnly(UNEXPLAINED, LEAKED);
    }

    @Test
    void goesBeforeWhatHappenedOnOtherDevices() {
        var history = history()
                .allocate(L1, devices(0, 3), 0x1000, 64)
                .lifetime(BufferLifetime.SYSTEM)
                .nonOwning()
                .free(L1, devices(0, 2), 0x1000)
                .nonOwning()
                .recorded();

        judged(history).hasOnly(SYSTEM, LEAKED);
    }

    @Test
    void leavesWhatACacheKeepsToTheCache() {
        var history = history()
                .allocate(L1, device(0), 0x1000, 64)
                .lifetime(BufferLifetime.SYSTEM)
                .ownedBy(program(7))
                .cached(program(7))
                .recorded();

        judged(history).hasOnly(CACHED, LEAKED);
    }

    @Test
    void isNotExcusedBecauseItWasFreeWhenCloseBeganOnly() {
        var history = history()
                .mesh(0, 0)
                .allocate(L1, device(0), 0x1000, 64)
                .lifetime(BufferLifetime.SYSTEM)
                .witness(CLOSE_BEGUN, L1, device(0))
                .closed();

        judged(history).hasOnly(SYSTEM, LEAKED);
    }
}
