package dev.meshguard.server.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.history.CountingPolicy;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Lines of the servers before and after the one that first counts references, and of related tools. */
class OtherDialectsTests {

    @Test
    void aFreeWithoutADeviceIsALoss() {
        AllocationLog log = Logs.of(
                "✓ [PID 12345] Allocated 1048576 bytes of L1 on device 3 (buffer_id=1)",
                "✗ [PID 12345] Freed buffer 1 (1048576 bytes)");

        assertThat(Logs.losses(log)).containsExactly("line 2 contains a report that cannot be read");
    }

    @Test
    void aFreeOfAnAddressThatIsNeverAllocatedHasNoKnownMemory() {
        AllocationLog log = Logs.of("⚠ [PID 7] Deallocation for unknown buffer 1073739776 on device 0");

        assertThat(Logs.reports(log)).containsExactly("freed DRAM 0x3ffff800 (1073739776) on device 0");
        assertThat(log.notes())
                .containsExactly(
                        "1 free of nothing name no address that the log allocates. A free does not say of which memory it"
                                + " is; these are shown as DRAM.");
    }

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

    @Test
    void whatAServerWithoutReferenceCountsCallsUnknownTakesTheSecondReportBack() {
        LeakVerdict verdict = Logs.verdictOn(
                Logs.of(
                        "✓ [PID 7] Allocated 12288 bytes of DRAM on device 0 (buffer_id=1073739776)",
                        "✓ [PID 7] Allocated 12288 bytes of DRAM on device 0 (buffer_id=1073739776)",
                        "✗ [PID 7] Freed buffer 1073739776 on device 0 (12288 bytes)",
                        "⚠ [PID 7] Deallocation for unknown buffer 1073739776 on device 0 (allocated before tracking started)"));

        assertThat(verdict.outcome()).isEqualTo(Outcome.LEAK_FREE);
    }

    @Test
    void aBufferThatTheServerDoesNotKnowIsInNoSum() {
        AllocationLog log = Logs.of(
                "✓ [PID 7] Allocated 64 bytes of L1 on device 0 (buffer_id=1)",
                "⚠ [PID 7] Deallocation for unknown buffer 1 on device 0 (allocated before tracking started)",
                "║           REMAINING ALLOCATED BUFFERS                       ║",
                "Total tracked allocations: 0");

        assertThat(log.differingStatistics()).isZero();
    }

    @Test
    void anotherAllocationWithoutACountOfReferencesNamesItsLineAndBothReasons() {
        AllocationLog log = Logs.of(
                "✓ [PID 7] Allocated 64 bytes of L1 on device 0 (buffer_id=1)",
                "✓ [PID 7] Allocated 64 bytes of L1 on device 0 (buffer_id=1)",
                "✗ [PID 7] Freed buffer 1 on device 0 (64 bytes, FINAL)");

        assertThat(Logs.losses(log))
                .containsExactly(
                        "line 2 allocates buffer 0x1 (1) on device 0 again without a count of references, and no line frees it in"
                                + " between: a line is missing, or a server that counts none wrote the one before");
    }

    @Test
    void hexadecimalIdsAreAddressesLikeDecimalOnes() {
        AllocationLog log = Logs.of(
                "✓ [PID 12345] Allocated 524288 bytes of L1 on device 0 (buffer_id=0x1a0000)",
                "✗ [PID 12345] Freed buffer 0x1a0000 on device 0 (524288 bytes, FINAL)");

        assertThat(Logs.verdictOn(log).outcome()).isEqualTo(Outcome.LEAK_FREE);
        assertThat(log.addresses().get(0).address()).isEqualTo(0x1a0000);
    }

    @Test
    void circularBuffersThatAreLeftMakeItInconclusive() {
        AllocationLog log = Logs.of(
                "✓ [CB_ALLOC] Device 0: +21.7494 MB (Total: 21.7494 MB)",
                "✗ [CB_FREE] Device 0: -0 MB (Total: 21.7494 MB)");

        assertThat(Logs.losses(log))
                .containsExactly(
                        "by line 2 circular buffers of 21.7494 MB are live on device 0, and a log does not identify them");
    }

    @Test
    void circularBuffersAndKernelsThatAreGoneAreNoMatter() {
        AllocationLog log = Logs.of(
                "✓ [CB_ALLOC] Device 0: +21.7494 MB (Total: 21.7494 MB)",
                "✓ [KERNEL_LOAD] Fabric kernel on Device 0: +0.0546875 MB (Total: 0.0546875 MB)",
                "✗ [CB_FREE] Device 0: -21.7494 MB (Total: 0 MB)",
                "✗ [KERNEL_UNLOAD] Fabric kernel on Device 0: -0.0546875 MB (Total: 0 MB)");

        assertThat(Logs.verdictOn(log).outcome()).isEqualTo(Outcome.LEAK_FREE);
        assertThat(log.notes()).isEmpty();
    }

    @Test
    void kernelsThatAreLoadedAreSaidAndNotJudged() {
        AllocationLog log = Logs.of("✓ [KERNEL_LOAD] Device 0: +0.125 MB (Total: 0.125 MB)");

        assertThat(Logs.verdictOn(log).outcome()).isEqualTo(Outcome.LEAK_FREE);
        assertThat(log.notes())
                .containsExactly(
                        "Kernels of 0.125 MB are loaded on device 0 at the end (line 1). Kernels are no buffers and are not"
                                + " judged.");
    }

