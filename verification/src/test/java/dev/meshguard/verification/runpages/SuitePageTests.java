package dev.meshguard.verification.runpages;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.history.MemorySnapshot.MemoryKey;
import dev.meshguard.history.Timeline;
import dev.meshguard.page.RunPage;
import dev.meshguard.page.SuiteFolder;
import dev.meshguard.text.Quantities;
import dev.meshguard.verdict.DeviceMemory;
import dev.meshguard.verdict.SurvivorStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The page over all runs, of two machines and several JVMs. */
@InChromium
class SuitePageTests {

    private static final SampleRun LEAK = SampleRuns.leak();
    private static final SampleRun CLEAN = SampleRuns.clean();
    private static final SampleRun MISREPORTED = SampleRuns.misreported();

    private static final String ROWS = "#runs-table tbody tr";

    @TempDir
    static Path folder;

    private static Path index;

    @BeforeAll
    static void write() throws IOException {
        SuiteFolder first = SuiteFolder.at(folder).writtenBy(Optional.of("runner one"), "1");
        add(first, "leak", LEAK.page());
        add(first.writtenBy(Optional.of("runner one"), "2"), "clean", CLEAN.page());
        add(first, "misreported", MISREPORTED.page());
        SuiteFolder second = SuiteFolder.at(folder.resolve("second #2")).writtenBy(Optional.of("runner two"), "1");
        add(second, "clean", RunPage.of(SampleRuns.HOSTILE_LABEL, CLEAN.report()));
        Files.writeString(folder.resolve("runs").resolve("torn.json"), "{\"format\":");
        index = first.writeIndex();
    }

    private static void add(SuiteFolder folder, String name, RunPage page) throws IOException {
        folder.add(SuiteFolder.nameOf(name, name), page);
    }

    @Test
    void saysHowManyRunsLeak(Chromium chromium) {
        chromium.open(index);

        assertThat(chromium.text("#outcome")).isEqualTo("1 of 4 leak");
        assertThat(chromium.texts("#totals [data-outcome]"))
                .containsExactlyInAnyOrder("1leak", "2clean", "1misreported");
        assertThat(chromium.text("#totals [data-total=leaks]")).isEqualTo(String.valueOf(leaks()));
        assertThat(chromium.text("#totals [data-total=bytes]"))
                .isEqualTo(Quantities.size(SampleRun.bytes(LEAK.leaked())));
        assertThat(chromium.texts("#warnings li")).containsExactly("runs/torn.json cannot be read, and is omitted.");
    }

    @Test
    void hasTheFiguresOfEachVerdict(Chromium chromium) {
        chromium.open(index);

        String row = ROWS + "[data-outcome=LEAKED] ";
        assertThat(chromium.text(row + "[data-key=title]")).isEqualTo("KvCacheTest.decode()");
        assertThat(chromium.text(row + "[data-key=leaks]")).isEqualTo(String.valueOf(leaks()));
        assertThat(chromium.text(row + "[data-key=leakedBytes]"))
                .isEqualTo(Quantities.shortSize(SampleRun.bytes(LEAK.leaked())));
        assertThat(chromium.text(row + "[data-key=buffers]"))
                .isEqualTo(String.valueOf(LEAK.verdict().sum().allocated()));
        assertThat(chromium.text(row + "[data-key=devicePeak]"))
                .isEqualTo(Quantities.shortSize(peakOfOneMemory(DeviceMemory::of)));
        assertThat(chromium.text(row + "[data-key=meshPeak]"))
                .isEqualTo(Quantities.shortSize(peakOfOneMemory(MemoryKey::type)));
        assertThat(chromium.text(row + "[data-key=where]")).isEqualTo("runner one · JVM 1");
    }

