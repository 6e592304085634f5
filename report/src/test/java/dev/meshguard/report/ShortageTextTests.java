package dev.meshguard.report;

import static dev.meshguard.event.BufferType.DRAM;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.shortage.MemoryShortage;
import dev.meshguard.event.shortage.MemoryShortage.Block;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The text of a check whose test failed because its memory had no room. */
class ShortageTextTests {

    private static final int BANK = 1_024;

    @Test
    void beginsWithTheShortageAndListsSurvivorsAsRemaining() {
        VerdictReport leak = ReportStory.report("mesh 0 over 0; allocate DRAM 0x100 on 0, label kv-cache; close");
        MemoryRequest cache = leak.verdict().history().live().get(0).request();
        MemoryShortage fragmented =
                MemoryShortage.anywhere(DRAM, 512, 0, BANK, List.of(block(268, 524, Optional.of(cache))));

        assertThat(leak.failedBy(fragmented).text()).isEqualTo("""
                OUT OF MEMORY  DRAM fragmented: 512 B needed in each bank, 768 B free in pieces of at most 500 B
                   why   fragmented: each bank has to store 512 B in one piece, and has 768 B free in pieces of at most 500 B
                   held  256 B by 1 buffer, label "kv-cache", allocated at dev.example.HistoryTests.story(HistoryTests.java:2)

                remaining after the failure: 64 B in 1 DRAM buffer, UNEXPLAINED; allocated in HistoryTests.java:2
                1. DRAM  64 B on device 0, label "kv-cache"
                   at dev.example.HistoryTests.story(HistoryTests.java:2)
                   why   UNEXPLAINED: no free was reported
                   fix   Free the buffer before close_mesh_device.
                   seen  allocated in START (event #3)

                sum     1 allocated = 0 freed + 1 leaked""");
    }

    @Test
    void saysAlsoThatAllMemoryWasFreed() {
        assertThat(textAfter(MemoryShortage.anywhere(DRAM, 2 * BANK, 0, BANK, List.of())))
                .isEqualTo("""
                        OUT OF MEMORY  DRAM too small: 2 KiB needed in each bank
                           why   too small: each bank has to store 2 KiB (2048 B), and the memory has 1 KiB (1024 B)

                        CLEAN  all memory was freed

                        sum     0 allocated = 0 freed""");
    }

    @Test
    void namesTheThreeLargestHolders() {
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

    private static String textAfter(MemoryShortage shortage) {
        return ReportStory.report("mesh 0 over 0; close").failedBy(shortage).text();
    }

    private static Block block(long start, long end, Optional<MemoryRequest> request) {
        return new Block(start, end, request);
    }
}
