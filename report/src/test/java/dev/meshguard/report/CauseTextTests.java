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
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.SurvivorGroup;
import dev.meshguard.verdict.expectation.ExpectedBuffers;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
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
                LEAK  4 KiB in 4 DRAM buffers of process 4711, PROCESS_DIED; allocated in KvCacheTest.java:41

                1. DRAM  4 x 1 KiB, one on each of devices 0-3
                   at dev.example.KvCacheTest.decode(KvCacheTest.java:41)
                   why   PROCESS_DIED: process 4711 allocated it (events #3 to #6) and ended (event #7) without freeing it
                   fix   Free it before the process ends, on the paths of errors and signals too; a runtime that is killed frees
                         nothing.
                   seen  allocated in TEST (events #3 to #6)

                sum     4 allocated = 0 freed + 4 leaked
                expect  @ExpectBuffers(type = DRAM, size = 1024, atMost = 4, origin = "KvCacheTest.decode", because = "…")""");
    }

    @Test
    void ofTwoProcessesThatUseOneAddressTheOneThatDidNotFreeIsNamed() {
        AllocationTracker tracker =
                AllocationTracker.builder().bankedAddresses().build();
        MemoryRequest child = tracker.requestOfProcess(USER.reportedBy(4712), Optional.empty());
        tracker.allocated(tracker.requestOfProcess(USER.reportedBy(4711), Optional.empty()), 0, DRAM, 64, 4096, OWNING);
        tracker.allocated(child, 0, DRAM, 64, 4096, OWNING);
        tracker.freed(tracker.requestOfProcess(USER.reportedBy(4711), Optional.empty()), 0, DRAM, 64, OWNING);
        tracker.checked();

        assertThat(VerdictReport.of(LeakCheck.create().examine(tracker.history()))
                        .text())
                .startsWith("LEAK  4 KiB in 1 DRAM buffer of process 4712, ");
    }

    @Test
    void whatIsFreedAfterTheCheckIsLate() {
        run.take(run.atLine(41, USER.labelled("kv-cache")), DRAM, 4096, OWNING, ALL);
        run.closeHolding(Moment.CLOSE_BEGUN, ALL, 4096);
        run.free(DRAM, 4096, OWNING, ALL);

        assertThat(text()).isEqualTo("""
                FREED_LATE  4 KiB in 4 DRAM buffers were freed only after close_mesh_device began (KvCacheTest.java:41)

                1. DRAM  4 x 1 KiB, one on each of devices 0-3, label "kv-cache"
                   at dev.example.KvCacheTest.decode(KvCacheTest.java:41)
                   why   LATE: freed at events #12 to #15, after close began (event #8)
                   fix   Free it before close_mesh_device begins; in try-with-resources, declare the buffer after the mesh, so that it
                         is closed first.
                   seen  allocated in TEST (events #3 to #6)
                         the allocator reported 0x1000 (4096) as allocated when close began (event #9)

                sum     4 allocated = 0 freed + 4 freed late
                expect  @ExpectBuffers(type = DRAM, size = 1024, atMost = 4, label = "kv-cache", origin = "KvCacheTest.decode", because = "…")""");
    }

    @Test
    void oneAllocationWasReportedTwiceAndFreedOnce() {
        MemoryRequest request = run.atLine(41, USER);
        run.take(request, DRAM, 4096, OWNING, 0);
        run.take(request, DRAM, 4096, NON_OWNING, 0);
        run.free(DRAM, 4096, OWNING, 0);
        run.closeHolding(Moment.CLOSE_BEGUN, NONE);

        assertThat(text()).isEqualTo("""
                MISREPORTED  no memory leaked; 1 DRAM buffer (1 KiB) lacks a free report: REPORTED_TWICE

                1. DRAM  1 KiB on device 0
                   at dev.example.KvCacheTest.decode(KvCacheTest.java:41)
                   why   REPORTED_TWICE: reported 2 times at one live address (events #3, #4), freed once
                   fix   Report one buffer object per physical allocation, or report the free of every object that was reported; the
                         memory itself was freed.
                   seen  allocated in TEST (event #4)
                         the allocator reported 0x1000 (4096) as free when close began (event #8)
                         the view of event #4 was destroyed without a report; the buffer that it looked at was freed at event #5

                sum     1 allocated = 0 freed + 1 misreported
                expect  until the reports are right: @ExpectBuffers(type = DRAM, device = 0, size = 1024, atMost = 1, origin = "KvCacheTest.decode", because = "…")""");
    }

    @Test
    void theWitnessCallsFreeWhatNobodyReportedFreed() {
        run.take(run.atLine(41, USER), DRAM, 4096, OWNING, ALL);
        run.closeHolding(Moment.CLOSE_BEGUN, NONE);

        assertThat(text()).isEqualTo("""
                MISREPORTED  no memory leaked; 4 DRAM buffers (4 KiB) lack a free report: FREE_UNREPORTED

                1. DRAM  4 x 1 KiB, one on each of devices 0-3
                   at dev.example.KvCacheTest.decode(KvCacheTest.java:41)
                   why   FREE_UNREPORTED: the allocator reported 0x1000 (4096) as free when close began (event #9)
                   fix   Report the free in every path that releases the buffer (views, early returns, closed devices); the memory
                         itself was freed.
                   seen  allocated in TEST (events #3 to #6)

                sum     4 allocated = 0 freed + 4 misreported
                expect  until the reports are right: @ExpectBuffers(type = DRAM, size = 1024, atMost = 4, origin = "KvCacheTest.decode", because = "…")""");
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
                FREED_LATE  1 KiB in 1 DRAM buffer was freed only after close_mesh_device began (KvCacheTest.java:41)

                1. DRAM  1 KiB on device 0
                   at dev.example.KvCacheTest.decode(KvCacheTest.java:41)
                   why   LATE: its handle was released at event #8, after close began (event #5), at
                         dev.example.KvCacheTest.decode(KvCacheTest.java:57)
                   fix   Free it before close_mesh_device begins; in try-with-resources, declare the buffer after the mesh, so that it
                         is closed first.
                   seen  allocated in TEST (event #4)

                sum     1 allocated = 0 freed + 1 freed late
                expect  @ExpectBuffers(type = DRAM, device = 0, size = 1024, atMost = 1, origin = "KvCacheTest.decode", because = "…")""");
    }

    @Test
    void theProgramOfACircularBufferEnded() {
        run.take(run.atLine(41, AllocationDetails.circularBuffer(ADD)), L1, 101_152, OWNING, 0);
        run.tracker().ownerEnded(ADD);
        run.closeHolding(Moment.CLOSE_BEGUN, NONE);

        assertThat(text()).isEqualTo("""
                MISREPORTED  no memory leaked; 1 L1 buffer (1 KiB) lacks a free report: CIRCULAR_BUFFER_UNREPORTED

                1. L1  1 KiB on device 0, owned by program 7 (add)
                   at dev.example.KvCacheTest.decode(KvCacheTest.java:41)
                   why   CIRCULAR_BUFFER_UNREPORTED: program 7 (add) ended at event #4, and its free was never reported
                   fix   Report the end of a program's circular buffers when the program ends; they take no allocator memory.
                   seen  allocated in TEST (event #3)
                         circular buffers lie outside the allocator, so closing the device cannot free it

                sum     1 allocated = 0 freed + 1 misreported
                expect  until the reports are right: @ExpectBuffers(type = L1, device = 0, size = 1024, atMost = 1, origin = "KvCacheTest.decode", because = "…")""");
    }

    @Test
    void aHeadlineOfWrongReportsIsNotWiderThanOthers() {
        run.take(run.atLine(41, AllocationDetails.circularBuffer(ADD)), L1, 101_152, OWNING, 0);
        run.tracker().ownerEnded(ADD);
        run.free(DRAM, 64, OWNING, ALL);
        run.closeHolding(Moment.CLOSE_BEGUN, NONE);

        assertThat(text())
                .startsWith(
                        "MISREPORTED  no memory leaked; 1 L1 buffer (1 KiB) lacks a free report; 4 frees of nothing\n");
    }

    @Test
    void aCachedProgramKeepsItsBinaryAndItsCircularBuffers() {
        run.tracker().ownerCached(ADD, "program cache");
        run.take(run.atLine(41, AllocationDetails.circularBuffer(ADD)), L1, 101_152, OWNING, 0);
        run.take(run.atLine(41, USER.ownedBy(ADD)), DRAM, 4096, OWNING, ALL);
        run.closeHolding(Moment.CLOSE_BEGUN, ALL, 4096);

        assertThat(text()).isEqualTo("""
                LEAK  5 KiB in 5 buffers, CACHED; allocated in KvCacheTest.java:41

                1. DRAM  4 x 1 KiB, one on each of devices 0-3, owned by program 7 (add), and 1 buffer (1 KiB) with them
                   at dev.example.KvCacheTest.decode(KvCacheTest.java:41)
                   why   CACHED: program 7 (add) has been in the program cache since event #3 and never left it
                   fix   Call mesh.disableAndClearProgramCache() before ttnn.closeMeshDevice(mesh): closing a mesh does not clear the
                         program cache.
                   seen  allocated in TEST (events #5 to #8)
                   with  L1  1 KiB on device 0, owned by program 7 (add)

                sum     5 allocated = 0 freed + 5 leaked
                expect  @ExpectBuffers(type = DRAM, size = 1024, atMost = 4, origin = "KvCacheTest.decode", because = "…")""");
    }

    @Test
    void aTraceKeepsWhatItNeeds() {
        Owner trace = new Owner(Owner.Kind.TRACE, "3");
        run.tracker().ownerCached(trace, "trace pool");
        run.take(run.atLine(41, USER.ownedBy(trace)), DRAM, 4096, OWNING, ALL);
        run.take(run.atLine(44, USER.ownedBy(trace)), TRACE, 8192, OWNING, ALL);
        run.closeHolding(Moment.CLOSE_BEGUN, ALL, 4096);

        assertThat(text()).isEqualTo("""
                LEAK  8 KiB in 8 buffers, CACHED; allocated in KvCacheTest.java:44

                1. TRACE  4 x 1 KiB, one on each of devices 0-3, owned by trace 3, and 4 buffers (4 KiB) with them
                   at dev.example.KvCacheTest.decode(KvCacheTest.java:44)
                   why   CACHED: trace 3 has been in the trace pool since event #3 and never left it
                   fix   Release the trace before ttnn.closeMeshDevice(mesh): closing a mesh does not.
                   seen  allocated in TEST (events #8 to #11)
                   with  DRAM  4 x 1 KiB (4 KiB) on devices 0-3, owned by trace 3

                sum     8 allocated = 0 freed + 8 leaked
                expect  @ExpectBuffers(type = TRACE, size = 1024, atMost = 4, origin = "KvCacheTest.decode", because = "…")""");
    }

    @Test
    void aTraceThatWasReleasedKeptItsBuffer() {
        Owner trace = new Owner(Owner.Kind.TRACE, "3");
        run.tracker().ownerCached(trace, "trace pool");
        run.take(run.atLine(44, USER.ownedBy(trace)), DRAM, 8192, OWNING, ALL);
        run.tracker().ownerEnded(trace);
        run.closeHolding(Moment.CLOSE_BEGUN, ALL, 8192);

        assertThat(text()).isEqualTo("""
                LEAK  4 KiB in 4 DRAM buffers, KEPT_AFTER_RELEASE; allocated in KvCacheTest.java:44

                1. DRAM  4 x 1 KiB, one on each of devices 0-3, owned by trace 3
                   at dev.example.KvCacheTest.decode(KvCacheTest.java:44)
                   why   KEPT_AFTER_RELEASE: trace 3 was released at event #8, and its buffer was not freed
                   fix   Drop the references to the trace's buffer before the trace is released: the trace is gone, and a second release
                         does nothing.
                   seen  allocated in TEST (events #4 to #7)
                         the allocator reported 0x2000 (8192) as allocated when close began (event #11)

                sum     4 allocated = 0 freed + 4 leaked
                expect  @ExpectBuffers(type = DRAM, size = 1024, atMost = 4, origin = "KvCacheTest.decode", because = "…")""");
    }

    @Test
    void theRuntimeLeftMemoryOfItsOwn() {
        Owner prefetcher = new Owner(Owner.Kind.DISPATCH, "prefetcher");
        run.take(run.atLine(41, AllocationDetails.system(prefetcher)), DRAM, 4096, OWNING, ALL);
        run.closeHolding(Moment.BEFORE_WIPE, ALL, 4096);

        assertThat(text()).isEqualTo("""
                LEAK  4 KiB in 4 DRAM buffers, SYSTEM; allocated in KvCacheTest.java:41

                1. DRAM  4 x 1 KiB, one on each of devices 0-3, owned by dispatch "prefetcher"
                   at dev.example.KvCacheTest.decode(KvCacheTest.java:41)
                   why   SYSTEM: owned by dispatch "prefetcher", lifetime SYSTEM: the runtime has to free it at close
                   fix   Free it where its owner shuts down, or expect it with a reason.
                   seen  allocated in TEST (events #3 to #6)
                         the allocator reported 0x1000 (4096) as allocated before the allocators were wiped (event #9)

                sum     4 allocated = 0 freed + 4 leaked
                expect  @ExpectBuffers(type = DRAM, size = 1024, atMost = 4, origin = "KvCacheTest.decode", because = "…")""");
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
                CLEAN  only expected memory remains: 4 KiB in 4 buffers
                Expected and present: 4 buffers of lifetime PERSISTENT
                sum     4 allocated = 0 freed + 4 expected""");
    }

    @Test
    void oneDeviceNeverFreed() {
        run.takeOneByOne(41, USER, 4096, ALL);
        run.free(DRAM, 4096, OWNING, ALL_BUT_2);
        run.closeHolding(Moment.CLOSE_BEGUN, ONLY_2, 4096);

        assertThat(text()).isEqualTo("""
                LEAK  1 KiB in 1 DRAM buffer, FREED_ON_OTHER_DEVICES; allocated in KvCacheTest.java:41

                1. DRAM  1 KiB on device 2
                   at dev.example.KvCacheTest.decode(KvCacheTest.java:41)
                   why   FREED_ON_OTHER_DEVICES: 3 of 4 single-device buffers were freed by event #9, device 2's never was
                   fix   Free the buffer on every device it was allocated on.
                   seen  allocated in TEST (event #5)
                         the allocator reported 0x1000 (4096) as allocated when close began (event #12)
                         3 of 4 buffers from this line were freed, in TEST; this one was first passed over at event #7

                sum     4 allocated = 3 freed + 1 leaked
                expect  @ExpectBuffers(type = DRAM, device = 2, size = 1024, atMost = 1, origin = "KvCacheTest.decode", because = "…")""");
    }

    @Test
    void allDevicesAreAlike() {
        run.takeOneByOne(41, USER, 4096, ALL);
        run.takeOneByOne(41, USER, 8192, ALL);
        run.free(DRAM, 4096, OWNING, ALL);
        run.closeHolding(Moment.CLOSE_BEGUN, ALL, 8192);

        assertThat(text()).isEqualTo("""
                LEAK  4 KiB in 4 DRAM buffers, UNEXPLAINED; allocated in KvCacheTest.java:41

                1. DRAM  4 x 1 KiB, one on each of devices 0-3
                   at dev.example.KvCacheTest.decode(KvCacheTest.java:41)
                   why   UNEXPLAINED: no free was reported
                   fix   Free the buffer before close_mesh_device.
                   seen  allocated in TEST (events #7 to #10)
                         the allocator reported 0x2000 (8192) as allocated when close began (event #17)
                         4 of 8 buffers from this line were freed, in TEST; these were first passed over at event #11
                         all 4 devices are alike: each allocated 2 and freed 1

                sum     8 allocated = 4 freed + 4 leaked
                expect  @ExpectBuffers(type = DRAM, size = 1024, atMost = 4, origin = "KvCacheTest.decode", because = "…")""");
    }

    @Test
    void whereDevicesFreeInLockStepOnlyAReportIsMissing() {
        run.take(run.atLine(41, USER), DRAM, 4096, NON_OWNING, ALL);
        run.free(DRAM, 4096, NON_OWNING, ALL_BUT_2);
        run.close();

        assertThat(text()).isEqualTo("""
                MISREPORTED  no memory leaked; 1 DRAM buffer (1 KiB) lacks a free report: FREED_ON_OTHER_DEVICES

                1. DRAM  1 KiB on device 2
                   at dev.example.KvCacheTest.decode(KvCacheTest.java:41)
                   why   FREED_ON_OTHER_DEVICES: 3 of 4 buffers of one mesh allocation were freed by event #9, device 2's never was
                   fix   Report the free of every device.
                   seen  allocated in TEST (event #5)
                         one allocator frees it on all devices at once, so only the report of device 2 can be missing
                         3 of 4 buffers from this line were freed, in TEST; this one was first passed over at event #7

                sum     4 allocated = 3 freed + 1 misreported
                expect  until the reports are right: @ExpectBuffers(type = DRAM, device = 2, size = 1024, atMost = 1, origin = "KvCacheTest.decode", because = "…")""");
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
                LEAK  4 KiB in 4 DRAM buffers, HELD by Model.weights; allocated in KvCacheTest.java:41

                1. DRAM  4 x 1 KiB, one on each of devices 0-3, label "kv-cache"
                   at dev.example.KvCacheTest.decode(KvCacheTest.java:41)
                   why   HELD: still referenced by KvCacheTest.generator -> Model.weights -> ArrayList[12] (event #12)
                   fix   Free the buffer before close_mesh_device, or drop the reference if the handle frees on collection.
                   seen  allocated in TEST (events #3 to #6)
                         the allocator reported 0x1000 (4096) as allocated when close began (event #9)

                sum     4 allocated = 0 freed + 4 leaked
                expect  @ExpectBuffers(type = DRAM, size = 1024, atMost = 4, label = "kv-cache", origin = "KvCacheTest.decode", because = "…")""");
    }

    @Test
    void noHandleIsReachable() {
        MemoryRequest request = run.atLine(41, USER.labelled("kv-cache"));
        run.take(request, DRAM, 4096, OWNING, ALL);
        run.closeHolding(Moment.CLOSE_BEGUN, ALL, 4096);
        run.tracker().traced(request, Reachability.lost());

        assertThat(text()).isEqualTo("""
                LEAK  4 KiB in 4 DRAM buffers, LOST; allocated in KvCacheTest.java:41

                1. DRAM  4 x 1 KiB, one on each of devices 0-3, label "kv-cache"
                   at dev.example.KvCacheTest.decode(KvCacheTest.java:41)
                   why   LOST: no handle to it is reachable any more, and no free of it was reported (event #12)
                   fix   Free the buffer before close_mesh_device on every path: with try-with-resources, or in a finally block.
                   seen  allocated in TEST (events #3 to #6)
                         the allocator reported 0x1000 (4096) as allocated when close began (event #9)

                sum     4 allocated = 0 freed + 4 leaked
                expect  @ExpectBuffers(type = DRAM, size = 1024, atMost = 4, label = "kv-cache", origin = "KvCacheTest.decode", because = "…")""");
    }

    @Test
    void nothingProvesAnythingButThatTheFreeIsMissing() {
        run.take(run.atLine(41, USER), DRAM, 4096, OWNING, ALL);
        run.closeHolding(Moment.CLOSE_BEGUN, ALL, 4096);

        assertThat(text()).isEqualTo("""
                LEAK  4 KiB in 4 DRAM buffers, UNEXPLAINED; allocated in KvCacheTest.java:41

                1. DRAM  4 x 1 KiB, one on each of devices 0-3
                   at dev.example.KvCacheTest.decode(KvCacheTest.java:41)
                   why   UNEXPLAINED: no free was reported
                   fix   Free the buffer before close_mesh_device.
                   seen  allocated in TEST (events #3 to #6)
                         the allocator reported 0x1000 (4096) as allocated when close began (event #9)

                sum     4 allocated = 0 freed + 4 leaked
                expect  @ExpectBuffers(type = DRAM, size = 1024, atMost = 4, origin = "KvCacheTest.decode", because = "…")""");
    }

    @Test
    void anAllocatorHeldForAWhileWhatNobodyReported() {
        run.take(run.atLine(41, USER), DRAM, 4096, OWNING, ALL);
        run.free(DRAM, 4096, OWNING, ALL);
        run.tracker().meshClosing(0);
        run.tracker().witnessed(WitnessSnapshot.of(0, Moment.CLOSE_BEGUN).region(2, DRAM, 8192));
        run.tracker().witnessed(WitnessSnapshot.of(0, Moment.BEFORE_WIPE).region(2, DRAM));
        run.tracker().meshClosed(0);
        run.tracker().checked();

        assertThat(text()).isEqualTo("""
                MISREPORTED  no memory leaked; 1 buffer never reported

                1. memory that no report mentions: DRAM 0x2000 (8192) on device 2 (event #12)
                   why   the allocator held it when close began, and no more before it was wiped

                sum     4 allocated = 4 freed""");
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
                LEAK  5 KiB in 5 DRAM buffers, 2 findings; largest 4 KiB HELD by KvCacheTest.cache (KvCacheTest.java:41)
                1. DRAM  4 KiB: 4 x 1 KiB, one on each of devices 0-3, allocated by mesh 0 (1x4 mesh), label "kv-cache"
                   at dev.example.KvCacheTest.decode(KvCacheTest.java:41)
                   why   HELD: still referenced by KvCacheTest.cache -> ArrayList[0] (event #27)
                   fix   Free the buffer before close_mesh_device, or drop the reference if the handle frees on collection.
                   seen  allocated in TEST (events #4 to #7)
                         the allocator of mesh 0 reported 0x1000 (4096) as allocated when close began (event #24)
                2. DRAM  1 KiB on device 0, allocated by mesh 1 (1x2 submesh of mesh 0)
                   at dev.example.KvCacheTest.decode(KvCacheTest.java:52)
                   why   LOST: no handle to it is reachable any more, and no free of it was reported (event #28)
                   fix   Free the buffer before close_mesh_device on every path: with try-with-resources, or in a finally block.
                   seen  allocated in TEST (event #16)
                         the allocator of mesh 1 reported 0x1000 (4096) as allocated when close began (event #21)

                INCONCLUSIVE  it cannot be known whether all memory was freed
                   why   3 reports are missing (event #17: the socket's buffer was full).

                MISREPORTED  4 DRAM buffers (4 KiB) lack a free report: FREE_UNREPORTED; 1 free of nothing
                3. DRAM  4 x 1 KiB, one on each of devices 0-3, allocated by mesh 0 (1x4 mesh)
                   at dev.example.KvCacheTest.decode(KvCacheTest.java:43)
                   why   FREE_UNREPORTED: the allocator of mesh 0 reported 0x2000 (8192) as free when close began (event #24)
                   fix   Report the free in every path that releases the buffer (views, early returns, closed devices); the memory
                         itself was freed.
                   seen  allocated in TEST (events #8 to #11)
                4. free of an unknown address: DRAM 0x40 (64) on device 3 (event #18)
                   why   no buffer was ever reported there

                STALE  1 expectation promises more than survived
                5. 4 buffers survived, 4 KiB (4096 B): DRAM, label "rotary table", exactly 8 buffers, because "shared by all tests" at
                   meshguard-expected.txt:1
                   fix   If fewer are right, expect the survivors:

                OVERLAP  two meshes held the same memory at a time, so each may have overwritten the other's data: 1 buffer
                … and 2 more lines
                6. DRAM  1 KiB on device 0, allocated by mesh 1 (1x2 submesh of mesh 0) at 0x1000 (4096), event #16

                Expected and present: 4 buffers, 4 KiB (4096 B) (DRAM, label "rotary table", exactly 8 buffers, because "shared by all tests" at meshguard-expected.txt:1)
                sum     13 allocated = 0 freed + 5 leaked + 4 misreported + 4 expected
                expect  one of them: @ExpectBuffers(type = DRAM, size = 1024, atMost = 4, label = "kv-cache", origin = "KvCacheTest.decode", because = "…")""");
    }

    @Test
    void thousandsOfLeaksOfEveryCauseFitOnAScreen() {
        Owner prefetcher = new Owner(Owner.Kind.DISPATCH, "prefetcher");
        run.tracker().ownerCached(ADD, "program cache");
        for (int i = 0; i < 2_400; i++) {
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

        assertThat(report.verdict().sum().leaked()).isEqualTo(2_400);
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
                .endsWith("rerun   mvn test")
                .contains("… and 2 more notes");
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
