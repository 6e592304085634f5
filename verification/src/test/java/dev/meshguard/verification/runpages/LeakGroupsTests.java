package dev.meshguard.verification.runpages;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.Reachability;
import dev.meshguard.report.ExpectationSnippets;
import dev.meshguard.text.Quantities;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.SurvivorGroup;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Tests the table of survivors: every figure is the verdict's, sizes of one line are one row, and the reader can sort, filter, open and copy. */
@InChromium
class LeakGroupsTests {

    private static final SampleRun LEAK = SampleRuns.leak();

    private static final String SHOWN_ROWS = "#groups-table tbody tr[data-index]";

    /** The page of three sizes from one line. */
    private static Path folded;

    @BeforeAll
    static void writeFolded() {
        AllocationTracker tracker = AllocationTracker.create();
        tracker.meshOpened(MeshDescription.of(0, "1x4 mesh", List.of(0, 1, 2, 3)));
        load(tracker, 0);
        load(tracker, 1);
        load(tracker, 2);
        tracker.meshClosed(0);
        folded = SampleRun.of("ModelTest.loads()", tracker).file();
    }

    private static void load(AllocationTracker tracker, int device) {
        tracker.allocated(device, BufferType.DRAM, 0x10000, 1024L * (device + 1));
    }

    @Test
    void hasTheGroupsOfTheVerdict(Chromium chromium) {
        chromium.open(LEAK.file());

        assertThat(column(chromium, "bytes"))
                .containsExactlyInAnyOrderElementsOf(groups().map(group -> Quantities.shortSize(group.bytes()))
                        .toList());
        assertThat(column(chromium, "count"))
                .containsExactlyInAnyOrderElementsOf(
                        groups().map(group -> String.valueOf(group.survivors().size()))
                                .toList());
        assertThat(chromium.all(SHOWN_ROWS + " .dots svg:not(.mark-clean)")).hasSize((int)
                groups().mapToLong(group -> group.devices().size()).sum());
        assertThat(chromium.texts(SHOWN_ROWS + " .status b"))
                .containsExactlyInAnyOrderElementsOf(
                        groups().map(group -> group.cause().name()).toList());
    }

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
    void opensToEvidenceStoryFixAndEntry(Chromium chromium) {
        chromium.open(LEAK.file());
        SurvivorGroup cached = groups().filter(group -> group.cause().name().equals("CACHED"))
                .findFirst()
                .orElseThrow();

        chromium.click("#groups-table .opener[aria-expanded=true]");

        chromium.click(openerOfCached(chromium));

        assertThat(chromium.isExpanded(openerOfCached(chromium))).isTrue();
        assertThat(chromium.text("#groups-table .detail"))
                .contains(cached.evidence().get(0).text());
        assertThat(chromium.text("#groups-table .fix"))
                .isEqualTo(LEAK.verdict().fixOf(cached).orElseThrow());
        assertThat(chromium.texts("#groups-table .timeline li")).isNotEmpty();
        String line = ExpectationSnippets.of(LEAK.verdict())
                .narrowest(cached)
                .orElseThrow()
                .line();
        assertThat(chromium.text("#groups-table .paste-line code")).isEqualTo(line);

        chromium.click("#groups-table .paste-line button");
        chromium.await("document.querySelector('#groups-table .paste-line .copy-result').textContent === 'Copied'");
        assertThat(chromium.clipboard()).isEqualTo(line);
    }

    @Test
    void namesTheCallersOfAFoldedLineInTheHead(Chromium chromium) {
        chromium.open(folded);

        assertThat(chromium.texts("#largest .where"))
                .hasSize(4)
                .first()
                .asString()
                .contains("LeakGroupsTests.load(");
        assertThat(chromium.texts("#largest .caller"))
                .hasSize(3)
                .allMatch(line -> line.contains("LeakGroupsTests.writeFolded("));
    }

    @Test
    void foldsSizesOfOneLineToARowWithTheirSum(Chromium chromium) {
        chromium.open(folded);

        assertThat(chromium.all("#groups-table tbody tr[data-index]")).hasSize(1);
        assertThat(chromium.text("#finding-1 [data-key=bytes]")).isEqualTo("6 KiB");
        assertThat(chromium.text("#finding-1 [data-key=count]")).isEqualTo("3");
        assertThat(chromium.all("#finding-1 .dots svg:not(.mark-clean)")).hasSize(3);
        assertThat(chromium.text("#largest .what")).startsWith("6 KiB in 3 DRAM buffers on 3 devices");
    }

    @Test
    void listsFoldedSizesAndHasOneEntryForAll(Chromium chromium) {
        chromium.open(folded);

        assertThat(chromium.texts("#finding-1 + .detail .sizes li"))
                .hasSize(3)
                .element(1)
                .asString()
                .startsWith("1 x 2 KiB (2048 B) on device 1, fingerprint ");
        assertThat(chromium.texts("#finding-1 + .detail .paste-annotation code"))
                .singleElement()
                .asString()
                .contains("atMost = 3")
                .doesNotContain("size");
    }

    @Test
    void opensFoldedSizesByALinkToEach(Chromium chromium) {
        chromium.open(folded, "#finding-1.2");

        assertThat(chromium.isExpanded("#finding-1 .opener")).isTrue();
    }

    @Test
    void drawsReferencesOneALineAndMarksTheLastFieldOfTheUsersCode(Chromium chromium) {
        AllocationTracker tracker = AllocationTracker.create();
        tracker.meshOpened(MeshDescription.of(0, "1x1 mesh", List.of(0)));
        MemoryRequest request = tracker.request(AllocationDetails.user());
        tracker.allocated(request, 0, BufferType.DRAM, 0x1000, 1024, Ownership.OWNING);
        tracker.traced(request, Reachability.heldBy(List.of("ModelTest.model", "Model.weights", "ArrayList[0]")));
        tracker.meshClosed(0);

        chromium.open(SampleRun.of("ModelTest.loads()", tracker).file());

        assertThat(chromium.texts("#finding-1 + .detail .chain li code"))
                .containsExactly("ModelTest.model", "Model.weights", "ArrayList[0]");
        assertThat(chromium.texts("#finding-1 + .detail .chain mark")).containsExactly("weights");
        assertThat(chromium.text("#finding-1 + .detail .chain li.suspect"))
                .isEqualTo("Model.weightssuspect: the last field of your code that leads to the buffer");
        assertThat(chromium.text("#finding-1 + .detail .chain li:last-child")).isEqualTo("the handle of the buffer");
    }

    /** The row of what the program cache keeps in DRAM; what it keeps in L1 goes away with that. */
    private static String openerOfCached(Chromium chromium) {
        String row = chromium.all(SHOWN_ROWS).stream()
                .filter(one -> Chromium.text(one).contains("CACHED"))
                .filter(one -> !Chromium.text(one).contains("with it"))
                .map(one -> one.getDomAttribute("data-index"))
                .findFirst()
                .orElseThrow();
        return "#groups-table tr[data-index='" + row + "'] .opener";
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
