package dev.meshguard.event.shortage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Origin;
import dev.meshguard.event.Owner;
import dev.meshguard.event.shortage.MemoryShortage.Block;
import dev.meshguard.event.shortage.MemoryShortage.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tests what is said about a memory that has no room for a request. */
class MemoryShortageTests {

    private static final int BANK = 1_024;
    private static final AllocationDetails USER = AllocationDetails.user();
    private static final AllocationDetails CACHE = USER.labelled("kv-cache");
    private static final AllocationDetails DISPATCH =
            AllocationDetails.system(new Owner(Owner.Kind.DISPATCH, "prefetcher"));

    @Test
    void isFullIfFewerBytesAreFreeThanNeeded() {
        MemoryShortage shortage = anywhere(256, block(0, 512, CACHE), block(512, 960, DISPATCH));

        assertThat(shortage.reason()).isEqualTo(Reason.FULL);
        assertThat(shortage).hasToString("""
                full: each bank has to store 256 B, and has 64 B free
                held in each bank:
                  512 B  1 buffer, label "kv-cache"
                  448 B  1 buffer, SYSTEM, owner dispatch "prefetcher"
                to make room, free 512 B of each bank, from 0x0 (0) to 0x200 (512):
                  512 B  1 buffer, label "kv-cache\"""");
    }

    @Test
    void isFragmentedIfEnoughIsFreeInTooSmallPieces() {
        MemoryShortage shortage =
                anywhere(256, block(128, 192, CACHE), block(320, 640, CACHE), block(768, 896, USER.labelled("scores")));

        assertThat(shortage.reason()).isEqualTo(Reason.FRAGMENTED);
        assertThat(shortage.free()).isEqualTo(512);
        assertThat(shortage.largestFree()).isEqualTo(128);
        assertThat(shortage).hasToString("""
                fragmented: each bank has to store 256 B in one piece, and has 512 B free in pieces of at most 128 B
                held in each bank:
                  384 B  2 buffers, label "kv-cache"
                  128 B  1 buffer, label "scores"
                to make room, free 64 B of each bank, from 0x0 (0) to 0x140 (320):
                  64 B  1 buffer, label "kv-cache\"""");
    }

    @Test
    void isTooSmallForARequestLargerThanItself() {
        MemoryShortage shortage = anywhere(BANK + 1);

        assertThat(shortage.reason()).isEqualTo(Reason.TOO_LARGE);
        assertThat(shortage.room()).isEmpty();
        assertThat(shortage).hasToString("""
                too small: each bank has to store 1 KiB (1025 B), and the memory has 1 KiB (1024 B)
                no free makes room""");
    }

    @Test
    void listsOnlyWhatLiesAtTheNeededAddresses() {
        MemoryShortage shortage = MemoryShortage.at(
                BufferType.L1,
                0,
                512,
                List.of(block(512, 640, USER), block(448, 512, CACHE)),
                "the circular buffers of program 3 (add)");

        assertThat(shortage.reason()).isEqualTo(Reason.OCCUPIED);
        assertThat(shortage).hasToString("""
                occupied: the circular buffers of program 3 (add) need 512 B from 0x0 (0) to 0x200 (512)
                there, in each bank:
                  64 B  1 buffer, label "kv-cache"
                to make room, free 64 B of each bank, all that is listed""");
    }

    @Test
    void givesTheAdviceOfARegion() {
        MemoryShortage shortage = MemoryShortage.ofRegion(
                BufferType.TRACE,
                3_072,
                2_048,
                List.of(block(0, 512, CACHE)),
                new MemoryShortage.Region(
                        "in total over 12 banks", "the traces need too much", "open the mesh with more"));

        assertThat(shortage.reason()).isEqualTo(Reason.TOO_LARGE);
        assertThat(shortage).hasToString("""
                too small: the traces need too much
                held in each bank:
                  512 B  1 buffer, label "kv-cache"
                to make room, open the mesh with more""");
    }

    @Test
    void neverAdvisesToFreeMemoryOfTheRuntimeOrWithoutAReport() {
        Block unknown = new Block(512, BANK, Optional.empty());
        MemoryShortage shortage = anywhere(256, block(0, 512, DISPATCH), unknown);

        assertThat(shortage.room()).isEmpty();
        assertThat(shortage.lines())
                .contains(
                        "  512 B  1 buffer that nobody reported",
                        "no frees of the code under test would make room in one place");
    }

    @Test
    void asksForTheFewestBytesAndNotForTheFewestBuffers() {
        MemoryShortage shortage = anywhere(
                384, block(0, 512, CACHE), block(512, 576, USER), block(704, 768, USER), block(896, BANK, USER));

        assertThat(shortage.room()).hasValueSatisfying(room -> {
            assertThat(room.blocks()).extracting(Block::start).containsExactly(512L, 704L);
            assertThat(room.bytes()).isEqualTo(128);
            assertThat(room.start()).isEqualTo(512);
            assertThat(room.end()).isEqualTo(896);
        });
    }

    @Test
    void countsAnAddressOfTwoAllocatorsOnce() {
        MemoryShortage shortage = MemoryShortage.at(
                BufferType.L1, 0, 512, List.of(block(0, 256, USER), block(0, 128, CACHE)), "the circular buffers");

        assertThat(shortage.free()).isEqualTo(256);
        assertThat(shortage.largestFree()).isEqualTo(256);
    }

