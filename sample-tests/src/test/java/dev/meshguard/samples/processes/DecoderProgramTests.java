package dev.meshguard.samples.processes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.junit.processes.WatchedProcesses;
import dev.meshguard.server.process.TrackedProcess;
import dev.meshguard.server.process.TrackedProcesses;
import java.time.Duration;
import org.junit.jupiter.api.Test;

// region: test
/** The decoder frees everything before it ends. */
@TrackAllocations
@WatchedProcesses
class DecoderProgramTests {

    @Test
    void decodes(TrackedProcesses processes) throws Exception {
        TrackedProcess decoder = processes.start(DecoderProgram.command());

        assertThat(decoder.await(Duration.ofMinutes(1))).isZero();
    }
}
// end region
