package dev.meshguard.samples.reported;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.samples.support.Fixtures;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Reported programs whose traces overwrite memory: what is said about each. */
class OverwrittenTests {

    @Test
    void saysWhatEachReplayOverwrites() {
        Map<String, Optional<Throwable>> failures = Fixtures.run(OverwrittenTestCase.class);

        assertThat(failures).hasSize(4);
        assertThat(failures.get("stagesStateAfterTheCapture")).hasValueSatisfying(hasMessage("""
                OVERWRITTEN  16 KiB in 8 DRAM buffers by a replay; allocated in OverwrittenTestCase.java:26

                1. DRAM  8 x 2 KiB on devices 0-7, label "staged state", allocated at 0x2d5440 (2970688), events #102 to #109
                   at dev.meshguard.samples.reported.OverwrittenTestCase.stagesStateAfterTheCapture(OverwrittenTestCase.java:26)
                   why   each replay of trace 0 of mesh 0 writes there: its capture used the memory for 2 KiB, freed at event #84; the
                         two share 2 KiB of each bank
                   over  at dev.meshguard.samples.reported.OverwrittenTestCase.captured(OverwrittenTestCase.java:82)
                   fix   Allocate the buffer before the capture begins, so that the trace uses other memory, or release the trace before
                         it is allocated.
                   seen  first at event #110

                note    8 buffers were allocated while a trace was live, where the runtime warns once per thread; first at event #102
                note    mesh 0 was still open; MeshGuard cleared its program cache and closed it
                sum     72 allocated = 72 freed
                expect  @ExpectBuffers(type = DRAM, size = 2048, atMost = 8, label = "staged state", origin = "OverwrittenTestCase.stagesStateAfterTheCapture", overwritten = true, because = "…")
                rerun   mvn test -Dtest=OverwrittenTestCase#stagesStateAfterTheCapture"""));
        assertThat(failures.get("loadsAProgramAfterTheCapture")).hasValueSatisfying(hasMessage("""
                OVERWRITTEN  16 KiB in 8 DRAM buffers by a replay; allocated in OverwrittenTestCase.java:41

                1. DRAM  8 x 2 KiB on devices 0-7, allocated at 0x2d5440 (2970688), events #102 to #109
                   at dev.meshguard.samples.reported.OverwrittenTestCase.loadsAProgramAfterTheCapture(OverwrittenTestCase.java:41)
                   why   each replay of trace 0 of mesh 0 writes there: its capture used the memory for 2 KiB, freed at event #84; the
                         two share 2 KiB of each bank
                   over  at dev.meshguard.samples.reported.OverwrittenTestCase.captured(OverwrittenTestCase.java:82)
                   fix   Allocate the buffer before the capture begins, so that the trace uses other memory, or release the trace before
                         it is allocated.
                   seen  first at event #143

                note    16 buffers were allocated while a trace was live, where the runtime warns once per thread; first at event #102
                note    mesh 0 was still open; MeshGuard cleared its program cache and closed it
                sum     80 allocated = 80 freed
                expect  @ExpectBuffers(type = DRAM, size = 2048, atMost = 8, origin = "OverwrittenTestCase.loadsAProgramAfterTheCapture", overwritten = true, because = "…")
                rerun   mvn test -Dtest=OverwrittenTestCase#loadsAProgramAfterTheCapture"""));
        assertThat(failures.get("allocatesSlotsForASecondCapture")).hasValueSatisfying(hasMessage("""
                OVERWRITTEN  16 KiB in 8 DRAM buffers by a replay; allocated in OverwrittenTestCase.java:56

                1. DRAM  8 x 2 KiB on devices 0-7, label "input slot", allocated at 0x2d5440 (2970688), events #102 to #109
                   at dev.meshguard.samples.reported.OverwrittenTestCase.allocatesSlotsForASecondCapture(OverwrittenTestCase.java:56)
                   why   each replay of trace 0 of mesh 0 writes there: its capture used the memory for 2 KiB, freed at event #84; the
                         two share 2 KiB of each bank
                   over  at dev.meshguard.samples.reported.OverwrittenTestCase.captured(OverwrittenTestCase.java:82)
                   fix   Allocate the buffer before the capture begins, so that the trace uses other memory, or release the trace before
                         it is allocated.
                   seen  first at event #141

                note    8 buffers were allocated while a trace was live, where the runtime warns once per thread; first at event #102
                note    mesh 0 was still open; MeshGuard cleared its program cache and closed it
                sum     88 allocated = 88 freed
                expect  @ExpectBuffers(type = DRAM, size = 2048, atMost = 8, label = "input slot", origin = "OverwrittenTestCase.allocatesSlotsForASecondCapture", overwritten = true, because = "…")
                rerun   mvn test -Dtest=OverwrittenTestCase#allocatesSlotsForASecondCapture"""));
        assertThat(failures.get("freesTheInputOfATrace")).hasValueSatisfying(hasMessage("""
                OVERWRITTEN  16 KiB in 8 DRAM buffers, freed before a replay; allocated in OverwrittenTestCase.java:70

                1. DRAM  8 x 2 KiB on devices 0-7, label "hidden state", allocated at 0x2d4c40 (2968640), events #14 to #21
                   at dev.meshguard.samples.reported.OverwrittenTestCase.freesTheInputOfATrace(OverwrittenTestCase.java:70)
                   why   trace 0 of mesh 0 reads it in each replay, and it was freed at events #102 to #109
                   fix   Keep the buffer until the trace is released.
                   seen  first at event #110

                note    mesh 0 was still open; MeshGuard cleared its program cache and closed it
                sum     64 allocated = 64 freed
                expect  @ExpectBuffers(type = DRAM, size = 2048, atMost = 8, label = "hidden state", origin = "OverwrittenTestCase.freesTheInputOfATrace", overwritten = true, because = "…")
                rerun   mvn test -Dtest=OverwrittenTestCase#freesTheInputOfATrace"""));
    }

    private static Consumer<Throwable> hasMessage(String text) {
        return failure -> assertThat(failure).hasMessage(text);
    }
}
