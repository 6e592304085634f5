package dev.meshguard.history;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.BufferType.L1;
import static dev.meshguard.event.BufferType.SYSTEM_MEMORY;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.Owner;
import dev.meshguard.event.Ownership;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginFilter;
import org.junit.jupiter.api.Test;

class MemorySnapshotTests {

    private final AllocationTracker tracker = AllocationTracker.create();

    @Test
    void saysWhatIsAllocatedByDeviceTypeAndLifetime() {
        tracker.allocated(1, L1, 0x1000, 64);
        tracker.allocated(0, DRAM, 0x1000, 12_288);
        tracker.allocated(0, DRAM, 0x9000, 24_576);
        var system = tracker.request(AllocationDetails.system(new Owner(Owner.Kind.FABRIC, "router")));
        tracker.allocated(system, 0, DRAM, 0xf000, 32, Ownership.OWNING);

        tracker.lease(AllocationDetails.user(), OriginFilter.none(), SYSTEM_MEMORY, 0);

        MemorySnapshot snapshot = tracker.snapshot();

        assertThat(snapshot).hasToString("""
                        no device SYSTEM_MEMORY USER: 1 buffer
                        device 0 DRAM USER: 36 KiB (36864 B) in 2 buffers
                        device 0 DRAM SYSTEM: 32 B in 1 buffer
                        device 1 L1 USER: 64 B in 1 buffer""");
    }

    @Test
    void isEqualToAnotherMomentWithTheSameMemory() {
        tracker.allocated(0, DRAM, 0x1000, 100);
        MemorySnapshot before = tracker.snapshot();
        tracker.allocated(0, DRAM, 0x2000, 50);
        tracker.freed(0, DRAM, 0x2000);

        assertThat(tracker.snapshot()).isEqualTo(before).hasSameHashCodeAs(before);
    }

    @Test
    void doesNotChangeWithWhatIsReportedLater() {
        MemorySnapshot before = tracker.snapshot();
        tracker.allocated(0, DRAM, 0x1000, 100);

        assertThat(before).hasToString("nothing allocated").isNotEqualTo(tracker.snapshot());
    }
}
