package dev.meshguard.verification.runpages;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.text.Quantities;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests that a selected range of events filters survivors, origins and devices too, and that one button shows the whole run. */
@InChromium
class RangeTests {

    private static final SampleRun LEAK = SampleRuns.leak();

    @Test
    void theSurvivorsAreThoseOfWhichABufferWasAllocatedInIt(Chromium chromium) {
        chromium.open(LEAK.file());
        select(chromium);

        assertThat(chromium.texts("#groups-table .status b")).containsExactly("UNEXPLAINED", "FREED_ON_OTHER_DEVICES");
        assertThat(chromium.text("#groups .counted")).isEqualTo("2 of 5 shown");
    }

    @ParameterizedTest
    @CsvSource({
        "buffers, 111 buffers in all.",
        "bytes at the peak, 2.28 MiB (2392064 B) in all.",
        "leaked bytes, 640 KiB (655360 B) in all."
    })
    void theOriginsAreThoseOfTheRange(String mode, String total, Chromium chromium) {
        chromium.open(LEAK.file());
        select(chromium);

        chromium.select("#origins-mode", mode);

        assertThat(chromium.text("#origins-text")).isEqualTo(total);
        assertThat(chromium.all("#origins-tree .origin")).hasSizeGreaterThan(3);
    }

    @Test
    void thePeakAndTheLiveBytesAreThoseOfTheLives(Chromium chromium) {
        chromium.open(LEAK.file());
        select(chromium);
        chromium.select("#origins-mode", "bytes at the peak");

        assertThat(chromium.text("#origins-text"))
                .isEqualTo(Quantities.size(LEAK.peak(100, 300, life -> true)) + " in all.");
        for (BufferType type : List.of(BufferType.DRAM, BufferType.L1)) {
            for (int device = 0; device < 8; device++) {
                int number = device;
                Predicate<BufferGeneration> ofCell = life -> life.device() == number && life.type() == type;
                assertThat(chromium.attribute(
                                "#matrix-table td[data-device='" + device + "'][data-type=" + type + "]", "title"))
                        .isEqualTo("live %s, peak %s"
                                .formatted(
                                        Quantities.size(LEAK.liveAt(300, ofCell)),
                                        Quantities.size(LEAK.peak(100, 300, ofCell))));
            }
        }
    }

    @Test
    void aDeviceIsComparedWithTheOthersAtTheEndOfIt(Chromium chromium) {
        chromium.open(LEAK.file());
        select(chromium);

        assertThat(chromium.text("#matrix-table caption"))
                .isEqualTo("Live bytes at the end of the range and peak of each device and type");
        assertThat(chromium.text("#matrix-lead")).startsWith("3 cells of 16 differ ");
        assertThat(chromium.texts("#matrix-table .difference")).containsExactly("▲ +64 KiB", "▲ +96 KiB", "▼ −32 KiB");
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
        chromium.run("Cursor.range.set([100, 300])");
    }
}
