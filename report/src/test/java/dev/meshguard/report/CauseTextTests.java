package dev.meshguard.report;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.BufferType.L1;
import static dev.meshguard.event.BufferType.TRACE;
import static dev.meshguard.event.Ownership.NON_OWNING;
import static dev.meshguard.event.Ownership.OWNING;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Owner;
import dev.meshguard.event.Phase;
import dev.meshguard.event.Reachability;
import dev.meshguard.event.WitnessSnapshot;
import dev.meshguard.event.WitnessSnapshot.Moment;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.SurvivorGroup;
import dev.meshguard.verdict.expectation.ExpectedBuffers;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The whole text of each cause, and of all of them together. */
class CauseTextTests {

    private static final AllocationDetails USER = AllocationDetails.user();
    private static final Owner ADD = Owner.program("7 (add)");
    private static final int[] ALL = {0, 1, 2, 3};
    private static final int[] NONE = {};
    private static final int[] ONLY_2 = {2};
    private static final int[] ALL_BUT_2 = {0, 1, 3};

    private static final String ROTARY_TABLE =
            "DRAM label \"rotary table\" count exactly 8 because \"shared by all tests\"";

    private final Recording run = Recording.onMeshOf(4);

    @Test
    void aProcessThatDiedFreesNothingAnyMore() {
        run.take(run.atLine(41, USER.reportedBy(4711)), DRAM, 4096, OWNING, ALL);
        run.tracker().processDied(4711);
        run.tracker().checked();

        assertThat(text()).isEqualTo("""
                LEAK  1 leak · 4 buffers · 4 KiB (4096 B) still allocated      [4 allocated = 0 freed + 4 leaked]
                1. DRAM 1 KiB (1024 B) x 4   devices ●●●●   PROCESS_DIED: process 4711 allocated it (event #3) and ended (event #7) without freeing it
                   -> at dev.example.KvCacheTest.decode(KvCacheTest.java:41)
                   allocated in TEST (events #3 to #6) at 0x1000 (4096), unlabelled

                Tracked  allocated                  remaining
                DRAM     4 buffers, 4 KiB (4096 B)  4 buffers, 4 KiB (4096 B)
                Timeline  live bytes, peak of the phase     peak -> end
                TEST      |##############################|  4 KiB -> 4 KiB

                PROCESS_DIED: Free it before the process ends, on the paths of errors and signals too; a runtime that is killed frees nothing.
                To expect a buffer (narrowest first):
                   @ExpectBuffers(type = DRAM, size = 1024, atMost = 4, origin = "KvCacheTest.decode", because = "…")
                   as a line of a file: DRAM size 1024 count atMost 4 origin "KvCacheTest.decode" because "…\"""");
    }

    @Test
    void whatIsFreedAfterTheCheckIsLate() {
        run.take(run.atLine(41, USER.labelled("kv-cache")), DRAM, 4096, OWNING, ALL);
        run.closeHolding(Moment.CLOSE_BEGUN, ALL, 4096);
        run.free(DRAM, 4096, OWNING, ALL);

        assertThat(text()).isEqualTo("""
                FREED_LATE  1 finding · 4 buffers · 4 KiB (4096 B) freed only after close_mesh_device had begun      [4 allocated = 0 freed + 4 freed late]
                1. DRAM 1 KiB (1024 B) x 4   devices ●●●●   LATE: freed at event #12, after close began (event #8)
                   -> at dev.example.KvCacheTest.decode(KvCacheTest.java:41)
                   the allocator reported 0x1000 (4096) as allocated when close began (event #9)
                   allocated in TEST (events #3 to #6) at 0x1000 (4096), label "kv-cache"

                Tracked  allocated                  remaining
                DRAM     4 buffers, 4 KiB (4096 B)  4 buffers, 4 KiB (4096 B)
                Teardown  freed    remaining
                CLOSE     nothing  DRAM 1 KiB on each of 4 devices
                Timeline  live bytes, peak of the phase     peak -> end
                TEST      |##############################|  4 KiB -> 4 KiB
                CLOSE     |##############################|  4 KiB -> 4 KiB

                LATE: Free it before close_mesh_device begins; in try-with-resources, declare the buffer after the mesh, so that it is closed first.
                To expect a buffer (narrowest first):
                   @ExpectBuffers(type = DRAM, size = 1024, atMost = 4, label = "kv-cache", origin = "KvCacheTest.decode", because = "…")
                   as a line of a file: DRAM size 1024 count atMost 4 label "kv-cache" origin "KvCacheTest.decode" because "…\"""");
    }

    @Test
    void oneAllocationWasReportedTwiceAndFreedOnce() {
        MemoryRequest request = run.atLine(41, USER);
        run.take(request, DRAM, 4096, OWNING, 0);
        run.take(request, DRAM, 4096, NON_OWNING, 0);
        run.free(DRAM, 4096, OWNING, 0);
        run.closeHolding(Moment.CLOSE_BEGUN, NONE);

        assertThat(text()).isEqualTo("""
                MISREPORTED  all memory was freed, but the reported counts are wrong: 1 buffer, 1 KiB (1024 B), still live      [1 allocated = 0 freed + 1 misreported]
                1. DRAM 1 KiB (1024 B) x 1   devices ●○○○   REPORTED_TWICE: reported 2 times at one live address (events #3, #4), freed once
                   -> at dev.example.KvCacheTest.decode(KvCacheTest.java:41)
                   the allocator reported 0x1000 (4096) as free when close began (event #8)
                   the view of event #4 was destroyed without a report; the buffer that it looked at was freed at event #5
                   allocated in TEST (event #4) at 0x1000 (4096), unlabelled

                Tracked  allocated                 remaining
                DRAM     1 buffer, 1 KiB (1024 B)  1 buffer, 1 KiB (1024 B)
                Teardown  freed    remaining
                CLOSE     nothing  DRAM 1 KiB on device 0
                Timeline  live bytes, peak of the phase     peak -> end
                TEST      |##############################|  1 KiB -> 1 KiB
                CLOSE     |##############################|  1 KiB -> 1 KiB

                REPORTED_TWICE: Report one buffer object per physical allocation, or report the free of every object that was reported; the memory itself was freed.
                To expect a buffer (narrowest first):
                   @ExpectBuffers(type = DRAM, device = 0, size = 1024, atMost = 1, origin = "KvCacheTest.decode", because = "…")
                   as a line of a file: DRAM device 0 size 1024 count atMost 1 origin "KvCacheTest.decode" because "…\"""");
    }

