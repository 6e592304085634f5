package dev.meshguard.server.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.Phase;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verdict.Survivor;
import dev.meshguard.verdict.SurvivorGroup;
import dev.meshguard.verdict.SurvivorStatus;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Lines of the server that counts references. */
class ReferenceCountedLogTests {

    private static final String ALLOCATED = "✓ [PID 7] Allocated 4096 bytes of L1 on device 0 (buffer_id=901152)";
    private static final String FREED = "✗ [PID 7] Freed buffer 901152 on device 0 (4096 bytes, FINAL)";

    /** Two allocations of one address and three frees; the last free is unknown to the server. */
    private static final String[] MINI_TRACE = {
        ALLOCATED,
        "✓ [PID 7] Allocated 2048 bytes of L1 on device 0 (buffer_id=901152, ref_count=2)",
        "✗ [PID 7] Freed buffer 901152 on device 0 (4096 bytes, ref_count=1 remaining)",
        FREED,
        "⚠ [PID 7] Deallocation for unknown buffer 901152 on device 0 (allocated before tracking started)"
    };

    @Test
    void equalBuffersOfOneProcessAreOneLeak() {
        AllocationLog log = Logs.of(
                "✓ [PID 7] Allocated 4096 bytes of DRAM on device 0 (buffer_id=901152)",
                "✓ [PID 7] Allocated 4096 bytes of DRAM on device 1 (buffer_id=901152)",
                "✓ [PID 8] Allocated 4096 bytes of DRAM on device 2 (buffer_id=901152)",
                "✓ [PID 7] Allocated 4096 bytes of DRAM on device 3 (buffer_id=109344)",
                Logs.STOPPED);

        assertThat(LeakCheck.create().examine(log.history()).groups(SurvivorStatus.LEAKED))
                .extracting(SurvivorGroup::buffers)
                .containsExactly(3L, 1L);
    }

    @Test
    void theMiniTraceIsReadLineByLine() {
        AllocationLog log = Logs.of(MINI_TRACE);

        assertThat(Logs.reports(log))
                .containsExactly(
                        "allocated L1 0xdc020 (901152) on device 0, 4 KiB (4096 B)",
                        "allocated L1 0xdc020 (901152) on device 0, 2 KiB (2048 B)",
                        "freed L1 0xdc020 (901152) on device 0",
                        "freed L1 0xdc020 (901152) on device 0",
                        "freed L1 0xdc020 (901152) on device 0");
        assertThat(log.unread().count()).isZero();
    }

    @Test
    void theMiniTraceFreedAllAndHasOneFreeTooMany() {
        LeakVerdict verdict = Logs.verdictOn(Logs.of(MINI_TRACE));

        assertThat(verdict.outcome()).isEqualTo(Outcome.MISREPORTED);
        assertThat(verdict.sum()).isEqualTo(new LeakVerdict.Sum(1, 1, 0, 0, 0, 0, 0));
        assertThat(verdict.unbalancingAnomalies()).hasSize(1);
    }

    @Test
    void freesThatLeaveOtherReferencesCount() {
        AllocationLog log = Logs.of(MINI_TRACE);

        assertThat(log.addresses())
                .containsExactly(new AddressUse(0, 901_152, Optional.of(BufferType.L1), 2, 2, 1, 4096, 1, false, 1, 5));
    }

    @Test
    void eventsKnowTheirLines() {
        AllocationLog log = Logs.of("text", "", ALLOCATED);

        assertThat(log.lineOf(log.history().live().get(0).allocatedAt())).hasValue(3);
        assertThat(log.lineOf(0)).isEmpty();
        assertThat(log.lineOf(99)).isEmpty();
    }

    @Test
    void aBufferOfADeadProcessIsLeakedBecauseItsProcessDied() {
        LeakVerdict verdict = Logs.verdictOn(Logs.of(
                ALLOCATED,
                "",
                "⚠️  Detected dead processes, cleaning up orphaned buffers...",
                "   PID 7 is dead, removing its buffers...",
                "   ✓ Removed 1 buffers (0.00390625 MB) from PID 7",
                ""));

        assertThat(verdict.outcome()).isEqualTo(Outcome.LEAKED);
        assertThat(verdict.survivors()).extracting(Survivor::cause).containsExactly(Cause.PROCESS_DIED);
    }

    @Test
    void whatAnotherProcessPutsWhereADeadOneLeftSomethingIsAnotherBuffer() {
        LeakVerdict verdict = Logs.verdictOn(Logs.of(
                ALLOCATED,
                "   PID 7 is dead, removing its buffers...",
                "   ✓ Removed 1 buffers (0.00390625 MB) from PID 7",
                "✓ [PID 8] Allocated 1024 bytes of L1 on device 0 (buffer_id=901152)",
                "✗ [PID 8] Freed buffer 901152 on device 0 (1024 bytes, FINAL)"));

        assertThat(verdict.sum()).isEqualTo(new LeakVerdict.Sum(2, 1, 0, 1, 0, 0, 0));
        assertThat(verdict.survivors()).extracting(Survivor::cause).containsExactly(Cause.PROCESS_DIED);
    }

