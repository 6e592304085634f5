package dev.meshguard.samples.first;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.junit.processes.WatchedProcesses;
import dev.meshguard.server.client.AllocationClient;
import dev.meshguard.server.process.TrackedProcess;
import dev.meshguard.server.process.TrackedProcesses;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;

@TrackAllocations
@WatchedProcesses
class OwnProgramTests {

    @Test
    void decodes(TrackedProcesses processes) throws Exception {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        TrackedProcess decoder =
                processes.start(java, "-cp", System.getProperty("java.class.path"), Decoder.class.getName());

        assertThat(decoder.await(Duration.ofMinutes(1))).isZero();
    }

    /** Represents your program, which may be in Python or C++. */
    static final class Decoder {
        public static void main(String[] arguments) {
            try (AllocationClient client = AllocationClient.builder().connect()) {
                client.allocated(0, BufferType.DRAM, 0x1000, 4096);
                client.freed(0, 0x1000);
            }
        }
    }
}
