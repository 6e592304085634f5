package dev.meshguard.samples.reported;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.samples.support.Fixtures;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** Reported programs whose traces overwrite memory: the outcome, the buffer, the line and the cause of each. */
@TestInstance(Lifecycle.PER_CLASS) // The programs run once.
class OverwrittenTests {

    private static final String BY_A_REPLAY =
            "why   each replay of trace 0 of mesh 0 writes there: its capture used the memory for 2 KiB, freed at event #";
    private static final String CAPTURED =
            "over  at dev.meshguard.samples.reported.OverwrittenTestCase.captured(OverwrittenTestCase.java:111)";

    private final Map<String, Optional<Throwable>> failures = Fixtures.run(OverwrittenTestCase.class);

    @Test
    void saysWhatEachReplayOverwrites() {
        assertThat(failures).hasSize(5);
        assertThat(failures.get("loadsAProgramAfterTheCapture").orElseThrow())
                .hasMessageStartingWith(
                        "OVERWRITTEN  16 KiB in 8 DRAM buffers by a replay; allocated in OverwrittenTestCase.java:44\n")
                .hasMessageContainingAll(BY_A_REPLAY, CAPTURED);
        assertThat(failures.get("allocatesSlotsForASecondCapture").orElseThrow())
                .hasMessageStartingWith(
                        "OVERWRITTEN  16 KiB in 8 DRAM buffers by a replay; allocated in OverwrittenTestCase.java:59\n")
                .hasMessageContainingAll("label \"input slot\"", BY_A_REPLAY, CAPTURED);
    }

    @Test
    void saysThatAResultIsReadAfterTheReplayOfAnotherTrace() {
        assertThat(failures.get("readsTheSampledTokenAfterTheNextDecode").orElseThrow())
                .hasMessage("""
                        OVERWRITTEN  16 KiB in 8 DRAM buffers by a replay; allocated in OverwrittenTestCase.java:91

                        1. DRAM  8 x 2 KiB on devices 0-7, allocated at 0x2d5440 (2970688), events #103 to #110
                           at dev.meshguard.samples.reported.OverwrittenTestCase.readsTheSampledTokenAfterTheNextDecode(OverwrittenTestCase.java:91)
                           why   each replay of trace 0 of mesh 0 writes there: its capture used the memory for 2 KiB, freed at event #84; the
                                 two share 2 KiB of each bank
                           over  at dev.meshguard.samples.reported.OverwrittenTestCase.captured(OverwrittenTestCase.java:111)
                           fix   Allocate the buffer before the capture begins, so that the trace uses other memory, or release the trace before
                                 it is allocated.
                           seen  first at event #126, in 3 replays

                        note    mesh 0 was still open; MeshGuard cleared its program cache and closed it
                        sum     80 allocated = 80 freed
                        expect  @ExpectBuffers(type = DRAM, size = 2048, atMost = 8, origin = "OverwrittenTestCase.readsTheSampledTokenAfterTheNextDecode", overwritten = true, because = "…")
                        rerun   mvn test -Dtest=OverwrittenTestCase#readsTheSampledTokenAfterTheNextDecode""");
    }

    @Test
    void saysWhichReplayReadsWhatWasFreed() {
        assertThat(failures.get("freesTheInputOfATrace").orElseThrow())
                .hasMessageStartingWith(
                        "OVERWRITTEN  16 KiB in 8 DRAM buffers, freed before a replay; allocated in OverwrittenTestCase.java:73\n")
                .hasMessageContainingAll(
                        "label \"hidden state\"",
                        "why   trace 0 of mesh 0 reads it in each replay, and it was freed at events #");
    }
}
