package dev.meshguard.assertions;

import static dev.meshguard.assertions.Failures.textOf;
import static dev.meshguard.assertions.LeakAssertions.assertThat;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginFilter;
import java.util.List;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;

class SameOnAllDevicesTests {

    private final AllocationTracker tracker = AllocationTracker.create();

    @Test
    void nothingAtAllIsTheSame() {
        assertThat(tracker).sameOnAllDevices();
    }

    @Test
    void theSameBuffersAreTheSame() {
        tracker.allocated(0, BufferType.DRAM, 4096, 64);
        tracker.allocated(1, BufferType.DRAM, 8192, 64);

        assertThat(tracker).sameOnAllDevices();
    }

    @Test
    void memoryOfNoDeviceIsNotCompared() {
        tracker.allocated(0, BufferType.DRAM, 4096, 64);
        tracker.allocated(1, BufferType.DRAM, 8192, 64);
        tracker.lease(AllocationDetails.user(), OriginFilter.none(), BufferType.SYSTEM_MEMORY, 64);

        assertThat(tracker).sameOnAllDevices();
        assertThat(tracker).hasSameUsageOnAllDevices();
    }

    @Test
    void namesTheDevicesThatDiffer() {
        for (int device = 0; device < 4; device++) {
            tracker.allocated(device, BufferType.DRAM, 4096, 64);
        }
        tracker.freed(0, BufferType.DRAM, 4096);
        tracker.freed(1, BufferType.DRAM, 4096);
        tracker.freed(2, BufferType.DRAM, 4096);
        tracker.allocated(2, BufferType.L1, 4096, 32);

        Assertions.assertThat(textOf(() -> assertThat(tracker).sameOnAllDevices()))
                .isEqualTo("""
                Expecting all 4 devices to do the same but devices 2, 3 differ from what 2 did:
                  most devices: DRAM 1 buffer, 64 B allocated, nothing live
                  device 2: DRAM 1 buffer, 64 B allocated, nothing live; L1 1 buffer, 32 B allocated, 1, 32 B, live
                  device 3: DRAM 1 buffer, 64 B allocated, 1, 64 B, live
                Compared are, for each type, the allocated and the live buffers of each device.""");
    }

    @Test
    void aDeviceThatDidNothingCounts() {
        tracker.meshOpened(MeshDescription.of(0, "mesh", List.of(0, 1, 2)));
        tracker.allocated(0, BufferType.DRAM, 4096, 64);
        tracker.allocated(2, BufferType.DRAM, 4096, 64);

        Assertions.assertThat(textOf(() -> assertThat(tracker).sameOnAllDevices()))
                .contains(
                        "device 1 differs from what 2 did",
                        "  device 1: DRAM 0 buffers, 0 B allocated, nothing live\n");
    }

    @Test
    void theDeviceThatTheSourceReportsMoreForMayHaveDoneMore() {
        tracker.meshOpened(new MeshDescription(0, "mesh", List.of(0, 1, 2), 0));
        for (int device = 0; device < 3; device++) {
            tracker.allocated(device, BufferType.DRAM, 4096, 64);
        }
        tracker.allocated(0, BufferType.L1, 4096, 64);

        assertThat(tracker).sameOnAllDevices();
    }

    @Test
    void theDeviceThatTheSourceReportsMoreForMayNotHaveDoneLess() {
        tracker.meshOpened(new MeshDescription(0, "mesh", List.of(0, 1, 2), 0));
        tracker.allocated(1, BufferType.DRAM, 4096, 64);
        tracker.allocated(2, BufferType.DRAM, 4096, 64);

        Assertions.assertThat(textOf(() -> assertThat(tracker).sameOnAllDevices()))
                .startsWith("Expecting all 3 devices to do the same but device 0 differs from what 2 did:")
                .endsWith("\nDevice 0 may have done more: the source reports more for it than it holds.");
    }
}
