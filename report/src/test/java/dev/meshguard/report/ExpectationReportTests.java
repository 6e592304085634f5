package dev.meshguard.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.tracker.script.HistoryScript;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.baseline.Baseline;
import dev.meshguard.verdict.expectation.Expectation;
import dev.meshguard.verdict.expectation.ExpectedBuffers;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The whole texts for entries that did not match, and for known leaks. */
class ExpectationReportTests {

    @TestFactory
    Stream<DynamicTest> theText() {
        return ReportStory.each("""
            says how many more there are than an entry allows
                without origins; allocate DRAM 0x1000..0x3000 on 0, owning, label weights; checked
                expecting DRAM label weights count exactly 2 because "shared by all tests"

                LEAK  64 B in 1 DRAM buffer, UNEXPLAINED

                1. DRAM  64 B on device 0 at 0x3000 (12288), label "weights"
                …
                Expected and present: 2 buffers, 128 B (DRAM, label "weights", exactly 2 buffers, because "shared by all tests" at meshguard-expected.txt:1); 1 more than that allows
                sum     3 allocated = 0 freed + 1 leaked + 2 expected
                expect  @ExpectBuffers(type = DRAM, device = 0, size = 64, atMost = 1, label = "weights", because = "…")
            says that an entry promises more than is left
                without origins; allocate DRAM 0x1000 on 0..1, owning, label weights; checked
                expecting DRAM label weights count exactly 8 because "shared by all tests"

                STALE  1 expectation promises more than survived

                1. 2 buffers survived, 128 B: DRAM, label "weights", exactly 8 buffers, because "shared by all tests" at
                   meshguard-expected.txt:1
                   fix   If fewer are right, expect the survivors:
                         @ExpectBuffers(type = DRAM, exactly = 2, label = "weights", because = "shared by all tests")
                         as a line of a file: DRAM count exactly 2 label "weights" because "shared by all tests"

                Expected and present: 2 buffers, 128 B (DRAM, label "weights", exactly 8 buffers, because "shared by all tests" at meshguard-expected.txt:1)
                sum     2 allocated = 0 freed + 2 expected
            says that an entry ended
                without origins; allocate DRAM 0x1000 on 0..1, owning, label weights; checked
                expecting DRAM label weights until 2026-10-31 because "shared by all tests"

                LEAK  128 B in 2 DRAM buffers, UNEXPLAINED
                …
                   seen  allocated in START (events #1 to #2)
                         it was expected until 2026-10-31, and the check was made on 2026-11-20

                Expired on 2026-10-31: 2 buffers would have been expected (DRAM, label "weights", until 2026-10-31, because "shared by all tests" at meshguard-expected.txt:1)
                sum     2 allocated = 0 freed + 2 leaked
                …
            says that the day of the check is not known
                without origins; allocate DRAM 0x1000 on 0..1, owning, label weights
                expecting DRAM label weights until 2026-10-31 because "shared by all tests"

                CLEAN  only expected memory remains: 128 B in 2 buffers
                Expected and present: 2 buffers, 128 B (DRAM, label "weights", until 2026-10-31, because "shared by all tests" at meshguard-expected.txt:1)
                note    the history does not contain the day of the check, so an entry until 2026-10-31 was applied (DRAM, label
                        "weights", until 2026-10-31, because "shared by all tests" at meshguard-expected.txt:1)
                sum     2 allocated = 0 freed + 2 expected
            counts the entries of a file that matched nothing
                source binding
                expecting label a because "first"
                expecting label b until 2026-10-31 because "second"
                expecting # and
                expecting label c because "third"
                expecting label d because "fourth"

                CLEAN  all memory was freed
                Never matched: 4 (label "a", because "first" at meshguard-expected.txt:1; label "b", until 2026-10-31, because "second" at meshguard-expected.txt:2; and 2 more)
                sum     0 allocated = 0 freed
            """);
    }

    @Test
    void saysThatNothingIsLeftOfWhatWasPromised() {
        LeakVerdict verdict = LeakCheck.create()
                .expecting(ExpectedBuffers.of(Expectation.because("shared by all tests")
                        .label("weights")
                        .exactly(8)))
                .examine(HistoryScript.historyOf("source binding"));

        assertThat(VerdictReport.of(verdict).text()).isEqualTo("""
                STALE  1 expectation promises more than survived

                1. no survivor matches: label "weights", exactly 8 buffers, because "shared by all tests"
                   fix   If that is right, remove the entry, or it will hide the next leak.

                limits  no allocator snapshot: rests on the reports alone
                sum     0 allocated = 0 freed""");
    }

    @Test
    void showsNewLeaksBeforeKnownOnes() {
        assertThat(report(
                        "without origins; allocate DRAM 0x1140 on 0, label cache",
                        "allocate DRAM 0x11c0 on 0..1, label weights"))
                .isEqualTo("""
                LEAK  192 B in 3 DRAM buffers, 2 findings; largest 128 B "weights" UNEXPLAINED

                1. DRAM  128 B: 2 x 64 B, one on each of devices 0-1 at 0x11c0 (4544), label "weights"
                   at an unknown place (no origin was captured)
                   why   UNEXPLAINED: no free was reported
                   seen  allocated in START (events #2 to #3)
                   note  fingerprint 148dae · new since the baseline
                2. DRAM  64 B on device 0 at 0x1140 (4416), label "cache"
                   at an unknown place (no origin was captured)
                   why   UNEXPLAINED: no free was reported
                   seen  allocated in START (event #1)
                   note  fingerprint 8c998e · known
                fix     Free the buffer before close_mesh_device.

                sum     3 allocated = 0 freed + 3 leaked
                expect  one of them: @ExpectBuffers(type = DRAM, size = 64, atMost = 2, label = "weights", because = "…")""");
    }

    @Test
    void theHeadlineNamesTheLargestLeakThoughItIsKnown() {
        assertThat(report(
                        "without origins; allocate DRAM 0x1140 on 0..2, label cache",
                        "allocate DRAM 0x11c0 on 0, label weights"))
                .startsWith("LEAK  256 B in 4 DRAM buffers, 2 findings; largest 192 B \"cache\"")
                .contains("\n1. DRAM  64 B on device 0");
    }

    @Test
    void saysThatThereIsMoreOfAKnownLeak() {
        assertThat(report(
                        "without origins; allocate DRAM 0x1140 on 0, label cache",
                        "allocate DRAM 0x1140 on 1..2, label cache"))
                .contains("   note  fingerprint 8c998e · known, but 3 instead of 1\n");
    }

    /** Returns the report of a run that had a leak which is known, and more. */
    private static String report(String known, String more) {
        Baseline yesterday = Baseline.of(LeakCheck.create().examine(HistoryScript.historyOf(known)));
        LeakVerdict verdict = LeakCheck.create().examine(HistoryScript.historyOf(known + "; " + more));
        return VerdictReport.of(verdict, yesterday).text();
    }
}
