package dev.meshguard.verdict;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Owner;
import dev.meshguard.event.Ownership;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.Overwrite.Kind;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Reports show which buffers the replays of a trace overwrite, and which they read after their free. */
class TraceReplaysTests {

    private static final Owner FIRST = new Owner(Owner.Kind.TRACE, "0 of mesh 0");
    private static final Owner SECOND = new Owner(Owner.Kind.TRACE, "1 of mesh 0");
    private static final long TEMPORARY = 0x1000;
    private static final AllocationDetails OF_MESH = AllocationDetails.user().onMesh(0);

    private final AllocationTracker tracker = AllocationTracker.create();

    private MemoryRequest allocate(long address) {
        MemoryRequest request = tracker.request(OF_MESH.withExtent(64));
        tracker.allocated(request, 0, BufferType.DRAM, address, 64, Ownership.OWNING);
        return request;
    }

    private void free(long address) {
        tracker.freed(tracker.release(OF_MESH), 0, BufferType.DRAM, address, Ownership.OWNING);
    }

    /** Captures an operation whose result is freed again. */
    private void captureTemporary(Owner trace) {
        tracker.captureBegan(0, trace);
        allocate(TEMPORARY);
        free(TEMPORARY);
        tracker.captureEnded(trace);
    }

    private void replay(Owner trace) {
        tracker.traceReplayed(trace, List.of());
    }

    private List<Kind> found() {
        return LeakCheck.create().examine(tracker.history()).overwrites().stream()
                .map(Overwrite::kind)
                .toList();
    }

    @Test
    void overwriteWhatLiesAtTheFirstAddress() {
        tracker.captureBegan(0, FIRST);
        allocate(Long.MIN_VALUE);
        free(Long.MIN_VALUE);
        tracker.captureEnded(FIRST);
        allocate(Long.MIN_VALUE);

        replay(FIRST);

        assertThat(found()).containsExactly(Kind.BY_REPLAY);
    }

    @Test
    void overwriteWhatLiesOverAPartOnly() {
        captureTemporary(FIRST);
        allocate(TEMPORARY + 63);
        allocate(TEMPORARY + 64);
        allocate(TEMPORARY - 64);

        replay(FIRST);

        assertThat(found()).containsExactly(Kind.BY_REPLAY);
    }

    @Test
    void overwriteNoBufferThatReachesBeyondTheLastAddress() {
        captureTemporary(FIRST);
        allocate(Long.MAX_VALUE - 16);

        replay(FIRST);

        assertThat(found()).isEmpty();
    }

    @Test
    void doNotHarmWhatWasFreedBeforeOrIsAllocatedAfterTheLastOne() {
        captureTemporary(FIRST);
        allocate(TEMPORARY);
        free(TEMPORARY);

        replay(FIRST);
        allocate(TEMPORARY);

        assertThat(found()).isEmpty();
    }

    @Test
    void harmWhatGotTheMemoryOfAResultAfterItsFree() {
        tracker.captureBegan(0, FIRST);
        allocate(0x2000);
        tracker.captureEnded(FIRST);
        free(0x2000);
        allocate(0x2000);

        replay(FIRST);

        assertThat(found()).containsExactly(Kind.BY_REPLAY);
    }

    @Test
    void leaveThatTwoTracesShareTemporaryMemory() {
        captureTemporary(FIRST);
        captureTemporary(SECOND);

        replay(FIRST);
        replay(SECOND);
        replay(FIRST);

        assertThat(found()).isEmpty();
    }

    @Test
    void overwriteTheResultOfAnotherTrace() {
        captureTemporary(FIRST);
        tracker.captureBegan(0, SECOND);
        allocate(TEMPORARY);
        tracker.captureEnded(SECOND);

        replay(FIRST);

        assertThat(found()).containsExactly(Kind.BY_REPLAY);
    }

    /** Captures an operation of the second trace whose result lies where the first one had a temporary buffer. */
    private MemoryRequest captureResult() {
        captureTemporary(FIRST);
        tracker.captureBegan(0, SECOND);
        MemoryRequest result = allocate(TEMPORARY);
        tracker.resultCaptured(SECOND, result);
        tracker.captureEnded(SECOND);
        return result;
    }

