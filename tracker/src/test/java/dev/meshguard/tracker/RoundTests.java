package dev.meshguard.tracker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MeshDescription.MemoryCapacity;
import org.junit.jupiter.api.Test;

class RoundTests {

    private final AllocationTracker tracker = AllocationTracker.create();

    @Test
    void aRoundIsTwoEventsOfTheHistoryHoweverOftenItIsClosed() {
        Scope round = tracker.round(3);
        tracker.allocated(0, BufferType.DRAM, 4_096, 64);
        round.close();
        round.close();

        assertThat(tracker.history().events())
                .hasSize(3)
                .startsWith(new HistoryEvent.RoundBegan(1, 3))
                .endsWith(new HistoryEvent.RoundEnded(3, 3));
    }

    @Test
    void aRoundThatThrowsHasEndedAllTheSame() {
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> tracker.rounds(3, round -> {
                    throw new IllegalStateException("round " + round);
                }))
                .withMessage("round 1");

        assertThat(tracker.history().events())
                .containsExactly(new HistoryEvent.RoundBegan(1, 1), new HistoryEvent.RoundEnded(2, 1));
    }

    @Test
    void rejectsARoundBeforeTheFirst() {
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> tracker.round(0))
                .withMessage("Rounds are counted from 1: round 0 was begun");
    }

    @Test
    void rejectsAMemoryWithoutBanksOrOfNegativeSize() {
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> new MemoryCapacity(BufferType.DRAM, 0, 64))
                .withMessage("A memory has at least 1 bank of 0 bytes or more: DRAM was given 0 of 64 bytes");
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> new MemoryCapacity(BufferType.DRAM, 12, -1));
    }
}
