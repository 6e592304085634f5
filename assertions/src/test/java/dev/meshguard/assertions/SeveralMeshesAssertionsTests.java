package dev.meshguard.assertions;

import static dev.meshguard.assertions.Failures.textOf;
import static dev.meshguard.assertions.LeakAssertions.assertThat;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Ownership;
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