    @Test
    void saysHowTheMemoryOfAProgramIsFreed() {
        MemoryShortage shortage = anywhere(BANK, block(0, 512, USER.ownedBy(new Owner(Owner.Kind.PROGRAM, "1 (add)"))));

        assertThat(shortage).hasToString("""
                full: each bank has to store 1 KiB (1024 B), and has 512 B free
                held in each bank:
                  512 B  1 buffer, owner program 1 (add)
                to make room, free 512 B of each bank, all that is listed
                a program keeps its memory until its workload is closed, and a program in the cache until mesh.clearProgramCache()""");
    }

    @Test
    void saysHowTheMemoryOfATraceIsFreed() {
        MemoryShortage shortage = anywhere(BANK, block(0, 512, USER.ownedBy(new Owner(Owner.Kind.TRACE, "0"))));

        assertThat(shortage.lines()).endsWith("a trace's memory is freed when it is released");
    }

    @Test
    void countsOwnersThatDifferOnlyByANumber() {
        MemoryShortage shortage = anywhere(
                BANK,
                block(0, 256, USER.ownedBy(Owner.program("1 (conv2d)"))),
                block(256, 320, USER.ownedBy(Owner.program("2 (add)"))),
                block(320, 448, USER.ownedBy(Owner.program("3 (conv2d)"))));

        assertThat(shortage.lines())
                .contains("  384 B  2 buffers, owners 2 programs (conv2d)", "  64 B  1 buffer, owner program 2 (add)");
        assertThat(shortage.holders().get(0).owners())
                .containsExactly(Owner.program("1 (conv2d)"), Owner.program("3 (conv2d)"));
        assertThat(shortage.holders().get(0).owner()).isEmpty();
    }

    @Test
    void sumsUpTheHoldersBeyondTen() {
        List<Block> blocks = new ArrayList<>();
        for (int index = 0; index < 12; index++) {
            blocks.add(block(index * 64L, (index + 1) * 64L, USER.labelled("layer " + index)));
        }
        MemoryShortage shortage = MemoryShortage.anywhere(BufferType.DRAM, 512, 0, BANK, blocks);

        assertThat(shortage.lines())
                .contains("  64 B  1 buffer, label \"layer 9\"", "  128 B  2 buffers of 2 other holders");
        assertThat(shortage.holders()).hasSize(12);
    }

    @Test
    void namesTheCallersOfAHelperThatRequestsForSeveral() {
        StackTraceElement helper = frame("allocate", 128);
        StackTraceElement listOf = new StackTraceElement("java.util.ArrayList", "forEach", "ArrayList.java", 1);
        StackTraceElement test = frame("run", 9);
        Block weights = block(0, 256, helper, listOf, frame("load", 70), test);
        Block cache = block(256, 320, helper, frame("load", 71), test);
        Block more = block(320, 384, helper, frame("load", 71), test);
        MemoryShortage shortage = anywhere(BANK - 384 + 64, weights, cache, more);

        assertThat(shortage).hasToString("""
                full: each bank has to store 704 B, and has 640 B free
                held in each bank:
                  256 B  1 buffer, allocated at dev.example.Model.load(Model.java:70)
                  128 B  2 buffers, allocated at dev.example.Model.load(Model.java:71)
                to make room, free 64 B of each bank, from 0x140 (320) to 0x400 (1024):
                  64 B  1 buffer, allocated at dev.example.Model.load(Model.java:71)""");
        assertThat(shortage.holdersByBlock().get(more).line()).contains(frame("load", 71));
    }

    @Test
    void namesTheLineOfAHelperThatHasOneCaller() {
        Block first = block(0, 256, frame("allocate", 128), frame("load", 70));
        Block second = block(256, 512, frame("allocate", 128), frame("load", 70));

        assertThat(anywhere(BANK, first, second).holders())
                .singleElement()
                .satisfies(holder -> assertThat(holder.line()).contains(frame("allocate", 128)));
    }

    @Test
    void namesTheCallerOfAHelperBelowTheLargestHolder() {
        Block large = block(0, 512, frame("allocate", 128), frame("load", 70));
        Block small = block(512, 576, frame("score", 8), frame("decode", 30));

        assertThat(anywhere(BANK, large, small).lines())
                .containsSequence(
                        "held in each bank:",
                        "  512 B  1 buffer, allocated at dev.example.Model.allocate(Model.java:128)",
                        "    called at dev.example.Model.load(Model.java:70)",
                        "  64 B  1 buffer, allocated at dev.example.Model.score(Model.java:8)");
    }

    @Test
    void namesNoCallerOfALineThatNothingCalls() {
        Block direct = block(0, 512, frame("load", 70));

        assertThat(anywhere(BANK, direct).lines()).noneMatch(line -> line.contains("called at"));
    }

    private static MemoryShortage anywhere(long needed, Block... blocks) {
        return MemoryShortage.anywhere(BufferType.DRAM, needed, 0, BANK, List.of(blocks));
    }

    private static Block block(long start, long end, AllocationDetails details) {
        return new Block(start, end, Optional.of(MemoryRequest.of(details)));
    }

    private static Block block(long start, long end, StackTraceElement... stack) {
        return new Block(
                start, end, Optional.of(MemoryRequest.restored(USER, Optional.of(new Origin(List.of(stack))))));
    }

    private static StackTraceElement frame(String method, int line) {
        return new StackTraceElement("dev.example.Model", method, "Model.java", line);
    }
}
