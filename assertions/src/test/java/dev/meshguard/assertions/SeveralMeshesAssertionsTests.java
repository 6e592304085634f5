package dev.meshguard.assertions;

import static dev.meshguard.assertions.Failures.textOf;
import static dev.meshguard.assertions.LeakAssertions.assertThat;
import static dev.meshguard.tracker.script.ExpectedText.expected;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Ownership;
import dev.meshguard.history.CountingPolicy;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginCapture;
import java.util.List;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A mesh and a submesh of it over the same two devices. */
class SeveralMeshesAssertionsTests {

    private final AllocationTracker tracker = AllocationTracker.builder()
            .originCapture(OriginCapture.ALLOCATIONS_AND_FREES)
            .build();

    @BeforeEach
    void openMeshes() {
        tracker.meshOpened(MeshDescription.of(0, "1x2 mesh", List.of(0, 1)));
        tracker.meshOpened(MeshDescription.of(1, "1x2 submesh", List.of(0, 1)).withParent(0));
    }

    @Test
    void memoryThatBothHoldIsNoLeakButAnOverlap() {
        allocate(0);
        allocate(1);
        free(0);
        free(1);
        closeMeshes();

        assertThat(tracker).noLeaks().hasBalancedReports();
        Assertions.assertThat(textOf(() -> assertThat(tracker).hasNoOverwrittenBuffers()))
                .contains("OVERLAP  two meshes held the same memory at a time")
                .contains("SeveralMeshesAssertionsTests.allocate(SeveralMeshesAssertionsTests.java:");
    }

    @Test
    void memoryThatOneHeldAfterTheOtherIsNoOverlap() {
        allocate(0);
        free(0);
        allocate(1);
        free(1);
        closeMeshes();

        assertThat(tracker).noLeaks().hasBalancedReports().hasNoOverwrittenBuffers();
    }

    @Test
    void buffersOfBothAreCountedAsTheSurvivorsAreAndTheirBytesAddUp() {
        allocate(0);
        allocate(1);

        assertThat(tracker).hasLiveBuffers(4).hasLiveBytes(BufferType.DRAM, 0, 128);
        assertThat(tracker).survivors().hasSize(4);
        assertThat(tracker).ledger(CountingPolicy.REFERENCE_COUNTED).hasEntries(4);
        Assertions.assertThat(textOf(() -> assertThat(tracker).hasLiveBuffers(2)))
                .isEqualTo("""

                Expecting live buffers on all devices to be:
                  2
                but found:
                  4
                in:
                  device 0 DRAM USER: 128 B in 2 buffers
                  device 1 DRAM USER: 128 B in 2 buffers""");
    }

    @Test
    void aFreeByAnotherMeshIsUnknownAndNamesTheAllocatingMesh() {
        allocate(0);
        free(1);
        free(0);
        closeMeshes();

        assertThat(tracker).noLeaks().hasNoDoubleFrees().hasNoOverwrittenBuffers();
        Assertions.assertThat(textOf(() -> assertThat(tracker).hasNoUnknownFrees()))
                .isEqualTo(expected(tracker.history(), """
                Expecting no free of an unknown address but found 1:
                1. DRAM 0x1000 (4096) on devices 0, 1: free of an unknown address ({freed 1})
                   at dev.meshguard.assertions.SeveralMeshesAssertionsTests.free(SeveralMeshesAssertionsTests.java:NN)
                   the buffer that was there, 64 B at 0x1000 (4096) of mesh 0 and not of mesh 1, was allocated at {allocated 1}
                   at dev.meshguard.assertions.SeveralMeshesAssertionsTests.allocate(SeveralMeshesAssertionsTests.java:NN)"""));
    }

    private void allocate(int mesh) {
        MemoryRequest request = tracker.request(AllocationDetails.user().onMesh(mesh));
        tracker.allocated(request, 0, BufferType.DRAM, 4096, 64, Ownership.NON_OWNING);
        tracker.allocated(request, 1, BufferType.DRAM, 4096, 64, Ownership.NON_OWNING);
    }

    private void free(int mesh) {
        MemoryRequest release = tracker.release(AllocationDetails.user().onMesh(mesh));
        tracker.freed(release, 0, BufferType.DRAM, 4096, Ownership.NON_OWNING);
        tracker.freed(release, 1, BufferType.DRAM, 4096, Ownership.NON_OWNING);
    }

    private void closeMeshes() {
        tracker.meshClosed(1);
        tracker.meshClosed(0);
    }
}
