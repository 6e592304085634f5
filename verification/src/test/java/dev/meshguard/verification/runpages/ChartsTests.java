package dev.meshguard.verification.runpages;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.Phase;
import dev.meshguard.text.Quantities;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginFilter;
import dev.meshguard.tracker.Scope;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests the charts of live bytes and growth, and what they do. */
@InChromium
class ChartsTests {

    private static final SampleRun LEAK = SampleRuns.leak();
    private static final SampleRun GROWING = SampleRuns.growing();

    private static final String NAMES_OF_PEAKS = "LiveView.labels.filter(label => / peak /.test(label.text))";

    @Test
    void liveBytesAndTheirPeaksAreThoseOfTheLives(Chromium chromium) {
        chromium.open(LEAK.file());
        long end = LEAK.events().size();

        for (BufferType type : List.of(BufferType.DRAM, BufferType.L1)) {
            String row = "#live-figures tr[data-type=" + type + "] ";
            assertThat(chromium.text(row + "td:nth-child(2)"))
                    .as("peak of %s", type)
                    .isEqualTo(Quantities.size(LEAK.peak(0, end, life -> life.type() == type)));
            assertThat(chromium.text(row + "td:nth-child(4)"))
                    .as("live bytes of %s", type)
                    .isEqualTo(Quantities.size(LEAK.liveAt(end, life -> life.type() == type)));
        }
    }

    @Test
    void liveBytesAreDrawnOnTopOfEachOtherOrEachForItselfWithWhatLeaked(Chromium chromium) {
        chromium.open(LEAK.file());
        assertThat(linesOf(chromium, "LiveView.charts[0]")).contains("DRAM", "L1", "L1 budget");
        assertThat(chromium.all("#live-chart .uplot")).hasSize(1);

        chromium.select("#live-mode", "each for itself");

        assertThat(chromium.all("#live-chart .uplot")).hasSize(2);
        assertThat(chromium.text("#live-key-leaked")).isEqualTo("leaked");
        for (BufferType type : List.of(BufferType.DRAM, BufferType.L1)) {
            assertThat(chromium.value("LiveView.charts.flatMap(chart => chart.data.filter((_, line) =>"
                            + " chart.series[line].label === '" + type + " leaked'))[0].at(-1)"))
                    .as(type.name())
                    .isEqualTo(SampleRun.bytes(LEAK.leaked().filter(buffer -> buffer.type() == type)));
        }
    }

    @Test
    void liveBytesShowThePartOfTheRunThatTheMapShows(Chromium chromium) {
        chromium.open(LEAK.file());
        chromium.click("#map-in");
        chromium.promised(
                "new Promise(resolve => setTimeout(resolve, 200))"); // Timers are called in the order of their ends.
        assertThat(chromium.value("LiveView.charts[0].scales.x.min"))
                .as("nobody sees the chart")
                .isEqualTo(chromium.value("Axis.current.first"));

        chromium.run("document.querySelector('#live-chart').scrollIntoView()");

        chromium.await("LiveView.charts[0].scales.x.min > Axis.current.first");
        for (String end : List.of("min === Axis.view.from", "max === Axis.view.to")) {
            assertThat(chromium.is("LiveView.charts[0].scales.x." + end)).isTrue();
        }
    }

    @Test
    void stepsOfTheCleanUpMoveTheCursor(Chromium chromium) {
        chromium.open(LEAK.file());
        long closing = LEAK.closing();

        chromium.click("#live-steps [data-event='" + closing + "']");

        chromium.await("Cursor.event.value === " + closing);
        assertThat(chromium.text("#cursor")).startsWith("Event #" + closing + " · ");
    }

    @Test
    void theNameOfAPeakLiesWithinANarrowChart(Chromium chromium) {
        chromium.open(SampleRuns.withoutCapacity().file(), 390, "light");
        chromium.run("document.querySelector('#live').scrollIntoView()");
        chromium.await(NAMES_OF_PEAKS + ".length > 0");

        assertThat(
                        chromium.value(
                                NAMES_OF_PEAKS
                                        + ".filter(({ left, right }) => left < 0 || right > LiveView.charts[0].over.clientWidth).length"))
                .isEqualTo(0L);
    }

    @Test
    void noNameInLiveBytesCoversAnotherOrTheSignOfAPeak(Chromium chromium) {
        chromium.open(SampleRuns.misreported().file(), 390, "light");
        chromium.await(NAMES_OF_PEAKS + ".length > 0");

        assertThat(chromium.overlapping("LiveView.labels")).isEmpty();
    }

