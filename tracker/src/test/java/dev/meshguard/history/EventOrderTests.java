package dev.meshguard.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.Phase;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginCapture;
import dev.meshguard.tracker.Seed;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class EventOrderTests {

    @Test
    void followsTheOrderOfRequestsOverDevices() {
        AllocationTracker tracker = AllocationTracker.create();
        tracker.allocated(5, BufferType.DRAM, 0x1000, 64);
        tracker.allocated(2, BufferType.DRAM, 0x1000, 64);
        tracker.freed(5, BufferType.DRAM, 0x1000);
        tracker.allocated(0, BufferType.DRAM, 0x1000, 64);

        assertThat(description(tracker)).containsExactly("#1 +5", "#2 +2", "#3 -5", "#4 +0");
    }

    @Test
    void ordersTheReportsOfOneRequestByDevice() {
        AllocationTracker tracker = AllocationTracker.create();
        var request = tracker.request(AllocationDetails.user());
        for (int device : new int[] {3, 1, 2}) {
            tracker.allocated(request, device, BufferType.DRAM, 0x1000, 64, Ownership.UNKNOWN);
        }

        assertThat(description(tracker)).containsExactly("#1 +1", "#2 +2", "#3 +3");
    }

    @Test
    void isThatOfArrivalWhereNothingNumbersRequests() {
        AllocationTracker tracker =
                AllocationTracker.builder().originCapture(OriginCapture.NONE).build();
        tracker.allocated(1, BufferType.DRAM, 0x1000, 64);
        tracker.allocated(0, BufferType.DRAM, 0x1000, 64);
        tracker.phase(Phase.TEST);
        tracker.freed(1, BufferType.DRAM, 0x1000);
        tracker.freed(0, BufferType.DRAM, 0x1000);

        assertThat(description(tracker)).containsExactly("#1 +1", "#2 +0", "#3 TEST", "#4 -1", "#5 -0");
    }

    @Test
    void isThatOfArrivalInARestoredRequest() {
        AllocationTracker tracker = AllocationTracker.create();
        var request = MemoryRequest.restored(AllocationDetails.user(), Optional.empty());
        for (int device : new int[] {3, 1, 2}) {
            tracker.allocated(request, device, BufferType.DRAM, 0x1000, 64, Ownership.UNKNOWN);
        }

        assertThat(description(tracker)).containsExactly("#1 +3", "#2 +1", "#3 +2");
    }

    @Test
    void keepsTheOrderOfADeviceWhateverItsRequestsSay() {
        AllocationTracker tracker = AllocationTracker.create();
        var early = tracker.request(AllocationDetails.user());
        tracker.allocated(0, BufferType.DRAM, 0x2000, 64);
        tracker.freed(0, BufferType.DRAM, 0x2000);
        tracker.allocated(early, 0, BufferType.DRAM, 0x2000, 128, Ownership.UNKNOWN);

        assertThat(description(tracker)).containsExactly("#1 +0", "#2 -0", "#3 +0");
        assertThat(tracker.history().anomalies()).isEmpty();
    }

    @Test
    void keepsAReportBehindTheMarkThatItFollowed() {
        AllocationTracker tracker = AllocationTracker.create();
        var early = tracker.request(AllocationDetails.user());
        tracker.phase(Phase.TEST);
        tracker.allocated(early, 0, BufferType.DRAM, 0x1000, 64, Ownership.UNKNOWN);

        assertThat(description(tracker)).containsExactly("#1 TEST", "#2 +0");
    }

    @ParameterizedTest
    @EnumSource(OriginCapture.class)
    void givesTheSameReportsTheSameNumbers(OriginCapture capture) {
        Seed seed = Seed.next();

        List<String> once = description(randomRun(seed.random(), capture));
        List<String> again = description(randomRun(seed.random(), capture));

        assertThat(again).describedAs(seed.toString()).isEqualTo(once);
    }

    private static AllocationTracker randomRun(Random random, OriginCapture capture) {
        AllocationTracker tracker =
                AllocationTracker.builder().originCapture(capture).build();
        for (int step = 0; step < 2_000; step++) {
            int device = random.nextInt(8);
            long address = 32L * random.nextInt(50);
            switch (random.nextInt(5)) {
                case 0, 1 -> tracker.allocated(device, BufferType.L1, address, random.nextInt(4096));
                case 2, 3 -> tracker.freed(device, BufferType.L1, address);
                default -> tracker.phase("phase " + step);
            }
        }
        return tracker;
    }

    private static List<String> description(AllocationTracker tracker) {
        return tracker.history().events().stream()
                .map(EventOrderTests::description)
                .toList();
    }

    private static String description(HistoryEvent event) {
        String what = event.toString();
        if (event instanceof HistoryEvent.Allocated allocated) {
            what = "+" + allocated.device();
        } else if (event instanceof HistoryEvent.Freed freed) {
            what = "-" + freed.device();
        } else if (event instanceof HistoryEvent.PhaseBegan began) {
            what = began.phase().name();
        }
        return "#" + event.number() + " " + what;
    }
}
