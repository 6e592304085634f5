package dev.meshguard.assertions;

import static dev.meshguard.assertions.Failures.leakOf;
import static dev.meshguard.assertions.Failures.textOf;
import static dev.meshguard.assertions.LeakAssertions.assertThat;
import static dev.meshguard.tracker.script.ExpectedText.expected;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Owner;
import dev.meshguard.event.Ownership;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginCapture;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verdict.expectation.Expectation;
import dev.meshguard.verdict.expectation.ExpectedBuffers;
import java.util.List;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;

class LeakAssertionsTests {

    private final AllocationTracker tracker =
            AllocationTracker.builder().originCapture(OriginCapture.NONE).build();

    @Test
    void nothingAllocatedIsNoLeak() {
        tracker.sourceAttached("binding");

        assertThat(tracker).noLeaks().hasBalancedReports().onlyExpectedSystemBuffers();
    }

    @Test
    void whatWasFreedIsNoLeak() {
        tracker.allocated(0, BufferType.DRAM, 4096, 64);
        tracker.freed(0, BufferType.DRAM, 4096);

        assertThat(tracker).noLeaks().hasBalancedReports().onlyExpectedSystemBuffers();
    }

    @Test
    void noLeaksFailsWithTheTextOfTheVerdict() {
        tracker.allocated(0, BufferType.DRAM, 4096, 64);

        Assertions.assertThat(textOf(() -> assertThat(tracker).noLeaks())).isEqualTo(expected(tracker.history(), """
                LEAK  64 B in 1 DRAM buffer, UNEXPLAINED

                1. DRAM  64 B on device 0 at 0x1000 (4096)
                   at an unknown place (no origin was captured)
                   why   UNEXPLAINED: no free was reported
                   fix   Free the buffer before close_mesh_device.
                   seen  allocated in START ({allocated})

                sum     1 allocated = 0 freed + 1 leaked
                expect  @ExpectBuffers(type = DRAM, device = 0, size = 64, atMost = 1, because = "…")"""));
    }

    @Test
    void noLeaksFailsWhileAMeshIsOpen() {
        tracker.meshOpened(MeshDescription.of(0, "1x1 mesh", List.of(0)));

        Assertions.assertThat(textOf(() -> assertThat(tracker).noLeaks())).isEqualTo("""
                INCONCLUSIVE  it cannot be known whether all memory was freed: mesh 0 (1x1 mesh) is still open

                   why   Mesh 0 (1x1 mesh) is still open, so its buffers may still be freed. Close it before the check.

                sum     0 allocated = 0 freed""");
    }

    @Test
    void noLeaksFailsWhereReportsWereLost() {
        tracker.reportsLost(3, "the socket was closed");

        Assertions.assertThat(
                        leakOf(() -> assertThat(tracker).noLeaks()).verdict().outcome())
                .isEqualTo(Outcome.INCONCLUSIVE);
    }

    @Test
    void wrongReportsAreNotALeakButUnbalanced() {
        tracker.freed(0, BufferType.DRAM, 4096);

        assertThat(tracker).noLeaks();
        Assertions.assertThat(leakOf(() -> assertThat(tracker).hasBalancedReports())
                        .verdict()
                        .outcome())
                .isEqualTo(Outcome.MISREPORTED);
        Assertions.assertThat(leakOf(() -> assertThat(tracker).onlyExpectedSystemBuffers())
                        .verdict()
                        .outcome())
                .isEqualTo(Outcome.MISREPORTED);
    }

    @Test
    void aLeakDoesNotUnbalanceTheReports() {
        tracker.allocated(0, BufferType.DRAM, 4096, 64);

        assertThat(tracker).hasBalancedReports();
    }

    @Test
    void allowedBuffersAreExpectedWithinTheirBounds() {
        Expectation one = Expectation.because("kept for later").atMost(1);
        tracker.allocated(0, BufferType.DRAM, 4096, 64);

        assertThat(tracker).allowing(one).noLeaks().onlyExpectedSystemBuffers();
        tracker.allocated(0, BufferType.DRAM, 8192, 64);
        leakOf(() -> assertThat(tracker).allowing(one).noLeaks());
        assertThat(tracker).allowing(ExpectedBuffers.of(one)).allowing(one).noLeaks();
    }

    @Test
    void aSystemBufferThatStaysHasToBeExpected() {
        Owner ring = new Owner(Owner.Kind.DISPATCH, "prefetcher");
        tracker.allocated(
                tracker.request(AllocationDetails.system(ring)), 0, BufferType.L1, 4096, 64, Ownership.OWNING);

        leakOf(() -> assertThat(tracker).onlyExpectedSystemBuffers());
        assertThat(tracker)
                .allowing(Expectation.because("stays with the driver").owner("prefetcher"))
                .onlyExpectedSystemBuffers();
    }

    @Test
    void anAllowlistOfAVerdictIsAddedTo() {
        tracker.allocated(0, BufferType.DRAM, 4096, 64);
        tracker.allocated(0, BufferType.L1, 4096, 64);
        Expectation dram = Expectation.because("kept").type(BufferType.DRAM);
        Expectation l1 = Expectation.because("kept").type(BufferType.L1);

        assertThat(LeakCheck.create().expecting(ExpectedBuffers.of(dram)).examine(tracker.history()))
                .hasOutcome(Outcome.LEAKED)
                .allowing(l1)
                .hasOutcome(Outcome.EXPECTED_ONLY)
                .noLeaks();
    }
}
