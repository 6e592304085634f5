package dev.meshguard.verification.runpages;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.page.suite.SuiteFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that the pages of one folder share the library of their charts, and that each can leave the folder. */
@InChromium
class SharedLibraryTests {

    private static final long LIBRARY_BYTES = 900_000;

    private static final String HAS_CHART = "typeof echarts !== 'undefined'"
            + " && echarts.getInstanceByDom(document.querySelector('#live-chart')) !== undefined";

    @TempDir
    static Path folder;

    private static Path page;
    private static Path library;

    @BeforeAll
    static void write() throws IOException {
        SuiteFolder pages = SuiteFolder.at(folder.resolve("pages"));
        SampleRun leak = SampleRuns.leak();
        page = pages.add("leak", leak.page());
        pages.add("again", leak.page());
        pages.writeIndex();
        try (Stream<Path> files = Files.list(folder.resolve("pages"))) {
            library = files.filter(file -> file.toString().endsWith(".js"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    @Test
    void theLibraryIsInTheFolderOnce() throws IOException {
        List<Path> scripts;
        long bytes = 0;
        try (Stream<Path> files = Files.walk(folder.resolve("pages"))) {
            List<Path> all = files.filter(Files::isRegularFile).toList();
            scripts =
                    all.stream().filter(file -> file.toString().endsWith(".js")).toList();
            for (Path file : all) {
                bytes += Files.size(file);
            }
        }

        assertThat(scripts).containsExactly(library);
        assertThat(Files.size(library)).isGreaterThan(LIBRARY_BYTES);
        assertThat(bytes).isLessThan(2 * LIBRARY_BYTES);
        assertThat(Files.size(page)).isLessThan(LIBRARY_BYTES / 2);
    }

    @Test
    void aPageSavesItselfAsOneFileThatNeedsNoOther(Chromium chromium) throws IOException {
        chromium.open(page);
        chromium.await(HAS_CHART);
        assertThat(chromium.text("#save")).isEqualTo("Save as one file");
        Path alone = Files.writeString(
                Files.createDirectory(folder.resolve("alone")).resolve("saved.html"),
                String.valueOf(chromium.value("Library.page()")));

        chromium.open(alone);

        chromium.await(HAS_CHART);
        assertThat(chromium.text("#headline")).isNotEmpty();
        assertThat(chromium.all("#groups-table tbody tr[data-index]")).isNotEmpty();
        assertThat(chromium.all("#save")).isEmpty();
        assertThat(Files.readString(alone)).contains("script-src 'sha256-").doesNotContain("<script id=\"library\"");
    }

    @Test
    void aPageWithoutItsLibrarySaysSoAndShowsTheRest(Chromium chromium) throws IOException {
        Path mailed =
                Files.copy(page, Files.createDirectory(folder.resolve("mailed")).resolve("mailed.html"));

        chromium.open(mailed);

        assertThat(chromium.text("#live .without-library"))
                .startsWith("The chart needs the file " + library.getFileName() + ",");
        assertThat(chromium.text("#headline")).isNotEmpty();
        assertThat(chromium.all("#groups-table tbody tr[data-index]")).isNotEmpty();
        assertThat(chromium.all("#event-list [role=option], #event-list li, #event-list *"))
                .isNotEmpty();
    }
}
