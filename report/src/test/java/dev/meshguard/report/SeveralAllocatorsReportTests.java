package dev.meshguard.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Ownership;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginCapture;
import dev.meshguard.verdict.LeakCheck;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The text of a verdict if a mesh and a device or a sub-device of it reserve one address. */
class SeveralAllocatorsReportTests {

    private static final AllocationDetails OF_MESH =
            AllocationDetails.user().onMesh(0).fromAllocator(AllocatorId.MESH);

    private final AllocationTracker tracker =
            AllocationTracker.builder().originCapture(OriginCapture.NONE).build();

    @BeforeEach
    void openMesh() {
        tracker.meshOpened(MeshDescription.of(0, "1x2 mesh", List.of(0, 1)));
        tracker.deviceOpened(0);
        tracker.deviceOpened(1);
    }

    @Test
    void namesTheDeviceWhoseBufferLiesOverOneOfItsMesh() {
        AllocationDetails ofDevice = AllocationDetails.user().fromAllocator(AllocatorId.DEVICE);
        allocate(OF_MESH, 0, 1);
        allocate(ofDevice, 1);
        free(ofDevice, 1);
        free(OF_MESH, 0, 1);
        tracker.meshClosed(0);

        assertThat(text()).isEqualTo("""
                OVERLAP  two allocators held the same memory at a time, so each may have overwritten the other's data: 1 buffer

                   fix   Free what one allocator holds before another reserves memory there, or allocate on the mesh only: a mesh, a
                         device and a sub-device have one each that knows nothing of the others.
                1. L1  1 KiB on device 1, allocated by the own allocator of device 1 at 0x1000 (4096), event #6
                   at an unknown place (no origin was captured)
                   why   it lies over 1 KiB at 0x1000 (4096), allocated by mesh 0 (1x2 mesh), event #5, freed by event #9
                   over  at an unknown place (no origin was captured)

                sum     3 allocated = 3 freed
                expect  @ExpectBuffers(type = L1, size = 1024, atMost = 1, overwritten = true, because = "…")""");
    }

    @Test
    void namesTheSubDeviceWhoseBufferLiesUnderOneOfTheMesh() {
        AllocationDetails ofSubDevice = AllocationDetails.user().onMesh(0).fromAllocator(AllocatorId.subDevice(3, 1));
        allocate(ofSubDevice, 0, 1);
        allocate(OF_MESH, 0, 1);
        free(OF_MESH, 0, 1);
        free(ofSubDevice, 0, 1);
        tracker.meshClosed(0);

        assertThat(text()).isEqualTo("""
                OVERLAP  two allocators held the same memory at a time, so each may have overwritten the other's data: 2 buffers

                   fix   Free what one allocator holds before another reserves memory there, or allocate on the mesh only: a mesh, a
                         device and a sub-device have one each that knows nothing of the others.
                1. L1  2 x 1 KiB on devices 0-1, allocated by mesh 0 (1x2 mesh) at 0x1000 (4096), events #6 to #7
                   at an unknown place (no origin was captured)
                   why   it lies over 1 KiB at 0x1000 (4096), allocated by sub-device 1 of manager 3 of mesh 0 (1x2 mesh), events #4 to
                         #5, freed by event #11
                   over  at an unknown place (no origin was captured)

                sum     4 allocated = 4 freed
                expect  @ExpectBuffers(type = L1, size = 1024, atMost = 2, overwritten = true, because = "…")""");
    }

    private void allocate(AllocationDetails details, int... devices) {
        MemoryRequest request = tracker.request(details);
        for (int device : devices) {
            tracker.allocated(request, device, BufferType.L1, 0x1000, 1_024, Ownership.OWNING);
        }
    }

    private void free(AllocationDetails details, int... devices) {
        MemoryRequest release = tracker.release(details);
        for (int device : devices) {
            tracker.freed(release, device, BufferType.L1, 0x1000, Ownership.OWNING);
        }
    }

    private String text() {
        return VerdictReport.of(LeakCheck.create().examine(tracker.history())).text();
    }
}
