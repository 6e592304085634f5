package dev.meshguard.report;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.BufferType.L1;
import static dev.meshguard.event.Ownership.OWNING;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.Owner;
import org.junit.jupiter.api.Test;

/** The buffers that are allocated while the mesh is still open. */
class LiveBuffersTests {

    private static final AllocationDetails USER = AllocationDetails.user();

    private final Recording run = Recording.onMeshOf(2);

    @Test
    void listsEachBufferWithAddressLabelOwnerAndLine() {
        run.take(run.atLine(41, USER.labelled("kv-cache")), DRAM, 4096, OWNING, 0, 1);
        run.take(run.atLine(42, AllocationDetails.system(Owner.program("7 (add)"))), L1, 8192, OWNING, 0);
        run.free(DRAM, 4096, OWNING, 1);

        assertThat(LiveBuffers.of(run.history()).text()).isEqualTo("""
                2 buffers, 2 KiB (2048 B) allocated
                   DRAM 1 KiB (1024 B) at 0x1000 (4096) on device 0, label "kv-cache", event #3, at dev.example.KvCacheTest.decode(KvCacheTest.java:41)
                   SYSTEM L1 1 KiB (1024 B) at 0x2000 (8192) on device 0, unlabelled, owned by program 7 (add), event #5, at dev.example.KvCacheTest.decode(KvCacheTest.java:42)""");
    }

    @Test
    void listsTheLargestFirst() {
        run.tracker().allocated(run.atLine(1, USER), 0, DRAM, 0x1000, 64, OWNING);
        run.tracker().allocated(run.atLine(2, USER), 0, DRAM, 0x2000, 4096, OWNING);
        run.tracker().allocated(run.atLine(3, USER), 0, DRAM, 0x3000, 64, OWNING);

        assertThat(LiveBuffers.of(run.history()).buffers())
                .extracting(buffer -> buffer.address())
                .containsExactly(0x2000L, 0x1000L, 0x3000L);
    }

    @Test
    void addsUpWhatDoesNotFit() {
        for (int i = 0; i < LiveBuffers.MAX_LINES + 2; i++) {
            run.take(run.atLine(1, USER), DRAM, 4096L * (i + 1), OWNING, 0);
        }

        assertThat(LiveBuffers.of(run.history()).text().lines())
                .hasSize(LiveBuffers.MAX_LINES + 2)
                .startsWith("42 buffers, 42 KiB (43008 B) allocated")
                .endsWith("   … and 2 more buffers, 2 KiB (2048 B)");
    }

    @Test
    void keepsALabelToItsLine() {
        run.take(run.atLine(1, USER.labelled("a\nb")), DRAM, 4096, OWNING, 0);

        assertThat(LiveBuffers.of(run.history()).text().lines()).hasSize(2);
    }

    @Test
    void saysThatNothingIsAllocated() {
        assertThat(LiveBuffers.of(run.history())).hasToString("nothing allocated");
    }
}
