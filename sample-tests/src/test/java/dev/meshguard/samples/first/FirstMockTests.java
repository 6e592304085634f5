package dev.meshguard.samples.first;

import static dev.meshguard.assertions.LeakAssertions.assertThat;
import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.mockito.MockReports.allocating;
import static dev.meshguard.mockito.MockReports.freeing;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.when;

import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.Cause;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.mockito.Mock;
import org.mockito.junit.jupiter.MockitoExtension;

/** A Mockito mock of the user's device interface whose calls report to a tracker. */
@ExtendWith(MockitoExtension.class)
class FirstMockTests {

    /** The code under test. */
    private static void uploadWeights(Device device) {
        long staging = device.allocate(0, 4096);
        device.allocate(0, 65_536);
        device.free(0, staging);
    }

    interface Device {

        long allocate(int device, long bytes);

        void free(int device, long address);
    }

    private final AllocationTracker tracker = AllocationTracker.create();

    @Mock
    private Device device;

    @BeforeEach
    void reportCalls() {
        when(device.allocate(anyInt(), anyLong()))
                .thenAnswer(allocating(tracker, DRAM).onDeviceArgument(0));
        doAnswer(freeing(tracker).onDeviceArgument(0)).when(device).free(anyInt(), anyLong());
    }

    @Test
    void theWeightsAreLeftAndTheStagingBufferIsNot() {
        uploadWeights(device);

        assertThat(tracker).survivorsWithCause(Cause.UNEXPLAINED).hasSize(1);
    }
}
