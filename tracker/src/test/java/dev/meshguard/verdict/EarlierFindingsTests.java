package dev.meshguard.verdict;

import static dev.meshguard.event.BufferType.DRAM;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.Owner;
import dev.meshguard.event.Ownership;
import dev.meshguard.history.Anomaly;
import dev.meshguard.tracker.AllocationContext;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.Scope;
import dev.meshguard.verdict.expectation.ExpectationResult;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The findings of a verdict on a part of a history are not reported again for the whole. */
class EarlierFindingsTests {

    private static final Owner FIRST = new Owner(Owner.Kind.TRACE, "0 of mesh 0");
    private static final Owner SECOND = new Owner(Owner.Kind.TRACE, "1 of mesh 0");

    private final AllocationTracker tracker = AllocationTracker.create();
    private final AllocationContext decode = tracker.context("decode");

    private void asDecode(Runnable code) {
        try (Scope here = decode.makeCurrent()) {
            code.run();
        }
    }

    private LeakVerdict partOfDecode() {
        return LeakCheck.create().examine(tracker.history().partOf(decode));
    }

    private LeakVerdict excluding(LeakVerdict part) {
        return LeakCheck.create().excluding(part, "decode").examine(tracker.history());
    }

    @Test
    void whatWasReportedIsExpectedAndWhatWasNotIsALeak() {
        asDecode(() -> {
            tracker.allocated(0, DRAM, 0x1000, 64);
            tracker.allocated(0, DRAM, 0x2000, 32);
        });
        LeakVerdict part = partOfDecode();
        tracker.allocated(0, DRAM, 0x3000, 16);

        LeakVerdict whole = excluding(part);

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
        asDecode(() -> tracker.allocated(0, DRAM, 0x1000, 64));
        LeakVerdict part = partOfDecode();
        tracker.allocated(0, DRAM, 0x1000, 64);

        assertThat(excluding(part).outcome()).isEqualTo(Outcome.LEAKED);
    }

    @Test
    void aPartOfWhichNothingIsLeftIsNoEntry() {
        asDecode(() -> tracker.allocated(0, DRAM, 0x1000, 64));
        LeakVerdict part = partOfDecode();
        tracker.freed(0, DRAM, 0x1000);

        LeakVerdict whole = excluding(part);

        assertThat(whole.outcome()).isEqualTo(Outcome.LEAK_FREE);
        assertThat(whole.expectations()).isEmpty();
    }

    @Test
    void oneCheckCountsEachHistoryAfresh() {
        asDecode(() -> tracker.allocated(0, DRAM, 0x1000, 64));
        LeakCheck check = LeakCheck.create().excluding(partOfDecode(), "decode");

        check.examine(tracker.history());

        assertThat(check.examine(tracker.history()).expectations())
                .extracting(ExpectationResult::matchedBuffers)
                .containsExactly(1L);
    }

    @Test
    void reportsAFreeOfNothingOnce() {
        asDecode(() -> {
            tracker.allocated(0, DRAM, 0x1000, 64);
            tracker.freed(0, DRAM, 0x1000);
            tracker.freed(0, DRAM, 0x1000);
        });
        LeakVerdict part = partOfDecode();

        LeakVerdict whole = excluding(part);

        assertThat(part.anomalies()).extracting(Anomaly::kind).containsExactly(Anomaly.Kind.DOUBLE_FREE);
        assertThat(whole.anomalies()).isEmpty();
        assertThat(whole.outcome()).isEqualTo(Outcome.LEAK_FREE);
    }

    @Test
    void keepsAFreeOfNothingThatNoPartReported() {
        asDecode(() -> tracker.allocated(0, DRAM, 0x1000, 64));
        LeakVerdict part = partOfDecode();
        tracker.freed(0, DRAM, 0x2000);

        assertThat(excluding(part).anomalies()).extracting(Anomaly::kind).containsExactly(Anomaly.Kind.UNKNOWN_FREE);
    }

    /** Of two traces that wrote the same memory, one is replayed over the buffer of decode. */
    private LeakVerdict partOfDecodeWithAReplay() {
        asDecode(() -> {
            capture(FIRST);
            capture(SECOND);
            allocated(0x1000);
            tracker.traceReplayed(FIRST, List.of());
        });
        return partOfDecode();
    }

    private void capture(Owner trace) {
        tracker.captureBegan(0, trace);
        allocated(0x1000);
        tracker.freed(0, DRAM, 0x1000);
        tracker.captureEnded(trace);
    }

    private void allocated(long address) {
        tracker.allocated(
                tracker.request(AllocationDetails.user().onMesh(0).withExtent(64)),
                0,
                DRAM,
                address,
                64,
                Ownership.OWNING);
    }

    @Test
    void reportsAnOverwrittenBufferOnce() {
        LeakVerdict part = partOfDecodeWithAReplay();

        assertThat(part.overwrites()).hasSize(1);
        assertThat(excluding(part).overwrites()).isEmpty();
    }

    @Test
    void keepsALaterReplayOfTheSameTrace() {
        LeakVerdict part = partOfDecodeWithAReplay();
        tracker.traceReplayed(FIRST, List.of());

        assertThat(excluding(part).overwrites())
                .singleElement()
                .satisfies(overwrite -> assertThat(overwrite.times()).isEqualTo(2));
    }

    @Test
    void keepsAReplayOfAnotherTraceOverTheSameBuffer() {
        LeakVerdict part = partOfDecodeWithAReplay();
        tracker.traceReplayed(SECOND, List.of());

        assertThat(excluding(part).overwrites())
                .singleElement()
                .satisfies(overwrite -> assertThat(overwrite.trace()).contains(SECOND));
    }
}
