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
                CLEAN  all memory was freed      [6 allocated = 6 freed]

                Tracked  allocated                  remaining
                DRAM     6 buffers, 6 KiB (6144 B)  nothing
                Teardown  freed                              remaining
                TEST      DRAM 6 KiB on 4 devices, unevenly  nothing
                Timeline  live bytes, peak of the phase     peak -> end
                TEST      |##############################|  4 KiB -> 0 B""");
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
                CLEAN  all memory was freed      [6 allocated = 6 freed]

                OVERLAP  two meshes held the same memory at a time, so each may have overwritten the other's data: 2 buffers
                1. DRAM 1 KiB (1024 B) x 2   devices ●●○○   allocated by mesh 1 (1x2 submesh of mesh 0) at 0x1000 (4096), events #12 to #13
                   -> at an unknown place (no origin was captured)
                   over 1 KiB (1024 B) at 0x1000 (4096), allocated by mesh 0 (1x4 mesh), events #8 to #9, freed by event #20
                   -> at an unknown place (no origin was captured)

                Tracked  allocated                  remaining
                DRAM     6 buffers, 6 KiB (6144 B)  nothing
                Teardown  freed                              remaining
                TEST      DRAM 6 KiB on 4 devices, unevenly  nothing
                Timeline  live bytes, peak of the phase     peak -> end
                TEST      |##############################|  6 KiB -> 0 B

                OVERLAP: Free what one mesh holds on a device before another mesh over it takes memory, or use one mesh only: each has an allocator of its own that knows nothing of the others'.""");
    }

    @Test
    void aSubmeshsLeakIsItsOwnThoughItsParentHeldThatAddress() {
        take(0, ALL, "weights");
        take(1, HALF, "activations");
        close(1, HALF, 0x1000);
        free(0, ALL);
        close(0, ALL);

        assertThat(text()).isEqualTo("""
                LEAK  1 leak · 2 buffers · 2 KiB (2048 B) still allocated after close_mesh_device      [6 allocated = 4 freed + 2 leaked]
                1. DRAM 1 KiB (1024 B) x 2   devices ●●○○   UNEXPLAINED: no free was reported
                   -> at an unknown place (no origin was captured)
                   the allocator of mesh 1 reported 0x1000 (4096) as allocated when close began (event #15)
                   allocated in TEST (events #12 to #13) at 0x1000 (4096), allocated by mesh 1 (1x2 submesh of mesh 0), label "activations"

                OVERLAP  two meshes held the same memory at a time, so each may have overwritten the other's data: 2 buffers
                2. DRAM 1 KiB (1024 B) x 2   devices ●●○○   allocated by mesh 1 (1x2 submesh of mesh 0) at 0x1000 (4096), events #12 to #13
                   -> at an unknown place (no origin was captured)
                   over 1 KiB (1024 B) at 0x1000 (4096), allocated by mesh 0 (1x4 mesh), events #8 to #9, freed by event #18
                   -> at an unknown place (no origin was captured)

                Tracked  allocated                  remaining
                DRAM     6 buffers, 6 KiB (6144 B)  2 buffers, 2 KiB (2048 B)
                Teardown  freed                            remaining
                TEST      DRAM 1 KiB on each of 4 devices  DRAM 1 KiB on each of 2 devices
                Timeline  live bytes, peak of the phase     peak -> end
                TEST      |##############################|  6 KiB -> 2 KiB

                UNEXPLAINED: Free the buffer before close_mesh_device.
                OVERLAP: Free what one mesh holds on a device before another mesh over it takes memory, or use one mesh only: each has an allocator of its own that knows nothing of the others'.
                To expect a buffer (narrowest first):
                   @ExpectBuffers(type = DRAM, devices = {0, 1}, size = 1024, atMost = 2, label = "activations", because = "…")
                   as a line of a file: DRAM devices 0-1 size 1024 count atMost 2 label "activations" because "…\"""");
    }

    @Test
    void aFreeByTheWrongMeshNamesTheAllocatingMesh() {
        take(0, ALL, "weights");
        free(1, HALF);
        free(0, ALL);
        close(1, HALF);
        close(0, ALL);

        assertThat(text()).isEqualTo("""
                MISREPORTED  all memory was freed, but the reported counts are wrong: 2 frees of nothing      [4 allocated = 4 freed]
                1. free of an unknown address: DRAM 0x1000 (4096) on device 0 (event #12)
                   mesh 1 (1x2 submesh of mesh 0) allocated no buffer there; the one there, 1 KiB (1024 B), was allocated at event #8 by mesh 0 (1x4 mesh)
                2. free of an unknown address: DRAM 0x1000 (4096) on device 1 (event #13)
                   mesh 1 (1x2 submesh of mesh 0) allocated no buffer there; the one there, 1 KiB (1024 B), was allocated at event #9 by mesh 0 (1x4 mesh)

                Tracked  allocated                  remaining
                DRAM     4 buffers, 4 KiB (4096 B)  nothing
                Teardown  freed                            remaining
                TEST      DRAM 1 KiB on each of 4 devices  nothing
                Timeline  live bytes, peak of the phase     peak -> end
                TEST      |##############################|  4 KiB -> 0 B""");
    }

    @Test
    void aSubmeshThatIsLeftOpenIsCalledOne() {
        take(1, HALF, "activations");
        close(0, ALL);

        assertThat(text()).isEqualTo("""
                INCONCLUSIVE  it cannot be known whether all memory was freed      [2 allocated = 0 freed + 2 undecided]
                1. Mesh 1 (1x2 submesh of mesh 0) is still open although mesh 0 is closed, so its buffers may still be freed. Close it before the check.
                2. DRAM 1 KiB (1024 B) x 2   devices ●●○○   UNEXPLAINED: mesh 1 is still open, so it may still be freed
                   -> at an unknown place (no origin was captured)
                   allocated in TEST (events #8 to #9) at 0x1000 (4096), allocated by mesh 1 (1x2 submesh of mesh 0), label "activations"

                Tracked  allocated                  remaining
                DRAM     2 buffers, 2 KiB (2048 B)  2 buffers, 2 KiB (2048 B)
                Timeline  live bytes, peak of the phase     peak -> end
                TEST      |##############################|  2 KiB -> 2 KiB""");
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
                .contains("DRAM 64 B x 2   device ●   UNEXPLAINED: no free was reported\n")
                .contains(
                        " at 0x1000 (4096), allocated by mesh 0 (1x1 mesh) and mesh 1 (1x1 submesh of mesh 0), unlabelled\n");
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
            oneByOne.witnessed(WitnessSnapshot.of(mesh, Moment.CLOSE_BEGUN)
                    .region(0, BufferType.DRAM, 0x1000)
                    .build());
            oneByOne.deviceClosed(0);
            oneByOne.meshClosed(mesh);
        }

        assertThat(VerdictReport.of(LeakCheck.create().examine(oneByOne.history()))
                        .text())
                .isEqualTo("""
                LEAK  2 leaks · 2 buffers · 128 B still allocated after close_mesh_device      [2 allocated = 0 freed + 2 leaked]
                1. DRAM 64 B x 1   device ●   UNEXPLAINED: no free was reported
                   -> at an unknown place (no origin was captured)
                   the allocator reported 0x1000 (4096) as allocated when close began (event #4)
                   allocated in START (event #3) at 0x1000 (4096), unlabelled
                2. DRAM 64 B x 1   device ●   UNEXPLAINED: no free was reported
                   -> at an unknown place (no origin was captured)
                   the allocator reported 0x1000 (4096) as allocated when close began (event #10)
                   allocated in START (event #9) at 0x1000 (4096), unlabelled

                Tracked  allocated         remaining
                DRAM     2 buffers, 128 B  2 buffers, 128 B

                UNEXPLAINED: Free the buffer before close_mesh_device.
                To expect a buffer (narrowest first):
                   @ExpectBuffers(type = DRAM, device = 0, size = 64, atMost = 1, because = "…")
                   as a line of a file: DRAM device 0 size 64 count atMost 1 because "…\"""");
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
                .contains("\n11. 3 more overlaps of that kind\n");
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
        WitnessSnapshot.Builder reading = WitnessSnapshot.of(mesh, Moment.CLOSE_BEGUN);
        devices.forEach(device -> reading.region(device, BufferType.DRAM, taken));
        tracker.witnessed(reading.build());
        tracker.meshClosed(mesh);
    }

    private String text() {
        return VerdictReport.of(LeakCheck.create().examine(tracker.history())).text();
    }
}
