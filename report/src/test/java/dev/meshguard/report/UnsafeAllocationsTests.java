package dev.meshguard.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.Owner;
import dev.meshguard.event.Ownership;
import dev.meshguard.tracker.AllocationTracker;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The note counts allocations while a trace of the same mesh is live and none is captured. */
class UnsafeAllocationsTests {

    private static final Owner FIRST = new Owner(Owner.Kind.TRACE, "0");
    private static final Owner SECOND = new Owner(Owner.Kind.TRACE, "1");

    private final AllocationTracker tracker = AllocationTracker.create();
    private long address = 0x1000;

    private void allocate(AllocationDetails details) {
        address += 0x1000;
        tracker.allocated(tracker.request(details), 0, BufferType.DRAM, address, 64, Ownership.OWNING);
    }

    private void allocateOn(int mesh) {
        allocate(AllocationDetails.user().onMesh(mesh));
    }

    private void capture(Owner trace) {
        tracker.captureBegan(0, trace);
        allocateOn(0);
        tracker.captureEnded(trace);
    }

    private Optional<String> note() {
        return UnsafeAllocations.noteOf(tracker.history());
    }

    @Test
    void countsFromTheEndOfTheFirstCaptureToTheReleaseOfTheLastTrace() {
        allocateOn(0);
        capture(FIRST);
        allocateOn(0);
        capture(SECOND);
        tracker.ownerEnded(FIRST);
        allocateOn(0);
        tracker.ownerEnded(SECOND);
        allocateOn(0);

        assertThat(note())
                .contains("2 buffers were allocated while a trace was live, where the runtime warns once per thread;"
                        + " first at event #5");
    }

    @Test
    void countsNoBufferOfTheTraceAndNoneOfAnotherMesh() {
        capture(FIRST);
        allocate(AllocationDetails.system(FIRST).onMesh(0));
        allocate(AllocationDetails.circularBuffer(Owner.program("1 (add)")).onMesh(0));
        allocateOn(1);

        assertThat(note()).isEmpty();
    }

    @Test
    void isNotNeededWithoutATrace() {
        allocateOn(0);

        assertThat(note()).isEmpty();
    }
}
