package dev.meshguard.verdict.internal;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.BufferType.L1;
import static dev.meshguard.event.WitnessSnapshot.Moment.CLOSE_BEGUN;
import static dev.meshguard.tracker.script.HistoryScript.device;
import static dev.meshguard.tracker.script.HistoryScript.history;
import static dev.meshguard.tracker.script.HistoryScript.program;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.Ownership;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.verdict.LeakCheck;
import org.junit.jupiter.api.Test;

/** Memory is held until it is freed, whatever the ledger holds. */
class HeldMemoryTests {

    private static HeldMemory held(AllocationHistory history) {
        return new HeldMemory(LeakCheck.create().examine(history));
    }

    @Test
    void isHeldToTheEndWhereItWasNotFreed() {
        var history = history().mesh(0, 0).allocate(DRAM, device(0), 0x1000, 64).closed();

        assertThat(held(history).holdIntervals())
                .extracting(HeldMemory.HoldInterval::until)
                .containsExactly(HeldMemory.TO_THE_END);
    }

    @Test
    void isListedOnceHoweverManyBudgetsAskForIt() {
        HeldMemory memory =
                held(history().mesh(0, 0).allocate(DRAM, device(0), 0x1000, 64).closed());

        assertThat(memory.holdIntervals()).isSameAs(memory.holdIntervals());
    }

    @Test
    void isHeldToItsFree() {
        var history = history()
                .mesh(0, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .free(DRAM, device(0), 0x1000)
                .closed();

        assertThat(held(history).holdIntervals())
                .extracting(HeldMemory.HoldInterval::until)
                .containsExactly(4L);
    }

    @Test
    void isHeldToTheLastFreeOfWhatIsMisreported() {
        var history = history()
                .mesh(0, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .owning()
                .andOnceMore(Ownership.NON_OWNING)
                .andOnceMore(Ownership.NON_OWNING)
                .free(DRAM, device(0), 0x1000)
                .owning()
                .free(DRAM, device(0), 0x1000)
                .nonOwning()
                .witness(CLOSE_BEGUN, DRAM, device(0))
                .closed();

        HeldMemory memory = held(history);

        assertThat(memory.holdIntervals())
                .extracting(HeldMemory.HoldInterval::until)
                .containsExactly(7L);
        assertThat(memory.excludedBuffers()).isZero();
        assertThat(memory.timeline().curve(any -> true).liveBytes()).isZero();
    }

    @Test
    void isHeldToTheEndOfItsOwnerWhereNothingMisreportedWasFreed() {
        var history = history()
                .mesh(0, 0)
                .allocate(L1, device(0), 101_152, 4_096)
                .circularBufferOf(program(7))
                .endOf(program(7))
                .closed();

        HeldMemory memory = held(history);

        assertThat(memory.holdIntervals())
                .extracting(HeldMemory.HoldInterval::until)
                .containsExactly(4L);
        assertThat(memory.excludedBuffers()).isZero();
    }

    @Test
    void isLeftOutWhereNothingSaysUntilWhenWhatIsMisreportedWasHeld() {
        var history = history()
                .mesh(0, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .witness(CLOSE_BEGUN, DRAM, device(0))
                .closed();

        HeldMemory memory = held(history);

        assertThat(memory.holdIntervals()).isEmpty();
        assertThat(memory.excludedBuffers()).isEqualTo(1);
        assertThat(memory.timeline().curve(any -> true).peakBytes()).isZero();
    }
}
