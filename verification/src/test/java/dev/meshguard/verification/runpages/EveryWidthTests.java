package dev.meshguard.verification.runpages;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginFilter;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import org.junit.jupiter.api.Test;

/** Tests that a page fits every window and passes the rules of axe-core. One browser loads each page once and is then resized. */
@InChromium
class EveryWidthTests {

    private static final String WEBJAR = "/META-INF/resources/webjars/axe-core/";

    @Test
    void nothingIsCutOrBrokenIntoShreds(Chromium chromium) {
        for (SampleRun run : List.of(SampleRuns.leak(), SampleRuns.growing())) {
            chromium.open(run.file());
            ManyReadersTests.useEverything(chromium);

            for (int width : List.of(320, 390, 640, 768, 800, 1040, 1280, 2560)) {
                resize(chromium, width);

                assertThat(chromium.overflow())
                        .as("overflow at %s pixels", width)
                        .isZero();
                assertThat(chromium.outside("body *", SCROLLED))
                        .as("outside of %s pixels", width)
                        .isEmpty();
                assertThat(chromium.value(SHREDS))
                        .as("shreds at %s pixels", width)
                        .isEqualTo("");
            }
        }
    }

    @Test
    void whatIsKnownOfAnObjectTakesTheWholeWidthOfANarrowWindow(Chromium chromium) {
        AllocationTracker tracker = AllocationTracker.create();
        tracker.lease(AllocationDetails.user(), OriginFilter.none(), BufferType.SYSTEM_MEMORY, 0);
        tracker.reportsLost(1, "a process ended");
        chromium.open(SampleRun.of("StoreTest.reads()", tracker).file());

        for (int width : List.of(390, 768)) {
            resize(chromium, width);

            assertThat(chromium.box(".group-detail").x()
                            - chromium.box("#groups").x())
                    .as("margin of the details at %s pixels", width)
                    .isLessThan(40);
            assertThat(chromium.number("document.querySelector('.lane-type').scrollWidth"
                            + " - document.querySelector('.lane-type').clientWidth"))
                    .as("what is cut of the name of a lane at %s pixels", width)
                    .isZero();
        }
    }

    @Test
    void theSurvivorsOfSixteenDevicesFitTheirCard(Chromium chromium) {
        chromium.open(SampleRuns.leak(MeshShape.of(2, 8)).file());

        for (int width : List.of(1041, 1200, 1201, 1280)) {
            resize(chromium, width);

            assertThat(chromium.all("#groups-table .dots .mark")).hasSizeGreaterThan(16);
            assertThat(chromium.number("document.querySelector('#groups').scrollWidth"
                            + " - document.querySelector('#groups').clientWidth"))
                    .as("overflow at %s pixels", width)
                    .isZero();
        }
    }

    @Test
    void axeFindsNoViolation(Chromium chromium) throws IOException {
        String axe = axe();
        for (SampleRun run :
                List.of(SampleRuns.leak(), SampleRuns.growing(), SampleRuns.outOfMemory(), SampleRuns.overwritten())) {
            chromium.open(run.file());
            openEverything(chromium);
            chromium.run(axe);
            for (int width : List.of(390, 768, 1280, 2560)) {
                resize(chromium, width);
                assertNoViolation(chromium, run.report().text() + " at " + width + " pixels");
                assertThat(chromium.overflow()).isZero();
            }
        }
    }

    private static final String SCROLLED = ".visually-hidden, .skip, .scroll, nav, .event-list, pre, svg";

    /** The origins that take more than three lines, or so little room that a name is broken in its middle. */
    private static final String SHREDS = """
            [...document.querySelectorAll('.site')]
                .filter(site => site.getClientRects().length > 0)
                .filter(site => site.getBoundingClientRect().height > 3.5 * parseFloat(getComputedStyle(site).lineHeight))
                .map(site => site.textContent).join()""";

    /** Applies the rules of axe-core, whose script runs, in both themes. */
    private static void assertNoViolation(Chromium chromium, String page) {
        for (String theme : List.of("light", "dark")) {
            chromium.theme(theme);

            assertThat(violations(chromium, theme)).as("%s, %s", page, theme).isEmpty();
        }
    }

    /** Returns the violations; in the dark only of rules about colours, because the rest is as in the light. */
    private static String violations(Chromium chromium, String theme) {
        String rules = theme.equals("dark")
                ? ", runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] }"
                : "";
        return chromium.promised(
                "axe.run({ resultTypes: ['violations']" + rules + " }).then(({ violations }) => "
                        + "violations.flatMap(({ id, nodes }) => nodes.map(node => id + ': ' + node.html.slice(0, 120) + ' ' + node.failureSummary)).join())");
    }

    private static void openEverything(Chromium chromium) {
        chromium.run("document.querySelectorAll('.opener[aria-expanded=false]').forEach(opener => opener.click())");
    }

    /** Waits until the map has drawn itself anew: it is the last that follows the window. */
    private static void resize(Chromium chromium, int width) {
        chromium.resize(width);
        chromium.await("innerWidth === " + width);
        chromium.await("document.querySelector('#map-over').getBoundingClientRect().right <= innerWidth");
        chromium.await(
                "[...document.querySelectorAll('.chart canvas')].every(canvas => canvas.getBoundingClientRect().right <= innerWidth)");
    }

    private static String axe() throws IOException {
        Properties webjar = new Properties();
        try (InputStream stream =
                EveryWidthTests.class.getResourceAsStream("/META-INF/maven/org.webjars.npm/axe-core/pom.properties")) {
            webjar.load(Objects.requireNonNull(stream));
        }
        String script = WEBJAR + webjar.getProperty("version") + "/axe.min.js";
        try (InputStream stream = EveryWidthTests.class.getResourceAsStream(script)) {
            return new String(Objects.requireNonNull(stream, script).readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
