package dev.meshguard.verification.runpages;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.history.BufferGeneration;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;

/** Tests that a link opens exactly the finding, buffer, event or device that it names, and that selecting one changes the address. */
@InChromium
class AddressTests {

    private static final SampleRun LEAK = SampleRuns.leak();

    @Test
    void opensAFindingByItsNumber(Chromium chromium) {
        chromium.open(LEAK.file(), "#finding-3");

        assertThat(chromium.text("#finding-3")).contains("FREED_ON_OTHER_DEVICES", "64 KiB");
        assertThat(chromium.isExpanded("#finding-3 .opener")).isTrue();
        chromium.await(isInWindow("#finding-3"));
        chromium.await(isInWindow("#finding-3 + .detail .fix"));
    }

    @Test
    void opensAConsequenceBelowItsFinding(Chromium chromium) {
        chromium.open(LEAK.file());
        Object id = chromium.value("document.querySelector('#groups-table .badge-with').closest('tr').id");

        chromium.open(LEAK.file(), "#" + id);

        assertThat(id.toString()).startsWith("finding-1-");
        assertThat(chromium.text("[id='" + id + "']")).contains("with it");
        assertThat(chromium.isExpanded("[id='" + id + "'] .opener")).isTrue();
    }

    @Test
    void opensAnEventInTheListAndMovesTheCursorThere(Chromium chromium) {
        long closing = LEAK.closing();

        chromium.open(LEAK.file(), "#event-" + closing);

        chromium.await(isInWindow("#event-list [aria-selected=true]"));
        assertThat(chromium.text("#event-list [aria-selected=true]")).startsWith("#" + closing);
        assertThat(chromium.text("#cursor")).startsWith("Event #" + closing);
    }

    @Test
    void opensABufferByTheEventThatAllocatedIt(Chromium chromium) {
        BufferGeneration leaked = LEAK.leaked().findFirst().orElseThrow();

        chromium.open(LEAK.file(), "#buffer-" + leaked.allocatedAt());

        assertThat(chromium.text("#map-details"))
                .contains("0x" + Long.toHexString(leaked.address()), "on device " + leaked.device());
        chromium.await(isInWindow(".lane[title^='Device " + leaked.device() + ", " + leaked.type() + "']"));
        chromium.click("#map-details a[href='#finding-2']");
        chromium.await(isInWindow("#finding-2"));
    }

    @Test
    void opensADeviceAndShowsNothingElse(Chromium chromium) {
        chromium.open(LEAK.file(), "#device-3");

        assertThat(chromium.attribute("#mesh td[data-device='3'] button", "aria-pressed"))
                .isEqualTo("true");
        assertThat(chromium.text("#groups .counted")).isEqualTo("4 of 5 shown");
        assertThat(chromium.input("#map-device")).isEqualTo("3");
        long events = LEAK.events().stream()
                .filter(event -> event instanceof HistoryEvent.Allocated allocated && allocated.device() == 3)
                .count();
        assertThat(OriginsAndEventsTests.shownEvents(chromium))
                .isBetween(events, LEAK.events().size() / 4L);

        chromium.click("#all-devices");
        chromium.await("document.querySelector('#groups .counted').textContent === ''");
        chromium.await("location.hash === ''");
        assertThat(OriginsAndEventsTests.shownEvents(chromium))
                .isEqualTo(LEAK.events().size());
    }

    /** A selection changes the address a little later: here after a link has changed it, and before the page follows that. */
    @Test
    void aLinkOpensWhatItNamesAlsoRightAfterASelection(Chromium chromium) {
        chromium.openAfter("""
                const [start, stop, held] = [setTimeout, clearTimeout, new Map()];
                setTimeout = (task, delay) => (delay === 100 ? held.set(-1 - held.size, task) && -held.size : start(task, delay));
                clearTimeout = (timer) => held.delete(timer) || stop(timer);
                addEventListener("hashchange", () => held.forEach((task) => task()));
                """, LEAK.file());
        chromium.click("#groups-table .opener[aria-expanded=true]");
        chromium.click("#groups-table .opener");

        chromium.click("#groups-table .detail .to-map");

        chromium.await("!document.querySelector('#map-details').hidden");
        assertThat(chromium.value("location.hash").toString()).startsWith("#buffer-");
    }

    @Test
    void selectingChangesTheAddress(Chromium chromium) {
        chromium.open(LEAK.file());
        Object entries = chromium.value("history.length");

        chromium.click("#mesh td[data-device='6'] button");
        chromium.await("location.hash === '#device-6'");
        chromium.click("#mesh td[data-device='6'] button");
        chromium.await("location.hash === ''");
        chromium.click("#finding-1 .opener");
        chromium.await("location.hash === '#finding-1'");
        chromium.focus("#map-canvas");
        chromium.type(Keys.ARROW_DOWN);
        chromium.await("/^#buffer-[0-9]+$/.test(location.hash)");
        chromium.focus("#event-list");
        chromium.type(Keys.HOME);
        chromium.await("location.hash === '#event-1'");
        assertThat(chromium.value("history.length")).isEqualTo(entries);
    }

    @Test
    void aLinkToAnEventShowsItEachTimeAndEvenIfItWasFilteredOut(Chromium chromium) {
        chromium.open(LEAK.file());
        chromium.select("#events-kind", "mesh closing");

        chromium.click("#finding-1 .opener");
        for (int time = 0; time < 2; time++) {
            chromium.run("scrollTo(0, 0)");
            chromium.click("#finding-1 + .detail .event-link");
            chromium.await(isInWindow("#event-list [aria-selected=true]"));
        }

        assertThat(chromium.text("#event-list [aria-selected=true]"))
                .startsWith(chromium.text("#finding-1 + .detail .event-link"));
        assertThat(chromium.input("#events-kind")).isEqualTo("");
    }

    @Test
    void anEventThatAnIncidentNamesIsALinkToIt(Chromium chromium) {
        chromium.open(SampleRuns.overwritten().file());

        chromium.click("#incidents a.event-link");

        chromium.await(isInWindow("#event-list [aria-selected=true]"));
        assertThat(chromium.text("#event-list [aria-selected=true]"))
                .startsWith(chromium.text("#incidents a.event-link"));
    }

    @Test
    void anAddressOfNothingBreaksNothing(Chromium chromium) {
        for (String unknown :
                new String[] {"#finding-99", "#buffer-0", "#event-999999", "#device-77", "#x-<y>", "#%"}) {
            chromium.open(LEAK.file(), unknown);

            assertThat(chromium.text("#outcome")).as(unknown).isEqualTo("Leak");
            assertThat(chromium.console()).as(unknown).isEmpty();
        }
    }

    /** An expression that is true if an element lies inside the window and below the sticky bar. */
    private static String isInWindow(String selector) {
        return "(() => { const box = document.querySelector(\"" + selector + "\")?.getBoundingClientRect();"
                + " return box !== undefined && box.top >= 0 && box.bottom <= innerHeight && box.height > 0; })()";
    }
}
