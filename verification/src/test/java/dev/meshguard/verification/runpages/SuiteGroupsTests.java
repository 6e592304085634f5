package dev.meshguard.verification.runpages;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.page.SuiteFolder;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.WebElement;

/** Tests the page of 240 runs, of which 180 leak in twelve lines. */
@InChromium
class SuiteGroupsTests {

    private static final int RUNS = 240;
    private static final int LINES = 16;

    private static final String ROWS = "#suite-groups-table tbody tr:not(.detail)";

    @TempDir
    static Path folder;

    private static Path index;

    @BeforeAll
    static void write() throws IOException {
        index = indexOf(
                folder,
                IntStream.range(0, RUNS).mapToObj(SuiteGroupsTests::record).toArray(String[]::new));
    }

    private static Path indexOf(Path folder, String... records) throws IOException {
        Path runs = Files.createDirectories(folder.resolve("runs"));
        for (int run = 0; run < records.length; run++) {
            Files.writeString(runs.resolve(String.format(Locale.ROOT, "run-%03d.json", run)), records[run]);
        }
        return SuiteFolder.at(folder).writeIndex();
    }

    /** Every fourth run is clean; a line with a higher number leaks more, under two fingerprints. */
    private static String record(int run) {
        boolean leaks = run % 4 != 0;
        int line = run % LINES;
        long bytes = leaks ? (line + 1) * 1024L : 0;
        String finding = String.format(
                Locale.ROOT,
                "{\"fingerprint\":\"%064x\",\"cause\":\"HELD\",\"status\":\"LEAKED\","
                        + "\"site\":\"com.example.models.attention.KvCacheOfEachLayer.allocateForSequence(KvCache.java:%d)\","
                        + "\"type\":\"DRAM\",\"buffers\":1,\"bytes\":%d}",
                fingerprint(line, run / LINES % 5 == 0 ? 1 : 0),
                line,
                bytes);
        return String.format(
                Locale.ROOT,
                "{\"format\":\"meshguard-run-record\",\"version\":1,\"id\":\"run-%1$03d\","
                        + "\"title\":\"com.example.models.AttentionTest#decodesSequence%1$03d\",\"outcome\":\"%2$s\","
                        + "\"headline\":\"\",\"leaks\":%3$d,\"leakedBytes\":%4$d,\"buffers\":9,"
                        + "\"peakByType\":{\"DRAM\":8192},\"devicePeakByType\":{\"DRAM\":1024},\"durationMillis\":5,"
                        + "\"day\":\"2026-11-20\",\"fork\":\"1\",\"causes\":{},\"findings\":[%5$s],\"expectationsUsed\":[]}",
                run,
                leaks ? "LEAKED" : "LEAK_FREE",
                leaks ? 1 : 0,
                bytes,
                leaks ? finding : "");
    }

    @Test
    void aLeakAndAnUndecidedFindingOfOneFingerprintAreTwoGroups(Chromium chromium, @TempDir Path both)
            throws IOException {
        String digits = String.format(Locale.ROOT, "%064x", fingerprint(1, 1)).substring(0, 12);

        chromium.open(
                indexOf(both, record(1), record(1).replace("LEAKED", "UNDECIDED")),
                "#group-" + digits + "-HELD-UNDECIDED");

        assertThat(chromium.texts(ROWS + " [data-key=tests]")).containsExactly("1", "1");
        assertThat(chromium.all("#suite-groups-table tr[data-status=UNDECIDED]:has(+ .detail)"))
                .hasSize(1);
        assertThat(chromium.all("#suite-groups-table .detail")).hasSize(1);
    }

    private static BigInteger fingerprint(int line, int variant) {
        return BigInteger.valueOf(0x100 + line * 2L + variant).shiftLeft(232);
    }

    @Test
    void addsUpTheTestsOfEachLineThatLeaksMostFirst(Chromium chromium) {
        chromium.open(index);

        assertThat(chromium.texts(ROWS + " [data-key=bytes]"))
                .containsExactly(
                        "240 KiB", "225 KiB", "210 KiB", "180 KiB", "165 KiB", "150 KiB", "120 KiB", "105 KiB");
        assertThat(chromium.texts(ROWS + " [data-key=tests]")).containsOnly("15");
        assertThat(chromium.texts(ROWS + " [data-key=site]"))
                .startsWith("KvCacheOfEachLayer.allocateForSequence(KvCache.java:15)");
        assertThat(chromium.texts("p.empty")).containsExactly("No run used an expectation.");
    }

