package dev.meshguard.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.Phase;
import dev.meshguard.event.WitnessSnapshot;
import dev.meshguard.event.WitnessSnapshot.Moment;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginCapture;
import dev.meshguard.verdict.LeakCheck;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The text of a verdict if a mesh and a submesh share devices. */
class SeveralMeshesReportTests {

    private static final List<Integer> ALL = List.of(0, 1, 2, 3);
    private static final List<Integer> HALF = List.of(0, 1);

    private final AllocationTracker tracker =
            AllocationTracker.builder().originCapture(OriginCapture.NONE).build();

    @BeforeEach
    void openMeshAndSubmesh() {
        tracker.meshOpened(MeshDescription.of(0, "1x4 mesh", ALL));
        ALL.forEach(tracker::deviceOpened);
        tracker.meshOpened(MeshDescription.of(1, "1x2 submesh", HALF).withParent(0));
        tracker.phase(Phase.TEST);
    }

    @Test
    void aSubmeshThatFreedEverythingIsClean() {
        take(1, HALF, "activations");
        free(1, HALF);
        close(1, HALF);
        take(0, ALL, "weights");
        free(0, ALL);
        close(0, ALL);

        assertThat(text()).isEqualTo("""
                CLEAN  all memory was freed
                sum     6 allocated = 6 freed""");
    }

    @Test
    void reportsMemoryThatBothHeldThoughNothingLeaked() {
        take(0, ALL, "weights");
        take(1, HALF, "activations");
        free(1, HALF);
        close(1, HALF);
        free(0, ALL);
        close(0, ALL);

        assertThat(text()).isEqualTo("""
                OVERLAP  two meshes held the same memory at a time, so each may have overwritten the other's data: 2 buffers

                   fix   Free what one mesh holds on a device before another mesh over it allocates memory, or use one mesh only: each
                         has an allocator of its own that knows nothing of the others'.
                1. DRAM  2 x 1 KiB on devices 0-1, allocated by mesh 1 (1x2 submesh of mesh 0) at 0x1000 (4096), events #12 to #13
                   at an unknown place (no origin was captured)
                   why   it lies over 1 KiB at 0x1000 (4096), allocated by mesh 0 (1x4 mesh), events #8 to #9, freed by event #20
                   over  at an unknown place (no origin was captured)

                sum     6 allocated = 6 freed
                expect  @ExpectBuffers(type = DRAM, size = 1024, atMost = 2, label = "weights", overwritten = true, because = "…")""");
    }

    @Test
    void aSubmeshsLeakIsItsOwnThoughItsParentHeldThatAddress() {
        take(0, ALL, "weights");
        take(1, HALF, "activations");
        close(1, HALF, 0x1000);
        free(0, ALL);
        close(0, ALL);

        assertThat(text()).isEqualTo("""
                LEAK  2 KiB in 2 DRAM buffers, UNEXPLAINED
                1. DRAM  2 x 1 KiB (1024 B), one on each of devices 0-1 at 0x1000 (4096), allocated by mesh 1 (1x2 submesh of mesh 0),
                   label "activations"
                   at an unknown place (no origin was captured)
                   why   UNEXPLAINED: no free was reported
                   fix   Free the buffer before close_mesh_device.
                   seen  allocated in TEST (events #12 to #13)
                         the allocator of mesh 1 reported 0x1000 (4096) as allocated when close began (event #15)

                OVERLAP  two meshes held the same memory at a time, so each may have overwritten the other's data: 2 buffers
                   fix   Free what one mesh holds on a device before another mesh over it allocates memory, or use one mesh only: each
                         has an allocator of its own that knows nothing of the others'.
                2. DRAM  2 x 1 KiB on devices 0-1, allocated by mesh 1 (1x2 submesh of mesh 0) at 0x1000 (4096), events #12 to #13
                   at an unknown place (no origin was captured)
                   why   it lies over 1 KiB at 0x1000 (4096), allocated by mesh 0 (1x4 mesh), events #8 to #9, freed by event #18
                   over  at an unknown place (no origin was captured)

                sum     6 allocated = 4 freed + 2 leaked
                expect  one of them: @ExpectBuffers(type = DRAM, devices = {0, 1}, size = 1024, atMost = 2, label = "activations", because = "…")""");
    }

    @Test
    void aFreeByTheWrongMeshNamesTheAllocatingMesh() {
        take(0, ALL, "weights");
        free(1, HALF);
        free(0, ALL);
        close(1, HALF);
        close(0, ALL);

        assertThat(text()).isEqualTo("""
                MISREPORTED  no memory leaked; 2 frees of nothing

                1. free of an unknown address: DRAM 0x1000 (4096) on device 0 (event #12)
                   why   mesh 1 (1x2 submesh of mesh 0) allocated no buffer there; the one there, 1 KiB (1024 B), was allocated at event
                         #8 by mesh 0 (1x4 mesh)
                2. free of an unknown address: DRAM 0x1000 (4096) on device 1 (event #13)
                   why   mesh 1 (1x2 submesh of mesh 0) allocated no buffer there; the one there, 1 KiB (1024 B), was allocated at event
                         #9 by mesh 0 (1x4 mesh)

                sum     4 allocated = 4 freed""");
    }

