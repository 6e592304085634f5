package dev.meshguard.samples.reported;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.samples.support.Fixtures;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Reported programs whose traces overwrite memory: the outcome, the buffer, the line and the cause of each. */
class OverwrittenTests {

    private static final String BY_A_REPLAY =
            "why   each replay of trace 0 of mesh 0 writes there: its capture used the memory for 2 KiB, freed at event #";
    private static final String CAPTURED =
            "over  at dev.meshguard.samples.reported.OverwrittenTestCase.captured(OverwrittenTestCase.java:82)";

    private final Map<String, Optional<Throwable>> failures = Fixtures.run(OverwrittenTestCase.class);

    @Test
    void saysWhatEachReplayOverwrites() {
        assertThat(failures).hasSize(4);
        assertThat(failures.get("stagesStateAfterTheCapture").orElseThrow())
                .hasMessageStartingWith(
                        "OVERWRITTEN  16 KiB in 8 DRAM buffers by a replay; allocated in OverwrittenTestCase.java:26\n")
                .hasMessageContainingAll("label \"staged state\"", BY_A_REPLAY, CAPTURED);
        assertThat(failures.get("loadsAProgramAfterTheCapture").orElseThrow())
                .hasMessageStartingWith(
                        "OVERWRITTEN  16 KiB in 8 DRAM buffers by a replay; allocated in OverwrittenTestCase.java:41\n")
                .hasMessageContainingAll(BY_A_REPLAY, CAPTURED);
        assertThat(failures.get("allocatesSlotsForASecondCapture").orElseThrow())
                .hasMessageStartingWith(
                        "OVERWRITTEN  16 KiB in 8 DRAM buffers by a replay; allocated in OverwrittenTestCase.java:56\n")
                .hasMessageContainingAll("label \"input slot\"", BY_A_REPLAY, CAPTURED);
    }

    @Test
    void saysWhichReplayReadsWhatWasFreed() {
        assertThat(failures.get("freesTheInputOfATrace").orElseThrow())
                .hasMessageStartingWith(
                        "OVERWRITTEN  16 KiB in 8 DRAM buffers, freed before a replay; allocated in OverwrittenTestCase.java:70\n")
                .hasMessageContainingAll(
                        "label \"hidden state\"",
                        "why   trace 0 of mesh 0 reads it in each replay, and it was freed at events #");
    }
}
