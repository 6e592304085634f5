package dev.meshguard.assertions;

import static dev.meshguard.assertions.Failures.textOf;
import static dev.meshguard.assertions.LeakAssertions.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.tracker.AllocationTracker;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class AmountAssertionsTests {

    private final AllocationTracker tracker = AllocationTracker.create();

    @BeforeEach
    void oneBufferTwiceAndOneFreed() {
        tracker.allocated(0, BufferType.DRAM, 4096, 2048);
        tracker.allocated(0, BufferType.DRAM, 4096, 2048);
        tracker.allocated(1, BufferType.L1, 64, 32);
        tracker.freed(1, BufferType.L1, 64);
    }

    @Test
    void countsTheLiveBuffersOfAllDevices() {
        assertThat(tracker).hasLiveBuffers(1);
    }

    @Test
    void countsThePeak() {
        assertThat(tracker).hasPeakBytes(BufferType.L1, 1, 32);
    }

    @Test
    void anotherNumberOfBuffersIsShownWithAllThatIsAllocated() {
        Assertions.assertThat(textOf(() -> assertThat(tracker).hasLiveBuffers(2)))
                .isEqualTo("""

                Expecting live buffers on all devices to be:
                  2
                but found:
                  1
                in:
                  device 0 DRAM USER: 2 KiB (2048 B) in 1 buffer""");
    }

    @Test
    void anotherPeakIsShown() {
        Assertions.assertThat(textOf(() -> assertThat(tracker).hasPeakBytes(BufferType.DRAM, 0, 4096)))
                .startsWith("""

                        Expecting peak bytes of DRAM on device 0 to be:
                          4 KiB (4096 B)
                        but found:
                          2 KiB (2048 B)
                        """);
    }
}
