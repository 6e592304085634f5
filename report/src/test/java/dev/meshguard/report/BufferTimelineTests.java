package dev.meshguard.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.history.AllocationHistory;
import dev.meshguard.tracker.script.HistoryScript;
import org.junit.jupiter.api.Test;

class BufferTimelineTests {

    @Test
    void describesWhatHappenedToOneBufferFromItsFirstReportOn() {
        assertThat(storyOfFirstBuffer("""
                mesh 0 over 0; phase TEST; allocate DRAM 0x1000 on 0, size 2048, owning, label kv-cache;
                handle held by KvCacheTest.cache -> ArrayList[0]; allocate DRAM 0x1000 on 0, view;
                allocate DRAM 0x9000 on 0, owning; ignore DRAM 0x1000 on 0, STILL_SHARED; phase TEARDOWN;
                free DRAM 0x1000 on 0, view; closing; witness CLOSE_BEGUN DRAM on 0: 0x1000;
                witness AFTER_WIPE DRAM on 0; close
                """)).isEqualTo("""
                DRAM 0x1000 (4096) on device 0, generation 1, 2 KiB (2048 B)
                #4 allocated, 2 KiB (2048 B), 0 -> 1 references, owns the memory, label "kv-cache", in TEST
                   at dev.example.HistoryTests.story(HistoryTests.java:3)
                #5 its handle was still reachable, by KvCacheTest.cache -> ArrayList[0]
                #6 reported again, 64 B, 1 -> 2 references, points to the memory, in TEST
                   at dev.example.HistoryTests.story(HistoryTests.java:5)
                #8 free ignored, because another handle shares it, in TEST
                   at dev.example.HistoryTests.story(HistoryTests.java:7)
                #10 released, 2 -> 1 references, points to the memory, in TEARDOWN
                   at dev.example.HistoryTests.story(HistoryTests.java:9)
                #12 the allocator of mesh 0 reported the address as allocated when close began
                #13 the allocator of mesh 0 reported the address as free after the allocators were wiped
                Still in the ledger: 1 report of it is open.""");
    }

    @Test
    void endsWhereTheNextGenerationOfTheAddressBegins() {
        assertThat(storyOfFirstBuffer("""
                without origins; allocate L1 0x18b20 on 3, size 4096, circular buffer of program 7 (add);
                free L1 0x18b20 on 3, circular buffer of program 7 (add), collected;
                ignore L1 0x18b20 on 3, ALREADY_FREED, circular buffer of program 7 (add); allocate L1 0x18b20 on 3;
                ignore L1 0x18b20 on 3, STILL_SHARED, circular buffer of program 7 (add)
                """)).isEqualTo("""
                L1 0x18b20 (101152) on device 3, generation 1, 4 KiB (4096 B)
                #1 allocated, 4 KiB (4096 B), 0 -> 1 references, circular buffer, owned by program 7 (add), in START
                #2 freed, when its handle was collected, 1 -> 0 references, circular buffer, owned by program 7 (add), in START
                #3 free ignored, because it was freed before, circular buffer, owned by program 7 (add), in START
                Ended: its last report was freed by event #2.""");
    }

    @Test
    void saysWhichMeshWhereSeveralShareADevice() {
        assertThat(storyOfFirstBuffer("""
                without origins; mesh 0 without 0..1; mesh 1 in 0 over 0; allocate DRAM 0x40 on 0, mesh 1;
                witness CLOSE_BEGUN DRAM on 0: 0x40, mesh 0; witness CLOSE_BEGUN DRAM on 0: 0x40, mesh 1;
                allocate DRAM 0x80 on 1; handle lost
                """)).isEqualTo("""
                DRAM 0x40 (64) on device 0, generation 1, 64 B
                #3 allocated, 64 B, 0 -> 1 references, by mesh 1 (1x1 submesh of mesh 0), in START
                #5 the allocator of mesh 1 reported the address as allocated when close began
                Still in the ledger: 1 report of it is open.""");
    }

    private static String storyOfFirstBuffer(String sentences) {
        AllocationHistory history = HistoryScript.historyOf(sentences);
        return BufferTimeline.of(history, history.generations().get(0)).text();
    }
}
