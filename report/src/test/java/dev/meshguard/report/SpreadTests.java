package dev.meshguard.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.tracker.AllocationDetails;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.BufferType;
import dev.meshguard.tracker.OriginCapture;
import dev.meshguard.tracker.Ownership;
import dev.meshguard.verdict.LeakCheck;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Many leaks are told by size, label and device as well. */
class SpreadTests {

    private final AllocationTracker tracker =
            AllocationTracker.builder().originCapture(OriginCapture.NONE).build();

    private void leak(int device, String label, long size) {
        tracker.allocated(
                tracker.request(AllocationDetails.user().labelled(label)),
                device,
                BufferType.DRAM,
                0x1000L + tracker.liveBuffers() * (1L << 40),
                size,
                Ownership.OWNING);
    }

    private List<String> notes() {
        return VerdictReport.of(LeakCheck.create().examine(tracker.history())).asides();
    }

    @Test
    void saysWhereManyLeaksLie() {
        leak(0, "weights", 4_096);
        leak(1, "weights", 10_240);
        leak(1, "weights", 20_000);
        leak(2, "kv-cache", 2_000_000);
        leak(2, "rotary", 1L << 30);

        assertThat(notes())
                .containsExactly(
                        "leaked by size: below 10 KiB x 1, 10 KiB to 100 KiB x 2, 1000 KiB to 9.77 MiB x 1, 9.77 MiB and more"
                                + " x 1",
                        "leaked by label: \"weights\" x 3, \"kv-cache\" x 1, \"rotary\" x 1",
                        "leaked by device: device 1 x 2, device 2 x 2, device 0 x 1");
    }

    @Test
    void namesNoMoreThanSixOfAKind() {
        for (int i = 0; i < 8; i++) {
            leak(i, "layer " + i, 64);
        }

        assertThat(notes().get(2))
                .isEqualTo(
                        "leaked by device: device 0 x 1, device 1 x 1, device 2 x 1, device 3 x 1, device 4 x 1, device 5 x 1 and 2"
                                + " more");
    }

    @Test
    void leavesFewLeaksToTheFindings() {
        for (int i = 0; i < 4; i++) {
            leak(i, "layer " + i, 64);
        }

        assertThat(notes()).isEmpty();
    }
}