    @Test
    void linksThePageOfEachRun(Chromium chromium) {
        chromium.open(index);
        List<String> titles = chromium.texts(ROWS + " th a");
        assertThat(titles).hasSize(4);

        chromium.click(ROWS + "[data-outcome=LEAKED] a");
        chromium.await("document.documentElement.dataset.first !== undefined");
        assertThat(chromium.text("h1")).isEqualTo("KvCacheTest.decode()");

        chromium.open(index);
        chromium.select("#runs-outcome", "leak free");
        chromium.enter("#runs-search", "runner two");
        chromium.click(ROWS + " a");
        chromium.await("document.documentElement.dataset.first !== undefined");
        assertThat(chromium.text("h1")).isEqualTo(SampleRuns.HOSTILE_LABEL);
    }

    @Test
    void sortsAndFilters(Chromium chromium) {
        chromium.open(index);
        assertThat(chromium.text(ROWS + ":first-child [data-key=title]"))
                .as("the most leaks first")
                .isEqualTo("KvCacheTest.decode()");

        chromium.click("#runs-table th[data-key=buffers] button");
        assertThat(chromium.texts(ROWS + " [data-key=buffers]"))
                .isSortedAccordingTo((one, other) -> Long.compare(Long.parseLong(other), Long.parseLong(one)));
        assertThat(chromium.attribute("#runs-table th[data-key=buffers]", "aria-sort"))
                .isEqualTo("descending");

        chromium.enter("#runs-search", "views");
        assertThat(chromium.texts(ROWS + " [data-key=title]")).containsExactly("ViewsTest.reportsItsFrees()");
    }

    @Test
    void saysWhichExpectationsWereUsed(Chromium chromium) {
        chromium.open(index);

        assertThat(chromium.texts("#used-table tbody th"))
                .containsExactly("label \"fabric\", exactly 1 buffer, because \"" + SampleRuns.HOSTILE_REASON + '"');
        assertThat(chromium.text("#used-table td[data-key=runs]")).isEqualTo("1 of 4 runs");
        assertThat(chromium.text("#used-table td[data-key=last]")).endsWith("by KvCacheTest.decode()");
    }

    @ParameterizedTest
    @CsvSource({"1280, light", "390, dark"})
    void isSilentSafeAndAsWideAsTheWindow(int width, String theme, Chromium chromium) {
        chromium.open(index, width, theme);

        assertThat(chromium.is("document.documentElement.scrollWidth <= innerWidth"))
                .isTrue();
        assertThat(chromium.is("window.hostile === undefined")).isTrue();
        assertThat(chromium.texts(ROWS + " [data-key=title]")).contains(SampleRuns.HOSTILE_LABEL);
        assertThat(chromium.requests())
                .filteredOn(address -> !address.equals("about:blank"))
                .containsOnly(index.toUri().toString());
        assertThat(chromium.console()).isEmpty();
    }

    @Test
    void longNamesOfTestsBreakBetweenWords(Chromium chromium, @TempDir Path other) throws IOException {
        SuiteFolder named = SuiteFolder.at(other);
        for (String name : List.of(
                "KeyValueCacheOfALanguageModelTests.decodesAThousandTokensOfEachUserAndFreesEveryCacheOfEveryLayer()",
                "decoding_a_thousand_tokens_of_each_user_tests.frees_every_cache_of_every_layer_afterwards")) {
            add(named, name, RunPage.of(name, LEAK.report()));
        }
        Path page = named.writeIndex();

        for (int width : List.of(768, 1041, 1280, 2560)) {
            chromium.open(page, width, "light");

            assertThat(chromium.value("""
                    [...document.querySelectorAll('.run-title')].flatMap(title => [...title.childNodes]).filter(word => {
                        const range = document.createRange();
                        range.selectNodeContents(word);
                        return new Set([...range.getClientRects()].map(({ top }) => top)).size > 1;
                    }).map(word => word.textContent).join()""")).as("%s pixels", width).isEqualTo("");
        }
    }

    private static long leaks() {
        return LEAK.verdict().groups(SurvivorStatus.LEAKED).size();
    }

    /** Returns the most bytes that any group of memories of the leaking run held at once. */
    private static long peakOfOneMemory(Function<MemoryKey, Object> group) {
        return LEAK.verdict().history().timeline().curvesBy(group).values().stream()
                .mapToLong(Timeline.Curve::peakBytes)
                .max()
                .orElseThrow();
    }
}
