package dev.meshguard.verification.runpages;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Owner;
import dev.meshguard.event.Ownership;
import dev.meshguard.report.Finding;
import dev.meshguard.report.SurvivorFinding;
import dev.meshguard.text.Quantities;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.SurvivorGroup;
import dev.meshguard.verdict.SurvivorStatus;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests the head of a page: the outcome, the remaining bytes, the reason, the site, and the command to run it again. */
@InChromium
class HeadTests {

    private static final SampleRun LEAK = SampleRuns.leak();

    @Test
    void saysTheOutcomeInTheWordsOfTheText(Chromium chromium) {
        chromium.open(LEAK.file());

        assertThat(chromium.text("#outcome")).isEqualTo("Leak");
        assertThat(LEAK.report().text()).startsWith("LEAK  " + chromium.text("#headline") + "\n");
        assertThat(chromium.text("h1")).isEqualTo("KvCacheTest.decode()");
    }

    @Test
    void addsUpAsTheVerdictDoes(Chromium chromium) {
        chromium.open(LEAK.file());

        LeakVerdict.Sum sum = LEAK.verdict().sum();
        assertThat(sums(chromium))
                .containsExactlyInAnyOrderEntriesOf(Map.of(
                        "allocated", sum.allocated(),
                        "freed", sum.freed(),
                        "leaked", sum.leaked(),
                        "expected", sum.expected()));
    }

    @Test
    void countsByCause(Chromium chromium) {
        chromium.open(LEAK.file());

        Map<String, List<SurvivorFinding>> byCause = LEAK.report().survivors().stream()
                .filter(finding -> finding.status() != SurvivorStatus.EXPECTED)
                .collect(Collectors.groupingBy(finding -> finding.cause().name(), TreeMap::new, Collectors.toList()));
        assertThat(chromium.texts("#causes li"))
                .containsExactlyInAnyOrderElementsOf(byCause.entrySet().stream()
                        .map(cause -> cause.getKey() + " "
                                + Quantities.count(cause.getValue().size(), "finding") + " · "
                                + Quantities.count(
                                        cause.getValue().stream()
                                                .mapToLong(Finding::buffers)
                                                .sum(),
                                        "buffer")
                                + " · "
                                + Quantities.shortSize(Finding.bytesOf(cause.getValue())))
                        .toList());
    }

    @Test
    void marksEachDeviceOfTheMeshAndTheOneWithTheMostBytes(Chromium chromium) {
        chromium.open(LEAK.file());

        assertThat(chromium.all("#mesh tr")).hasSize(2);
        assertThat(chromium.texts("#mesh td .device-bytes"))
                .containsExactlyElementsOf(IntStream.range(0, 8)
                        .mapToObj(device -> Quantities.shortSize(leakedBytes(device)))
                        .toList());
        assertThat(chromium.all("#mesh td.device-leaked svg.mark-leaked")).hasSize(8);
        assertThat(heat(chromium, 3)).as("the most leaked bytes").isEqualTo("100%");
        assertThat(heat(chromium, 0)).isEqualTo(Math.round(100.0 * leakedBytes(0) / leakedBytes(3)) + "%");
        assertThat(background(chromium, 3)).isNotEqualTo(background(chromium, 0));
    }

    @Test
    void answersWhatLeakedWhereWhyAndWhatToDo(Chromium chromium) {
        chromium.open(LEAK.file());

        SurvivorGroup largest = LEAK.verdict().groups().stream()
                .filter(group -> group.status() == SurvivorStatus.LEAKED)
                .max(Comparator.comparingLong(SurvivorGroup::bytes))
                .orElseThrow();
        assertThat(chromium.text("#largest .what"))
                .startsWith("Largest of 3" + Quantities.shortSize(largest.bytes()))
                .endsWith(" in 24 DRAM buffers on 8 devices");
        assertThat(chromium.text("#largest .where")).startsWith("at SampleRuns.tensor(SampleRuns.java:");
        assertThat(chromium.texts("#largest dd"))
                .containsExactly(
                        "UNEXPLAINED: no free was reported #"
                                + largest.first().buffer().allocatedAt(),
                        LEAK.verdict().fixOf(largest).orElseThrow());
        String number = chromium.attribute("#largest", "data-finding");
        assertThat(chromium.isExpanded("#finding-" + number + " .opener")).isTrue();
        assertThat(chromium.all("#groups-table .opener[aria-expanded=true]")).hasSize(1);
    }

