package dev.meshguard.verdict;

import static dev.meshguard.tracker.script.HistoryScript.scriptOf;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.Owner;
import dev.meshguard.history.Anomaly;
import dev.meshguard.tracker.script.HistoryScript;
import dev.meshguard.verdict.expectation.ExpectationResult;
import org.junit.jupiter.api.Test;

/** The findings of a verdict on a part of a history are not reported again for the whole. */
class EarlierFindingsTests {

    /** Of two traces that wrote the same memory, one is replayed over the buffer of decode. */
    private static final String REPLAY = """
            trace 0 begins; allocate DRAM 0x1000 on 0, owning, mesh 0, extent 64; free DRAM 0x1000 on 0; trace 0 ends;
            trace 1 begins; allocate DRAM 0x1000 on 0, owning, mesh 0, extent 64; free DRAM 0x1000 on 0; trace 1 ends;
            allocate DRAM 0x1000 on 0, owning, mesh 0, extent 64; trace 0 replays
            """;

    /** Returns a history that decode has reported. */
    private static HistoryScript reportedByDecode(String sentences) {
        return scriptOf("for decode; " + sentences + "; for all");
    }

    private static LeakVerdict partOf(HistoryScript decode) {
        return LeakCheck.create().examine(decode.partOf("decode"));
    }

    /** Returns the verdict on the whole after the part of decode was judged, and then all reported more. */
    private static LeakVerdict whole(String decode, String more) {
        HistoryScript script = reportedByDecode(decode);
        LeakCheck check = LeakCheck.create().excluding(partOf(script), "decode");
        return check.examine(script.report(more).recorded());
    }

    @Test
    void whatWasReportedIsExpectedAndWhatWasNotIsALeak() {
        LeakVerdict whole = whole(
                "allocate DRAM 0x1000 on 0; allocate DRAM 0x2000 on 0, size 32", "allocate DRAM 0x3000 on 0, size 16");

        assertThat(whole.outcome()).isEqualTo(Outcome.LEAKED);
        assertThat(whole.survivors())
                .extracting(Survivor::toString)
                .containsExactly(
                        "UNEXPLAINED (expected): DRAM 0x1000 (4096) on device 0, generation 1",
                        "UNEXPLAINED (expected): DRAM 0x2000 (8192) on device 0, generation 1",
                        "UNEXPLAINED (leaked): DRAM 0x3000 (12288) on device 0, generation 1");
        assertThat(whole.expectations()).singleElement().satisfies(result -> {
            assertThat(result.expectation().because()).isEqualTo("reported by decode");
            assertThat(result.matchedBuffers()).isEqualTo(2);
            assertThat(result.matchedBytes()).isEqualTo(96);
            assertThat(result.rejectedBuffers()).isZero();
            assertThat(result.deadline()).isEqualTo(ExpectationResult.Deadline.NONE);
        });
    }

    @Test
    void aBufferOfWhichThePartReportedNotAllIsJudged() {
        assertThat(whole("allocate DRAM 0x1000 on 0", "allocate DRAM 0x1000 on 0")
                        .outcome())
                .isEqualTo(Outcome.LEAKED);
    }

    @Test
    void aPartOfWhichNothingIsLeftIsNoEntry() {
        LeakVerdict whole = whole("allocate DRAM 0x1000 on 0", "free DRAM 0x1000 on 0");

        assertThat(whole.outcome()).isEqualTo(Outcome.LEAK_FREE);
        assertThat(whole.expectations()).isEmpty();
    }

    @Test
    void oneCheckCountsEachHistoryAfresh() {
        HistoryScript script = reportedByDecode("allocate DRAM 0x1000 on 0");
        LeakCheck check = LeakCheck.create().excluding(partOf(script), "decode");

        check.examine(script.recorded());

        assertThat(check.examine(script.recorded()).expectations())
                .extracting(ExpectationResult::matchedBuffers)
                .containsExactly(1L);
    }

    @Test
    void reportsAFreeOfNothingOnce() {
        String freedTwice = "allocate DRAM 0x1000 on 0; free DRAM 0x1000 on 0; free DRAM 0x1000 on 0";

        assertThat(partOf(reportedByDecode(freedTwice)).anomalies())
                .extracting(Anomaly::kind)
                .containsExactly(Anomaly.Kind.DOUBLE_FREE);
        assertThat(whole(freedTwice, "").anomalies()).isEmpty();
        assertThat(whole(freedTwice, "").outcome()).isEqualTo(Outcome.LEAK_FREE);
    }

    @Test
    void keepsAFreeOfNothingThatNoPartReported() {
        assertThat(whole("allocate DRAM 0x1000 on 0", "free DRAM 0x2000 on 0").anomalies())
                .extracting(Anomaly::kind)
                .containsExactly(Anomaly.Kind.UNKNOWN_FREE);
    }

    @Test
    void reportsAnOverwrittenBufferOnce() {
        assertThat(partOf(reportedByDecode(REPLAY)).overwrites()).hasSize(1);
        assertThat(whole(REPLAY, "").overwrites()).isEmpty();
    }

    @Test
    void keepsALaterReplayOfTheSameTrace() {
        assertThat(whole(REPLAY, "trace 0 replays").overwrites())
                .extracting(Overwrite::times)
                .containsExactly(2L);
    }

    @Test
    void keepsAReplayOfAnotherTraceOverTheSameBuffer() {
        assertThat(whole(REPLAY, "trace 1 replays").overwrites())
                .singleElement()
                .satisfies(overwrite -> assertThat(overwrite.trace()).contains(new Owner(Owner.Kind.TRACE, "1")));
    }
}
