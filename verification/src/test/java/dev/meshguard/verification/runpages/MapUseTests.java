package dev.meshguard.verification.runpages;

import static dev.meshguard.verification.runpages.LifetimeMapTests.RANGE;
import static dev.meshguard.verification.runpages.LifetimeMapTests.openTheMap;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.history.BufferGeneration;
import dev.meshguard.text.Quantities;
import java.util.List;
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

        assertThat(chromium.tooltip()).contains("L1 64 KiB", "device 3", "FREED_ON_OTHER_DEVICES", "of finding");
        assertThat(chromium.texts("#tooltip .stack li"))
                .hasSizeGreaterThan(2)
                .noneMatch(frame -> frame.contains("IntPipeline"))
                .first()
                .asString()
                .startsWith("SampleRuns.lambda$allocateOnAllAndFreeOnAllBut");
        Chromium.Box box = chromium.box("#tooltip");
        assertThat(box.x()).isBetween(at[0] - 600.0, at[0] + 20.0);
        assertThat(box.y()).isBetween(at[1] - 400.0, at[1] + 20.0);
        chromium.moveTo(5, 5);
        chromium.await("document.querySelector('#tooltip').hidden");
    }

    @Test
    void aClickOpensTheDetailsThereAndDoesNotScroll(Chromium chromium) {
        long[] at = openAndFindTheForgottenBuffer(chromium);
        Object before = chromium.value("scrollY");

        chromium.clickAt(at[0], at[1]);

        chromium.await("!document.querySelector('#map-details').hidden");
        assertThat(chromium.is("document.querySelector('#map-details').dataset.rectangle === String(forgotten)"))
                .isTrue();
        BufferGeneration buffer = LifetimeMapTests.buffer(SampleRuns.HOSTILE_LABEL);
        assertThat(chromium.text("#map-details"))
                .contains(
                        SampleRuns.HOSTILE_LABEL, Quantities.size(buffer.size()), Quantities.address(buffer.address()))
                .contains("still there at the end", "FREED_ON_OTHER_DEVICES", "on device 3");
        assertThat(chromium.value("scrollY")).isEqualTo(before);
        Chromium.Box box = chromium.box("#map-details");
        assertThat(Math.min(Math.abs(box.y() - at[1]), Math.abs(box.bottom() - at[1])))
                .as("the distance of the details from the pointer")
                .isLessThan(80);
        assertThat(box.bottom()).isLessThanOrEqualTo(900);
        assertThat(box.right()).isLessThanOrEqualTo(1280);
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
            assertThat(chromium.overlapping("MapView.scene.labels")).isEmpty();
        }
    }

    @Test
    void zoomsAndMovesByTheKeysOfPerfettoBelowThePointer(Chromium chromium) {
        long[] at = openAndFindTheForgottenBuffer(chromium);
        double whole = chromium.number(RANGE);
        chromium.moveTo(at[0], at[1]);

        chromium.type("w"); // One key at a time: the page may draw after each.
        chromium.await(RANGE + " < " + whole);
        double once = chromium.number(RANGE);
        chromium.type("w");
        chromium.await(RANGE + " < " + once);
        double from = chromium.number("MapView.scene.view.from");
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
        double before = chromium.box("#map-frame").y();
        chromium.run("window.unmarked = document.querySelector('#live-chart canvas').toDataURL()");

        chromium.drag(at[0] - 100, at[1], at[0] - 20, at[1]);

        chromium.await("!document.querySelector('#whole-run').hidden");
        assertThat(chromium.text("#whole-run")).matches("Events #\\d+ to #\\d+ only: show all");
        assertThat(chromium.box("#map-frame").y())
                .as("the table above became shorter, and the map stays where the pointer is")
                .isBetween(before - 1, before + 1);
        long[] range = java.util.regex.Pattern.compile("\\d+")
                .matcher(chromium.text("#whole-run"))
                .results()
                .mapToLong(match -> Long.parseLong(match.group()))
                .toArray();
        assertThat(OriginsAndEventsTests.shownEvents(chromium))
                .isEqualTo(LEAK.events().stream()
                        .filter(event -> event.number() >= range[0] && event.number() <= range[1])
                        .count());
        assertThat(chromium.text("#groups .counted")).endsWith(" of 5 shown");
        assertThat(chromium.is("document.querySelector('#live-chart canvas').toDataURL() === unmarked"))
                .as("live bytes without the range")
                .isFalse();

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
            assertThat(chromium.number("LiveView.charts[0].valToPos(" + value + ", 'x')"
                            + " + LiveView.charts[0].over.getBoundingClientRect().left"
                            + " - document.querySelector('#map-canvas').getBoundingClientRect().left - MapView.scene.x("
                            + value + ")"))
                    .as(value)
                    .isBetween(-1.0, 1.0);
        }
    }

    private static List<String> labels(Chromium chromium) {
        return chromium.list("MapView.scene.labels.map(label => label.text)");
    }

    /** Opens the page with the map in the middle of the window, and returns where the buffer is that only device 3 kept. */
    private static long[] openAndFindTheForgottenBuffer(Chromium chromium) {
        openTheMap(chromium);
        chromium.readData();
        chromium.run(
                "window.forgotten = pageData.groups.find(group => group.cause === 'FREED_ON_OTHER_DEVICES').buffers[0]");
        chromium.scrollTo(".lane[title^='Device 3, L1']");
        return new long[] {
            (long) chromium.number("MapView.place(forgotten).x"), (long) chromium.number("MapView.place(forgotten).y")
        };
    }
}