    @Test
    void namesTheFindingOfTheFirstLineThoughAnotherHasMoreBytesWithoutConsequences(Chromium chromium) {
        AllocationTracker tracker = AllocationTracker.create();
        Owner program = new Owner(Owner.Kind.PROGRAM, "7");
        tracker.meshOpened(MeshDescription.of(0, "1x1 mesh", List.of(0)));
        tracker.allocated(tracker.request(AllocationDetails.user()), 0, BufferType.DRAM, 4096, 2048, Ownership.OWNING);
        tracker.allocated(
                tracker.request(AllocationDetails.user().ownedBy(program)),
                0,
                BufferType.DRAM,
                8192,
                64,
                Ownership.OWNING);
        tracker.allocated(
                tracker.request(AllocationDetails.user().ownedBy(program)),
                0,
                BufferType.L1,
                4096,
                4096,
                Ownership.OWNING);
        tracker.ownerCached(program, "program cache");
        tracker.meshClosed(0);
        tracker.checked();
        chromium.open(SampleRun.of("t", tracker).file());

        assertThat(chromium.text("#headline")).contains("largest 4.06 KiB CACHED");
        assertThat(chromium.text("#largest .what"))
                .isEqualTo("Largest of 24.06 KiB in 1 DRAM buffer and 1 freed with it on device 0");
        assertThat(chromium.texts("#largest dd")).first().asString().startsWith("CACHED");
    }

    @Test
    void answersAboveTheFoldOfATelephone(Chromium chromium) {
        chromium.open(LEAK.file(), 390, "light");

        assertThat(chromium.box("#largest").bottom()).isLessThan(844);
    }

    @Test
    void namesAnExceededBudgetAndGrowth(Chromium chromium) {
        chromium.open(LEAK.file());
        assertThat(chromium.texts("#alerts li"))
                .singleElement()
                .asString()
                .startsWith("Budget exceeded: L1 of device 6: peak 160 KiB");

        chromium.open(SampleRuns.growing().file());
        assertThat(chromium.texts("#alerts li"))
                .singleElement()
                .asString()
                .startsWith("Growth: 6 rounds")
                .contains("4 MiB");
    }

    private static Object heat(Chromium chromium, int device) {
        return chromium.value(
                "document.querySelector('#mesh [data-device=\"" + device + "\"]').style.getPropertyValue('--heat')");
    }

    private static Object background(Chromium chromium, int device) {
        return chromium.value("getComputedStyle(document.querySelector('#mesh [data-device=\"" + device
                + "\"] button')).backgroundColor");
    }

    @Test
    void copiesExactlyTheTextOfTheTerminal(Chromium chromium) {
        chromium.open(LEAK.file());

        chromium.click("#copy-text");
        chromium.await("document.querySelector('#copy-text + .copy-result').textContent === 'Copied'");

        assertThat(chromium.clipboard()).isEqualTo(LEAK.report().text());
    }

    @Test
    void copiesItTheOldWayWhereThereIsNoClipboardToWriteTo(Chromium chromium) {
        chromium.beforeEachPage(
                "if (location.hash === '#without') {"
                        + " window.board = navigator.clipboard; Object.defineProperty(navigator, 'clipboard', {value: undefined}); }");
        chromium.open(LEAK.file(), "#without");

        chromium.click("#copy-text");
        chromium.await("document.querySelector('#copy-text + .copy-result').textContent === 'Copied'");

        assertThat(chromium.is("navigator.clipboard === undefined")).isTrue();
        assertThat(chromium.promised("window.board.readText()"))
                .isEqualTo(LEAK.report().text());
        assertThat(chromium.all("textarea")).isEmpty();
    }

    @Test
    void saysHowToRunItAgain(Chromium chromium) {
        chromium.open(LEAK.file());

        assertThat(chromium.text("#reproduction"))
                .isEqualTo(LEAK.report().reproduction().orElseThrow());
    }

    @Test
    void saysThatARunIsClean(Chromium chromium) {
        SampleRun clean = SampleRuns.clean();
        chromium.open(clean.file());

        assertThat(chromium.text("#outcome")).isEqualTo("Clean");
        assertThat(chromium.all("#mesh td.device-clean svg.mark-clean")).hasSize(8);
        assertThat(chromium.text("#groups .empty")).isEqualTo("No survivors: every allocated buffer was freed.");
        assertThat(sums(chromium)).containsEntry("freed", clean.verdict().sum().allocated());
    }

    @Test
    void reportsThatOnlyTheReportsAreWrong(Chromium chromium) {
        SampleRun misreported = SampleRuns.misreported();
        chromium.open(misreported.file());

        assertThat(chromium.text("#outcome")).isEqualTo("Misreported");
        assertThat(sums(chromium))
                .containsEntry("misreported", misreported.verdict().sum().misreported());
        assertThat(chromium.all("#mesh td.device-misreported svg.mark-misreported"))
                .hasSize(8);
    }

    private static long leakedBytes(int device) {
        return SampleRun.bytes(LEAK.leaked().filter(buffer -> buffer.device() == device));
    }

    private static Map<String, Long> sums(Chromium chromium) {
        return chromium.all("#sum [data-sum]").stream()
                .collect(Collectors.toMap(
                        number -> String.valueOf(number.getDomAttribute("data-sum")),
                        number -> Long.valueOf(Chromium.text(number))));
    }
}