    @Test
    void theWitnessCallsFreeWhatNobodyReportedFreed() {
        run.take(run.atLine(41, USER), DRAM, 4096, OWNING, ALL);
        run.closeHolding(Moment.CLOSE_BEGUN, NONE);

        assertThat(text()).isEqualTo("""
                MISREPORTED  all memory was freed, but the reported counts are wrong: 4 buffers, 4 KiB (4096 B), still live      [4 allocated = 0 freed + 4 misreported]
                1. DRAM 1 KiB (1024 B) x 4   devices ●●●●   FREE_UNREPORTED: the allocator reported 0x1000 (4096) as free when close began (event #9)
                   -> at dev.example.KvCacheTest.decode(KvCacheTest.java:41)
                   allocated in TEST (events #3 to #6) at 0x1000 (4096), unlabelled

                Tracked  allocated                  remaining
                DRAM     4 buffers, 4 KiB (4096 B)  4 buffers, 4 KiB (4096 B)
                Teardown  freed    remaining
                CLOSE     nothing  DRAM 1 KiB on each of 4 devices
                Timeline  live bytes, peak of the phase     peak -> end
                TEST      |##############################|  4 KiB -> 4 KiB
                CLOSE     |##############################|  4 KiB -> 4 KiB

                FREE_UNREPORTED: Report the free in every path that releases the buffer (views, early returns, closed devices); the memory itself was freed.
                To expect a buffer (narrowest first):
                   @ExpectBuffers(type = DRAM, size = 1024, atMost = 4, origin = "KvCacheTest.decode", because = "…")
                   as a line of a file: DRAM size 1024 count atMost 4 origin "KvCacheTest.decode" because "…\"""");
    }

    @Test
    void aHandleThatIsReleasedAfterTheCloseIsLate() {
        run.tracker().deviceOpened(0);
        run.take(run.atLine(41, USER), DRAM, 4096, OWNING, 0);
        run.tracker().meshClosing(0);
        run.tracker().deviceClosed(0);
        run.tracker().meshClosed(0);
        run.tracker().freeIgnored(run.atLine(57, USER), 0, DRAM, 4096, IgnoredFreeReason.DEVICE_CLOSED);
        run.tracker().checked();

        assertThat(text()).isEqualTo("""
                FREED_LATE  1 finding · 1 buffer · 1 KiB (1024 B) freed only after close_mesh_device had begun      [1 allocated = 0 freed + 1 freed late]
                1. DRAM 1 KiB (1024 B) x 1   devices ●○○○   LATE: its handle was released at event #8, after close began (event #5), at dev.example.KvCacheTest.decode(KvCacheTest.java:57)
                   -> at dev.example.KvCacheTest.decode(KvCacheTest.java:41)
                   allocated in TEST (event #4) at 0x1000 (4096), unlabelled

                Tracked  allocated                 remaining
                DRAM     1 buffer, 1 KiB (1024 B)  1 buffer, 1 KiB (1024 B)
                Timeline  live bytes, peak of the phase     peak -> end
                TEST      |##############################|  1 KiB -> 1 KiB

                LATE: Free it before close_mesh_device begins; in try-with-resources, declare the buffer after the mesh, so that it is closed first.
                To expect a buffer (narrowest first):
                   @ExpectBuffers(type = DRAM, device = 0, size = 1024, atMost = 1, origin = "KvCacheTest.decode", because = "…")
                   as a line of a file: DRAM device 0 size 1024 count atMost 1 origin "KvCacheTest.decode" because "…\"""");
    }

    @Test
    void theProgramOfACircularBufferEnded() {
        run.take(run.atLine(41, AllocationDetails.circularBuffer(ADD)), L1, 101_152, OWNING, 0);
        run.tracker().ownerEnded(ADD);
        run.closeHolding(Moment.CLOSE_BEGUN, NONE);

        assertThat(text()).isEqualTo("""
                MISREPORTED  all memory was freed, but the reported counts are wrong: 1 buffer, 1 KiB (1024 B), still live      [1 allocated = 0 freed + 1 misreported]
                1. L1 1 KiB (1024 B) x 1   devices ●○○○   CIRCULAR_BUFFER_UNREPORTED: program 7 (add) ended at event #4, and its free was never reported
                   -> at dev.example.KvCacheTest.decode(KvCacheTest.java:41)
                   circular buffers lie outside the allocator, so closing the device cannot free it
                   allocated in TEST (event #3) at 0x18b20 (101152), unlabelled, owned by program 7 (add)

                Tracked  allocated                 remaining
                L1       1 buffer, 1 KiB (1024 B)  1 buffer, 1 KiB (1024 B)
                Teardown  freed    remaining
                CLOSE     nothing  L1 1 KiB on device 0
                Timeline  live bytes, peak of the phase     peak -> end
                TEST      |##############################|  1 KiB -> 1 KiB
                CLOSE     |##############################|  1 KiB -> 1 KiB

                CIRCULAR_BUFFER_UNREPORTED: Report the end of a program's circular buffers when the program ends; they take no allocator memory.
                To expect a buffer (narrowest first):
                   @ExpectBuffers(type = L1, device = 0, size = 1024, atMost = 1, origin = "KvCacheTest.decode", because = "…")
                   as a line of a file: L1 device 0 size 1024 count atMost 1 origin "KvCacheTest.decode" because "…\"""");
    }

    @Test
    void aCachedProgramKeepsItsBinaryAndItsCircularBuffers() {
        run.tracker().ownerCached(ADD, "program cache");
        run.take(run.atLine(41, AllocationDetails.circularBuffer(ADD)), L1, 101_152, OWNING, 0);
        run.take(run.atLine(41, USER.ownedBy(ADD)), DRAM, 4096, OWNING, ALL);
        run.closeHolding(Moment.CLOSE_BEGUN, ALL, 4096);

        assertThat(text()).isEqualTo("""
                LEAK  1 leak · 5 buffers · 5 KiB (5120 B) still allocated after close_mesh_device      [5 allocated = 0 freed + 5 leaked]
                1. DRAM 1 KiB (1024 B) x 4   devices ●●●●   CACHED: program 7 (add) has been in the program cache since event #3 and never left it
                   -> at dev.example.KvCacheTest.decode(KvCacheTest.java:41)
                   allocated in TEST (events #5 to #8) at 0x1000 (4096), unlabelled, owned by program 7 (add)
                   with it: L1 1 KiB (1024 B) x 1 on device 0, owned by program 7 (add)

                Tracked  allocated                  remaining
                DRAM     4 buffers, 4 KiB (4096 B)  4 buffers, 4 KiB (4096 B)
                L1       1 buffer, 1 KiB (1024 B)   1 buffer, 1 KiB (1024 B)
                Teardown  freed    remaining
                CLOSE     nothing  DRAM 1 KiB on each of 4 devices, L1 1 KiB on device 0
                Timeline  live bytes, peak of the phase     peak -> end
                TEST      |##############################|  5 KiB -> 5 KiB
                CLOSE     |##############################|  5 KiB -> 5 KiB

                CACHED: Call mesh.disableAndClearProgramCache() before ttnn.closeMeshDevice(mesh), and release every trace: closing a mesh does neither.
                To expect a buffer (narrowest first):
                   @ExpectBuffers(type = DRAM, size = 1024, atMost = 4, origin = "KvCacheTest.decode", because = "…")
                   as a line of a file: DRAM size 1024 count atMost 4 origin "KvCacheTest.decode" because "…\"""");
    }

