package dev.meshguard.server.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.history.CountingPolicy;
import dev.meshguard.verdict.Outcome;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Lines of the servers before and after the one that first counts references, and of related tools. */
class OtherDialectsTests {

    @Test
    void comparesAServerThatCountsEveryReportWithALedgerThatDoesToo() {
        AllocationLog log = Logs.of(
                "✓ [PID 7] Allocated 12288 bytes of DRAM on device 0 (buffer_id=1073739776)",
                "✓ [PID 7] Allocated 12288 bytes of DRAM on device 0 (buffer_id=1073739776)",
                "✗ [PID 7] Freed buffer 1073739776 on device 0 (12288 bytes)",
                "📊 Current Statistics:",
                "  Device 0:",
                "    Buffers: 1",
                "    DRAM: 12288 bytes (12 KB)",
                "    L1: 0 bytes (0 KB)",
                "    Total: 12288 bytes",
                "  Active allocations: 0");

        assertThat(log.differingStatistics()).isZero();
        assertThat(log.history().ledger(CountingPolicy.EVERY_REPORT).reports(0)).isEqualTo(1);
        assertThat(log.history().live()).hasSize(1);
    }

    /** A patched runtime, and a client, write such blocks; if they share a file with the server, its lines are between them. */
    @ParameterizedTest
    @MethodSource("blocks")
    void blocksOfOtherProgramsAreLossesAndHideNoLine(String block) {
        String allocated = "✓ [PID 7] Allocated 4096 bytes of DRAM on device 2 (buffer_id=1073739776)\n";
        String freed = "✗ [PID 7] Freed buffer 1073739776 on device 2 (4096 bytes, FINAL)\n";

        AllocationLog leaking = Logs.ofText(block + allocated + block);
        AllocationLog balanced = Logs.ofText(block + allocated + block + freed + block);

        assertThat(Logs.reports(leaking)).isEqualTo(Logs.reports(Logs.ofText(allocated)));
        assertThat(Logs.verdictOn(leaking).outcome())
                .as("a later block may be the free")
                .isEqualTo(Outcome.INCONCLUSIVE);
        assertThat(Logs.reports(balanced)).isEqualTo(Logs.reports(Logs.ofText(allocated + freed)));
        assertThat(Logs.verdictOn(balanced).outcome()).isEqualTo(Outcome.INCONCLUSIVE);
        assertThat(balanced.unread().count())
                .isEqualTo(3
                        * block.lines()
                                .filter(line -> !line.startsWith("═") && !line.startsWith("─"))
                                .count());
    }

    @ParameterizedTest
    @MethodSource("blocks")
    void aFileOfSuchBlocksOnlyProvesNothing(String block) {
        AllocationLog log = Logs.ofText(block);

        assertThat(Logs.verdictOn(log).outcome()).isEqualTo(Outcome.INCONCLUSIVE);
        assertThat(Logs.losses(log)).first().asString().startsWith("line 2 begins a block ");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "decode: BUFFER ALLOCATED",
                "BUFFER ALLOCATED on device 0",
                "Allocation #12 of 40 took 3 ms",
                "Allocation #",
                "Deallocation took 3 ms",
                "Allocated: 3 MB (Total: 12 MB)",
                "buffer allocated"
            })
    void aSentenceWithTheWordsOfABlockIsNoLoss(String sentence) {
        AllocationLog log = Logs.of("Allocation Server started", sentence, "Allocation Server stopped");

        assertThat(Logs.losses(log)).isEmpty();
        assertThat(Logs.verdictOn(log).outcome()).isEqualTo(Outcome.LEAK_FREE);
    }

    /** Returns blocks of the patched runtime, and of the client with stack traces. */
    static List<String> blocks() {
        return List.of("""
                ════════════════════════════════════════
                BUFFER ALLOCATED
                Time: 12:34:56
                Device: 2
                Address: 0x18b20 (101152)
                Size: 4096 bytes (4 KB)
                Type: L1
                Buffer*: 0x7f00deadbeef
                Owns Data: no
                Hooked: no
                Call Stack:
                  libtt_metal.so: tt::tt_metal::GraphTracker::track_allocate
                  libtt_metal.so: tt::tt_metal::Buffer::create
                  _ttnn.so: ttnn::add
                ════════════════════════════════════════
                BUFFER DEALLOCATED
                Time: 12:34:57
                Device: 2
                Address: 0x18b21 (101153)
                Size: 4096 bytes (4 KB)
                Type: L1
                Buffer*: 0x7f00deadbeef
                """, """
                ────────────────────────────────────────
                Allocation #1
                Time: 12:34:56
                Device: 1
                Type: DRAM
                Size: 262144 bytes
                Address: 0x2000000
                Stack trace:
                  app: main
                ────────────────────────────────────────
                Deallocation
                Time: 12:34:57
                Device: 1
                Address: 0x2000000
                """);
    }
}
