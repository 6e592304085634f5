package dev.meshguard.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Origin;
import dev.meshguard.event.Owner;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.Phase;
import dev.meshguard.event.Reachability;
import dev.meshguard.event.WitnessSnapshot;
import dev.meshguard.event.WitnessSnapshot.Moment;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginCapture;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class BufferTimelineTests {

    private final AllocationTracker tracker =
            AllocationTracker.builder().originCapture(OriginCapture.NONE).build();

    @Test
    void describesWhatHappenedToOneBufferFromItsFirstReportOn() {
        tracker.meshOpened(MeshDescription.of(0, "1x1 mesh", List.of(0)));
        tracker.deviceOpened(0);
        tracker.phase(Phase.TEST);
        var cache = at("decode", 41, AllocationDetails.user().labelled("kv-cache"));
        tracker.allocated(cache, 0, BufferType.DRAM, 0x1000, 2048, Ownership.OWNING);
        tracker.allocated(
                at("view", 50, AllocationDetails.user()), 0, BufferType.DRAM, 0x1000, 64, Ownership.NON_OWNING);
        tracker.allocated(at("other", 51, AllocationDetails.user()), 0, BufferType.DRAM, 0x9000, 64, Ownership.OWNING);
        tracker.freeIgnored(
                at("giveUp", 60, AllocationDetails.user()), 0, BufferType.DRAM, 0x1000, IgnoredFreeReason.STILL_SHARED);
        tracker.phase(Phase.TEARDOWN);
        tracker.freed(at("view", 70, AllocationDetails.user()), 0, BufferType.DRAM, 0x1000, Ownership.NON_OWNING);
        tracker.meshClosing(0);
        tracker.witnessed(WitnessSnapshot.of(0, Moment.CLOSE_BEGUN).region(0, BufferType.DRAM, 0x1000));
        tracker.witnessed(WitnessSnapshot.of(0, Moment.AFTER_WIPE).region(0, BufferType.DRAM));
        tracker.deviceClosed(0);
        tracker.meshClosed(0);
        tracker.traced(cache, Reachability.heldBy(List.of("KvCacheTest.cache", "ArrayList[0]")));

        assertThat(storyOf(0)).isEqualTo("""
                DRAM 0x1000 (4096) on device 0, generation 1, 2 KiB (2048 B)
                #4 allocated, 2 KiB (2048 B), 0 -> 1 references, owns the memory, label "kv-cache", in TEST
                   at dev.example.KvCacheTest.decode(KvCacheTest.java:41)
                #5 reported again, 64 B, 1 -> 2 references, points to the memory, in TEST
                   at dev.example.KvCacheTest.view(KvCacheTest.java:50)
                #7 free ignored, because another handle shares it, in TEST
                   at dev.example.KvCacheTest.giveUp(KvCacheTest.java:60)
                #9 released, 2 -> 1 references, points to the memory, in TEARDOWN
                   at dev.example.KvCacheTest.view(KvCacheTest.java:70)
                #11 the allocator of mesh 0 reported the address as allocated when close began
                #12 the allocator of mesh 0 reported the address as free after the allocators were wiped
                #15 its handle was still reachable, by KvCacheTest.cache -> ArrayList[0]
                Still in the ledger: 1 report of it is open.""");
    }

    @Test
    void endsWhereTheNextGenerationOfTheAddressBegins() {
        var program = AllocationDetails.circularBuffer(Owner.program("7 (add)"));
        tracker.allocated(unknown(program), 3, BufferType.L1, 101_152, 4096, Ownership.UNKNOWN);
        tracker.freed(unknown(program.ofCollectedHandle()), 3, BufferType.L1, 101_152, Ownership.UNKNOWN);
        tracker.freeIgnored(unknown(program), 3, BufferType.L1, 101_152, IgnoredFreeReason.ALREADY_FREED);
        tracker.allocated(3, BufferType.L1, 101_152, 64);
        tracker.freeIgnored(unknown(program), 3, BufferType.L1, 101_152, IgnoredFreeReason.STILL_SHARED);

        assertThat(storyOf(0)).isEqualTo("""
                L1 0x18b20 (101152) on device 3, generation 1, 4 KiB (4096 B)
                #1 allocated, 4 KiB (4096 B), 0 -> 1 references, circular buffer, owned by program 7 (add), in START
                #2 freed, when its handle was collected, 1 -> 0 references, circular buffer, owned by program 7 (add), in START
                #3 free ignored, because it was freed before, circular buffer, owned by program 7 (add), in START
                Ended: its last report was freed by event #2.""");
    }

    @Test
    void saysWhichMeshWhereSeveralShareADevice() {
        tracker.meshOpened(MeshDescription.of(0, "1x2 mesh", List.of(0, 1)));
        tracker.meshOpened(MeshDescription.of(1, "1x1 submesh", List.of(0)).withParent(0));
        var details = AllocationDetails.user().onMesh(1);
        tracker.allocated(unknown(details), 0, BufferType.DRAM, 64, 64, Ownership.UNKNOWN);
        tracker.witnessed(reading(0));
        tracker.witnessed(reading(1));
        tracker.traced(MemoryRequest.of(AllocationDetails.user()), Reachability.lost());

        assertThat(storyOf(0)).isEqualTo("""
                DRAM 0x40 (64) on device 0, generation 1, 64 B
                #3 allocated, 64 B, 0 -> 1 references, by mesh 1 (1x1 submesh of mesh 0), in START
                #5 the allocator of mesh 1 reported the address as allocated when close began
                Still in the ledger: 1 report of it is open.""");
    }

    private static WitnessSnapshot reading(int mesh) {
        return WitnessSnapshot.of(mesh, Moment.CLOSE_BEGUN).region(0, BufferType.DRAM, 64);
    }

    private String storyOf(int generation) {
        AllocationHistory history = tracker.history();
        return BufferTimeline.of(history, history.generations().get(generation)).text();
    }

    private static MemoryRequest at(String method, int line, AllocationDetails details) {
        var frame = new StackTraceElement("dev.example.KvCacheTest", method, "KvCacheTest.java", line);
        return MemoryRequest.restored(details, Optional.of(new Origin(List.of(frame))));
    }

    private static MemoryRequest unknown(AllocationDetails details) {
        return MemoryRequest.restored(details, Optional.empty());
    }
}