    @Test
    void aRunOfOneEventAndOf128PebibytesHasItsAxesAndNoFalseNumber(Chromium chromium) {
        AllocationTracker tracker = AllocationTracker.create();
        tracker.allocated(0, BufferType.DRAM, 4_096, (1L << 57) + 1);
        Path page = SampleRun.of("one event", tracker).file();

        chromium.openAfter("""
                window.drawn = [];
                const { fillText } = CanvasRenderingContext2D.prototype;
                CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
                    drawn.push(text);
                    fillText.call(this, text, ...place);
                };""", page);

        chromium.await("drawn.includes('0 B')");
        assertThat(chromium.value("drawn.filter(text => / PiB$/.test(text)).join()"))
                .asString()
                .contains("32 PiB", "128 PiB");
        assertThat(chromium.value(
                        "MapView.scene.labels.map(label => label.text).filter(text => text.startsWith('#')).join()"))
                .isEqualTo("#0,#1");
        assertThat(chromium.text("#live-figures td[data-title=Peak]")).isEqualTo("128 PiB");
        assertThat(chromium.text("#events-counted")).isEqualTo("1 event");
        assertThat(chromium.value("MapView.scene.labels.filter(label => label.text.includes('buffer')).length"))
                .as("a name that is wider than its band")
                .isEqualTo(0L);
    }

    @Test
    void theAxisOfTimeBeginsWithTheFirstEventOfItsFirstMoment(Chromium chromium) {
        AllocationTracker tracker = AllocationTracker.builder()
                .clock(InstantSource.fixed(Instant.parse("2026-11-20T10:00:00Z")))
                .build();
        for (String phase : List.of("load", "decode")) {
            try (Scope ended = tracker.phase(new Phase(phase))) {
                tracker.allocated(0, BufferType.DRAM, 4_096L * phase.length(), 64);
            }
        }
        chromium.open(SampleRun.of("one moment", tracker).file());

        chromium.select("#map-axis", "time");

        assertThat(chromium.value("Axis.current.event(Axis.current.first)")).isEqualTo(1L);
        assertThat(chromium.value("Axis.current.event(Axis.current.last)")).isEqualTo(6L);
    }

    @Test
    void growthIsShownByMemoryWithItsSlope(Chromium chromium) {
        chromium.open(GROWING.file());

        chromium.select("#growth-mode", "memory");

        assertThat(chromium.text("#growth-table th[data-key=name]")).startsWith("Memory");
        assertThat(linesOf(chromium, "GrowthView.chart")).contains("0 memory", "0 slope");
    }

    @Test
    void growthOfUnknownSizeIsShownByNumber(Chromium chromium) {
        AllocationTracker tracker = AllocationTracker.create();
        tracker.rounds(
                3, round -> tracker.lease(AllocationDetails.user(), OriginFilter.none(), BufferType.SYSTEM_MEMORY, 0));
        chromium.open(SampleRun.of("unknown size", tracker).file());

        assertThat(chromium.texts("#growth-table td[data-key=slope]")).containsExactly("+1 buffer");
        assertThat(chromium.texts("#growth-table td[data-key=memory]")).containsExactly("3 buffers");
        assertThat(tooltipIn(chromium, "#growth-chart"))
                .startsWith("After round 3")
                .contains("3 buffers");
    }

    @Test
    void liveBytesAndGrowthShowDetailsAtThePointer(Chromium chromium) {
        chromium.open(GROWING.file());

        assertThat(tooltipIn(chromium, "#live-chart")).startsWith("Event #").contains("DRAM", "MiB");
        assertThat(tooltipIn(chromium, "#growth-chart"))
                .startsWith("After round ")
                .contains("160 MiB", "growing");
    }

    /** Points at the middle of an element, and returns what is shown beside the pointer. */
    private static String tooltipIn(Chromium chromium, String selector) {
        chromium.scrollTo(selector);
        Chromium.Box box = chromium.box(selector);
        String tooltip = chromium.pointAt(selector, 0.75 * box.width(), 0.4 * box.height());
        double y = box.y() + 0.4 * box.height();
        assertThat(chromium.box("#tooltip").y()).isBetween(y - 300, y + 20);
        return tooltip;
    }

    private static List<String> linesOf(Chromium chromium, String chart) {
        return chromium.list(chart + ".series.slice(1).map(line => line.label)");
    }
}
