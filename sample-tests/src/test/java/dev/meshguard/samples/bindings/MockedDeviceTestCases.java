package dev.meshguard.samples.bindings;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.mockito.MockReports.allocating;
import static dev.meshguard.mockito.MockReports.freeing;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.when;

import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.samples.support.Fixture;
import dev.meshguard.tracker.AllocationTracker;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.mockito.Mock;
import org.mockito.junit.jupiter.MockitoExtension;

/** A test with a mock of a device interface. */
// In a short sample the test is the code that uses the mock.
@SuppressWarnings("DirectInvocationOnMock")
final class MockedDeviceTestCases {

    private MockedDeviceTestCases() {}

    /** A device that identifies memory by its address. */
    interface AddressedDevice {

        long allocate(int device, long bytes);

        void free(int device, long address);
    }

    /** The code under test: it forgets the weights. */
    private static void upload(AddressedDevice device) {
        long staging = device.allocate(1, 4096);
        device.allocate(1, 65_536);
        device.free(1, staging);
    }

    @Fixture
    // region: addresses
    @TrackAllocations
    @ExtendWith(MockitoExtension.class)
    static class UploadTestCase {

        @Mock
        private AddressedDevice device;

        @BeforeEach
        void reportCalls(AllocationTracker tracker) {
            when(device.allocate(anyInt(), anyLong()))
                    .thenAnswer(allocating(tracker, DRAM).onDeviceArgument(0));
            doAnswer(freeing(tracker).onDeviceArgument(0)).when(device).free(anyInt(), anyLong());
        }

        @Test
        void uploads() {
            upload(device);
        }
    }
    // end region
}
