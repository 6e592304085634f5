package dev.meshguard.report;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.Ownership.OWNING;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.WitnessSnapshot.Moment;
import dev.meshguard.event.shortage.MemoryShortage;
import dev.meshguard.event.shortage.MemoryShortage.Block;
import dev.meshguard.verdict.LeakCheck;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The text of a check whose test failed because its memory had no room. */
class ShortageTextTests {

    private static final int BANK = 1_024;
    private static final AllocationDetails CACHE = AllocationDetails.user().labelled("kv-cache");
    private static final int[] NONE = {};

    private final Recording run = Recording.onMeshOf(1);

    @Test
    void beginsWithTheShortageAndListsSurvivorsAsRemaining() {
        MemoryRequest cache = run.atLine(41, CACHE);
        run.take(cache, DRAM, 256, OWNING, 0);
        run.closeHolding(Moment.CLOSE_BEGUN, new int[] {0}, 256);

        assertThat(textAfter(fragmented(cache))).isEqualTo("""
                OUT OF MEMORY  DRAM fragmented: 512 B needed in each bank, 768 B free in pieces of at most 500 B
                   why   fragmented: each bank has to store 512 B in one piece, and has 768 B free in pieces of at most 500 B
                   held  256 B by 1 buffer, label "kv-cache", allocated at dev.example.KvCacheTest.decode(KvCacheTest.java:41)

                remaining after the failure: 1 KiB in 1 DRAM buffer, UNEXPLAINED; allocated in KvCacheTest.java:41
                1. DRAM  1 KiB on device 0, label "kv-cache"
                   at dev.example.KvCacheTest.decode(KvCacheTest.java:41)
                   why   UNEXPLAINED: no free was reported
                   fix   Free the buffer before close_mesh_device.
                   seen  allocated in TEST (event #3)
                         the allocator reported 0x100 (256) as allocated when close began (event #6)

                sum     1 allocated = 0 freed + 1 leaked""");
    }

    @Test
    void saysAlsoThatAllMemoryWasFreed() {
        run.closeHolding(Moment.CLOSE_BEGUN, NONE);

        assertThat(textAfter(MemoryShortage.anywhere(DRAM, 2 * BANK, 0, BANK, List.of())))
                .isEqualTo("""
                        OUT OF MEMORY  DRAM too small: 2 KiB needed in each bank
                           why   too small: each bank has to store 2 KiB (2048 B), and the memory has 1 KiB (1024 B)

                        CLEAN  all memory was freed

                        sum     0 allocated = 0 freed""");
    }

    @Test
    void namesTheThreeLargestHolders() {
        run.closeHolding(Moment.CLOSE_BEGUN, NONE);
        List<Block> blocks = new ArrayList<>();
        IntStream.range(0, 5)
                .forEach(number -> blocks.add(block(
                        number * 200L,
                        number * 200L + 200 - number,
                        Optional.of(MemoryRequest.of(AllocationDetails.user().labelled("layer " + number))))));

        assertThat(textAfter(MemoryShortage.anywhere(DRAM, 512, 0, BANK, blocks)))
                .startsWith("""
                OUT OF MEMORY  DRAM full: 512 B needed in each bank, 34 B free
                   why   full: each bank has to store 512 B, and has 34 B free
                   held  200 B by 1 buffer, label "layer 0"
                         199 B by 1 buffer, label "layer 1"
                         198 B by 1 buffer, label "layer 2"
                         the error lists more
                """);
    }

    @Test
    void namesTheRequestThatNeedsOccupiedAddresses() {
        run.closeHolding(Moment.CLOSE_BEGUN, NONE);

        assertThat(textAfter(MemoryShortage.at(
                        DRAM,
                        0,
                        512,
                        List.of(block(256, 512, Optional.empty())),
                        "the circular buffers of program 3 (add)")))
                .startsWith("""
                        OUT OF MEMORY  DRAM occupied: 512 B needed at addresses that buffers have
                           why   occupied: the circular buffers of program 3 (add) need 512 B from 0x0 (0) to 0x200 (512)
                           held  256 B by 1 buffer that nobody reported
                        """);
    }

    private String textAfter(MemoryShortage shortage) {
        return VerdictReport.of(LeakCheck.create().examine(run.tracker().history()))
                .failedBy(shortage)
                .text();
    }

    private static MemoryShortage fragmented(MemoryRequest cache) {
        return MemoryShortage.anywhere(DRAM, 512, 0, BANK, List.of(block(268, 524, Optional.of(cache))));
    }

    private static Block block(long start, long end, Optional<MemoryRequest> request) {
        return new Block(start, end, request);
    }
}