    @Test
    void aTraceKeepsWhatItNeeds() {
        Owner trace = new Owner(Owner.Kind.TRACE, "3");
        run.tracker().ownerCached(trace, "trace pool");
        run.take(run.atLine(41, USER.ownedBy(trace)), DRAM, 4096, OWNING, ALL);
        run.take(run.atLine(44, USER.ownedBy(trace)), TRACE, 8192, OWNING, ALL);
        run.closeHolding(Moment.CLOSE_BEGUN, ALL, 4096);

        assertThat(text()).isEqualTo("""
                LEAK  1 leak · 8 buffers · 8 KiB (8192 B) still allocated after close_mesh_device      [8 allocated = 0 freed + 8 leaked]
                1. TRACE 1 KiB (1024 B) x 4   devices ●●●●   CACHED: trace 3 has been in the trace pool since event #3 and never left it
                   -> at dev.example.KvCacheTest.decode(KvCacheTest.java:44)
                   allocated in TEST (events #8 to #11) at 0x2000 (8192), unlabelled, owned by trace 3
                   with it: DRAM 1 KiB (1024 B) x 4 on each of 4 devices, owned by trace 3

                Tracked  allocated                  remaining
                DRAM     4 buffers, 4 KiB (4096 B)  4 buffers, 4 KiB (4096 B)
                TRACE    4 buffers, 4 KiB (4096 B)  4 buffers, 4 KiB (4096 B)
                Teardown  freed    remaining
                CLOSE     nothing  DRAM 1 KiB on each of 4 devices, TRACE 1 KiB on each of 4 devices
                Timeline  live bytes, peak of the phase     peak -> end
                TEST      |##############################|  8 KiB -> 8 KiB
                CLOSE     |##############################|  8 KiB -> 8 KiB

                CACHED: Call mesh.disableAndClearProgramCache() before ttnn.closeMeshDevice(mesh), and release every trace: closing a mesh does neither.
                To expect a buffer (narrowest first):
                   @ExpectBuffers(type = TRACE, size = 1024, atMost = 4, origin = "KvCacheTest.decode", because = "…")
                   as a line of a file: TRACE size 1024 count atMost 4 origin "KvCacheTest.decode" because "…\"""");
    }

    @Test
    void aTraceThatWasReleasedKeptItsBuffer() {
        Owner trace = new Owner(Owner.Kind.TRACE, "3");
        run.tracker().ownerCached(trace, "trace pool");
        run.take(run.atLine(44, USER.ownedBy(trace)), DRAM, 8192, OWNING, ALL);
        run.tracker().ownerEnded(trace);
        run.closeHolding(Moment.CLOSE_BEGUN, ALL, 8192);

        assertThat(text()).isEqualTo("""
                LEAK  1 leak · 4 buffers · 4 KiB (4096 B) still allocated after close_mesh_device      [4 allocated = 0 freed + 4 leaked]
                1. DRAM 1 KiB (1024 B) x 4   devices ●●●●   KEPT_AFTER_RELEASE: trace 3 was released at event #8, and its buffer was not freed
                   -> at dev.example.KvCacheTest.decode(KvCacheTest.java:44)
                   the allocator reported 0x2000 (8192) as allocated when close began (event #11)
                   allocated in TEST (events #4 to #7) at 0x2000 (8192), unlabelled, owned by trace 3

                Tracked  allocated                  remaining
                DRAM     4 buffers, 4 KiB (4096 B)  4 buffers, 4 KiB (4096 B)
                Teardown  freed    remaining
                CLOSE     nothing  DRAM 1 KiB on each of 4 devices
                Timeline  live bytes, peak of the phase     peak -> end
                TEST      |##############################|  4 KiB -> 4 KiB
                CLOSE     |##############################|  4 KiB -> 4 KiB

                KEPT_AFTER_RELEASE: Drop the references to the trace's buffer before the trace is released: the trace is gone, and a second release does nothing.
                To expect a buffer (narrowest first):
                   @ExpectBuffers(type = DRAM, size = 1024, atMost = 4, origin = "KvCacheTest.decode", because = "…")
                   as a line of a file: DRAM size 1024 count atMost 4 origin "KvCacheTest.decode" because "…\"""");
    }

    @Test
    void theRuntimeLeftMemoryOfItsOwn() {
        Owner prefetcher = new Owner(Owner.Kind.DISPATCH, "prefetcher");
        run.take(run.atLine(41, AllocationDetails.system(prefetcher)), DRAM, 4096, OWNING, ALL);
        run.closeHolding(Moment.BEFORE_WIPE, ALL, 4096);

        assertThat(text()).isEqualTo("""
                LEAK  1 leak · 4 buffers · 4 KiB (4096 B) still allocated after close_mesh_device      [4 allocated = 0 freed + 4 leaked]
                1. DRAM 1 KiB (1024 B) x 4   devices ●●●●   SYSTEM: owned by dispatch "prefetcher", lifetime SYSTEM: the runtime has to free it at close
                   -> at dev.example.KvCacheTest.decode(KvCacheTest.java:41)
                   the allocator reported 0x1000 (4096) as allocated before the allocators were wiped (event #9)
                   allocated in TEST (events #3 to #6) at 0x1000 (4096), unlabelled, owned by dispatch "prefetcher"

                Tracked      allocated                  remaining
                System DRAM  4 buffers, 4 KiB (4096 B)  4 buffers, 4 KiB (4096 B)
                Teardown  freed    remaining
                CLOSE     nothing  DRAM 1 KiB on each of 4 devices
                Timeline  live bytes, peak of the phase     peak -> end
                TEST      |##############################|  4 KiB -> 4 KiB
                CLOSE     |##############################|  4 KiB -> 4 KiB

                SYSTEM: Free it where its owner shuts down, or expect it with a reason.
                To expect a buffer (narrowest first):
                   @ExpectBuffers(type = DRAM, size = 1024, atMost = 4, origin = "KvCacheTest.decode", because = "…")
                   as a line of a file: DRAM size 1024 count atMost 4 origin "KvCacheTest.decode" because "…\"""");
    }