    @Test
    void doNotHarmAResultThatItsTraceWritesAnewBeforeItIsRead() {
        MemoryRequest result = captureResult();

        for (int token = 0; token < 3; token++) {
            replay(FIRST);
            replay(SECOND);
            tracker.resultRead(result);
        }

        assertThat(found()).isEmpty();
    }

    @Test
    void overwriteAResultThatIsReadBeforeItsTraceWritesItAnew() {
        MemoryRequest result = captureResult();

        replay(SECOND);
        replay(FIRST);
        tracker.resultRead(result);
        replay(SECOND);

        assertThat(found()).containsExactly(Kind.BY_REPLAY);
    }

    @Test
    void overwriteAResultThatAnotherTraceReadsBeforeItIsWrittenAnew() {
        MemoryRequest result = captureResult();
        Owner third = new Owner(Owner.Kind.TRACE, "2 of mesh 0");
        tracker.captureBegan(0, third);
        tracker.bufferCaptured(third, result);
        tracker.captureEnded(third);

        replay(FIRST);
        replay(third);
        replay(SECOND);

        assertThat(found()).containsExactly(Kind.BY_REPLAY);
    }

    @Test
    void doNotHarmAResultThatNothingReadsBeforeItsFree() {
        MemoryRequest result = captureResult();

        replay(SECOND);
        tracker.resultRead(result);
        replay(FIRST);
        free(TEMPORARY);
        tracker.resultRead(result);

        assertThat(found()).isEmpty();
    }

    @Test
    void doNotHarmAResultOfATraceThatIsNeverReplayed() {
        captureResult();

        replay(FIRST);

        assertThat(found()).isEmpty();
    }

    @Test
    void overwriteABufferThatIsNotTheResultOfATrace() {
        captureTemporary(FIRST);
        MemoryRequest input = allocate(TEMPORARY);
        tracker.captureBegan(0, SECOND);
        tracker.bufferCaptured(SECOND, input);
        tracker.captureEnded(SECOND);

        replay(SECOND);
        replay(FIRST);
        free(TEMPORARY);

        assertThat(found()).containsExactly(Kind.BY_REPLAY);
    }

    @Test
    void overwriteABufferOfAnotherTraceThatReadsItBeforeItWritesIt() {
        captureTemporary(FIRST);
        tracker.captureBegan(0, SECOND);
        MemoryRequest state = allocate(TEMPORARY);
        tracker.bufferCaptured(SECOND, state);
        tracker.resultCaptured(SECOND, state);
        tracker.captureEnded(SECOND);

        replay(FIRST);
        replay(SECOND);

        assertThat(found()).containsExactly(Kind.BY_REPLAY);
    }

    @Test
    void countOnlyTheReplaysWhoseDataIsMissed() {
        MemoryRequest result = captureResult();

        replay(FIRST);
        replay(SECOND);
        replay(FIRST);
        tracker.resultRead(result);

        assertThat(LeakCheck.create().examine(tracker.history()).overwrites())
                .extracting(Overwrite::times)
                .containsExactly(1L);
    }

    @Test
    void areOfTheLatestCaptureOfATrace() {
        captureTemporary(FIRST);
        allocate(TEMPORARY);
        tracker.captureBegan(0, FIRST);
        allocate(0x2000);
        tracker.captureEnded(FIRST);

        replay(FIRST);

        assertThat(found()).isEmpty();
    }

    @Test
    void readAnInputAfterItsFree() {
        MemoryRequest input = allocate(0x2000);
        tracker.captureBegan(0, FIRST);
        tracker.bufferCaptured(FIRST, input);
        tracker.captureEnded(FIRST);
        replay(FIRST);
        free(0x2000);

        replay(FIRST);

        assertThat(found()).containsExactly(Kind.FREED_BEFORE_REPLAY);
    }

    @Test
    void readNoFreedBufferOfAnUnknownRequest() {
        MemoryRequest unknown = MemoryRequest.of(AllocationDetails.user());
        tracker.allocated(unknown, 0, BufferType.DRAM, 0x2000, 64, Ownership.OWNING);
        tracker.captureBegan(0, FIRST);
        tracker.bufferCaptured(FIRST, unknown);
        tracker.captureEnded(FIRST);
        tracker.freed(0, BufferType.DRAM, 0x2000);

        replay(FIRST);

        assertThat(found()).isEmpty();
    }
}