    @Test
    void aSubmeshThatIsLeftOpenIsCalledOne() {
        take(1, HALF, "activations");
        close(0, ALL);

        assertThat(text()).isEqualTo("""
                INCONCLUSIVE  2 KiB in 2 DRAM buffers may have leaked

                   why   Mesh 1 (1x2 submesh of mesh 0) is still open although mesh 0 is closed, so its buffers may still be freed.
                         Close it before the check.
                1. DRAM  2 x 1 KiB (1024 B), one on each of devices 0-1 at 0x1000 (4096), allocated by mesh 1 (1x2 submesh of mesh 0),
                   label "activations"
                   at an unknown place (no origin was captured)
                   why   undecided: mesh 1 is still open, so it may still be freed
                   seen  allocated in TEST (events #8 to #9)

                sum     2 allocated = 0 freed + 2 undecided""");
    }

    @Test
    void twoMeshesThatLeakFromOneLineAreOneFindingThatNamesBoth() {
        AllocationTracker withOrigins = AllocationTracker.create();
        withOrigins.meshOpened(MeshDescription.of(0, "1x1 mesh", List.of(0)));
        withOrigins.meshOpened(MeshDescription.of(1, "1x1 submesh", List.of(0)).withParent(0));
        for (int mesh = 0; mesh < 2; mesh++) {
            MemoryRequest request = withOrigins.request(AllocationDetails.user().onMesh(mesh));
            withOrigins.allocated(request, 0, BufferType.DRAM, 0x1000, 64, Ownership.OWNING);
        }
        withOrigins.meshClosed(1);
        withOrigins.meshClosed(0);

        assertThat(VerdictReport.of(LeakCheck.create().examine(withOrigins.history()))
                        .text())
                .contains(
                        "1. DRAM  2 x 64 B on device 0, allocated by mesh 0 (1x1 mesh) and mesh 1 (1x1 submesh of mesh 0)\n");
    }

    @Test
    void whereAllMeshesShareNothingNoneIsNamed() {
        AllocationTracker oneByOne =
                AllocationTracker.builder().originCapture(OriginCapture.NONE).build();
        for (int mesh = 0; mesh < 2; mesh++) {
            oneByOne.meshOpened(MeshDescription.of(mesh, "1x1 mesh", List.of(0)));
            oneByOne.deviceOpened(0);
            MemoryRequest request = oneByOne.request(AllocationDetails.user().onMesh(mesh));
            oneByOne.allocated(request, 0, BufferType.DRAM, 0x1000, 64, Ownership.OWNING);
            oneByOne.witnessed(WitnessSnapshot.of(mesh, Moment.CLOSE_BEGUN).region(0, BufferType.DRAM, 0x1000));
            oneByOne.deviceClosed(0);
            oneByOne.meshClosed(mesh);
        }

        assertThat(VerdictReport.of(LeakCheck.create().examine(oneByOne.history()))
                        .text())
                .isEqualTo("""
                LEAK  128 B in 2 DRAM buffers, 2 findings; largest 64 B UNEXPLAINED

                1. DRAM  64 B on device 0 at 0x1000 (4096)
                   at an unknown place (no origin was captured)
                   why   UNEXPLAINED: no free was reported
                   seen  allocated in START (event #3)
                         the allocator reported 0x1000 (4096) as allocated when close began (event #4)
                2. DRAM  64 B on device 0 at 0x1000 (4096)
                   at an unknown place (no origin was captured)
                   why   UNEXPLAINED: no free was reported
                   seen  allocated in START (event #9)
                         the allocator reported 0x1000 (4096) as allocated when close began (event #10)
                fix     Free the buffer before close_mesh_device.

                sum     2 allocated = 0 freed + 2 leaked""");
    }

    @Test
    void manyOverlapsAreCounted() {
        for (int buffer = 0; buffer < 8; buffer++) {
            for (int mesh = 0; mesh < 2; mesh++) {
                MemoryRequest request = tracker.request(AllocationDetails.user().onMesh(mesh));
                for (int device : HALF) {
                    tracker.allocated(request, device, BufferType.DRAM, buffer * 64L, 64, Ownership.NON_OWNING);
                }
            }
        }

        assertThat(text())
                .contains(
                        "\nOVERLAP  two meshes held the same memory at a time, so each may have overwritten the other's"
                                + " data: 16 buffers\n")
                .contains("\n9. 3 more overlaps of that kind\n");
        assertThat(text().lines()).hasSizeLessThanOrEqualTo(40);
    }

    private void take(int mesh, List<Integer> devices, String label) {
        MemoryRequest request =
                tracker.request(AllocationDetails.user().labelled(label).onMesh(mesh));
        for (int device : devices) {
            tracker.allocated(request, device, BufferType.DRAM, 0x1000, 1024, Ownership.NON_OWNING);
        }
    }

    private void free(int mesh, List<Integer> devices) {
        MemoryRequest release = tracker.release(AllocationDetails.user().onMesh(mesh));
        for (int device : devices) {
            tracker.freed(release, device, BufferType.DRAM, 0x1000, Ownership.NON_OWNING);
        }
    }

    private void close(int mesh, List<Integer> devices, long... taken) {
        tracker.meshClosing(mesh);
        tracker.witnessed(WitnessSnapshot.of(mesh, Moment.CLOSE_BEGUN).region(devices, BufferType.DRAM, taken));
        tracker.meshClosed(mesh);
    }

    private String text() {
        return VerdictReport.of(LeakCheck.create().examine(tracker.history())).text();
    }
}
