package dev.meshguard.verification.runpages;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.report.ExpectationSnippets;
import dev.meshguard.text.Quantities;
import dev.meshguard.verdict.SurvivorGroup;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests the table of survivors: its marks, and that the reader can sort, filter, open and copy. */
@InChromium
class LeakGroupsTests {

    private static final SampleRun LEAK = SampleRuns.leak();

    private static final String SHOWN_ROWS = "#groups-table tbody tr[data-index]";

    @Test
    void sortsByEachColumnAndSaysSo(Chromium chromium) {
        chromium.open(LEAK.file());

        chromium.click("#groups-table th[data-key=bytes] button");

        assertThat(chromium.attribute("#groups-table th[data-key=bytes]", "aria-sort"))
                .isEqualTo("descending");
        assertThat(column(chromium, "bytes"))
                .containsExactlyElementsOf(groups().map(SurvivorGroup::bytes)
                        .sorted(Comparator.reverseOrder())
                        .map(Quantities::shortSize)
                        .toList());

        chromium.click("#groups-table th[data-key=bytes] button");
        assertThat(chromium.attribute("#groups-table th[data-key=bytes]", "aria-sort"))
                .isEqualTo("ascending");
        for (String key : List.of("cause", "count", "devices", "type", "label", "phase", "site")) {
            chromium.click("#groups-table th[data-key=" + key + "] button");
            assertThat(chromium.all("#groups-table th[aria-sort]:not([aria-sort=none])"))
                    .singleElement()
                    .satisfies(
                            head -> assertThat(head.getDomAttribute("data-key")).isEqualTo(key));
        }
    }

    @Test
    void findsWhatIsTyped(Chromium chromium) {
        chromium.open(LEAK.file());

        chromium.enter("#groups-search", "cached");

        assertThat(chromium.all(SHOWN_ROWS))
                .hasSize(count(group -> group.cause().name().equals("CACHED")));
        assertThat(chromium.text("#groups .counted"))
                .isEqualTo(
                        count(group -> group.cause().name().equals("CACHED")) + " of " + groups().count() + " shown");
    }

    @Test
    void distinguishesNewKnownAndExpected(Chromium chromium) {
        chromium.open(LEAK.file());

        assertThat(chromium.texts(SHOWN_ROWS + " .badge-expected")).containsExactly("expected");
        int known = chromium.all(SHOWN_ROWS + " .badge-known").size();
        int fresh = chromium.all(SHOWN_ROWS + " .badge-new").size();
        assertThat(List.of(known, fresh)).allMatch(number -> number > 0);

        chromium.select("#groups-baseline", "known");
        assertThat(chromium.all(SHOWN_ROWS)).hasSize(known);

        chromium.select("#groups-baseline", "new and known");
        chromium.select("#groups-status", "expected");
        assertThat(chromium.texts(SHOWN_ROWS + " td[data-key=label]")).containsExactly("fabric");
    }

    @Test
    void opensToAnEntryThatIsCopied(Chromium chromium) {
        chromium.open(LEAK.file());
        SurvivorGroup cached = groups().filter(group -> group.cause().name().equals("CACHED"))
                .findFirst()
                .orElseThrow();
        String line = ExpectationSnippets.of(LEAK.verdict())
                .narrowest(cached)
                .orElseThrow()
                .line();
        assertThat(chromium.isExpanded("#finding-2 .opener")).as("the largest").isTrue();

        chromium.click("#finding-2 .opener");
        chromium.click("#finding-1 .opener");
        chromium.click("#groups-table .paste-line button");

        chromium.await("document.querySelector('#groups-table .paste-line .copy-result').textContent === 'Copied'");
        assertThat(chromium.clipboard()).isEqualTo(line);
    }

    @Test
    void opensFoldedSizesByALinkToEach(Chromium chromium) {
        chromium.open(SampleRuns.threeSizes().file(), "#finding-1.2");

        assertThat(chromium.isExpanded("#finding-1 .opener")).isTrue();
    }

    private static List<String> column(Chromium chromium, String key) {
        return chromium.texts(SHOWN_ROWS + " [data-key=" + key + "]");
    }

    /** Each group is followed by what goes away with it. */
    private static Stream<SurvivorGroup> groups() {
        return LEAK.verdict().groups().stream()
                .flatMap(group -> Stream.concat(Stream.of(group), group.consequences().stream()));
    }

    private static int count(Predicate<SurvivorGroup> which) {
        return (int) groups().filter(which).count();
    }
}
