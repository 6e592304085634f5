package dev.meshguard.verification.runpages;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.text.Quantities;
import dev.meshguard.tracker.AllocationTracker;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;

/** Tests the map: a lane for each memory, a rectangle for each generation, and zooming, panning and clicking. */
@InChromium
class LifetimeMapTests {

    private static final SampleRun LEAK = SampleRuns.leak();

    @Test
    void drawsEachLifeInTheLaneOfItsMemory(Chromium chromium) {
        openTheMap(chromium);

        assertThat(drawn(chromium)).isEqualTo(LEAK.generations().count());
        assertThat(chromium.value("MapView.scene.lanes.length"))
                .isEqualTo(LEAK.generations()
                        .map(life -> life.device() + " " + life.type())
                        .distinct()
                        .count());
    }

    @Test
    void zoomsByTheWheelOnceItHasTheFocus(Chromium chromium) {
        openTheMap(chromium);
        double whole = chromium.number(RANGE);
        chromium.run("document.querySelector('#map-canvas').scrollIntoView({block: 'center'})");

        chromium.run("document.querySelector('#map-canvas').focus({preventScroll: true})");
        chromium.wheel("#map-canvas", -300);

        awaitRange(chromium, "< " + whole);
    }

    @Test
    void letsTheWheelScrollThePageUntilThen(Chromium chromium) {
        openTheMap(chromium);
        double whole = chromium.number(RANGE);
        chromium.run("document.activeElement.blur()");
        chromium.run("document.querySelector('#map-canvas').scrollIntoView({block: 'center'})");
        Object before = chromium.value("scrollY");

        chromium.wheel("#map-canvas", 300);

        chromium.await("scrollY > " + before);
        assertThat(chromium.number(RANGE)).isEqualTo(whole);
    }

    @Test
    void zoomsMovesAndReturnsByKeys(Chromium chromium) {
        openTheMap(chromium);
        double whole = chromium.number(RANGE);
        chromium.focus("#map-canvas");

        chromium.type("+");
        awaitRange(chromium, "< " + whole);
        double zoomed = chromium.number(RANGE);
        double from = chromium.number("MapView.scene.view.from");
        chromium.type(Keys.ARROW_RIGHT);
        chromium.await("MapView.scene.view.from > " + from);
        chromium.type(Keys.ARROW_LEFT);
        chromium.await("Math.abs(MapView.scene.view.from - " + from + ") < 0.01");
        chromium.type("-");
        awaitRange(chromium, "> " + zoomed);
        chromium.type("+", "+", "0");
        awaitRange(chromium, "=== " + whole);
    }

    @Test
    void walksThroughWhatIsLeftByKeysAndOpensIt(Chromium chromium) {
        openTheMap(chromium);
        chromium.focus("#map-canvas");

        chromium.type(Keys.ARROW_DOWN);
        assertThat(chromium.text("#map-readout")).contains("“fabric”", "still there; expected");
        chromium.type(Keys.ENTER);
        chromium.await("!document.querySelector('#map-details').hidden");
        assertThat(chromium.text("#map-details"))
                .contains(Quantities.address(buffer("fabric").address()));
        chromium.type(Keys.ESCAPE);
        chromium.await("document.querySelector('#map-details').hidden");
    }

    @Test
    void showsOneMemoryOrOnlyWhatIsLeft(Chromium chromium) {
        openTheMap(chromium);

        chromium.select("#map-device", "device 3");
        chromium.select("#map-type", "L1");
        chromium.await("MapView.scene.lanes.length === 1");
        assertThat(drawn(chromium))
                .isEqualTo(LEAK.generations()
                        .filter(life -> life.device() == 3 && life.type().name().equals("L1"))
                        .count());

        chromium.click("#map-survivors-only");
        chromium.await("MapView.scene.drawn === "
                + LEAK.generations()
                        .filter(life -> life.device() == 3 && life.type().name().equals("L1"))
                        .filter(BufferGeneration::isLive)
                        .count());
    }

    @Test
    void foldsAndOpensLanes(Chromium chromium) {
        openTheMap(chromium);
        assertThat(chromium.isExpanded(".lane")).isTrue();
        Object high = chromium.value("document.querySelector('#map-frame').clientHeight");

        chromium.click(".lane");

        chromium.await("document.querySelector('#map-frame').clientHeight < " + high);
        assertThat(chromium.isExpanded(".lane")).isFalse();
    }

