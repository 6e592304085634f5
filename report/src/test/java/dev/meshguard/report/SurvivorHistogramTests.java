package dev.meshguard.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Ownership;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginCapture;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.expectation.Expectation;
import dev.meshguard.verdict.expectation.ExpectedBuffers;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Many survivors of one status are also reported by size, label and device. */
class SurvivorHistogramTests {

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

    private List<String> histograms() {
        return VerdictReport.of(LeakCheck.create().examine(tracker.history())).histograms();
    }

    @Test
    void saysWhereManyLeaksLie() {
        leak(0, "weights", 4_096);
        leak(1, "weights", 10_240);
        leak(1, "weights", 20_000);
        leak(2, "kv-cache", 2_000_000);
        leak(2, "rotary", 1L << 30);

        assertThat(histograms())
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

        assertThat(histograms().get(2))
                .isEqualTo(
                        "leaked by device: device 0 x 1, device 1 x 1, device 2 x 1, device 3 x 1, device 4 x 1, device 5 x 1 and 2"
                                + " more");
    }

    @Test
    void leavesFewLeaksToTheFindings() {
        for (int i = 0; i < 4; i++) {
            leak(i, "layer " + i, 64);
        }

        assertThat(histograms()).isEmpty();
    }

    @Test
    void showsWhereManyExpectedBuffersLie() {
        for (int device = 0; device < 5; device++) {
            leak(device, "fabric", 4_096);
        }

        VerdictReport report = VerdictReport.of(LeakCheck.create()
                .expecting(ExpectedBuffers.of(Expectation.because("telemetry").label("fabric")))
                .examine(tracker.history()));

        assertThat(report.text()).doesNotContain("by size");
        assertThat(report.histograms())
                .containsExactly(
                        "expected by size: below 10 KiB x 5",
                        "expected by label: \"fabric\" x 5",
                        "expected by device: device 0 x 1, device 1 x 1, device 2 x 1, device 3 x 1, device 4 x 1");
    }

    @Test
    void showsWhereManyUndecidedBuffersLie() {
        tracker.meshOpened(MeshDescription.of(0, "1x1 mesh", List.of(0)));
        for (int layer = 0; layer < 5; layer++) {
            leak(0, "layer " + layer, 20_000);
        }

        VerdictReport report = VerdictReport.of(LeakCheck.create().examine(tracker.history()));

        assertThat(report.histograms()).contains("undecided by size: 10 KiB to 100 KiB x 5");
    }
}
