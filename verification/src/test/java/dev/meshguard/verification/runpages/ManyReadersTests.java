package dev.meshguard.verification.runpages;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.WebElement;

/**
 * Tests that everybody can open and read the page safely: with any label, offline, narrow, in the dark, by keyboard, on paper.
 */
@InChromium
class ManyReadersTests {

    private static final SampleRun LEAK = SampleRuns.leak();
    private static final SampleRun GROWING = SampleRuns.growing();

    @Test
    void asksNobodyForAnythingAndTheConsoleIsSilent(Chromium chromium) {
        chromium.beforeEachPage("window.violations = [];"
                + " addEventListener('securitypolicyviolation', event => violations.push(event.violatedDirective));");
        for (Path page : List.of(LEAK.file(), GROWING.file())) {
            chromium.open(page);
            useEverything(chromium);

            assertThat(chromium.value("violations.join()")).isEqualTo("");
            assertThat(chromium.value("performance.getEntriesByType('resource').length"))
                    .isEqualTo(0L);
            assertThat(chromium.requests())
                    .filteredOn(address -> !address.equals("about:blank"))
                    .containsOnly(page.toUri().toString());
            assertThat(chromium.console()).isEmpty();
        }
    }

    @Test
    void followsTheTheme(Chromium chromium) {
        chromium.open(LEAK.file(), 1280, "light");
        Object light = chromium.value("getComputedStyle(document.body).backgroundColor");
        chromium.open(LEAK.file(), 1280, "dark");

        assertThat(chromium.value("getComputedStyle(document.body).backgroundColor"))
                .isNotEqualTo(light);
    }

    @Test
    void isWalkedByTheTabKeyAlone(Chromium chromium) {
        chromium.open(LEAK.file());
        Set<String> met = new LinkedHashSet<>();

        for (int step = 0; step < 140 && !met.contains("expectations"); step++) {
            chromium.tab();
            met.add(String.valueOf(chromium.value(
                    "(document.activeElement.closest('section, header, nav') || document.activeElement).id")));
            assertThat(chromium.is("document.activeElement === document.body"))
                    .as("the focus was lost after %s", met)
                    .isFalse();
        }

        assertThat(met)
                .contains("head", "views", "groups", "map", "live", "matrix", "origins", "events", "expectations");
    }

    @Test
    void isCompleteInATabInTheBackground(Chromium chromium) {
        chromium.openAfter(
                "Object.defineProperty(document, 'hidden', { value: true }); window.requestAnimationFrame = () => 0;",
                LEAK.file());

        assertThat(chromium.is("MapView.scene.drawn > 0")).isTrue();
        assertThat(chromium.all("#live-chart canvas")).isNotEmpty();
        assertThat(chromium.all("#events .event")).isNotEmpty();
    }

    @Test
    void isPrinted(Chromium chromium) {
        chromium.open(LEAK.file());

        assertThat(new String(chromium.printed(), 0, 5, StandardCharsets.ISO_8859_1))
                .isEqualTo("%PDF-");
        chromium.await("!document.documentElement.classList.contains('printing')");
    }

    @Test
    void isAReportWhereNoScriptRuns(Chromium chromium) {
        chromium.openWithoutScripts(LEAK.file());

        assertThat(chromium.shown("noscript pre"))
                .contains(LEAK.report().text().lines().findFirst().orElseThrow())
                .contains("at dev.meshguard.verification.runpages.SampleRuns", "why ", "fix ", "<img src=x onerror=");
        assertThat(chromium.all("main > section").stream().filter(WebElement::isDisplayed))
                .isEmpty();
    }

    @Test
    void showsTheTextWhereItsDataCannotBeRead(Chromium chromium) {
        chromium.openAfter(
                "addEventListener('error', event => event.preventDefault());"
                        + " addEventListener('unhandledrejection', event => {"
                        + " event.preventDefault(); document.documentElement.dataset.shown = 'failed'; });"
                        + " JSON.parse = () => { throw new Error('broken on purpose'); };",
                LEAK.file());

        assertThat(chromium.text(".broken")).isEqualTo("This page cannot show its figures: broken on purpose");
        assertThat(chromium.text("#plain-text")).isEqualTo(LEAK.report().text());
    }

    static void useEverything(Chromium chromium) {
        chromium.run("document.querySelectorAll('.opener').forEach(opener => opener.click())");
        for (String list : List.of("live-mode", "origins-mode", "map-axis", "growth-mode")) {
            chromium.run("for (const option of document.querySelectorAll('#" + list + " option')) {"
                    + " option.selected = true; option.parentElement.dispatchEvent(new Event('change')); }");
        }
        Stream.of("#map-survivors-only", "#map-in", "#map-lanes", "#map-all")
                .forEach(selector -> chromium.run("document.querySelector('" + selector + "').click()"));
        chromium.run("const list = document.querySelector('#event-list'); list.scrollTop = list.scrollHeight");
        chromium.await("document.querySelector('#event-list').scrollTop > 0");
    }
}
