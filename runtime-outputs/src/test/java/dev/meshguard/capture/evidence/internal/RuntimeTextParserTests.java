package dev.meshguard.capture.evidence.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.capture.evidence.internal.RuntimeText.AddressRange;
import dev.meshguard.event.BufferType;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The runtime's texts about memory in a log: rejected requests, warnings, and the list of the trace allocation tracker. */
class RuntimeTextParserTests {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Out of Memory: Not enough space to allocate 4096 B DRAM buffer across 12 banks, where each bank needs to store 352 B"
                        + " | too small, full or fragmented: 4 KiB (4096 B) of DRAM across 12 banks, 352 B in each",
                "Out of Memory: Not enough space after considering dependencies to allocate 4096 B L1 across 64 banks (64 B per bank),"
                        + " bank size is 1024 B (allocated: 1000 B, free: 24 B, largest free block: 24 B)"
                        + " | full: 4 KiB (4096 B) of L1 across 64 banks, 64 B in each; a bank has 1 KiB (1024 B), of which 24 B were"
                        + " free, at most 24 B in one piece",
                "Statically allocated circular buffers on core range [0-0 - 7-7] grow to 2000 B which is beyond max L1 size of 1000 B"
                        + " | too small: circular buffers up to 1.95 KiB (2000 B), and L1 has 1000 B",
                "Statically allocated dataflow buffers in program 3 clash with L1 buffers on core range [0-0 - 7-7]. L1 buffer allocated"
                        + " at 1000 and static dataflow buffer region ends at 2000"
                        + " | occupied: dataflow buffers up to 0x7d0 (2000), and an L1 buffer lies at 0x3e8 (1000)",
                "Creating trace buffers of size 8192B on device 0, but only 4096B is allocated for trace region."
                        + " | too small: the traces need more than the trace_region_size permits: 8 KiB (8192 B) in total over all banks,"
                        + " of 4 KiB (4096 B)",
                "Creating trace buffers of total size 8192B across 12 DRAM banks on MeshDevice 1, but only 4096B in total is reserved for"
                        + " the trace region."
                        + " | too small: the traces need more than the trace_region_size permits: 8 KiB (8192 B) in total over all banks,"
                        + " of 4 KiB (4096 B)",
                "Out of Memory: Not enough space to allocate 4096 B DRAM buffer across 8 banks, where each bank needs to store 512 B, but bank"
                        + " size is 4096 B (allocated: 3400 B, free: 696 B, largest free block: 400 B)"
                        + " | fragmented: 4 KiB (4096 B) of DRAM across 8 banks, 512 B in each; a bank has 4 KiB (4096 B), of which 696 B"
                        + " were free, at most 400 B in one piece",
                "Out of Memory: Not enough space to allocate 64 B L1_SMALL buffer across 2 banks, where each bank needs to store 32 B, but"
                        + " bank size is only 16 B | too small: 64 B of L1_SMALL across 2 banks, 32 B in each; a bank has 16 B",
                "Cannot set to globally allocated buffer. Circular buffer size 131072 B exceeds allocated L1 buffer bank size of 65536 B"
                        + " | too small: a circular buffer of 128 KiB (131072 B), and its L1 buffer has 64 KiB (65536 B) in each bank",
                "Shrink size 8192 cuts into allocated block at address 4096"
                        + " | occupied: the first 8 KiB (8192 B), and a block lies at 0x1000 (4096)",
                "Shrink size 8192 must be smaller than max size 4096"
                        + " | too small: 8 KiB (8192 B) of L1, and at most 4 KiB (4096 B) can be had",
                "Trace buffer at address 4096 overlaps with buffers deallocated during trace capture (deletion high water mark: 8192)."
                        + " | occupied: its trace would lie at 0x1000 (4096), where there were buffers deallocated during trace"
                        + " capture",
                "Trace buffer at address 4096 overlaps with allocations made during trace (high water mark: 8192). Reduce allocations"
                        + " | occupied: its trace would lie at 0x1000 (4096), where there were allocations made during trace"
            })
    void theFiguresOfARejectedRequestAreRead(String line, String figures) {
        String log = "E   RuntimeError: TT_FATAL @ a.cpp:1: ok\n" + line + "\n";

        assertThat(only(log).asReason()).isEqualTo("The rejected request: " + figures + ".");
        assertThat(notes(log)).containsExactly("The runtime rejected a request (line 2): " + figures + ".");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Out of Memory: Not enough space to allocate; 4096 B DRAM buffer across 8 banks, where each bank needs to store; 512 B, but bank"
                        + " size is 4096 B; (allocated: 3400 B, free: 696 B, largest free block: 400 B)"
                        + " | fragmented: 4 KiB (4096 B) of DRAM across 8 banks, 512 B in each; a bank has 4 KiB (4096 B), of which 696 B"
                        + " were free, at most 400 B in one piece",
                "Out of Memory: Not enough space to allocate {} B {} buffer across {} banks, where each bank needs to store {} B; 4096; DRAM; 8; 512"
                        + " | too small, full or fragmented: 4 KiB (4096 B) of DRAM across 8 banks, 512 B in each",
                "E  Statically allocated circular buffers in program 3 clash with L1 buffers;E  on core range [0-0 - 7-7]. L1 buffer allocated"
                        + " at 1000 and static circular buffer region ends at 2000"
                        + " | occupied: circular buffers up to 0x7d0 (2000), and an L1 buffer lies at 0x3e8 (1000)",
                "Creating trace buffers of size 8192B on device 0,;   but only 4096B is allocated for trace region."
                        + " | too small: the traces need more than the trace_region_size permits: 8 KiB (8192 B) in total over all banks,"
                        + " of 4 KiB (4096 B)",
                "Statically allocated circular buffers in program {} clash with L1 buffers on core range {}. L1 buffer allocated at {} and"
                        + " static circular buffer region ends at {} | occupied: its figures cannot be read",
                "Statically allocated circular buffers in program {} clash with L1 buffers on core range {}. L1 buffer allocated at {} and"
                        + " static circular buffer region ends at {}; 7; [(x=0,y=0) - (x=7,y=7)]; 1000; 2000"
                        + " | occupied: circular buffers up to 0x7d0 (2000), and an L1 buffer lies at 0x3e8 (1000)",
                "Statically allocated circular buffers on core range {} grow to {} B which is beyond max L1 size of {} B;[0-0 - 7-7] 2000 1000"
                        + " | too small: circular buffers up to 1.95 KiB (2000 B), and L1 has 1000 B",
                "[1,0]<stderr>: Out of Memory: Not enough space to allocate 4096 B L1 buffer across 70;[1,0]<stderr>: banks, where each bank"
                        + " needs to store 64 B, but bank size is 1024 B;[1,0]<stderr>: (allocated: 1000 B, free: 24 B, largest free"
                        + " block: 24 B) | full: 4 KiB (4096 B) of L1 across 70 banks, 64 B in each; a bank has 1 KiB (1024 B), of which"
                        + " 24 B were free, at most 24 B in one piece",
                "(EngineCore_DP0 pid=292) ERROR 06-05 19:19:37 core.py:1035] Statically allocated circular buffers on core range [0-0 - 7-7] grow to;"
                        + "(EngineCore_DP0 pid=292) ERROR 06-05 19:19:38 core.py:1035] 2000 B which is beyond max L1 size of 1000 B"
                        + " | too small: circular buffers up to 1.95 KiB (2000 B), and L1 has 1000 B",
                "Statically allocated circular buffers in program 3 clash with L1 buffers on core range [0-0 - 7-7]. L1 buffer allocated at"
                        + " 1000 and static;circular buffer region;ends at 2000"
                        + " | occupied: circular buffers up to 0x7d0 (2000), and an L1 buffer lies at 0x3e8 (1000)",
                "TT_FATAL @ tt_metal/distributed/mesh_trace.cpp:78: mesh_cq.device()->get_trace_buffers_size() <= trace_region_size   ;"
                        + "10:00:01 core.py:1035] info:;10:00:01 core.py:1035] Creating trace buffers of size 8192B on MeshDevice 0, but only"
                        + " 4096B is allocated for trace region."
                        + " | too small: the traces need more than the trace_region_size permits: 8 KiB (8192 B) in total over all banks,"
                        + " of 4 KiB (4096 B)",
                "TT_FATAL: mesh_cq.device()->get_trace_buffers_size() <= trace_region_size (assert.hpp:103);backtrace:"
                        + " | too small: the traces need more than the trace_region_size permits",
                "Creating trace buffers of size 8192B; | too small: the traces need more than the trace_region_size permits",
                "Statically allocated circular buffers that nobody knows | its figures cannot be read"
            })
    void aRejectionMayLieOnSeveralLines(String lines, String figures) {
        String log = lines.replaceAll("; ?", "\n") + "\nother output\n";

        assertThat(notes(log)).containsExactly("The runtime rejected a request (line 1): " + figures + ".");
    }

    @Test
    void aClashNamesTheAddressesThatWouldHaveToBeFree() {
        RuntimeText text = only(
                "Statically allocated circular buffers in program 12 clash with L1 buffers on core range"
                        + " [(x=0,y=0) - (x=7,y=7)]. L1 buffer allocated at 101152 and static circular buffer region ends at 200000\n");

        assertThat(text.held())
                .contains(new AddressRange(BufferType.L1, 101_152, 200_000))
                .get()
                .satisfies(range -> {
                    assertThat(range.contains(BufferType.L1, 101_152)).isTrue();
                    assertThat(range.contains(BufferType.L1, 200_000)).isFalse();
                    assertThat(range.contains(BufferType.DRAM, 101_152)).isFalse();
                });
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "DRAM activity during trace capture. Allocation high water mark: 6000, Deletion high water mark: 8000. Reduce | 8000",
                "buffers allocated during trace capture (allocation high water mark: 6000). Reduce | 6000",
                "allocations made during trace (high water mark: 6000). Reduce | 6000",
                "DRAM activity captured by another live trace (maximum live trace high water mark: 9000). Release | 9000"
            })
    void anOverlapOfATraceNamesTheAddressesAboveIt(String with, long end) {
        assertThat(only("Trace buffer at address 4096 overlaps with " + with).held())
                .contains(new AddressRange(BufferType.DRAM, 4_096, end));
    }

    @Test
    void aLineThatContinuesNoRejectionIsNotPartOfIt() {
        RuntimeTextParser parser = new RuntimeTextParser();

        assertThat(parser.read("Creating trace buffers of size 8192B on device 0,", 1))
                .isTrue();
        assertThat(parser.read("  but only 4096B is allocated for trace region.", 2))
                .isTrue();
        assertThat(parser.read("4096", 3)).isFalse();
    }

    @Test
    void furtherRejectedRequestsAreCounted() {
        String line =
                "Creating trace buffers of size 8192B on device 0, but only 4096B is allocated for trace region.\n";

        assertThat(notes(line.repeat(10))).hasSize(9).last().isEqualTo("The runtime rejected 2 more requests.");
    }

    @Test
    void otherLinesAreNoText() {
        RuntimeTextParser parser = new RuntimeTextParser();

        assertThat(parser.read("a line", 1)).isFalse();
        assertThat(parser.notes(text -> Optional.empty())).isEmpty();
    }

    private static RuntimeText only(String lines) {
        return RuntimeTextParser.firstOf(lines).orElseThrow();
    }

    private static List<String> notes(String lines) {
        RuntimeTextParser parser = new RuntimeTextParser();
        long number = 0;
        for (String line : lines.lines().toList()) {
            parser.read(line, ++number);
        }
        return parser.notes(text -> Optional.empty());
    }
}
