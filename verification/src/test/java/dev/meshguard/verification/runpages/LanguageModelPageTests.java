package dev.meshguard.verification.runpages;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Tests the page of seed 001's run: weights, caches and a trace, freed at the clean-up. The seed drew its memory by hand. */
@InChromium
class LanguageModelPageTests {

    private static final long THREE_MEGABYTES = 3_000_000;

    private static Path file;
    private static int events;

    /** Keeps the page and not the run, which is large. */
    @BeforeAll
    static void write() {
        SampleRun run = SampleRuns.languageModel();
        file = run.file();
        events = run.verdict().history().events().size();
    }

    @Test
    void isSmallAndHasTheSeedsCountsAndPeaks(Chromium chromium) throws IOException {
        chromium.open(file);

        assertThat(Files.size(file)).isLessThan(THREE_MEGABYTES);
        assertThat(chromium.all("#data-gzip")).hasSize(1);
        assertThat(chromium.text("#events-aggregated").replace("\u202f", ""))
                .isEqualTo(
                        "50000 of " + events + " events are in this page: all that the findings name are among them.");

        assertThat(chromium.text("#sum [data-sum=allocated]")).isEqualTo("83416");
        assertThat(chromium.text("#live-figures tr[data-type=TRACE] td:nth-child(2)"))
                .isEqualTo("95.39 MiB (100024320 B)");
        assertThat(chromium.input("#origins-mode"))
                .as("nothing leaked, so the bytes of the peak are shown first")
                .isEqualTo("peak");
        assertThat(chromium.text("#origins-text")).startsWith("499.23 MiB (");
    }

    @Test
    void givesLoadingAndCleaningUpRoomBesideAHundredThousandEventsOfDecoding(Chromium chromium) {
        chromium.open(file);
        chromium.await("MapView.scene !== undefined");

        assertThat(chromium.value("MapView.scene.axis.name")).isEqualTo("phase");
        assertThat(shareOf(chromium, "load the model")).isGreaterThan(0.05);
        assertThat(shareOf(chromium, "TEARDOWN")).isGreaterThan(0.05);
        assertThat(chromium.texts("#live-steps li"))
                .first()
                .asString()
                .endsWith(" TEARDOWN: freed 355.37 MiB of DRAM, 48.47 MiB of L1, 95.39 MiB of TRACE");
        assertThat(labels(chromium, "freed ")).containsExactly("freed 499.23 MiB");
        assertThat(labels(chromium, "#")).contains("#0", "#395").hasSizeGreaterThan(4);
    }

    @Test
    void namesTheEventBeforeAViewThatHasNone(Chromium chromium) {
        chromium.open(file);
        chromium.await("MapView.scene !== undefined");

        chromium.run("Axis.zoom(1e-9, Axis.current.of(5.5))");

        chromium.await("MapView.scene.view === Axis.view");
        assertThat(chromium.is("Axis.current.event(Axis.view.to) - Axis.current.event(Axis.view.from) < 1"))
                .isTrue();
        assertThat(chromium.list("MapView.scene.labels.map(label => label.text).filter(text => text.includes('#'))"))
                .containsExactly("after #5");
    }

    @Test
    void namesTheTriangleOfTheCleanUpWhereItsTextHasNoRoom(Chromium chromium) {
        chromium.open(file, 390, "light");
        chromium.await("MapView.scene !== undefined");

        assertThat(labels(chromium, "freed ")).isEmpty();
        assertThat(chromium.shown("#live-key-freed")).isEqualTo("freed in the clean-up");
    }

    /** The names in the chart of live bytes that begin with a text. */
    private static List<String> labels(Chromium chromium, String beginning) {
        return chromium.list(
                "LiveView.labels.map(label => label.text).filter(text => text.startsWith('" + beginning + "'))");
    }

    /** How much of the width of the map a phase has. */
    private static double shareOf(Chromium chromium, String phase) {
        chromium.readData();
        chromium.run(
                "window.at = event => (Axis.current.of(event) - Axis.current.first) / (Axis.current.last - Axis.current.first)");
        chromium.run("window.phase = pageData.phases.find(phase => phase.name === arguments[0])", phase);
        return chromium.number("at(phase.to) - at(phase.from)");
    }
}
