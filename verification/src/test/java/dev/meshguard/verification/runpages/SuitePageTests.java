package dev.meshguard.verification.runpages;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.page.RunPage;
import dev.meshguard.page.SuiteFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
    void hasTheTextsOfItsFile(Chromium chromium) throws IOException {
        chromium.open(index);

        PageTextsTests.assertThatTextsAreThoseOf("suite", chromium);
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
    void isSilentAndAsWideAsTheWindow(Chromium chromium) {
        chromium.open(index, 390, "dark");

        assertThat(chromium.overflow()).isZero();
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
}