    @Test
    void persistentMemoryOfTheRuntimeIsNotALeak() {
        Owner fabric = new Owner(Owner.Kind.FABRIC, "router");
        run.take(
                run.atLine(41, AllocationDetails.system(fabric).withLifetime(BufferLifetime.PERSISTENT)),
                L1,
                4096,
                OWNING,
                ALL);
        run.closeHolding(Moment.BEFORE_WIPE, NONE);

        assertThat(text()).isEqualTo("""
                CLEAN  only expected buffers remain: 4 buffers, 4 KiB (4096 B)      [4 allocated = 0 freed + 4 expected]

                Tracked        allocated                  remaining
                Persistent L1  4 buffers, 4 KiB (4096 B)  4 buffers, 4 KiB (4096 B)
                Teardown  freed    remaining
                CLOSE     nothing  L1 1 KiB on each of 4 devices
                Timeline  live bytes, peak of the phase     peak -> end
                TEST      |##############################|  4 KiB -> 4 KiB
                CLOSE     |##############################|  4 KiB -> 4 KiB

                Expected and present: 4 buffers of lifetime PERSISTENT""");
    }

    @Test
    void oneDeviceNeverFreed() {
        run.takeOneByOne(41, USER, 4096, ALL);
        run.free(DRAM, 4096, OWNING, ALL_BUT_2);
        run.closeHolding(Moment.CLOSE_BEGUN, ONLY_2, 4096);

        assertThat(text()).isEqualTo("""
                LEAK  1 leak · 1 buffer · 1 KiB (1024 B) still allocated after close_mesh_device      [4 allocated = 3 freed + 1 leaked]
                1. DRAM 1 KiB (1024 B) x 1   devices ○○●○   FREED_ON_OTHER_DEVICES: 3 of 4 single-device buffers were freed by event #9, device 2's never was
                   -> at dev.example.KvCacheTest.decode(KvCacheTest.java:41)
                   the allocator reported 0x1000 (4096) as allocated when close began (event #12)
                   allocated in TEST (event #5) at 0x1000 (4096), unlabelled
                   3 of 4 buffers from this line were freed, in TEST; this one was first passed over at event #7

                Tracked  allocated                  remaining
                DRAM     4 buffers, 4 KiB (4096 B)  1 buffer, 1 KiB (1024 B)
                Teardown  freed                            remaining
                TEST      DRAM 1 KiB on each of 3 devices  DRAM 1 KiB on device 2
                CLOSE     nothing                          DRAM 1 KiB on device 2
                Timeline  live bytes, peak of the phase     peak -> end
                TEST      |##############################|  4 KiB -> 1 KiB
                CLOSE     |########                      |  1 KiB -> 1 KiB

                FREED_ON_OTHER_DEVICES: Free the buffer on every device it was allocated on; where the devices free in lock-step, report the free of every device.
                To expect a buffer (narrowest first):
                   @ExpectBuffers(type = DRAM, device = 2, size = 1024, atMost = 1, origin = "KvCacheTest.decode", because = "…")
                   as a line of a file: DRAM device 2 size 1024 count atMost 1 origin "KvCacheTest.decode" because "…\"""");
    }

    @Test
    void oneDeviceAllocatedExtra() {
        run.takeOneByOne(41, USER, 4096, ALL);
        run.takeOneByOne(41, USER, 8192, 2);
        run.free(DRAM, 4096, OWNING, ALL);
        run.closeHolding(Moment.CLOSE_BEGUN, ONLY_2, 8192);

        assertThat(text()).isEqualTo("""
                LEAK  1 leak · 1 buffer · 1 KiB (1024 B) still allocated after close_mesh_device      [5 allocated = 4 freed + 1 leaked]
                1. DRAM 1 KiB (1024 B) x 1   devices ○○●○   FREED_ON_OTHER_DEVICES: device 2 allocated 2 from this line and freed 1, by event #11; 3 of 4 devices allocated only 1 and freed all, so device 2 allocated 1 extra
                   -> at dev.example.KvCacheTest.decode(KvCacheTest.java:41)
                   the allocator reported 0x2000 (8192) as allocated when close began (event #14)
                   allocated in TEST (event #7) at 0x2000 (8192), unlabelled
                   4 of 5 buffers from this line were freed, in TEST; this one was first passed over at event #8

                Tracked  allocated                  remaining
                DRAM     5 buffers, 5 KiB (5120 B)  1 buffer, 1 KiB (1024 B)
                Teardown  freed                            remaining
                TEST      DRAM 1 KiB on each of 4 devices  DRAM 1 KiB on device 2
                CLOSE     nothing                          DRAM 1 KiB on device 2
                Timeline  live bytes, peak of the phase     peak -> end
                TEST      |##############################|  5 KiB -> 1 KiB
                CLOSE     |######                        |  1 KiB -> 1 KiB

                FREED_ON_OTHER_DEVICES: Free the buffer on every device it was allocated on; where the devices free in lock-step, report the free of every device.
                To expect a buffer (narrowest first):
                   @ExpectBuffers(type = DRAM, device = 2, size = 1024, atMost = 1, origin = "KvCacheTest.decode", because = "…")
                   as a line of a file: DRAM device 2 size 1024 count atMost 1 origin "KvCacheTest.decode" because "…\"""");
    }