    @Test
    void aStrayFreeDoesNotHideWhatADeadProcessLeft() {
        LeakVerdict verdict = Logs.verdictOn(Logs.of(
                ALLOCATED,
                "   PID 7 is dead, removing its buffers...",
                "   ✓ Removed 1 buffers (0.00390625 MB) from PID 7",
                "⚠ [PID 8] Deallocation for unknown buffer 901152 on device 0 (allocated before tracking started)"));

        assertThat(verdict.survivors()).extracting(Survivor::cause).containsExactly(Cause.PROCESS_DIED);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "''                                                                             | LEAKED",
                "[PID 2] Allocated 64 bytes of L1 on device 0 (buffer_id=4096, ref_count=2)     | INCONCLUSIVE"
            })
    void aFreeAfterAReuseOfItsAddressIsNotThatOfWhatADeadProcessLeft(String shared, Outcome outcome) {
        AllocationLog log = Logs.of(
                "[PID 1] Allocated 64 bytes of L1 on device 0 (buffer_id=4096)",
                shared,
                shared.isEmpty() ? "" : "[PID 1] Freed buffer 4096 on device 0 (64 bytes, ref_count=1 remaining)",
                "   PID 1 is dead, removing its buffers...",
                "[PID 3] Allocated 64 bytes of L1 on device 0 (buffer_id=4096)",
                "[PID 3] Freed buffer 4096 on device 0 (64 bytes, FINAL)",
                "[PID 2] Deallocation for unknown buffer 4096 on device 0 (allocated before tracking started)",
                Logs.STOPPED);

        assertThat(Logs.verdictOn(log).outcome()).isEqualTo(outcome);
    }

    @Test
    void aFreeOfNothingIsNotThatOfABufferAfterItsDeviceWasOpenedAgain() {
        AllocationLog log = Logs.of(
                "[PID 1] Deallocation for unknown buffer 8192 on device 0 (allocated before tracking started)",
                ALLOCATED,
                "   PID 7 is dead, removing its buffers...",
                ALLOCATED.replace("PID 7", "PID 8"),
                "[PID 8] Allocated 64 bytes of L1 on device 0 (buffer_id=8192)",
                Logs.STOPPED);

        assertThat(Logs.losses(log)).isEmpty();
    }

    @Test
    void whoSharedABufferOfADeadProcessStillFreesIt() {
        AllocationLog log = Logs.of(
                ALLOCATED,
                "✓ [PID 8] Allocated 4096 bytes of L1 on device 0 (buffer_id=901152, ref_count=2)",
                "   PID 7 is dead, removing its buffers...",
                "   ✓ Removed 1 buffers (0.00390625 MB) from PID 7",
                "⚠ [PID 8] Deallocation for unknown buffer 901152 on device 0 (allocated before tracking started)");

        assertThat(Logs.verdictOn(log).unbalancingAnomalies()).isEmpty();
        assertThat(log.history().live().get(0).openReports()).isEqualTo(1);
    }

    @Test
    void sumsOfTheServerThatAgreeAreNotInconclusive() {
        AllocationLog log = Logs.of(
                ALLOCATED,
                "",
                "📊 Current Statistics:",
                "  Device 0:",
                "    Buffers: 1",
                "    DRAM: 0 bytes (0 KB)",
                "    L1: 4096 bytes (4 KB)",
                "    Total: 4096 bytes",
                "  Active allocations: 1",
                FREED,
                "",
                "📊 Current Statistics:",
                "  Active allocations: 0");

        assertThat(log.comparedStatistics()).isEqualTo(6);
        assertThat(log.differingStatistics()).isZero();
        assertThat(Logs.verdictOn(log).outcome()).isEqualTo(Outcome.LEAK_FREE);
    }

    @Test
    void aSumThatIsNotTheSumOfTheLinesNamesItsLine() {
        AllocationLog log = Logs.of(
                ALLOCATED,
                "📊 Current Statistics:",
                "  Device 0:",
                "    Buffers: 2",
                "    L1: 8192 bytes (8 KB)",
                "    Total: 8192 bytes",
                "  Active allocations: 2",
                FREED);

        assertThat(Logs.losses(log))
                .containsExactly(
                        "line 4 says 2 buffers on device 0, and the lines before it add up to 1",
                        "more of the same in 3 lines, the last line 7: figures that are not the sum of the lines before them");
        assertThat(Logs.verdictOn(log).outcome()).isEqualTo(Outcome.INCONCLUSIVE);
    }

    @Test
    void statisticsThatAreQuotedInOneLineAreComparedToo() {
        AllocationLog log = Logs.of(
                ALLOCATED,
                "✓ [PID 7] Allocated 2048 bytes of DRAM on device 1 (buffer_id=4096)",
                "Device 0: Buffers: 1, DRAM: 0 bytes, L1: 4096 bytes",
                "Device 1: Buffers: 20, DRAM: 2048 bytes");

        assertThat(log.unread().count()).isZero();
        assertThat(log.comparedStatistics()).isEqualTo(5);
        assertThat(Logs.losses(log))
                .containsExactly("line 4 says 20 buffers on device 1, and the lines before it add up to 1");
    }

    @Test
    void aDumpIsTheCheckAndIsComparedToo() {
        AllocationLog log = Logs.of(
                ALLOCATED,
                "✓ [PID 7] Allocated 2048 bytes of DRAM on device 1 (buffer_id=4096)",
                "✗ [PID 7] Freed buffer 4096 on device 1 (2048 bytes, FINAL)",
                "📋 Received DUMP_REMAINING request...",
                "",
                "╔══════════════════════════════════════════════════════════════╗",
                "║           REMAINING ALLOCATED BUFFERS                       ║",
                "╚══════════════════════════════════════════════════════════════╝",
                "Total tracked allocations: 1",
                "",
                "Device 0:",
                "  L1: 1 buffers, 0.00390625 MB total",
                "    - Buffer 0xdc020: 4 KB (PID 7, ref_count=1)",
                "",
                "Total remaining buffers: 1",
                "",
                "📋 DUMP_REMAINING complete.",
                FREED);

        LeakVerdict verdict = Logs.verdictOn(log);
        assertThat(log.comparedStatistics()).isEqualTo(4);
        assertThat(log.differingStatistics()).isZero();
        assertThat(log.unread().count()).isZero();
        assertThat(verdict.survivors()).extracting(Survivor::cause).containsExactly(Cause.LATE);
    }

    @Test
    void aDumpAfterWhichMoreIsAllocatedIsNotTheCheck() {
        AllocationLog log = Logs.of(
                "║           REMAINING ALLOCATED BUFFERS                       ║",
                "Total tracked allocations: 0",
                "✓ No buffers remaining - perfect cleanup!",
                "📋 DUMP_REMAINING complete.",
                ALLOCATED,
                Logs.STOPPED);

        assertThat(Logs.verdictOn(log).outcome()).isEqualTo(Outcome.LEAKED);
    }

    @Test
    void aDeadProcessCountsAlsoWhenItIsFoundAfterTheDump() {
        AllocationLog log = Logs.of(
                ALLOCATED,
                "║           REMAINING ALLOCATED BUFFERS                       ║",
                "Total tracked allocations: 1",
                "📋 DUMP_REMAINING complete.",
                "   PID 7 is dead, removing its buffers...",
                "   ✓ Removed 1 buffers (0.00390625 MB) from PID 7");

        assertThat(Logs.verdictOn(log).survivors()).extracting(Survivor::cause).containsExactly(Cause.PROCESS_DIED);
    }

    @Test
    void aDumpWithOtherBuffersThanTheLinesLeaveNamesItsLine() {
        AllocationLog log = Logs.of(
                ALLOCATED,
                "║           REMAINING ALLOCATED BUFFERS                       ║",
                "Total tracked allocations: 1",
                "Device 0:",
                "  L1: 1 buffers, 0.00390625 MB total",
                "    - Buffer 0x19b20: 4 KB (PID 7, ref_count=1)");

        assertThat(Logs.losses(log))
                .containsExactly(
                        "line 6 says buffer 0x19b20 (105248) on device 0 with 4 KB and 1 reference, and the lines before it add"
                                + " up to none");
    }

    @Test
    void oneIdInTwoMemoriesAtATimeIsTwoBuffers() {
        LeakVerdict verdict = Logs.verdictOn(Logs.of(
                ALLOCATED,
                "✓ [PID 7] Allocated 64 bytes of DRAM on device 0 (buffer_id=901152, ref_count=2)",
                "✗ [PID 7] Freed buffer 901152 on device 0 (4096 bytes, ref_count=1 remaining)",
                FREED));

        assertThat(verdict.sum()).isEqualTo(new LeakVerdict.Sum(2, 2, 0, 0, 0, 0, 0));
    }

    @Test
    void anIdMayNeedAllSixtyFourBits() {
        AllocationLog log = Logs.of(
                "✓ [PID 7] Allocated 64 bytes of L1 on device 0 (buffer_id=18446744073709551615)",
                "✗ [PID 7] Freed buffer 18446744073709551615 on device 0 (64 bytes, FINAL)");

        assertThat(Logs.verdictOn(log).outcome()).isEqualTo(Outcome.LEAK_FREE);
        assertThat(log.addresses().get(0).address()).isEqualTo(-1);
    }

    @Test
    void phasesBeginWhereAScriptSaysSo() throws Exception {
        String text = String.join("\n", ALLOCATED, "=== teardown ===", FREED, "");
        AllocationLog log = Logs.READER
                .phasesAt(Pattern.compile("^=== (.+) ===$"))
                .read(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), "log");

        assertThat(log.history().phases()).extracting(began -> began.phase()).containsExactly(new Phase("teardown"));
        assertThat(log.unread().count()).isZero();
    }
}