    @Test
    void aRunWithoutADayDiffersFromNone(Chromium chromium, @TempDir Path both) throws IOException {
        chromium.open(indexOf(both, record(1), record(2).replace("\"day\":\"2026-11-20\",", "")));

        assertThat(chromium.all("#runs-table tbody tr")).hasSize(2);
        assertThat(chromium.all("#runs-table th[data-key=day]")).isEmpty();
    }

    @Test
    void foldsRowsBeyondFiftyUntilTheButtonIsClicked(Chromium chromium) {
        chromium.open(index);
        chromium.command(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", 1280, "height", 800, "deviceScaleFactor", 1, "mobile", false));

        assertThat(chromium.all("#runs-table tbody tr")).hasSize(50);
        assertThat(chromium.number("document.documentElement.scrollHeight"))
                .as("three screens")
                .isLessThanOrEqualTo(2400);

        assertThat(chromium.text("#runs .unfold")).isEqualTo("Show all " + RUNS);
        chromium.click("#runs .unfold");
        assertThat(chromium.all("#runs-table tbody tr")).hasSize(RUNS);
        assertThat(chromium.find("#runs .unfold").isDisplayed()).isFalse();
    }

    @Test
    void anAddressOpensExactlyItsGroup(Chromium chromium) {
        String digits = String.format(Locale.ROOT, "%064x", fingerprint(1, 0)).substring(0, 12);

        chromium.open(index, "#group-" + digits);

        assertThat(chromium.all("#suite-groups-table .detail")).hasSize(1);
        assertThat(chromium.is("document.activeElement === document.body"))
                .as("a link leaves the focus")
                .isTrue();
        assertThat(chromium.text("#suite-groups-table tr:has(+ .detail) [data-key=site]"))
                .endsWith("(KvCache.java:1)");
        assertThat(chromium.value("document.querySelector('.fingerprint.chosen').dataset.fingerprint"))
                .isEqualTo(digits);
        assertThat(chromium.is("(({ top, bottom }) => top >= 0 && top < innerHeight)"
                        + "(document.querySelector('.fingerprint.chosen').getBoundingClientRect())"))
                .isTrue();
        assertThat(shownTests(chromium)).isEqualTo(10);
        chromium.click(".fingerprint.chosen summary");
        assertThat(shownTests(chromium)).isEqualTo(12);
    }

    private static long shownTests(Chromium chromium) {
        return chromium.all(".fingerprint.chosen .group-tests li").stream()
                .filter(WebElement::isDisplayed)
                .count();
    }

    @Test
    void fitsEveryWindowWithLongCausesOfSeveralDaysAndMachines(Chromium chromium, @TempDir Path both)
            throws IOException {
        String first = record(1).replace("\"causes\":{}", "\"causes\":{\"CIRCULAR_BUFFER_UNREPORTED\":2}");
        String second =
                record(2).replace("2026-11-20", "2026-11-21").replace("\"fork\":\"1\"", "\"machine\":\"runner two\"");
        chromium.open(indexOf(both, first, second));

        assertFitsEveryWindow(chromium, List.of(390, 1040, 1041, 1280, 1440, 1441));
        assertThat(chromium.texts("#runs-table tbody [data-key=causes]"))
                .as("a name that may break is copied and found as it is")
                .contains("CIRCULAR_BUFFER_UNREPORTED 2");
    }

    @Test
    void fitsEveryWindow(Chromium chromium) {
        chromium.open(index);
        chromium.run("document.querySelectorAll('.opener').forEach(opener => opener.click())");

        assertFitsEveryWindow(chromium, List.of(320, 390, 640, 768, 800, 1040, 1280, 2560));
        assertThat(chromium.console()).isEmpty();
    }

    private static void assertFitsEveryWindow(Chromium chromium, List<Integer> widths) {
        for (int width : widths) {
            chromium.resize(width);
            chromium.await("innerWidth === " + width);

            assertThat(chromium.overflow()).as("overflow at %s pixels", width).isZero();
            assertThat(chromium.outside("main *", ".visually-hidden, svg"))
                    .as("cut at %s pixels", width)
                    .isEmpty();
        }
    }
}
