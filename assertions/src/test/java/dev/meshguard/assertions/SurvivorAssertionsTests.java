package dev.meshguard.assertions;

import static dev.meshguard.assertions.Failures.textOf;
import static dev.meshguard.assertions.LeakAssertions.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginCapture;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;

class SurvivorAssertionsTests {

    private final AllocationTracker tracker =
            AllocationTracker.builder().originCapture(OriginCapture.NONE).build();

    @Test
    void leadsToTheSurvivors() {
        tracker.allocated(0, BufferType.DRAM, 4096, 64);
        tracker.allocated(3, BufferType.DRAM, 4096, 64);

        assertThat(tracker.history()).survivors().hasSize(2);
        assertThat(tracker)
                .survivors()
                .filteredOn(one -> one.buffer().device() == 3)
                .hasSize(1);
        assertThat(tracker).survivorsWithCause(Cause.UNEXPLAINED).hasSize(2);
        assertThat(tracker).survivorsWithCause(Cause.CACHED).isEmpty();
    }

    @Test
    void theOutcomeIsThatOfTheVerdict() {
        tracker.sourceAttached("binding");
        assertThat(verdict()).hasOutcome(Outcome.LEAK_FREE);
        tracker.allocated(0, BufferType.DRAM, 4096, 64);

        assertThat(verdict()).hasOutcome(Outcome.LEAKED);
    }

    @Test
    void anotherOutcomeIsShownWithTheVerdict() {
        tracker.sourceAttached("binding");

        Assertions.assertThat(textOf(() -> assertThat(verdict()).hasOutcome(Outcome.LEAKED)))
                .isEqualTo("""

                        Expecting outcome:
                          LEAKED
                        but was:
                          LEAK_FREE
                        in:
                        CLEAN  all memory was freed
                        sum     0 allocated = 0 freed""");
    }

    private LeakVerdict verdict() {
        return LeakCheck.create().examine(tracker.history());
    }
}
