package dev.meshguard.samples.processes;

import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.junit.processes.WatchedProcesses;
import dev.meshguard.samples.support.Fixture;
import dev.meshguard.server.process.TrackedProcesses;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The decoder ends with its cache still allocated. */
@Fixture
@TrackAllocations
@WatchedProcesses
class DecoderProgramTestCase {

    @Test
    void keepsItsCache(TrackedProcesses processes) throws Exception {
        processes.start(DecoderProgram.command("--keep-cache")).await(Duration.ofMinutes(1));
    }
}
