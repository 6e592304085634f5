package dev.meshguard.samples.pages;

import dev.meshguard.event.BufferType;
import dev.meshguard.mockito.MockReports;
import dev.meshguard.tracker.AllocationTracker;
import org.assertj.core.api.Assertions;
import org.mockito.Mockito;

/** The error message that {@code docs/own-devices.md} shows. */
class OwnDevicesPage {

    interface Device {

        long allocate(int device, long bytes);
    }

    @SuppressWarnings("MockNotUsedInProduction") // It is rejected where it is stubbed.
    String twoNumbers() {
        Device mock = Mockito.mock(Device.class);
        return Assertions.catchThrowable(() -> Mockito.when(mock.allocate(0, 8))
                        .thenAnswer(MockReports.allocating(AllocationTracker.create(), BufferType.DRAM)))
                .getMessage();
    }
}