    @Test
    void circularBuffersOfADeadProcessAreNotForgotten() {
        AllocationLog log = Logs.of(
                "✓ [CB_ALLOC] Device 0: +22.4 MB (Total: 22.4 MB)",
                "   PID 7 is dead, removing its buffers...",
                "   ✓ Removed 0 buffers (0 MB) from PID 7",
                "   ✓ Removed 800 CBs (22.4 MB) from PID 7",
                "   ✓ Removed 30 kernels (0.2 MB) from PID 7");

        assertThat(Logs.losses(log))
                .containsExactly(
                        "process 7 died with 800 circular buffers of 22.4 MB (line 4), and a log does not identify them");
    }

    @Test
    void theEnhancedServerKeepsTheNewSizeAndDoesNotCorrectItsSums() {
        AllocationLog log = Logs.of(
                "✓ [PID 7] Allocated 4096 bytes of L1 on device 0 (buffer_id=0x18b20)",
                "⚠ [PID 7] Buffer reused with DIFFERENT size: old=4096 new=2048 (buffer_id=101152, device=0)",
                "✓ [PID 7] Allocated 2048 bytes of L1 on device 0 (buffer_id=0x18b20, ref_count=2)",
                "✗ [PID 7] Freed buffer 0x18b20 on device 0 (2048 bytes, ref_count=1 remaining)",
                "✗ [PID 7] Freed buffer 0x18b20 on device 0 (2048 bytes, FINAL)",
                "📊 Current Statistics:",
                "  Device 0:",
                "    Buffers: 0",
                "    L1: 2 KB",
                "  Active allocations: 0");

        assertThat(Logs.losses(log)).isEmpty();
        assertThat(Logs.verdictOn(log).outcome()).isEqualTo(Outcome.LEAK_FREE);
    }

    @Test
    void aDoubleFreeOfTheEnhancedServerIsAFreeOfNothing() {
        AllocationLog log = Logs.of(
                "✓ [PID 7] Allocated 4096 bytes of L1 on device 0 (buffer_id=0x18b20)",
                "✗ [PID 7] Freed buffer 0x18b20 on device 0 (4096 bytes, FINAL)",
                "⚠ [PID 7] Deallocation for ALREADY FREED buffer 0x18b20 on device 0 (allocs=1 frees=2)",
                "   Last 5 events for this buffer:",
                "     ALLOC size=4096 pid=7 ref=1",
                "     FREE size=4096 pid=7 ref=0");

        assertThat(Logs.verdictOn(log).outcome()).isEqualTo(Outcome.MISREPORTED);
        assertThat(log.unread().count()).isZero();
        assertThat(log.addresses().get(0).unknownFrees()).isEqualTo(1);
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

    @Test
    void aLeakAfterTheOnlyBlockIsCertain() {
        AllocationLog log = Logs.of(
                "BUFFER DEALLOCATED",
                "Device: 0",
                "✓ [PID 7] Allocated 4096 bytes of DRAM on device 2 (buffer_id=1073739776)",
                Logs.STOPPED);

        assertThat(Logs.losses(log)).hasSize(1);
        assertThat(Logs.verdictOn(log).outcome()).isEqualTo(Outcome.LEAKED);
    }

    @ParameterizedTest
    @MethodSource("blocks")
    void aFileOfSuchBlocksOnlyProvesNothing(String block) {
        AllocationLog log = Logs.ofText(block);

        assertThat(Logs.verdictOn(log).outcome()).isEqualTo(Outcome.INCONCLUSIVE);
        assertThat(Logs.losses(log)).first().asString().startsWith("line 2 begins a block ");
    }

    @Test
    void aBlockAmongLinesOfTheServerIsALossThatNamesItsLine() {
        AllocationLog log = Logs.of(
                "Allocation Server started",
                "════════════════════════════════════════",
                "║ BUFFER ALLOCATED ║",
                "════════════════════════════════════════",
                "Device: 0",
                "Address: 0x18b20",
                "Size: 4096 bytes",
                "Type: L1",
                "  Allocation #12",
                "Deallocation",
                "Deallocation #3",
                "BUFFER DEALLOCATED",
                "Allocation Server stopped");

        assertThat(Logs.losses(log))
                .containsExactly(
                        "line 3 begins a block of the tracking branch's debug client, and such blocks are not read: report"
                                + " with a client of MeshGuard",
                        "more of the same in 4 lines, the last line 12: reports in blocks, which are not read");
        assertThat(Logs.verdictOn(log).outcome()).isEqualTo(Outcome.INCONCLUSIVE);
        assertThat(log.unread().ranges()).containsExactly(new UnreadLines.Range(3, 3), new UnreadLines.Range(5, 12));
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

    @Test
    void whatTheServerPrintsWhenItStartsAndStopsIsRead() {
        AllocationLog log = Logs.of(
                "🔍 Device detection (using TT-Metal APIs):",
                "   Device 0: Wormhole_B0 (12GB DRAM, 75MB L1)",
                "   Total: 8 device(s) detected",
                "🚀 Allocation Server started",
                "   Listening on: /tmp/tt_allocation_server.sock",
                "   Press Ctrl+C to stop",
                "🔄 Background cleanup thread started (checking every 10s)",
                "",
                "📊 Current Statistics:",
                "  Active allocations: 0",
                "🔄 Background cleanup thread stopped",
                "",
                "🛑 Allocation Server stopped");

        assertThat(log.unread().count()).isZero();
        assertThat(Logs.verdictOn(log).outcome()).isEqualTo(Outcome.LEAK_FREE);
    }
}
