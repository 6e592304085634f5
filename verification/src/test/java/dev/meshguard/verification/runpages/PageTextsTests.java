package dev.meshguard.verification.runpages;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.openqa.selenium.WebElement;

/**
 * Tests the words and figures of each page, as a reader sees them with everything open.
 *
 * <p>They are those of the files beside this class. What the pages show now is written to {@code target/page-texts}, to be compared and copied.
 */
@InChromium
class PageTextsTests {

    private static final Path FILES = Path.of("src/test/resources/dev/meshguard/verification/runpages");
    private static final Path SHOWN = Path.of("target", "page-texts");

    private static final String OPEN_EVERYTHING = """
            document.querySelectorAll('.opener[aria-expanded=false]').forEach(opener => opener.click());
            document.querySelectorAll('details').forEach(details => { details.open = true; });""";

    /** Marks and pictures are what they stand for, events and lanes a line each, and what a reader chooses is no text of the run. */
    private static final String SHORT_TEXT = """
            (() => {
                document.querySelectorAll('svg.mark:not(.sample)').forEach(one => one.replaceWith(`[${one.classList[1]}]`));
                document.querySelectorAll('canvas[aria-label]').forEach(one => one.replaceWith(one.ariaLabel));
                document.querySelectorAll('.over-budget, td.out .difference').forEach(one => one.prepend('! '));
                document.querySelectorAll('.dots').forEach(one => {
                    one.textContent = one.textContent;
                });
                document.querySelectorAll('.event, .lane').forEach(one => {
                    one.textContent = [...one.children].map(part => part.textContent).join(' ');
                });
                document.querySelectorAll('.controls').forEach(controls => controls.remove());
                return document.body.innerText;
            })()""";

    static Stream<Arguments> runs() {
        return Stream.of(
                run("leak", SampleRuns::leak),
                run("clean", SampleRuns::clean),
                run("misreported", SampleRuns::misreported),
                run("growing", SampleRuns::growing),
                run("out-of-memory", SampleRuns::outOfMemory),
                run("overwritten", SampleRuns::overwritten),
                run("library-memory", SampleRuns::libraryMemory),
                run("library-objects", SampleRuns::libraryObjects),
                run("three-sizes", SampleRuns::threeSizes),
                run("without-capacity", SampleRuns::withoutCapacity),
                run("held", SampleRuns::held),
                run("cached-program", SampleRuns::cachedProgram));
    }

    private static Arguments run(String name, Supplier<SampleRun> run) {
        return Arguments.of(name, run);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("runs")
    void areThoseOfTheFile(String name, Supplier<SampleRun> run, Chromium chromium) throws IOException {
        chromium.open(run.get().file());

        assertThatTextsAreThoseOf(name, chromium);
    }

    /** Left out are lines, frames of the tests and the JDK, fingerprints, which depend on those, days and durations. */
    static void assertThatTextsAreThoseOf(String name, Chromium chromium) throws IOException {
        chromium.run(OPEN_EVERYTHING);
        if (chromium.all("#space").stream().anyMatch(WebElement::isDisplayed)) {
            chromium.scrollTo("#space");
            chromium.await("document.querySelector('.space-strip') !== null");
        }
        String text = String.valueOf(chromium.value(SHORT_TEXT))
                .replaceAll("\\.java:\\d+", ".java")
                .replaceAll(
                        "(?m)^(?!SampleRuns)[^\\s(]+\\((\\S+\\.java|Native Method|Unknown Source)\\)\n(\\d.* · .*\n)?",
                        "")
                .replaceAll("lambda\\$(\\w+)\\$\\d+", "lambda in $1")
                .replaceAll("(?m)(?<=fingerprint )[0-9a-f]{6}|^[0-9a-f]{12}\\b", "…")
                .replaceAll("\\d{4}-\\d\\d-\\d\\d", "today")
                .replaceAll("\\d[\\d.]* [mµ]?s\\b", "… s")
                .replaceAll("\\s*\n\\s*", "\n");
        Files.createDirectories(SHOWN);
        Path shown = Files.writeString(SHOWN.resolve(name + ".txt"), text);
        Path file = FILES.resolve(name + ".txt");

        assertThat(shown).as("copy %s to %s if it is right", shown, file).hasSameTextualContentAs(file);
    }
}
