package dev.meshguard.verification.runpages;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.history.BufferGeneration;
import dev.meshguard.text.Quantities;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;

/** Tests the use of the lifetime map: details at the pointer, colours and counts of findings, keys, wheel and ranges. */
@InChromium
class MapUseTests {

    private static final SampleRun LEAK = SampleRuns.leak();

    @Test
    void showsDetailsAndTheStackAtThePointer(Chromium chromium) {
        long[] at = openAndFindTheForgottenBuffer(chromium);

        chromium.moveTo(at[0], at[1]);

        chromium.await("document.querySelector('#tooltip')?.hidden === false");
        assertThat(chromium.text("#tooltip")).contains("L1 64 KiB", "device 3", "FREED_ON_OTHER_DEVICES", "of finding");
        assertThat(chromium.texts("#tooltip .stack li"))
                .hasSizeGreaterThan(2)
                .noneMatch(frame -> frame.contains("IntPipeline"))
                .first()
                .asString()
                .startsWith("SampleRuns.lambda$allocateOnAllAndFreeOnAllBut");
        Map<?, ?> box = boxOf(chromium, "#tooltip");
        assertThat(number(box, "x")).isBetween(at[0] - 600.0, at[0] + 20.0);
        assertThat(number(box, "y")).isBetween(at[1] - 400.0, at[1] + 20.0);
        chromium.moveTo(5, 5);
        chromium.await("document.querySelector('#tooltip').hidden");
    }

    @Test
    void aClickOpensTheDetailsThereAndDoesNotScroll(Chromium chromium) {
        long[] at = openAndFindTheForgottenBuffer(chromium);
        Object before = chromium.value("scrollY");

        chromium.clickAt(at[0], at[1]);

        chromium.await("!document.querySelector('#map-details').hidden");
        assertThat(chromium.value("document.querySelector('#map-details').dataset.rectangle === String(forgotten)"))
                .isEqualTo(true);
        BufferGeneration buffer = LEAK.verdict().survivors().stream()
                .map(survivor -> survivor.buffer())
                .filter(survivor -> survivor.label().equals(Optional.of(SampleRuns.HOSTILE_LABEL)))
                .findFirst()
                .orElseThrow();
        assertThat(chromium.text("#map-details"))
                .contains(
                        SampleRuns.HOSTILE_LABEL, Quantities.size(buffer.size()), Quantities.address(buffer.address()))
                .contains("still there at the end", "FREED_ON_OTHER_DEVICES", "on device 3");
        assertThat(chromium.value("scrollY")).isEqualTo(before);
        Map<?, ?> box = boxOf(chromium, "#map-details");
        assertThat(Math.min(
                        Math.abs(number(box, "y") - at[1]), Math.abs(number(box, "y") + number(box, "height") - at[1])))
                .as("the distance of the details from the pointer")
                .isLessThan(80);
        assertThat(number(box, "y") + number(box, "height")).isLessThanOrEqualTo(900);
        assertThat(number(box, "x") + number(box, "width")).isLessThanOrEqualTo(1280);
    }

    @Test
    void findingsHaveTheColoursOfTheLegendAndTheirCount(Chromium chromium) {
        openAndFindTheForgottenBuffer(chromium);

        assertThat(chromium.texts("#map-key [data-finding] a"))
                .containsExactlyInAnyOrder("1 CACHED", "2 UNEXPLAINED", "3 FREED_ON_OTHER_DEVICES");
        chromium.run("""
                const canvas = document.querySelector('#map-canvas');
                const bounds = canvas.getBoundingClientRect();
                window.colourAt = index => {
                    const { x, y } = MapView.place(index);
                    return [...canvas.getContext('2d').getImageData(x - bounds.left, y - bounds.top, 1, 1).data].slice(0, 3).join(', ');
                };
                window.groups = pageData.groups;""");
        for (String finding : List.of("1", "2")) {
            assertThat("rgb("
                            + chromium.value(
                                    "colourAt(groups.find(group => group.number === '" + finding + "').buffers[0])")
                            + ")")
                    .isEqualTo(chromium.value("getComputedStyle(document.querySelector('#map-key [data-finding=\""
                            + finding + "\"] rect')).fill"));
        }
        assertThat(labels(chromium)).contains("3 buffers, 216 KiB", "1 buffer, 64 KiB");
        assertThat(chromium.texts("#map-key [data-type]")).containsExactly("DRAM, freed", "L1, freed");
    }

    @Test
    void noLabelCoversAnother(Chromium chromium) {
        for (int width : List.of(1280, 390)) {
            chromium.open(LEAK.file(), width, "light");
            chromium.await("MapView.scene !== undefined");

            assertThat(labels(chromium)).isNotEmpty();
            assertThat(
                            chromium.value(
                                    "MapView.scene.labels.filter((one, index) => MapView.scene.labels.some((other, place) =>"
                                            + " place < index && one.left < other.right && other.left < one.right"
                                            + " && one.top < other.bottom && other.top < one.bottom)).map(label => label.text).join()"))
                    .isEqualTo("");
        }
    }

