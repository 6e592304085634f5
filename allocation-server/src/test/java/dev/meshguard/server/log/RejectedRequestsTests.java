package dev.meshguard.server.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.verdict.Outcome;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Lines in which the runtime rejects a request for lack of memory, among those of a server. */
class RejectedRequestsTests {

    private static final String NO_SPACE =
            "Out of Memory: Not enough space to allocate 58720256 B L1 buffer across 64 banks,"
                    + " where each bank needs to store 917504 B, but bank size is 1395360 B (allocated: 458752 B, free: 936608 B,"
                    + " largest free block: 477856 B)";

    @Test
    void namesTheBuffersThatWereAllocatedThen() {
        AllocationLog log = Logs.of(
                "✓ [PID 7] Allocated 4096 bytes of L1 on device 0 (buffer_id=4096)",
                "✗ [PID 7] Freed buffer 4096 on device 0 (4096 bytes)",
                "✓ [PID 7] Allocated 1048576 bytes of L1 on device 0 (buffer_id=901152)",
                "✓ [PID 7] Allocated 1048576 bytes of L1 on device 1 (buffer_id=901152)",
                "✓ [PID 7] Allocated 2097152 bytes of DRAM on device 1 (buffer_id=4096)",
                "E       RuntimeError: TT_FATAL @ bank_manager.cpp:457: " + NO_SPACE,
                "✓ [PID 7] Allocated 8192 bytes of L1 on device 0 (buffer_id=8192)");

        assertThat(log.notes())
                .containsExactly(
                        "The runtime rejected a request (line 6): fragmented: 56 MiB (58720256 B) of L1 across 64 banks, 896 KiB"
                                + " (917504 B) in each; a bank has 1.33 MiB (1395360 B), of which 914.66 KiB (936608 B) were free, at"
                                + " most 466.66 KiB (477856 B) in one piece. By the lines before it, these buffers were allocated: 1 MiB (1048576 B) at"
                                + " 0xdc020 (901152) on each of 2 devices, in line 3.");
        assertThat(log.unread().count()).isZero();
    }

    @Test
    void readsTheFiguresThatAnOlderRuntimePrints() {
        AllocationLog log = Logs.of(
                "Out of Memory: Not enough space to allocate 4096 B DRAM buffer across 12 banks, where each bank needs to store"
                        + " 352 B, but bank size is only 1024 B");

        assertThat(log.notes())
                .containsExactly(
                        "The runtime rejected a request (line 1): full or fragmented: 4 KiB (4096 B) of DRAM across 12 banks, 352 B in"
                                + " each; a bank has 1 KiB (1024 B). The lines before it report no buffer there.");
    }

    @Test
    void namesTheL1BuffersBelowTheEndOfClashingCircularBuffers() {
        AllocationLog log = Logs.of(
                "✓ [PID 7] Allocated 4096 bytes of L1 on device 0 (buffer_id=101152)",
                "✓ [PID 7] Allocated 8192 bytes of L1 on device 0 (buffer_id=105248)",
                "✓ [PID 7] Allocated 4096 bytes of L1 on device 0 (buffer_id=901152)",
                "Statically allocated circular buffers in program 12 clash with L1 buffers on core range [(x=0,y=0) -"
                        + " (x=7,y=7)]. L1 buffer allocated at 101152 and static circular buffer region ends at 200000");

        assertThat(log.notes())
                .containsExactly(
                        "The runtime rejected a request (line 4): occupied: circular buffers up to 0x30d40 (200000), and an L1"
                                + " buffer lies at 0x18b20 (101152). By the lines before it, these buffers were allocated: 8 KiB (8192 B) at 0x19b20"
                                + " (105248), in line 2; 4 KiB (4096 B) at 0x18b20 (101152), in line 1.");
    }

    @Test
    void namesTheSizesOfCircularBuffersBeyondL1AndOfTraces() {
        AllocationLog log = Logs.of(
                "Statically allocated circular buffers on core range [(x=0,y=0) - (x=7,y=7)] grow to 2000000 B which is beyond"
                        + " max L1 size of 1499136 B",
                "Creating trace buffers of size 8192B on MeshDevice 1, but only 4096B is allocated for trace region.");

        assertThat(log.notes())
                .containsExactly(
                        "The runtime rejected a request (line 1): too small: circular buffers up to 1.91 MiB (2000000 B), and L1 has 1.43"
                                + " MiB (1499136 B).",
                        "The runtime rejected a request (line 2): too small: trace buffers of 8 KiB (8192 B), and the trace region has 4"
                                + " KiB (4096 B). The lines before it report no buffer there.");
    }

    @Test
    void namesTheAddressesOfARequestThatWouldLieBelowItsLimit() {
        AllocationLog log = Logs.of("Out of Memory: Cannot allocate at an address below 200000. Allocation at 103776");

        assertThat(log.notes())
                .containsExactly(
                        "The runtime rejected a request (line 1): full or fragmented: its place would be 0x19560 (103776), and it may not"
                                + " lie below 0x30d40 (200000).");
    }

    @Test
    void sumsSmallerBuffersAndFurtherRequests() {
        AllocationLog log = Logs.of(Stream.concat(
                        IntStream.rangeClosed(1, 5)
                                .mapToObj(number -> String.format(
                                        "✓ [PID 7] Allocated %d bytes of L1 on device 0 (buffer_id=%d)",
                                        number * 1_024, number * 65_536)),
                        Stream.generate(() -> NO_SPACE).limit(10))
                .toArray(String[]::new));

        assertThat(log.notes()).hasSize(9);
        assertThat(log.notes().get(0))
                .endsWith(
                        "these buffers were allocated: 5 KiB (5120 B) at 0x50000 (327680), in line 5; 4 KiB (4096 B) at 0x40000"
                                + " (262144), in line 4; 3 KiB (3072 B) at 0x30000 (196608), in line 3; and 2 more"
                                + " buffers of 3 KiB (3072 B).");
        assertThat(log.notes().get(8)).isEqualTo("The runtime rejected 2 more requests.");
    }

    @Test
    void changesNoVerdict() {
        AllocationLog log = Logs.of(
                "✓ [PID 7] Allocated 4096 bytes of L1 on device 0 (buffer_id=4096)",
                NO_SPACE,
                "✗ [PID 7] Freed buffer 4096 on device 0 (4096 bytes)");

        assertThat(Logs.verdictOn(log).outcome()).isEqualTo(Outcome.LEAK_FREE);
    }

    @Test
    void saysWhichTextHasImpossibleFigures() {
        AllocationLog log = Logs.of(NO_SPACE.replace("58720256", "99999999999999999999"));

        assertThat(log.notes()).containsExactly("The runtime rejected a request (line 1): its figures cannot be read.");
    }
}