    @Test
    void allDevicesAreAlike() {
        run.takeOneByOne(41, USER, 4096, ALL);
        run.takeOneByOne(41, USER, 8192, ALL);
        run.free(DRAM, 4096, OWNING, ALL);
        run.closeHolding(Moment.CLOSE_BEGUN, ALL, 8192);

        assertThat(text()).isEqualTo("""
                LEAK  1 leak · 4 buffers · 4 KiB (4096 B) still allocated after close_mesh_device      [8 allocated = 4 freed + 4 leaked]
                1. DRAM 1 KiB (1024 B) x 4   devices ●●●●   UNEXPLAINED: no free was reported
                   -> at dev.example.KvCacheTest.decode(KvCacheTest.java:41)
                   the allocator reported 0x2000 (8192) as allocated when close began (event #17)
                   allocated in TEST (events #7 to #10) at 0x2000 (8192), unlabelled
                   4 of 8 buffers from this line were freed, in TEST; these were first passed over at event #11
                   all 4 devices are alike: each allocated 2 and freed 1

                Tracked  allocated                  remaining
                DRAM     8 buffers, 8 KiB (8192 B)  4 buffers, 4 KiB (4096 B)
                Teardown  freed                            remaining
                TEST      DRAM 1 KiB on each of 4 devices  DRAM 1 KiB on each of 4 devices
                CLOSE     nothing                          DRAM 1 KiB on each of 4 devices
                Timeline  live bytes, peak of the phase     peak -> end
                TEST      |##############################|  8 KiB -> 4 KiB
                CLOSE     |###############               |  4 KiB -> 4 KiB

                UNEXPLAINED: Free the buffer before close_mesh_device.
                To expect a buffer (narrowest first):
                   @ExpectBuffers(type = DRAM, size = 1024, atMost = 4, origin = "KvCacheTest.decode", because = "…")
                   as a line of a file: DRAM size 1024 count atMost 4 origin "KvCacheTest.decode" because "…\"""");
    }

    @Test
    void oneDeviceAllocatedMoreAndFreedLess() {
        run.takeOneByOne(41, USER, 4096, ALL);
        run.takeOneByOne(41, USER, 8192, 2);
        run.free(DRAM, 4096, OWNING, ALL_BUT_2);
        run.closeHolding(Moment.CLOSE_BEGUN, ONLY_2, 4096, 8192);

        assertThat(text()).isEqualTo("""
                LEAK  1 leak · 2 buffers · 2 KiB (2048 B) still allocated after close_mesh_device      [5 allocated = 3 freed + 2 leaked]
                1. DRAM 1 KiB (1024 B) x 2   devices ○○●○   FREED_ON_OTHER_DEVICES: device 2 allocated 2 from this line and freed 0, by event #10; 3 of 4 devices allocated 1 and freed all
                   -> at dev.example.KvCacheTest.decode(KvCacheTest.java:41)
                   the allocator reported 0x1000 (4096) as allocated when close began (event #13)
                   allocated in TEST (events #5 to #7) at 0x1000 (4096), 0x2000 (8192), unlabelled
                   3 of 5 buffers from this line were freed, in TEST; these were first passed over at event #8

                Tracked  allocated                  remaining
                DRAM     5 buffers, 5 KiB (5120 B)  2 buffers, 2 KiB (2048 B)
                Teardown  freed                            remaining
                TEST      DRAM 1 KiB on each of 3 devices  DRAM 2 KiB on device 2
                CLOSE     nothing                          DRAM 2 KiB on device 2
                Timeline  live bytes, peak of the phase     peak -> end
                TEST      |##############################|  5 KiB -> 2 KiB
                CLOSE     |############                  |  2 KiB -> 2 KiB

                FREED_ON_OTHER_DEVICES: Free the buffer on every device it was allocated on; where the devices free in lock-step, report the free of every device.
                To expect a buffer (narrowest first):
                   @ExpectBuffers(type = DRAM, device = 2, size = 1024, atMost = 2, origin = "KvCacheTest.decode", because = "…")
                   as a line of a file: DRAM device 2 size 1024 count atMost 2 origin "KvCacheTest.decode" because "…\"""");
    }

    @Test
    void whereDevicesFreeInLockStepOnlyAReportIsMissing() {
        run.take(run.atLine(41, USER), DRAM, 4096, NON_OWNING, ALL);
        run.free(DRAM, 4096, NON_OWNING, ALL_BUT_2);
        run.close();

        assertThat(text()).isEqualTo("""
                MISREPORTED  all memory was freed, but the reported counts are wrong: 1 buffer, 1 KiB (1024 B), still live      [4 allocated = 3 freed + 1 misreported]
                1. DRAM 1 KiB (1024 B) x 1   devices ○○●○   FREED_ON_OTHER_DEVICES: 3 of 4 buffers of one mesh allocation were freed by event #9, device 2's never was
                   -> at dev.example.KvCacheTest.decode(KvCacheTest.java:41)
                   one allocator frees it on all devices at once, so only the report of device 2 can be missing
                   allocated in TEST (event #5) at 0x1000 (4096), unlabelled
                   3 of 4 buffers from this line were freed, in TEST; this one was first passed over at event #7

                Tracked  allocated                  remaining
                DRAM     4 buffers, 4 KiB (4096 B)  1 buffer, 1 KiB (1024 B)
                Teardown  freed                            remaining
                TEST      DRAM 1 KiB on each of 3 devices  DRAM 1 KiB on device 2
                CLOSE     nothing                          DRAM 1 KiB on device 2
                Timeline  live bytes, peak of the phase     peak -> end
                TEST      |##############################|  4 KiB -> 1 KiB
                CLOSE     |########                      |  1 KiB -> 1 KiB

                FREED_ON_OTHER_DEVICES: Free the buffer on every device it was allocated on; where the devices free in lock-step, report the free of every device.
                To expect a buffer (narrowest first):
                   @ExpectBuffers(type = DRAM, device = 2, size = 1024, atMost = 1, origin = "KvCacheTest.decode", because = "…")
                   as a line of a file: DRAM device 2 size 1024 count atMost 1 origin "KvCacheTest.decode" because "…\"""");
    }

