package dev.meshguard.report;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.BufferType.L1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Origin;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.Phase;
import dev.meshguard.history.Timeline;
import dev.meshguard.report.summary.LeakTotals;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginCapture;
import dev.meshguard.tracker.Scope;
import dev.meshguard.tracker.script.HistoryScript;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verdict.expectation.ExpectedBuffers;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SurvivorFindingTests {

    private static final StackTraceElement HELPER =
            new StackTraceElement("dev.example.Model", "allocate", "Model.java", 128);
    private static final StackTraceElement LOAD_WEIGHTS =
            new StackTraceElement("dev.example.Model", "load", "Model.java", 70);
    private static final StackTraceElement LOAD_CACHE =
            new StackTraceElement("dev.example.Model", "load", "Model.java", 71);
    private static final StackTraceElement TEST = new StackTraceElement(
            "dev.meshguard.report.SurvivorFindingTests", "decodes", "SurvivorFindingTests.java", 9);

    private final AllocationTracker tracker =
            AllocationTracker.builder().originCapture(OriginCapture.NONE).build();
    private long address = 0x1000;

    @Test
    void sizesOfOneLineAreOneFindingWithOneEntry() {
        allocated(DRAM, 0, 1024, "weights", HELPER, LOAD_WEIGHTS, TEST);
        allocated(DRAM, 0, 4096, "weights", HELPER, LOAD_WEIGHTS, TEST);
        allocated(DRAM, 1, 2048, "weights", HELPER, LOAD_WEIGHTS, TEST);

        assertThat(report().text()).isEqualTo("""
                LEAK  7 KiB in 3 DRAM buffers, UNEXPLAINED; allocated in Model.java:128

                1. DRAM  7 KiB: 3 buffers on devices 0-1, unevenly, label "weights"
                   at dev.example.Model.allocate(Model.java:128)
                   why   UNEXPLAINED: no free was reported
                   fix   Free the buffer before close_mesh_device.
                   seen  allocated in START (events #1 to #3)

                sum     3 allocated = 0 freed + 3 leaked
                expect  @ExpectBuffers(type = DRAM, atMost = 3, label = "weights", origin = "Model.allocate", because = "…")""");
    }

    @Test
    void namesEachPhaseInWhichALineAllocated() {
        for (String phase : List.of("test_b", "test_c", "test_c", "test_d", "test_e", "test_f")) {
            try (Scope ended = tracker.phase(new Phase(phase))) {
                allocated(DRAM, 0, 1024, "weights", HELPER, LOAD_WEIGHTS, TEST);
            }
        }

        assertThat(report().text())
                .contains(
                        "seen  allocated 1 in test_b, 2 in test_c, 1 in test_d and others in 2 more phases (events #");
    }

    @Test
    void theEntryOfSeveralSizesAdmitsThemAndNotOneBufferMore() {
        allocated(DRAM, 0, 1024, "weights", HELPER, LOAD_WEIGHTS, TEST);
        allocated(DRAM, 0, 4096, "weights", HELPER, LOAD_WEIGHTS, TEST);
        allocated(DRAM, 1, 2048, "weights", HELPER, LOAD_WEIGHTS, TEST);
        String pasted = report().expectationSnippet().orElseThrow().line().replace("…", "known");

        assertThat(outcome(pasted)).isEqualTo(Outcome.EXPECTED_ONLY);
        allocated(DRAM, 1, 512, "weights", HELPER, LOAD_WEIGHTS, TEST);
        assertThat(outcome(pasted)).isEqualTo(Outcome.LEAKED);
    }

    /** Each sentence is another line of one method. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            allocate DRAM 0x1000 on 0, size 32; allocate DRAM 0x2000 on 0, same line, size 64; \
                allocate DRAM 0x3000 on 0, size 48                   | [false, true]
            allocate DRAM 0x1000 on 0; allocate DRAM 0x2000 on 0     | [false, false]
            allocate DRAM 0x1000 on 0; allocate DRAM 0x2000 on 1     | [true, true]
            """)
    void anEntryThatWouldAdmitAnotherLineOfItsMethodIsNotOffered(String history, String offered) {
        assertThat(haveEntries(LeakCheck.create().examine(HistoryScript.historyOf(history))))
                .hasToString(offered);
    }

    /** Thousands of findings ask for their entries, and each compares origins of as many survivors otherwise. */
    @Test
    void theEntryOfAFindingReadsNoOriginThatItCannotMatch() {
        allocated(DRAM, 0, 1024, "weights", HELPER);
        AllocationDetails details = AllocationDetails.user().labelled("weights");
        AtomicInteger reads = new AtomicInteger();
        MemoryRequest other = new MemoryRequest() {
            @Override
            public AllocationDetails details() {
                return details;
            }

            @Override
            public Optional<Origin> origin() {
                reads.incrementAndGet();
                return Optional.of(new Origin(List.of(LOAD_CACHE)));
            }
        };
        tracker.allocated(other, 0, DRAM, address, 1024, Ownership.OWNING);
        LeakVerdict verdict = verdict();
        ExpectationSnippets snippets = ExpectationSnippets.of(verdict);
        SurvivorFinding ofHelper = SurvivorFinding.of(verdict, Optional.empty()).get(0);

        reads.set(0);

        assertThat(snippets.narrowest(ofHelper).orElseThrow().line()).contains("Model.allocate");
        assertThat(reads).hasValue(0);
    }

    @Test
    void anEntryThatWouldAdmitACallerOfItsMethodIsNotOffered() {
        allocated(DRAM, 0, 1024, "weights", LOAD_WEIGHTS);
        allocated(DRAM, 0, 1024, "weights", HELPER, LOAD_CACHE);

        assertThat(haveEntries(verdict())).containsExactly(false, true);
    }

    @Test
    void otherLabelsTypesAndUnknownLinesAreFindingsOfTheirOwn() {
        allocated(DRAM, 0, 1024, "weights", HELPER);
        allocated(DRAM, 0, 1024, "kv-cache", HELPER);
        allocated(L1, 0, 1024, "weights", HELPER);
        tracker.allocated(0, DRAM, 0x100, 64);
        tracker.allocated(0, DRAM, 0x200, 65);

        assertThat(SurvivorFinding.of(verdict(), Optional.empty())).hasSize(5);
    }

    @Test
    void callersDistinguishFindingsOfOneHelper() {
        allocated(DRAM, 0, 4096, "weights", HELPER, LOAD_WEIGHTS, TEST);
        allocated(L1, 0, 1024, "kv-cache", HELPER, LOAD_CACHE, TEST);

        VerdictReport ofTest = VerdictReport.of(verdict(), Optional.empty(), Optional.of(SurvivorFindingTests.class));
        assertThat(ofTest.text()).isEqualTo("""
                LEAK  5 KiB in 2 buffers, 2 findings; largest 4 KiB "weights" UNEXPLAINED (Model.java:70)

                both at dev.example.Model.allocate(Model.java:128), called from:
                1. DRAM  4 KiB on device 0, label "weights"
                   at dev.example.Model.load(Model.java:70)
                   why   UNEXPLAINED: no free was reported
                   seen  allocated in START (event #1)
                2. L1  1 KiB on device 0, label "kv-cache"
                   at dev.example.Model.load(Model.java:71)
                   why   UNEXPLAINED: no free was reported
                   seen  allocated in START (event #2)
                fix     Free the buffer before close_mesh_device.

                sum     2 allocated = 0 freed + 2 leaked
                expect  one of them: @ExpectBuffers(type = DRAM, device = 0, size = 4096, atMost = 1, label = "weights", origin = "Model.allocate", because = "…")""");
    }

    @Test
    void theCallersOfOneFindingAreCounted() {
        allocated(DRAM, 0, 1024, "weights", HELPER, LOAD_WEIGHTS, TEST);
        allocated(DRAM, 0, 1024, "weights", HELPER, LOAD_CACHE, TEST);
        allocated(DRAM, 0, 1024, "weights", HELPER, LOAD_CACHE, TEST);

        assertThat(report().sections().get(0).findings().get(0).sites())
                .containsExactly(
                        "dev.example.Model.allocate(Model.java:128)",
                        "dev.example.Model.load(Model.java:71)   2 buffers",
                        "dev.example.Model.load(Model.java:70)   1 buffer");
    }

    @Test
    void theLineOfTheTestClassLeadsToAHelperWithOneCaller() {
        allocated(DRAM, 0, 1024, "weights", HELPER, LOAD_WEIGHTS, TEST);

        VerdictReport ofTest = VerdictReport.of(verdict(), Optional.empty(), Optional.of(SurvivorFindingTests.class));

        assertThat(sitesOf(ofTest))
                .containsExactly(
                        "dev.example.Model.allocate(Model.java:128)",
                        "dev.meshguard.report.SurvivorFindingTests.decodes(SurvivorFindingTests.java:9)");
        assertThat(sitesOf(report())).containsExactly("dev.example.Model.allocate(Model.java:128)");
    }

    @Test
    void aLineOfTheTestClassNeedsNoCaller() {
        StackTraceElement outer = new StackTraceElement(
                "dev.meshguard.report.SurvivorFindingTests", "outer", "SurvivorFindingTests.java", 3);
        allocated(DRAM, 0, 1024, "weights", TEST, outer);

        assertThat(sitesOf(VerdictReport.of(verdict(), Optional.empty(), Optional.of(SurvivorFindingTests.class))))
                .containsExactly("dev.meshguard.report.SurvivorFindingTests.decodes(SurvivorFindingTests.java:9)");
    }

    @Test
    void theBytesOfHugeBuffersDoNotOverflow() {
        allocated(DRAM, 0, Long.MAX_VALUE, "weights", HELPER);
        allocated(DRAM, 1, Long.MAX_VALUE, "kv-cache", LOAD_CACHE);

        assertThat(report().text()).startsWith("LEAK  8 EiB in 2 DRAM buffers, 2 findings; largest 8 EiB \"weights\"");
        assertThat(verdict().totals().values())
                .containsExactly(new Timeline.Section(Long.MAX_VALUE, 2, Long.MAX_VALUE, 2, Long.MAX_VALUE));
        assertThat(SurvivorFinding.of(verdict(), Optional.empty()).stream()
                        .map(LeakTotals::of)
                        .reduce(LeakTotals.NOTHING, LeakTotals::and))
                .isEqualTo(new LeakTotals(2, 2, Long.MAX_VALUE));
    }

    @Test
    void leakedBytesOmitMisreportedMemoryButNoCircularBufferThatLeaked() {
        VerdictReport report = ReportStory.report("""
                mesh 0 over 0; allocate DRAM 0x1000 on 0; allocate L1 0x18b20 on 0, circular buffer of program 7;
                allocate DRAM 0x2000 on 0; end program 7; witness CLOSE_BEGUN DRAM on 0: 0x1000; close
                """);

        assertThat(report.survivors())
                .extracting(SurvivorFinding::cause, LeakTotals::of)
                .containsExactlyInAnyOrder(
                        tuple(Cause.UNEXPLAINED, new LeakTotals(1, 1, 64)),
                        tuple(Cause.CIRCULAR_BUFFER_UNREPORTED, new LeakTotals(1, 1, 0)),
                        tuple(Cause.FREE_UNREPORTED, new LeakTotals(1, 1, 0)));
        assertThat(ReportStory.report("allocate L1 0x1000 on 0, circular buffer of program 8; close")
                        .survivors())
                .extracting(LeakTotals::of)
                .containsExactly(new LeakTotals(1, 1, 64));
    }

    @Test
    void aPageIsOpenedAtTheOnlyFinding() {
        allocated(DRAM, 0, 1024, "weights", HELPER);
        String one = report().shownAt("target/meshguard/KvCacheTest.html").text();
        allocated(DRAM, 0, 1024, "kv-cache", HELPER);
        String two = report().shownAt("target/meshguard/KvCacheTest.html").text();

        assertThat(one)
                .contains("\nexpect  @ExpectBuffers")
                .endsWith("\npage    target/meshguard/KvCacheTest.html#finding-1");
        assertThat(two)
                .doesNotContain("@ExpectBuffers")
                .endsWith("\npage    target/meshguard/KvCacheTest.html   (with the entries that expect them)");
    }

    @Test
    void aFindingOfALogNamesItsLines() {
        allocated(DRAM, 0, 1024, "weights", HELPER);
        allocated(DRAM, 1, 1024, "weights", HELPER);
        SurvivorFinding finding =
                SurvivorFinding.of(verdict(), Optional.empty()).get(0);

        assertThat(new LogLines("logs/server.log", event -> OptionalLong.of(17 + event)).of(finding.survivors()))
                .contains("logs/server.log:18-19");
        assertThat(new LogLines("logs/server.log", event -> OptionalLong.of(10 * event)).of(finding.survivors()))
                .contains("logs/server.log:10, the first of 2 lines to 20");
        assertThat(new LogLines("logs/server.log", event -> OptionalLong.of(10 * event)).firstOf(finding.survivors()))
                .contains("server.log:10");
        assertThat(new LogLines("server.log", event -> OptionalLong.empty()).of(finding.survivors()))
                .isEmpty();
    }

    private static List<Boolean> haveEntries(LeakVerdict verdict) {
        ExpectationSnippets snippets = ExpectationSnippets.of(verdict);
        return SurvivorFinding.of(verdict, Optional.empty()).stream()
                .map(finding -> snippets.narrowest(finding).isPresent())
                .toList();
    }

    private static List<String> sitesOf(VerdictReport report) {
        return report.sections().get(0).findings().get(0).sites();
    }

    private MemoryRequest allocated(BufferType type, int device, long size, String label, StackTraceElement... stack) {
        MemoryRequest request = MemoryRequest.restored(
                AllocationDetails.user().labelled(label), Optional.of(new Origin(List.of(stack))));
        tracker.allocated(request, device, type, address, size, Ownership.OWNING);
        address += 0x10000;
        return request;
    }

    private LeakVerdict verdict() {
        return LeakCheck.create().examine(tracker.history());
    }

    private VerdictReport report() {
        return VerdictReport.of(verdict());
    }

    private Outcome outcome(String entry) {
        return LeakCheck.create()
                .expecting(ExpectedBuffers.parse(entry, "expected.txt"))
                .examine(tracker.history())
                .outcome();
    }
}
