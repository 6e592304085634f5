package dev.meshguard.verification.runpages;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.text.Quantities;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.SurvivorStatus;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.Keys;

/** Tests the origins of the bytes, the events with the cursor that all views follow, and the results of the expectations. */
@InChromium
class OriginsAndEventsTests {

    private static final SampleRun LEAK = SampleRuns.leak();

    @TempDir
    static Path folder;

    private static Path file;

    @BeforeAll
    static void write() {
        file = LEAK.writtenTo(folder);
    }

    @Test
    void theIcicleIsAsWideAsWhatItsSwitchesSay(Chromium chromium) {
        chromium.open(file);
        assertThat(rootOf(chromium)).isEqualTo(leakedBytes());
        assertThat(chromium.text("#icicle-text")).startsWith(Quantities.size(leakedBytes()) + " in all.");

        chromium.click("input[name=icicle-mode][value=count]");
        chromium.await("document.querySelector('#icicle-tree').dataset.mode === 'count'");
        assertThat(rootOf(chromium)).isEqualTo(LEAK.verdict().sum().allocated());

        chromium.click("input[name=icicle-mode][value=peak]");
        chromium.await("document.querySelector('#icicle-tree').dataset.mode === 'peak'");
        assertThat(rootOf(chromium))
                .isEqualTo(LEAK.verdict().phaseUsages().stream()
                        .mapToLong(stretch -> stretch.peakBytes())
                        .max()
                        .orElseThrow());
    }

    @Test
    void theIcicleIsWalkedByKeysAndWidensABox(Chromium chromium) {
        chromium.open(file);
        chromium.run("document.querySelector('#icicle-tree .cell').focus()");

        chromium.type(Keys.ARROW_DOWN);
        assertThat(chromium.value("document.activeElement.dataset.path")).isEqualTo("0");
        String name = String.valueOf(chromium.value("document.activeElement.dataset.name"));
        chromium.type(Keys.ENTER);

        assertThat(chromium.find("#icicle-tree .cell.focused").getDomAttribute("aria-label"))
                .startsWith(name + ": ");
        chromium.type(Keys.BACK_SPACE);
        assertThat(chromium.value("document.querySelector('#icicle-tree .cell.focused').dataset.path"))
                .isEqualTo("");
    }

    @Test
    void framesOfTheIcicleAreFoundAndHidden(Chromium chromium) {
        chromium.open(file);
        int boxes = chromium.all("#icicle-tree .cell").size();

        chromium.find("#icicle-search").sendKeys("SampleRuns.tensor");
        assertThat(chromium.all("#icicle-tree .cell.match"))
                .isNotEmpty()
                .allMatch(cell ->
                        String.valueOf(cell.getDomAttribute("data-name")).contains("SampleRuns.tensor"));
        assertThat(chromium.find("#icicle-tree").getDomAttribute("data-matched"))
                .isEqualTo(String.valueOf(LEAK.verdict().survivors().stream()
                        .filter(survivor -> survivor.status() == SurvivorStatus.LEAKED)
                        .filter(survivor -> survivor.buffer().origin().stream()
                                .flatMap(origin -> origin.frames().stream())
                                .anyMatch(frame -> frame.toString().contains("SampleRuns.tensor")))
                        .mapToLong(survivor -> survivor.buffer().size())
                        .sum()));

        chromium.find("#icicle-hide").sendKeys("SampleRuns.tensor");
        assertThat(chromium.all("#icicle-tree .cell[data-name*='SampleRuns.tensor']"))
                .isEmpty();
        assertThat(chromium.all("#icicle-tree .cell")).hasSizeLessThan(boxes);
        assertThat(rootOf(chromium)).isEqualTo(leakedBytes());
    }

    @Test
    void allEventsAreListedAndOnlyThoseInViewAreThere(Chromium chromium) {
        chromium.open(file);

        int events = LEAK.verdict().history().events().size();
        assertThat(chromium.find("#event-list").getDomAttribute("data-shown")).isEqualTo(String.valueOf(events));
        assertThat(chromium.all("#event-list .event")).hasSizeBetween(10, 60);
        assertThat(chromium.text("#event-list .event")).startsWith("#1");
    }

    @Test
    void theCursorMovesThroughListMapAndSeries(Chromium chromium) {
        chromium.open(file);
        chromium.run("document.querySelector('#event-list').focus()");

        chromium.type(Keys.HOME, Keys.ARROW_DOWN, Keys.ARROW_DOWN);

        chromium.await("document.querySelector('#map-over').dataset.cursor === '3'");
        assertThat(chromium.value("document.querySelector('#live-chart').dataset.cursor"))
                .isEqualTo("3");
        assertThat(chromium.text("#event-list [aria-selected=true]")).startsWith("#3");
        assertThat(chromium.find("#event-list").getDomAttribute("aria-activedescendant"))
                .isEqualTo("event-3");
        chromium.type(Keys.END);
        int last = LEAK.verdict().history().events().size();
        chromium.await("document.querySelector('#map-over').dataset.cursor === '" + last + "'");
        assertThat(chromium.text("#event-list [aria-selected=true]")).startsWith("#" + last);
    }

    @Test
    void eventsAreFound(Chromium chromium) {
        chromium.open(file);

        chromium.select("#events-kind", "mesh closing");

        assertThat(chromium.find("#event-list").getDomAttribute("data-shown")).isEqualTo("1");
        assertThat(chromium.text("#event-list .event")).contains("mesh closing");
    }

    @Test
    void expectationsSayWhatBecameOfThem(Chromium chromium) {
        chromium.open(file);

        LeakVerdict verdict = LEAK.verdict();
        assertThat(chromium.texts("#expectations-table tbody th[data-key=text]"))
                .containsExactlyElementsOf(verdict.expectations().stream()
                        .map(result -> result.expectation().conditions())
                        .toList());
        assertThat(chromium.texts("#expectations-table td[data-key=result]")).containsExactly("matched", "unmatched");
        assertThat(chromium.all("#expectations-table td[data-key=result] .mark"))
                .extracting(mark -> mark.getDomAttribute("class"))
                .containsExactly("mark mark-expected", "mark mark-undecided");
        assertThat(chromium.texts("#expectations-table td[data-key=matched]"))
                .isEqualTo(List.of("1 buffer, 96 KiB", "0 buffers"));
        assertThat(chromium.texts("#expectations-table td[data-key=reason]"))
                .containsExactly(SampleRuns.HOSTILE_REASON, "was there once");
    }

    private static long rootOf(Chromium chromium) {
        return Long.parseLong(String.valueOf(chromium.find("#icicle-tree .cell").getDomAttribute("data-value")));
    }

    private static long leakedBytes() {
        return LEAK.verdict().survivors().stream()
                .filter(survivor -> survivor.status() == SurvivorStatus.LEAKED)
                .mapToLong(survivor -> survivor.buffer().size())
                .sum();
    }
}