    @Test
    void zoomsAndMovesByTheKeysOfPerfettoBelowThePointer(Chromium chromium) {
        long[] at = openAndFindTheForgottenBuffer(chromium);
        double whole = range(chromium);
        chromium.moveTo(at[0], at[1]);

        chromium.type("w"); // One key at a time: the page may draw after each.
        chromium.await(RANGE + " < " + whole);
        double once = range(chromium);
        chromium.type("w");
        chromium.await(RANGE + " < " + once);
        double from = from(chromium);
        chromium.type("d");
        chromium.await("MapView.scene.view.from > " + from);
        chromium.type("a");
        chromium.await("Math.abs(MapView.scene.view.from - " + from + ") < 0.01");
        chromium.type("sss");
        chromium.await(RANGE + " === " + whole);
    }

    @Test
    void aRangeFiltersEveryView(Chromium chromium) {
        long[] at = openAndFindTheForgottenBuffer(chromium);
        double before = number(boxOf(chromium, "#map-frame"), "y");
        chromium.run("window.unmarked = document.querySelector('#live-chart canvas').toDataURL()");

        chromium.drag(at[0] - 100, at[1], at[0] - 20, at[1]);

        chromium.await("!document.querySelector('#whole-run').hidden");
        assertThat(chromium.text("#whole-run")).matches("Events #\\d+ to #\\d+ only: show all");
        assertThat(number(boxOf(chromium, "#map-frame"), "y"))
                .as("the table above became shorter, and the map stays where the pointer is")
                .isBetween(before - 1, before + 1);
        long[] range = java.util.regex.Pattern.compile("\\d+")
                .matcher(chromium.text("#whole-run"))
                .results()
                .mapToLong(match -> Long.parseLong(match.group()))
                .toArray();
        assertThat(OriginsAndEventsTests.shownEvents(chromium))
                .isEqualTo(LEAK.verdict().history().events().stream()
                        .filter(event -> event.number() >= range[0] && event.number() <= range[1])
                        .count());
        assertThat(chromium.text("#groups .counted")).endsWith(" of 5 shown");
        assertThat(chromium.value("document.querySelector('#live-chart canvas').toDataURL() === unmarked"))
                .as("live bytes without the range")
                .isEqualTo(false);

        chromium.run("document.querySelector('#map-canvas').focus({preventScroll: true})");
        chromium.type(Keys.ESCAPE);
        chromium.await("document.querySelector('#whole-run').hidden");
        assertThat(chromium.text("#groups .counted")).isEmpty();
    }

    @Test
    void hasTheLeftEdgeAndTheWidthOfLiveBytes(Chromium chromium) {
        openAndFindTheForgottenBuffer(chromium);
        String end = "Axis.current.last";

        for (String value : List.of("0", end)) {
            assertThat(((Number) chromium.value("LiveView.charts[0].valToPos(" + value + ", 'x')"
                                    + " + LiveView.charts[0].over.getBoundingClientRect().left"
                                    + " - document.querySelector('#map-canvas').getBoundingClientRect().left - MapView.scene.x("
                                    + value + ")"))
                            .doubleValue())
                    .as(value)
                    .isBetween(-1.0, 1.0);
        }
    }

    private static final String RANGE = "MapView.scene.view.to - MapView.scene.view.from";

    private static double range(Chromium chromium) {
        return ((Number) chromium.value(RANGE)).doubleValue();
    }

    private static double from(Chromium chromium) {
        return ((Number) chromium.value("MapView.scene.view.from")).doubleValue();
    }

    @SuppressWarnings("unchecked")
    private static List<String> labels(Chromium chromium) {
        return (List<String>) chromium.value("MapView.scene.labels.map(label => label.text)");
    }

    private static Map<?, ?> boxOf(Chromium chromium, String selector) {
        return (Map<?, ?>)
                chromium.value("document.querySelector('" + selector + "').getBoundingClientRect().toJSON()");
    }

    private static double number(Map<?, ?> box, String name) {
        return ((Number) box.get(name)).doubleValue();
    }

    /** Opens the page with the map in the middle of the window, and returns where the buffer is that only device 3 kept. */
    private static long[] openAndFindTheForgottenBuffer(Chromium chromium) {
        chromium.open(LEAK.file());
        chromium.await("MapView.scene !== undefined");
        chromium.readData();
        chromium.run(
                "window.forgotten = pageData.groups.find(group => group.cause === 'FREED_ON_OTHER_DEVICES').buffers[0]");
        chromium.scrollTo(".lane[title^='Device 3, L1']");
        Map<?, ?> place = (Map<?, ?>) chromium.value("MapView.place(forgotten)");
        return new long[] {((Number) place.get("x")).longValue(), ((Number) place.get("y")).longValue()};
    }
}
