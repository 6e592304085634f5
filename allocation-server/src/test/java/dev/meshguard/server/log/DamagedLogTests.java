package dev.meshguard.server.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.verdict.InconclusiveReason;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verdict.Survivor;
import dev.meshguard.verdict.SurvivorStatus;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Incomplete logs: the verdict is inconclusive and names the line. */
class DamagedLogTests {

    private static final String ALLOCATED = "✓ [PID 7] Allocated 4096 bytes of L1 on device 0 (buffer_id=901152)";
    private static final String FREED = "✗ [PID 7] Freed buffer 901152 on device 0 (4096 bytes, FINAL)";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "✓",
                "✓ [PI",
                "✓ [PID 7",
                "✓ [PID 7] Allocated 40",
                "✓ [PID 7] Allocated 4096 bytes of L1 on device 0 (buffer_id=901152"
            })
    void aLogThatEndsInTheMiddleOfALineIsInconclusive(String end) {
        AllocationLog log = Logs.ofText(ALLOCATED + "\n" + FREED + "\n" + end);

        assertThat(Logs.losses(log)).containsExactly("the log ends in the middle of line 3");
        assertThat(Logs.verdictOn(log).outcome()).isEqualTo(Outcome.INCONCLUSIVE);
    }

    @ParameterizedTest
    @ValueSource(strings = {ALLOCATED + "\n" + FREED, ALLOCATED + "\r\n" + FREED + "\r\r\n"})
    void theLastLineNeedsNoLineBreakAndLinesMayEndAsOnWindows(String text) {
        assertThat(Logs.verdictOn(Logs.ofText(text)).outcome()).isEqualTo(Outcome.LEAK_FREE);
    }

    @Test
    void aLogWhoseBeginningWasRotatedAwayIsInconclusive() {
        AllocationLog log = Logs.of(FREED);

        assertThat(Logs.losses(log))
                .containsExactly(
                        "line 1 frees buffer 0xdc020 (901152) on device 0, and no line before it allocates it: the log"
                                + " begins too late, or lines are missing");
        assertThat(Logs.verdictOn(log).outcome()).isEqualTo(Outcome.INCONCLUSIVE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "[PID 2] Allocated 64 bytes of DRAM on device 0 (buffer_id=8192)"})
    void aFreeBeforeItsOwnAllocationLeavesTheBufferUndecided(String between) {
        AllocationLog log = Logs.of(
                "[PID 1] Freed buffer 4096 on device 0 (64 bytes, FINAL)",
                between,
                "[PID 1] Allocated 64 bytes of DRAM on device 0 (buffer_id=4096)",
                Logs.STOPPED);

        assertThat(Logs.losses(log))
                .contains("line 3 allocates buffer 0x1000 (4096) on device 0, and line 1 may be its free: the log"
                        + " begins too late, or its lines are out of order");
        assertThat(Logs.verdictOn(log).outcome()).isEqualTo(Outcome.INCONCLUSIVE);
    }

    @Test
    void aFreeBeforeItsAllocationIsFoundOnEachDeviceOfAMesh() {
        AllocationLog log = Logs.of(
                "[PID 1] Freed buffer 4096 on device 0 (64 bytes, FINAL)",
                "[PID 1] Freed buffer 4096 on device 1 (64 bytes, FINAL)",
                "[PID 1] Allocated 64 bytes of DRAM on device 0 (buffer_id=4096)",
                "[PID 1] Allocated 64 bytes of DRAM on device 1 (buffer_id=4096)",
                Logs.STOPPED);

        assertThat(Logs.verdictOn(log).survivors())
                .extracting(Survivor::status)
                .containsExactly(SurvivorStatus.UNDECIDED, SurvivorStatus.UNDECIDED);
    }

    @Test
    void aDamagedFreeOfAnUnknownBufferIsNamed() {
        AllocationLog log = Logs.of("⚠ [PID 1] Deallocation for unknown buffer", Logs.STOPPED);

        assertThat(Logs.losses(log)).hasSize(1);
        assertThat(Logs.verdictOn(log).outcome()).isEqualTo(Outcome.INCONCLUSIVE);
    }

    @Test
    void aFreeOfNothingLeavesALaterBufferOfAnyTypeUndecided() {
        AllocationLog log = Logs.of(
                "⚠ [PID 1] Deallocation for unknown buffer 4096 on device 0 (allocated before tracking started)",
                "✓ [PID 1] Allocated 64 bytes of L1 on device 0 (buffer_id=4096)",
                Logs.STOPPED);

        assertThat(Logs.losses(log))
                .containsExactly("line 2 allocates L1 0x1000 (4096) on device 0, and the free of nothing in line 1,"
                        + " which was recorded as one of DRAM, may be its free: reports are missing or out of order");
        assertThat(Logs.verdictOn(log).survivors())
                .extracting(Survivor::status)
                .containsExactly(SurvivorStatus.UNDECIDED);
    }

    @Test
    void aReportThatCannotBeReadIsALossAndNotSkipped() {
        AllocationLog log =
                Logs.of(ALLOCATED, "✗ [PID 7] Freed buffer 901152 on device zero (4096 bytes, FINAL)", FREED);

        assertThat(Logs.losses(log)).containsExactly("line 2 contains a report that cannot be read");
        assertThat(log.unread().ranges()).containsExactly(new UnreadLines.Range(2, 2));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "✓ [PID 8] Allocated 1048576 bytes of DRAM on device 0 (buffer_id=8192)",
                "✓ [PID 7] Allocated 4096 bytes of L1 on device 0 (buffer_id=901153)",
                "✓ [PID 7] Allocated 64 bytes of L1_SMALL on device 1 (buffer_id=0xdc020, ref_count=1)"
            })
    void noSingleByteHidesALeak(String leaking) {
        byte[] line = (leaking + "\n").getBytes(StandardCharsets.UTF_8);
        byte[] others = (ALLOCATED + "\n" + FREED + "\n").getBytes(StandardCharsets.UTF_8);
        byte[] end = (Logs.STOPPED + "\n").getBytes(StandardCharsets.UTF_8);

        for (int at = 0; at < line.length; at++) {
            for (int value = 0; value < 256; value++) {
                byte[] changed = line.clone();
                changed[at] = (byte) value;
                assertIsNotClean("byte " + at + " is " + value, others, changed, end);
                assertIsNotClean("first, byte " + at + " is " + value, changed, others, end);
            }
            byte[] before = Arrays.copyOf(line, at);
            byte[] after = Arrays.copyOfRange(line, at + 1, line.length);
            assertIsNotClean("without byte " + at, others, before, after, end);
            assertIsNotClean("first, without byte " + at, before, after, others, end);
        }
    }

    @Test
    void aLineThatIsCutAtItsHeadIsALossAsLongAsItCanBeRecognized() {
        String line = "✓ [PID 8] Allocated 1048576 bytes of DRAM on device 0 (buffer_id=8192)";

        for (int cut = 1; cut <= line.indexOf("buffer_id="); cut++) {
            AllocationLog log = Logs.of(ALLOCATED, FREED, line.substring(cut), Logs.STOPPED);
            assertThat(Logs.verdictOn(log).outcome()).as("cut %d", cut).isNotEqualTo(Outcome.LEAK_FREE);
        }
    }

    private static void assertIsNotClean(String change, byte[]... parts) {
        AllocationLog log = Logs.ofBytes(join(parts));
        assertThat(Logs.verdictOn(log).outcome()).as(change).isNotEqualTo(Outcome.LEAK_FREE);
    }

    @Test
    void aCountOfReferencesThatDoesNotFollowNamesItsLine() {
        AllocationLog log =
                Logs.of(ALLOCATED, "✓ [PID 7] Allocated 4096 bytes of L1 on device 0 (buffer_id=901152, ref_count=3)");

        assertThat(Logs.losses(log))
                .containsExactly(
                        "line 2 says that buffer 0xdc020 (901152) on device 0 now has 3 references, and the lines before it"
                                + " make 2");
    }

    @Test
    void aLastReferenceThatIsNotTheLastNamesItsLine() {
        AllocationLog log = Logs.of(
                ALLOCATED, "✓ [PID 7] Allocated 4096 bytes of L1 on device 0 (buffer_id=901152, ref_count=2)", FREED);

        assertThat(Logs.losses(log))
                .containsExactly(
                        "by the lines before line 3 buffer 0xdc020 (901152) on device 0 has 2 references, and that line"
                                + " frees the last one");
    }

    @Test
    void aSizeThatDoesNotFollowNamesItsLine() {
        AllocationLog log = Logs.of(ALLOCATED, "✗ [PID 7] Freed buffer 901152 on device 0 (2048 bytes, FINAL)");

        assertThat(Logs.losses(log))
                .containsExactly(
                        "by the lines before line 2 buffer 0xdc020 (901152) on device 0 takes 4 KiB (4096 B), and that"
                                + " line says 2 KiB (2048 B)");
    }

    @Test
    void aDeviceThatCannotBeIsALoss() {
        AllocationLog log = Logs.of("✓ [PID 7] Allocated 64 bytes of L1 on device 2657333 (buffer_id=1)");

        assertThat(Logs.losses(log)).containsExactly("line 1 names device 2657333, and only devices 0 to 65535 can be");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "⚠️  Invalid device_id 2657333 - ignoring message",
                "Unknown message type: 219",
                "⚠ [PID 7] Invalid buffer_type 96 for buffer 5 on device 0",
                "⚠️  Too many consecutive errors (10) - closing connection (likely protocol mismatch)"
            })
    void aMessageThatTheServerRejectedIsALostReport(String line) {
        LeakVerdict verdict = Logs.verdictOn(Logs.of(ALLOCATED, line, FREED));

        assertThat(verdict.outcome()).isEqualTo(Outcome.INCONCLUSIVE);
        assertThat(verdict.inconclusiveReasonTexts().get(0)).contains("the server rejected a message (line 2, \"");
    }

    @Test
    void aProgramThatCouldNotReportMakesItInconclusive() {
        AllocationLog log = Logs.of(
                ALLOCATED,
                "[TT-Metal] Warning: Allocation tracking enabled but server not available at /tmp/tt_allocation_server.sock",
                FREED);

        assertThat(Logs.verdictOn(log).outcome()).isEqualTo(Outcome.INCONCLUSIVE);
    }

    @Test
    void gzipOfSeveralMembersIsOneLog() throws IOException {
        AllocationLog log = Logs.ofBytes(join(compressed(ALLOCATED + "\n"), compressed(""), compressed(FREED + "\n")));

        assertThat(Logs.losses(log)).isEmpty();
        assertThat(Logs.verdictOn(log).outcome()).isEqualTo(Outcome.LEAK_FREE);
    }

    @Test
    void gzipThatIsDamagedFromItsSecondMemberOnIsInconclusive() throws IOException {
        byte[] first = compressed(ALLOCATED + "\n" + FREED + "\n");
        byte[] second = compressed((ALLOCATED + "\n").repeat(2_000));
        for (int spoilt : new int[] {0, 1, 2, 3, 12, second.length / 2, second.length - 6, second.length - 1}) {
            byte[] damaged = join(first, second);
            damaged[first.length + spoilt] ^= (byte) 0xff;
            assertIsDamaged(damaged, "byte " + spoilt);
        }
        for (int cut : new int[] {1, 5, 9, 11, second.length / 2, second.length - 1}) {
            assertIsDamaged(Arrays.copyOf(join(first, second), first.length + cut), "cut to " + cut);
        }
    }

    @Test
    void gzipWithSomethingElseBehindItIsInconclusive() throws IOException {
        byte[] whole = compressed(ALLOCATED + "\n" + FREED + "\n");

        assertIsDamaged(join(whole, new byte[512]), "zeros");
        assertIsDamaged(join(whole, "garbage".getBytes(StandardCharsets.UTF_8)), "text");
        assertIsDamaged(join(whole, new byte[] {0x1f}), "half a beginning");
    }

    private static void assertIsDamaged(byte[] bytes, String how) {
        AllocationLog log = Logs.ofBytes(bytes);
        assertThat(Logs.losses(log))
                .as(how)
                .anyMatch(loss -> loss.matches(
                        "the log cannot be read after line \\d+: the compressed data breaks off or is spoilt"));
        assertThat(Logs.verdictOn(log).outcome()).as(how).isIn(Outcome.INCONCLUSIVE, Outcome.LEAKED);
    }

    private static byte[] join(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4_096, 200_000})
    void bytesThatWereNeverWrittenAreInconclusive(int nuls) {
        String hole = "\0".repeat(nuls);

        for (String text : List.of(
                ALLOCATED + "\n" + FREED + "\n" + hole,
                ALLOCATED + "\n" + FREED + "\n" + hole + "\n",
                hole + ALLOCATED + "\n" + FREED + "\n",
                ALLOCATED + "\n" + hole + FREED + "\n")) {
            AllocationLog log = Logs.ofText(text);
            assertThat(Logs.losses(log)).anyMatch(loss -> loss.contains("holds bytes that were never written (NUL)"));
            assertThat(Logs.verdictOn(log).outcome()).isIn(Outcome.INCONCLUSIVE, Outcome.LEAKED);
        }
        assertThat(Logs.verdictOn(Logs.ofText(ALLOCATED + "\n" + FREED + "\n" + hole))
                        .outcome())
                .isEqualTo(Outcome.INCONCLUSIVE);
    }

    @Test
    void aFirstSizeThatTheFreesOfAServerWithReferencesContradictIsInconclusive() {
        AllocationLog log = Logs.of(
                ALLOCATED,
                "✓ [PID 7] Allocated 8192 bytes of L1 on device 0 (buffer_id=901152, ref_count=2)",
                "✗ [PID 7] Freed buffer 901152 on device 0 (8192 bytes, ref_count=1 remaining)",
                "✗ [PID 7] Freed buffer 901152 on device 0 (8192 bytes, FINAL)");

        assertThat(Logs.losses(log).get(0))
                .isEqualTo(
                        "by the lines before line 3 buffer 0xdc020 (901152) on device 0 takes 4 KiB (4096 B), and that line says"
                                + " 8 KiB (8192 B)");
        assertThat(Logs.verdictOn(log).outcome()).isEqualTo(Outcome.INCONCLUSIVE);
    }

    @Test
    void aDumpWithoutItsBeginningIsALoss() {
        AllocationLog log = Logs.of(ALLOCATED, "Total remaining buffers: 1", "📋 DUMP_REMAINING complete.", FREED);

        assertThat(Logs.losses(log)).containsExactly("line 3 ends a dump, and no line before it begins one");
    }

    @Test
    void aServerThatWasStartedAgainWhileBuffersWereAllocatedMakesItInconclusive() {
        LeakVerdict verdict =
                Logs.verdictOn(Logs.of("🚀 Allocation Server started", ALLOCATED, "🚀 Allocation Server started"));

        assertThat(verdict.inconclusiveReasons())
                .extracting(InconclusiveReason::kind)
                .containsExactly(InconclusiveReason.Kind.TRACKING_OFF);
        assertThat(verdict.inconclusiveReasonTexts().get(0))
                .contains("line 3 starts the server again while 1 buffer was allocated");
        assertThat(verdict.outcome()).isEqualTo(Outcome.INCONCLUSIVE);
    }

    @Test
    void aServerRestartedWhenNothingWasAllocatedIsNotInconclusive() {
        LeakVerdict verdict = Logs.verdictOn(Logs.of(
                "🚀 Allocation Server started", ALLOCATED, FREED, "🚀 Allocation Server started", ALLOCATED, FREED));

        assertThat(verdict.outcome()).isEqualTo(Outcome.LEAK_FREE);
    }

    @Test
    void aFileThatIsNoLogProvesNothing() {
        assertThat(Logs.losses(Logs.of("one", "two")))
                .containsExactly("none of the 2 lines is of a log of the allocation server");
        assertThat(Logs.losses(Logs.ofText(""))).containsExactly("the log is empty");
        assertThat(Logs.verdictOn(Logs.ofText("")).outcome()).isEqualTo(Outcome.INCONCLUSIVE);
    }

    @Test
    void aLineWithoutEndIsUnreadAndTakesNoMemory() {
        AllocationLog log = Logs.ofText(ALLOCATED + "\n" + "x".repeat(1_000_000) + "\n" + FREED + "\n");

        assertThat(log.unread().samples()).containsExactly(new UnreadLines.Sample(2, "a line of more than 64 KiB"));
        assertThat(Logs.verdictOn(log).outcome()).isEqualTo(Outcome.LEAK_FREE);
    }

    @ParameterizedTest
    @ValueSource(ints = {65_000, 65_536, 65_550, 131_000, 1_000_000})
    void aReportInALineThatIsTooLongIsALoss(int prefix) {
        AllocationLog log = Logs.of(ALLOCATED, FREED, "x".repeat(prefix) + " " + ALLOCATED + " " + "y".repeat(70_000));

        assertThat(Logs.losses(log)).containsExactly("line 3 contains a report, and a line may have 64 KiB at most");
    }

    @Test
    void aProgramThatMayStillRunMayStillFreeItsBuffers() {
        AllocationLog log = Logs.of(ALLOCATED);

        assertThat(Logs.verdictOn(log).outcome()).isEqualTo(Outcome.INCONCLUSIVE);
        assertThat(Logs.verdictOn(log).inconclusiveReasonTexts().get(0))
                .contains("the log shows no end of the program: no dump, no death and no end of the server");
        assertThat(Logs.verdictOn(Logs.of(ALLOCATED, Logs.STOPPED)).outcome()).isEqualTo(Outcome.LEAKED);
    }

    @Test
    void theDeathOfOneProcessIsNotTheEndOfAnother() {
        LeakVerdict verdict = Logs.verdictOn(Logs.of(
                ALLOCATED,
                ALLOCATED.replace("PID 7", "PID 8").replace("901152", "905248"),
                "   PID 8 is dead, removing its buffers..."));

        assertThat(verdict.survivors())
                .extracting(Survivor::status)
                .containsExactly(SurvivorStatus.UNDECIDED, SurvivorStatus.LEAKED);
    }

    private static byte[] compressed(String text) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
            gzip.write(text.getBytes(StandardCharsets.UTF_8));
        }
        return bytes.toByteArray();
    }
}