    @Test
    void aHandleIsStillReferenced() {
        MemoryRequest request = run.atLine(41, USER.labelled("kv-cache"));
        run.take(request, DRAM, 4096, OWNING, ALL);
        run.closeHolding(Moment.CLOSE_BEGUN, ALL, 4096);
        run.tracker()
                .traced(
                        request,
                        Reachability.heldBy(List.of("KvCacheTest.generator", "Model.weights", "ArrayList[12]")));

        assertThat(text()).isEqualTo("""
                LEAK  1 leak · 4 buffers · 4 KiB (4096 B) still allocated after close_mesh_device      [4 allocated = 0 freed + 4 leaked]
                1. DRAM 1 KiB (1024 B) x 4   devices ●●●●   HELD: still referenced by KvCacheTest.generator -> Model.weights -> ArrayList[12] (event #12)
                   -> at dev.example.KvCacheTest.decode(KvCacheTest.java:41)
                   the allocator reported 0x1000 (4096) as allocated when close began (event #9)
                   allocated in TEST (events #3 to #6) at 0x1000 (4096), label "kv-cache"

                Tracked  allocated                  remaining
                DRAM     4 buffers, 4 KiB (4096 B)  4 buffers, 4 KiB (4096 B)
                Teardown  freed    remaining
                CLOSE     nothing  DRAM 1 KiB on each of 4 devices
                Timeline  live bytes, peak of the phase     peak -> end
                TEST      |##############################|  4 KiB -> 4 KiB
                CLOSE     |##############################|  4 KiB -> 4 KiB

                HELD: Free the buffer before close_mesh_device, or drop the reference if the handle frees on collection.
                To expect a buffer (narrowest first):
                   @ExpectBuffers(type = DRAM, size = 1024, atMost = 4, label = "kv-cache", origin = "KvCacheTest.decode", because = "…")
                   as a line of a file: DRAM size 1024 count atMost 4 label "kv-cache" origin "KvCacheTest.decode" because "…\"""");
    }

    @Test
    void aHandleIsReferencedFromWhereNobodyLooked() {
        MemoryRequest request = run.atLine(41, USER.labelled("kv-cache"));
        run.take(request, DRAM, 4096, OWNING, ALL);
        run.closeHolding(Moment.CLOSE_BEGUN, ALL, 4096);
        run.tracker().traced(request, Reachability.held());

        assertThat(text()).isEqualTo("""
                LEAK  1 leak · 4 buffers · 4 KiB (4096 B) still allocated after close_mesh_device      [4 allocated = 0 freed + 4 leaked]
                1. DRAM 1 KiB (1024 B) x 4   devices ●●●●   HELD: its handle is still reachable, but from none of the objects that were searched (event #12)
                   -> at dev.example.KvCacheTest.decode(KvCacheTest.java:41)
                   the allocator reported 0x1000 (4096) as allocated when close began (event #9)
                   allocated in TEST (events #3 to #6) at 0x1000 (4096), label "kv-cache"

                Tracked  allocated                  remaining
                DRAM     4 buffers, 4 KiB (4096 B)  4 buffers, 4 KiB (4096 B)
                Teardown  freed    remaining
                CLOSE     nothing  DRAM 1 KiB on each of 4 devices
                Timeline  live bytes, peak of the phase     peak -> end
                TEST      |##############################|  4 KiB -> 4 KiB
                CLOSE     |##############################|  4 KiB -> 4 KiB

                HELD: Free the buffer before close_mesh_device, or drop the reference if the handle frees on collection.
                To expect a buffer (narrowest first):
                   @ExpectBuffers(type = DRAM, size = 1024, atMost = 4, label = "kv-cache", origin = "KvCacheTest.decode", because = "…")
                   as a line of a file: DRAM size 1024 count atMost 4 label "kv-cache" origin "KvCacheTest.decode" because "…\"""");
    }

    @Test
    void noHandleIsReachable() {
        MemoryRequest request = run.atLine(41, USER.labelled("kv-cache"));
        run.take(request, DRAM, 4096, OWNING, ALL);
        run.closeHolding(Moment.CLOSE_BEGUN, ALL, 4096);
        run.tracker().traced(request, Reachability.lost());

        assertThat(text()).isEqualTo("""
                LEAK  1 leak · 4 buffers · 4 KiB (4096 B) still allocated after close_mesh_device      [4 allocated = 0 freed + 4 leaked]
                1. DRAM 1 KiB (1024 B) x 4   devices ●●●●   LOST: no handle to it is reachable any more, and no free of it was reported (event #12)
                   -> at dev.example.KvCacheTest.decode(KvCacheTest.java:41)
                   the allocator reported 0x1000 (4096) as allocated when close began (event #9)
                   allocated in TEST (events #3 to #6) at 0x1000 (4096), label "kv-cache"

                Tracked  allocated                  remaining
                DRAM     4 buffers, 4 KiB (4096 B)  4 buffers, 4 KiB (4096 B)
                Teardown  freed    remaining
                CLOSE     nothing  DRAM 1 KiB on each of 4 devices
                Timeline  live bytes, peak of the phase     peak -> end
                TEST      |##############################|  4 KiB -> 4 KiB
                CLOSE     |##############################|  4 KiB -> 4 KiB

                LOST: Keep the handle until the buffer is freed: without it, no code can free it.
                To expect a buffer (narrowest first):
                   @ExpectBuffers(type = DRAM, size = 1024, atMost = 4, label = "kv-cache", origin = "KvCacheTest.decode", because = "…")
                   as a line of a file: DRAM size 1024 count atMost 4 label "kv-cache" origin "KvCacheTest.decode" because "…\"""");
    }

    @Test
    void nothingProvesAnythingButThatTheFreeIsMissing() {
        run.take(run.atLine(41, USER), DRAM, 4096, OWNING, ALL);
        run.closeHolding(Moment.CLOSE_BEGUN, ALL, 4096);

        assertThat(text()).isEqualTo("""
                LEAK  1 leak · 4 buffers · 4 KiB (4096 B) still allocated after close_mesh_device      [4 allocated = 0 freed + 4 leaked]
                1. DRAM 1 KiB (1024 B) x 4   devices ●●●●   UNEXPLAINED: no free was reported
                   -> at dev.example.KvCacheTest.decode(KvCacheTest.java:41)
                   the allocator reported 0x1000 (4096) as allocated when close began (event #9)
                   allocated in TEST (events #3 to #6) at 0x1000 (4096), unlabelled

                Tracked  allocated                  remaining
                DRAM     4 buffers, 4 KiB (4096 B)  4 buffers, 4 KiB (4096 B)
                Teardown  freed    remaining
                CLOSE     nothing  DRAM 1 KiB on each of 4 devices
                Timeline  live bytes, peak of the phase     peak -> end
                TEST      |##############################|  4 KiB -> 4 KiB
                CLOSE     |##############################|  4 KiB -> 4 KiB

                UNEXPLAINED: Free the buffer before close_mesh_device.
                To expect a buffer (narrowest first):
                   @ExpectBuffers(type = DRAM, size = 1024, atMost = 4, origin = "KvCacheTest.decode", because = "…")
                   as a line of a file: DRAM size 1024 count atMost 4 origin "KvCacheTest.decode" because "…\"""");
    }

