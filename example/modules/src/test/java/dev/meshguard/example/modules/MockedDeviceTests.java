package dev.meshguard.example.modules;

import static dev.meshguard.assertions.LeakAssertions.assertThat;
import static dev.meshguard.mockito.MockReports.allocating;
import static dev.meshguard.mockito.MockReports.freeing;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import dev.meshguard.event.BufferType;
import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.tracker.AllocationTracker;
import org.junit.jupiter.api.Test;

@TrackAllocations
class MockedDeviceTests {

    @Test
    void uploadsAndFrees(AllocationTracker tracker) {
        Device device = mock(Device.class);
        when(device.allocate(anyLong())).thenAnswer(allocating(tracker, BufferType.DRAM));
        doAnswer(freeing(tracker)).when(device).free(anyLong());

        new Upload(device).upload();

        assertThat(tracker).noLeaks().hasPeakBytes(BufferType.DRAM, 0, 4096);
    }
}
