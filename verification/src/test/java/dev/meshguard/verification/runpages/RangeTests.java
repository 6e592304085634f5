package dev.meshguard.verification.runpages;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.text.Quantities;
import dev.meshguard.verdict.SurvivorStatus;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests that a selected range of events filters origins, devices and growth too, and that one button shows the whole run. */
@InChromium
class RangeTests {

    private static final SampleRun LEAK = SampleRuns.leak();
    private static final long FROM = 100;
    private static final long TO = 300;

    @Test
    void theOriginsAreThoseOfTheRange(Chromium chromium) {
        chromium.open(LEAK.file());
        String whole = total(chromium, "buffers");
        select(chromium, FROM, TO);

        long allocated =
                generations().stream().filter(RangeTests::isAllocatedIn).count();
        assertThat(total(chromium, "buffers")).isNotEqualTo(whole).isEqualTo(allocated + " buffers in all.");
        assertThat(total(chromium, "bytes at the peak")).isEqualTo(Quantities.size(peak()) + " in all.");
        long leaked = LEAK.verdict().groups(SurvivorStatus.LEAKED).stream()
                .flatMap(group -> group.survivors().stream())
                .filter(survivor -> isAllocatedIn(survivor.buffer()))
                .mapToLong(survivor -> survivor.buffer().size())
                .sum();
        assertThat(total(chromium, "leaked bytes")).isEqualTo(Quantities.size(leaked) + " in all.");
        assertThat(chromium.all("#origins-tree .origin")).hasSizeGreaterThan(3);
    }

    @Test
    void theMatrixHasTheBytesOfTheRange(Chromium chromium) {
        chromium.open(LEAK.file());
        select(chromium, FROM, TO);

        for (int device = 0; device < 8; device++) {
            long live = liveAt(device, TO);
            assertThat(chromium.find("#matrix-table td[data-device='" + device + "'][data-type=DRAM]")
                            .getDomAttribute("data-live"))
                    .as("device %s", device)
                    .isEqualTo(String.valueOf(live));
        }
    }

    @Test
    void theBarSaysThatViewsAreFilteredAndShowsTheWholeRun(Chromium chromium) {
        chromium.open(LEAK.file());
        String before = chromium.text("#matrix-table");
        assertThat(chromium.find("#whole-run").isDisplayed()).isFalse();
        select(chromium, FROM, TO);
        chromium.scrollTo("#matrix");

        assertThat(chromium.shown("#whole-run")).isEqualTo("Events #100 to #300 only: show all");
        assertThat(chromium.text("#matrix-table")).isNotEqualTo(before);

        chromium.find("#whole-run").click();
        assertThat(chromium.text("#matrix-table")).isEqualTo(before);
        assertThat(chromium.find("#whole-run").isDisplayed()).isFalse();
    }

    private static void select(Chromium chromium, long from, long to) {
        chromium.run("Cursor.range.set([" + from + ", " + to + "])");
    }

    private static String total(Chromium chromium, String mode) {
        chromium.select("#origins-mode", mode);
        return chromium.text("#origins-text");
    }

    private static List<BufferGeneration> generations() {
        return LEAK.verdict().history().generations();
    }

    private static boolean isAllocatedIn(BufferGeneration generation) {
        return generation.allocatedAt() >= FROM && generation.allocatedAt() <= TO;
    }

    private static long peak() {
        long most = 0;
        for (long event = FROM; event <= TO; event++) {
            long sum = 0;
            for (BufferGeneration generation : generations()) {
                sum += isLiveAt(generation, event) ? generation.size() : 0;
            }
            most = Math.max(most, sum);
        }
        return most;
    }

    private static long liveAt(int device, long event) {
        return generations().stream()
                .filter(generation -> generation.device() == device && generation.type() == BufferType.DRAM)
                .filter(generation -> isLiveAt(generation, event))
                .mapToLong(BufferGeneration::size)
                .sum();
    }

    private static boolean isLiveAt(BufferGeneration generation, long event) {
        return generation.allocatedAt() <= event && generation.freedAt().orElse(Long.MAX_VALUE) > event;
    }
}