    @Test
    void drawsFreedBuffersInTheMiddleOfTheirRectangles(Chromium chromium) {
        openTheMap(chromium);
        chromium.readData();
        // A survivor may cover those that are freed after its allocation.
        chromium.run("""
                const { lane, mark, from, to } = pageData.rectangles;
                const isCovered = index => mark.some((one, other) => one !== 0 && lane[other] === lane[index] && from[other] < to[index]);
                window.freed = [...mark.keys()].filter(index => mark[index] === 0 && !isCovered(index));""");
        chromium.run("""
                window.colours = () => {
                    const canvas = document.querySelector('#map-canvas');
                    const bounds = canvas.getBoundingClientRect();
                    return freed.map(MapView.place).map(({ x, y }) =>
                        canvas.getContext('2d').getImageData(x - bounds.left, y - bounds.top, 1, 1).data.join());
                };
                window.withFreed = colours();""");

        chromium.click("#map-survivors-only");

        chromium.await("MapView.scene.drawn < " + LEAK.generations().count());
        assertThat(chromium.value("freed.length")).isNotEqualTo(0L);
        assertThat(chromium.value("colours().filter((colour, index) => colour === withFreed[index]).length"))
                .as("freed buffers without a colour of their own")
                .isEqualTo(0L);
    }

    @Test
    void givesAnAddressTheHeightOfItsLargestBuffer(Chromium chromium) {
        chromium.open(LEAK.file());

        chromium.run("window.model = MapLanes.create({ lanes: [{ device: 0, type: 'L1' }], rectangles: {"
                + " lane: [0, 0, 0, 0], address: [100, 100, 100, 400], size: [10, 200, 20, 200],"
                + " mark: [0, 0, 0, 0], reports: [1, 1, 1, 1] } })");

        // The range from 300 to 400 was never occupied: it is drawn as 16, a 25th of the occupied bytes.
        assertThat(chromium.value("Array.from(model.high, height => Math.round(height * 416)).join()"))
                .isEqualTo("10,200,20,416");
        assertThat(chromium.value("Array.from(model.low, height => Math.round(height * 416)).join()"))
                .isEqualTo("0,0,0,216");
    }

    @Test
    void anAddressThatScriptsCannotHoldIsNoExactNumber(Chromium chromium) {
        AllocationTracker tracker = AllocationTracker.create();
        tracker.allocated(0, BufferType.DRAM, (1L << 57) + 1, 64);
        tracker.allocated(0, BufferType.DRAM, (1L << 53) - 1, 64);
        Path page = SampleRun.of("t", tracker).file();

        chromium.open(page, "#buffer-1");
        assertThat(chromium.text("#map-details")).contains("DRAM at about 0x200000000000000 on device 0");
        chromium.open(page, "#buffer-2");
        assertThat(chromium.text("#map-details")).contains("DRAM at 0x1fffffffffffff (9007199254740991) on device 0");
    }

    @Test
    void isAsWideAsItsWindowAfterAChange(Chromium chromium) {
        openTheMap(chromium);
        Object height = chromium.value("document.querySelector('#map-frame').clientHeight");

        chromium.resize(700);

        chromium.await("document.querySelector('#map-canvas').getBoundingClientRect().right <= 700");
        chromium.await("document.querySelector('#live-chart canvas').width <= 700");
        assertThat(chromium.value("document.querySelector('#map-frame').clientHeight"))
                .isEqualTo(height);
    }

    @Test
    void hasTheClockForAnAxis(Chromium chromium) {
        openTheMap(chromium);

        chromium.select("#map-axis", "time");

        chromium.await("MapView.scene.axis.name === 'time'");
        assertThat(chromium.input("#live-axis")).isEqualTo("time");
        assertThat(chromium.value("LiveView.charts[0].scales.x.max")).isEqualTo(chromium.value("Axis.current.last"));
    }

    static void openTheMap(Chromium chromium) {
        chromium.open(LEAK.file());
        chromium.await("MapView.scene !== undefined");
    }

    static final String RANGE = "MapView.scene.view.to - MapView.scene.view.from";

    private static void awaitRange(Chromium chromium, String condition) {
        chromium.await(RANGE + " " + condition);
    }

    private static Object drawn(Chromium chromium) {
        return chromium.value("MapView.scene.drawn");
    }

    /** Returns the first buffer of a label that is still there at the end. */
    static BufferGeneration buffer(String label) {
        return LEAK.generations()
                .filter(life -> life.isLive() && life.label().equals(Optional.of(label)))
                .findFirst()
                .orElseThrow();
    }
}