    @Test
    void anAllocatorHeldForAWhileWhatNobodyReported() {
        run.take(run.atLine(41, USER), DRAM, 4096, OWNING, ALL);
        run.free(DRAM, 4096, OWNING, ALL);
        run.tracker().meshClosing(0);
        run.tracker()
                .witnessed(WitnessSnapshot.of(0, Moment.CLOSE_BEGUN)
                        .region(2, DRAM, 8192)
                        .build());
        run.tracker()
                .witnessed(WitnessSnapshot.of(0, Moment.BEFORE_WIPE)
                        .region(2, DRAM)
                        .build());
        run.tracker().meshClosed(0);
        run.tracker().checked();

        assertThat(text()).isEqualTo("""
                MISREPORTED  all memory was freed, but the reported counts are wrong: 1 buffer never reported      [4 allocated = 4 freed]
                1. memory that no report mentions: DRAM 0x2000 (8192) on device 2 (event #12)
                   the allocator held it when close began, and no more before it was wiped

                Tracked  allocated                  remaining
                DRAM     4 buffers, 4 KiB (4096 B)  nothing
                Teardown  freed                            remaining
                TEST      DRAM 1 KiB on each of 4 devices  nothing
                Timeline  live bytes, peak of the phase     peak -> end
                TEST      |##############################|  4 KiB -> 0 B""");
    }

    /** A leak, wrong reported counts, missing reports, an unmatched required entry, and two meshes over one device. */
    @Test
    void everythingAtOnce() {
        run.open(MeshDescription.of(1, "1x2 submesh", List.of(0, 1)).withParent(0));
        MemoryRequest cache = run.atLine(41, USER.onMesh(0).labelled("kv-cache"));
        run.take(cache, DRAM, 4096, OWNING, ALL);
        run.take(run.atLine(43, USER.onMesh(0)), DRAM, 8192, OWNING, ALL);
        run.take(run.atLine(47, USER.onMesh(0).labelled("rotary table")), DRAM, 16_384, OWNING, ALL);
        MemoryRequest activations = run.atLine(52, USER.onMesh(1));
        run.take(activations, DRAM, 4096, OWNING, 0);
        run.tracker().reportsLost(3, "the socket's buffer was full");
        run.free(DRAM, 64, OWNING, 3);
        run.tracker().phase(Phase.CLOSE);
        run.closeMeshHolding(1, Moment.CLOSE_BEGUN, new int[] {0}, 4096);
        run.closeMeshHolding(0, Moment.CLOSE_BEGUN, ALL, 4096, 16_384);
        run.tracker().checked();
        run.tracker().traced(cache, Reachability.heldBy(List.of("KvCacheTest.cache", "ArrayList[0]")));
        run.tracker().traced(activations, Reachability.lost());

        assertThat(text(ROTARY_TABLE)).isEqualTo("""
                LEAK  2 leaks · 5 buffers · 5 KiB (5120 B) still allocated after close_mesh_device      [13 allocated = 0 freed + 5 leaked + 4 misreported + 4 expected]
                1. DRAM 1 KiB (1024 B) x 4   devices ●●●●   HELD: still referenced by KvCacheTest.cache -> ArrayList[0] (event #27)
                   -> at dev.example.KvCacheTest.decode(KvCacheTest.java:41)
                   the allocator of mesh 0 reported 0x1000 (4096) as allocated when close began (event #24)
                   allocated in TEST (events #4 to #7) at 0x1000 (4096), allocated by mesh 0 (1x4 mesh), label "kv-cache"
                2. DRAM 1 KiB (1024 B) x 1   devices ●○○○   LOST: no handle to it is reachable any more, and no free of it was reported (event #28)
                   -> at dev.example.KvCacheTest.decode(KvCacheTest.java:52)
                   the allocator of mesh 1 reported 0x1000 (4096) as allocated when close began (event #21)
                   allocated in TEST (event #16) at 0x1000 (4096), allocated by mesh 1 (1x2 submesh of mesh 0), unlabelled

                INCONCLUSIVE  it cannot be known whether all memory was freed
                3. 3 reports are missing (event #17: the socket's buffer was full).

                MISREPORTED  the reported counts are wrong as well: 4 buffers, 4 KiB (4096 B), still live; 1 free of nothing
                4. DRAM 1 KiB (1024 B) x 4   devices ●●●●   FREE_UNREPORTED: the allocator of mesh 0 reported 0x2000 (8192) as free when close began (event #24)
                   -> at dev.example.KvCacheTest.decode(KvCacheTest.java:43)
                   allocated in TEST (events #8 to #11) at 0x2000 (8192), allocated by mesh 0 (1x4 mesh), unlabelled
                5. free of an unknown address: DRAM 0x40 (64) on device 3 (event #18)
                   no buffer was ever reported there

                STALE  1 expectation promises more than survived
                6. 4 buffers survived, 4 KiB (4096 B): DRAM, label "rotary table", exactly 8 buffers, because "shared by all tests" at meshguard-expected.txt:1
                   if fewer are right, expect the survivors:
                   @ExpectBuffers(type = DRAM, exactly = 4, label = "rotary table", because = "shared by all tests")
                   as a line of a file: DRAM count exactly 4 label "rotary table" because "shared by all tests"

                OVERLAP  two meshes held the same memory at a time, so each may have overwritten the other's data: 1 buffer
                7. DRAM 1 KiB (1024 B) x 1   devices ●○○○   allocated by mesh 1 (1x2 submesh of mesh 0) at 0x1000 (4096), event #16

                Tracked  allocated                     remaining
                DRAM     13 buffers, 13 KiB (13312 B)  13 buffers, 13 KiB (13312 B)

                Expected and present: 4 buffers, 4 KiB (4096 B) (DRAM, label "rotary table", exactly 8 buffers, because "shared by all tests" at meshguard-expected.txt:1)
                FREE_UNREPORTED: Report the free in every path that releases the buffer (views, early returns, closed devices); the memory itself was freed.
                HELD: Free the buffer before close_mesh_device, or drop the reference if the handle frees on collection.
                LOST: Keep the handle until the buffer is freed: without it, no code can free it.
                OVERLAP: Free what one mesh holds on a device before another mesh over it takes memory, or use one mesh only: each has an allocator of its own that knows nothing of the others'.
                To expect a buffer (narrowest first):
                   @ExpectBuffers(type = DRAM, size = 1024, atMost = 4, label = "kv-cache", origin = "KvCacheTest.decode", because = "…")
                   as a line of a file: DRAM size 1024 count atMost 4 label "kv-cache" origin "KvCacheTest.decode" because "…\"""");
    }

