package dev.meshguard.verification.runpages;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.text.Quantities;
import java.util.stream.LongStream;
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
        select(chromium);

        long allocated = LEAK.generations().filter(RangeTests::isAllocatedIn).count();
        assertThat(total(chromium, "buffers")).isNotEqualTo(whole).isEqualTo(allocated + " buffers in all.");
        assertThat(total(chromium, "bytes at the peak")).isEqualTo(Quantities.size(peak()) + " in all.");
        long leaked = SampleRun.bytes(LEAK.leaked().filter(RangeTests::isAllocatedIn));
        assertThat(total(chromium, "leaked bytes")).isEqualTo(Quantities.size(leaked) + " in all.");
        assertThat(chromium.all("#origins-tree .origin")).hasSizeGreaterThan(3);
    }

    @Test
    void theMatrixHasTheBytesOfTheRange(Chromium chromium) {
        chromium.open(LEAK.file());
        select(chromium);

        for (int device = 0; device < 8; device++) {
            assertThat(liveIn(chromium, device, BufferType.DRAM))
                    .as("device %s", device)
                    .isEqualTo(liveAt(device, TO));
        }
    }

    @Test
    void theBarSaysThatViewsAreFilteredAndShowsTheWholeRun(Chromium chromium) {
        chromium.open(LEAK.file());
        String before = chromium.text("#matrix-table");
        assertThat(chromium.find("#whole-run").isDisplayed()).isFalse();
        select(chromium);
        chromium.scrollTo("#matrix");

        assertThat(chromium.shown("#whole-run")).isEqualTo("Events #100 to #300 only: show all");
        assertThat(chromium.text("#matrix-table")).isNotEqualTo(before);

        chromium.find("#whole-run").click();
        assertThat(chromium.text("#matrix-table")).isEqualTo(before);
        assertThat(chromium.find("#whole-run").isDisplayed()).isFalse();
    }

    private static void select(Chromium chromium) {
        chromium.run("Cursor.range.set([" + FROM + ", " + TO + "])");
    }

    private static String total(Chromium chromium, String mode) {
        chromium.select("#origins-mode", mode);
        return chromium.text("#origins-text");
    }

    private static boolean isAllocatedIn(BufferGeneration generation) {
        return generation.allocatedAt() >= FROM && generation.allocatedAt() <= TO;
    }

    private static long peak() {
        return LongStream.rangeClosed(FROM, TO)
                .map(event -> SampleRun.bytes(LEAK.generations().filter(generation -> isLiveAt(generation, event))))
                .max()
                .orElseThrow();
    }

    private static long liveAt(int device, long event) {
        return SampleRun.bytes(LEAK.generations()
                .filter(generation -> generation.device() == device && generation.type() == BufferType.DRAM)
                .filter(generation -> isLiveAt(generation, event)));
    }

    private static boolean isLiveAt(BufferGeneration generation, long event) {
        return generation.allocatedAt() <= event && generation.freedAt().orElse(Long.MAX_VALUE) > event;
    }

    /** Returns the bytes of a cell of the matrix. */
    private static long liveIn(Chromium chromium, int device, BufferType type) {
        String cell = "#matrix-table td[data-device='" + device + "'][data-type=" + type + "]";
        return Long.parseLong(chromium.attribute(cell, "data-live"));
    }
}
