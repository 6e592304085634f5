package dev.meshguard.verification.runpages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.meshguard.text.Quantities;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;

/** Tests the origins of the bytes, the events with the cursor that all views follow, and the results of the expectations. */
@InChromium
class OriginsAndEventsTests {

    private static final SampleRun LEAK = SampleRuns.leak();

    @Test
    void theOriginsAreOfWhatTheirListSays(Chromium chromium) {
        chromium.open(LEAK.file());
        chromium.select("#origins-mode", "buffers");
        assertThat(chromium.text("#origins-text"))
                .isEqualTo(LEAK.verdict().sum().allocated() + " buffers in all.");

        chromium.select("#origins-mode", "bytes at the peak");
        long peak = LEAK.verdict().phaseUsages().stream()
                .mapToLong(stretch -> stretch.peakBytes())
                .max()
                .orElseThrow();
        assertThat(chromium.text("#origins-text")).isEqualTo(Quantities.size(peak) + " in all.");
    }

    @Test
    void calleesFollowTheirCallerWithBarsAsWideAsTheirBytes(Chromium chromium) {
        chromium.open(LEAK.file());

        // Of the whole, and of its callees.
        List<Chromium.Box> bars = chromium.boxes("""
                ['#origins-tree > li > details > summary', '#origins-tree > li > details > ul > li > * > summary, #origins-tree > li > details > ul > li > p']
                    .flatMap(path => [...document.querySelectorAll(path)])
                    .map(line => line.querySelector('.bar > *'))""");
        assertThat(bars).hasSizeGreaterThan(1);
        double right = bars.get(0).x();
        for (Chromium.Box bar : bars.subList(1, bars.size())) {
            assertThat(bar.x()).isEqualTo(right, within(0.5));
            right = bar.right();
        }
        assertThat(right).as("all bytes have a callee").isEqualTo(bars.get(0).right(), within(0.5));
    }

    @Test
    void aCallerIsOpenedByTheKeyboard(Chromium chromium) {
        chromium.open(LEAK.file());
        chromium.focus("#origins-tree summary");

        chromium.type(Keys.ENTER);
        assertThat(shownOrigins(chromium)).isEqualTo(1);
        chromium.type(Keys.ENTER);
        assertThat(shownOrigins(chromium)).isGreaterThan(2);
    }

    @Test
    void framesOfTheOriginsAreFoundAndHidden(Chromium chromium) {
        chromium.open(LEAK.file());
        int frames = chromium.all("#origins-tree .origin").size();
        long ofTensors = SampleRun.bytes(LEAK.leaked()
                .filter(buffer -> buffer.origin().stream()
                        .flatMap(origin -> origin.frames().stream())
                        .anyMatch(frame -> frame.toString().contains("SampleRuns.tensor"))));

        chromium.enter("#origins-search", "SampleRuns.tensor");
        assertThat(chromium.all("#origins-tree .match"))
                .isNotEmpty()
                .allMatch(WebElement::isDisplayed)
                .allMatch(frame -> Chromium.text(frame).contains("SampleRuns.tensor"));
        assertThat(chromium.text("#origins-text")).startsWith(Quantities.size(ofTensors) + " of ");

        chromium.enter("#origins-hide", "SampleRuns.tensor");
        assertThat(chromium.texts("#origins-tree .origin"))
                .hasSizeLessThan(frames)
                .noneMatch(frame -> frame.contains("SampleRuns.tensor"));
        assertThat(chromium.text("#origins-text")).startsWith("0 B of " + Quantities.size(leakedBytes()));
    }

    private static long shownOrigins(Chromium chromium) {
        return chromium.all("#origins-tree .origin").stream()
                .filter(WebElement::isDisplayed)
                .count();
    }

    @Test
    void theCursorMovesThroughListMapAndSeries(Chromium chromium) {
        chromium.open(LEAK.file());
        chromium.focus("#event-list");

        chromium.type(Keys.HOME, Keys.ARROW_DOWN, Keys.ARROW_DOWN);

        chromium.await(CURSORS + ".join() === '3,3'");
        assertThat(chromium.text("#event-list [aria-selected=true]")).startsWith("#3");
        assertThat(chromium.attribute("#event-list", "aria-activedescendant")).isEqualTo("event-3");
        chromium.type(Keys.END);
        int last = LEAK.events().size();
        chromium.await(CURSORS + ".join() === '" + last + "," + last + "'");
        assertThat(chromium.text("#event-list [aria-selected=true]")).startsWith("#" + last);
    }

    @Test
    void eventsAreFound(Chromium chromium) {
        chromium.open(LEAK.file());

        chromium.select("#events-kind", "mesh closing");

        assertThat(shownEvents(chromium)).isEqualTo(1);
        assertThat(chromium.text("#event-list .event")).contains("mesh closing");
    }

    /** The event where the map and live bytes draw a line in the colour of the cursor, from top to bottom. */
    private static final String CURSORS = """
            [document.querySelector('#map-over').getContext('2d'), LiveView.charts[0].ctx].map((context, place) => {
                const begin = place === 0 ? 0 : LiveView.charts[0].bbox.left;
                const pixels = context.getImageData(begin, 36, MapView.scene.width + 2, 1).data;
                const colour = Dom.colour('cursor').match(/[0-9]+/g).map(Number);
                const x = [...Array(MapView.scene.width + 2).keys()].find(at =>
                    pixels[4 * at + 3] === 255 && colour.every((part, channel) => Math.abs(pixels[4 * at + channel] - part) < 12));
                return Math.round(Axis.current.event(MapView.scene.view.from + x / MapView.scene.x(MapView.scene.view.from + 1)));
            })""";

    /** How many events the line below the list counts. */
    static long shownEvents(Chromium chromium) {
        return Long.parseLong(
                chromium.text("#events-counted").replace("\u202f", "").replaceAll(" .*", ""));
    }

    private static long leakedBytes() {
        return SampleRun.bytes(LEAK.leaked());
    }
}