    @Test
    void tenThousandLeaksOfEveryCauseFitOnAScreen() {
        Owner prefetcher = new Owner(Owner.Kind.DISPATCH, "prefetcher");
        run.tracker().ownerCached(ADD, "program cache");
        for (int i = 0; i < 10_000; i++) {
            AllocationDetails details = List.of(
                            USER, USER.ownedBy(ADD), AllocationDetails.system(prefetcher), USER.reportedBy(4711))
                    .get(i % 4);
            MemoryRequest request = run.atLine(i, details.labelled("buffer " + i));
            run.take(request, DRAM, 4096 + 1024L * i, OWNING, i % 4);
            if (i % 12 == 0) {
                run.tracker().traced(request, i % 24 == 0 ? Reachability.held() : Reachability.lost());
            }
        }
        run.tracker().processDied(4711);
        run.close();

        VerdictReport report = report("");
        Set<Cause> told = report.verdict().survivors().stream()
                .map(survivor -> survivor.cause())
                .collect(Collectors.toCollection(() -> EnumSet.noneOf(Cause.class)));

        assertThat(report.verdict().sum().leaked()).isEqualTo(10_000);
        assertThat(told)
                .containsExactly(
                        Cause.PROCESS_DIED, Cause.CACHED, Cause.SYSTEM, Cause.HELD, Cause.LOST, Cause.UNEXPLAINED);
        assertThat(report.text().lines()).hasSizeLessThanOrEqualTo(40);
    }

    @Test
    void thousandsOfEntriesThatDoNotHoldFitOnAScreen() {
        run.takeOneByOne(41, USER, 4096, 0);
        run.close();
        String file = IntStream.range(0, 5_000)
                .mapToObj(i -> i % 2 == 0
                        ? "DRAM count between 2-" + (i + 9) + " because \"promise " + i + "\"\n"
                        : "DRAM until 2026-01-01 because \"promise " + i + "\"\n")
                .collect(Collectors.joining());

        assertThat(text(file).lines()).hasSizeLessThanOrEqualTo(40);
    }

    /** Every type and lifetime of memory, every cause, every section, entries that match and entries that do not. */
    @Test
    void whateverThereIsToSayFitsOnAScreen() {
        run.open(MeshDescription.of(1, "1x2 submesh", List.of(0, 1)).withParent(0));
        run.tracker().ownerCached(ADD, "program cache");
        Owner over = Owner.program("8 (matmul)");
        for (BufferType type : BufferType.values()) {
            for (BufferLifetime lifetime : BufferLifetime.values()) {
                long address = 0x1000L * (1 + lifetime.ordinal());
                AllocationDetails details = USER.withLifetime(lifetime).labelled(type + " " + lifetime);
                run.take(run.atLine(10 + lifetime.ordinal(), details.onMesh(0)), type, address, OWNING, ALL);
                run.take(run.atLine(20 + lifetime.ordinal(), details.onMesh(1)), type, address, OWNING, 0, 1);
            }
        }
        run.take(run.atLine(31, USER.onMesh(0).ownedBy(ADD)), DRAM, 0x8000, OWNING, ALL);
        run.take(run.atLine(32, AllocationDetails.circularBuffer(over)), L1, 101_152, OWNING, 0);
        run.tracker().ownerEnded(over);
        run.take(run.atLine(33, USER.onMesh(0).reportedBy(4711)), DRAM, 0x9000, OWNING, ALL);
        run.tracker().processDied(4711);
        run.takeOneByOne(34, USER.onMesh(0), 0xa000, ALL);
        run.free(DRAM, 0xa000, OWNING, ALL_BUT_2);
        MemoryRequest twice = run.atLine(35, USER.onMesh(0));
        run.take(twice, DRAM, 0xb000, OWNING, 0);
        run.take(twice, DRAM, 0xb000, NON_OWNING, 0);
        run.free(DRAM, 0xb000, OWNING, 0);
        MemoryRequest held = run.atLine(36, USER.onMesh(0));
        run.take(held, DRAM, 0xc000, OWNING, ALL);
        MemoryRequest lost = run.atLine(37, USER.onMesh(0));
        run.take(lost, DRAM, 0xd000, OWNING, ALL);
        run.take(run.atLine(38, USER.onMesh(0)), DRAM, 0xe000, OWNING, ALL);
        run.take(run.atLine(39, USER.onMesh(0)), DRAM, 0xf000, OWNING, ALL);
        Owner trace = new Owner(Owner.Kind.TRACE, "3");
        run.take(run.atLine(40, USER.onMesh(0).ownedBy(trace)), DRAM, 0x11000, OWNING, ALL);
        run.tracker().ownerEnded(trace);
        for (int i = 0; i < 9; i++) {
            run.tracker().reportsLost(3, "reason " + i);
            run.free(DRAM, 64 + i, OWNING, 3);
        }
        run.tracker().phase(Phase.CLOSE);
        run.closeMeshHolding(1, Moment.CLOSE_BEGUN, new int[] {0, 1}, 0x1000, 0x2000, 0x3000);
        run.closeMeshHolding(
                0,
                Moment.CLOSE_BEGUN,
                ALL,
                0x1000,
                0x2000,
                0x3000,
                0x8000,
                0x9000,
                0xa000,
                0xc000,
                0xd000,
                0xf000,
                0x11000);
        run.tracker().checked();
        run.tracker().traced(held, Reachability.held());
        run.tracker().traced(lost, Reachability.lost());
        run.free(DRAM, 0xf000, OWNING, ALL);

        VerdictReport report = report("""
                DRAM label "DRAM USER" count exactly 80 because "shared by all tests"
                L1 label "L1 USER" until 2026-01-01 because "until the driver is mended"
                TRACE label nothing because "telemetry"
                """);

        assertThat(report.verdict().groups().stream().map(SurvivorGroup::cause)).contains(Cause.values());
        assertThat(report.sections()).hasSize(6);
        assertThat(report.noting("one")
                        .noting("two")
                        .reproducedBy("mvn test")
                        .text()
                        .lines())
                .hasSizeLessThanOrEqualTo(40)
                .endsWith("Reproduce: mvn test")
                .contains("… and 6 more remedies");
    }

    private String text() {
        return text("");
    }

    private String text(String expected) {
        return report(expected).text();
    }

    private VerdictReport report(String expected) {
        return VerdictReport.of(LeakCheck.create()
                .expecting(ExpectedBuffers.parse(expected, "meshguard-expected.txt"))
                .examine(run.history()));
    }
}
