package dev.meshguard.server.log;

import static dev.meshguard.server.log.Logs.ALLOCATED;
import static dev.meshguard.server.log.Logs.FREED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.verdict.Outcome;
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
        ParsedLog log = Logs.ofText(ALLOCATED + "\n" + FREED + "\n" + end);

        assertThat(Logs.losses(log)).containsExactly("the log ends in the middle of line 3");
        assertThat(Logs.verdictOn(log).outcome()).isEqualTo(Outcome.INCONCLUSIVE);
    }

    @ParameterizedTest
    @ValueSource(strings = {ALLOCATED + "\n" + FREED, ALLOCATED + "\r\n" + FREED + "\r\r\n"})
    void theLastLineNeedsNoLineBreakAndLinesMayEndAsOnWindows(String text) {
        assertThat(Logs.verdictOn(Logs.ofText(text)).outcome()).isEqualTo(Outcome.LEAK_FREE);
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
            ParsedLog log = Logs.of(ALLOCATED, FREED, line.substring(cut), Logs.STOPPED);
            assertThat(Logs.verdictOn(log).outcome()).as("cut %d", cut).isNotEqualTo(Outcome.LEAK_FREE);
        }
    }

    private static void assertIsNotClean(String change, byte[]... parts) {
        ParsedLog log = Logs.ofBytes(join(parts));
        // With a live buffer or a loss no verdict is clean, and judging takes as long as reading: one of sixteen is
        // judged.
        boolean isShown =
                !log.history().live().isEmpty() || !log.history().lostReports().isEmpty();
        if (!isShown || change.hashCode() % 16 == 0) {
            assertThat(Logs.verdictOn(log).outcome()).as(change).isNotEqualTo(Outcome.LEAK_FREE);
        }
    }

    @Test
    void gzipOfSeveralMembersIsOneLog() throws IOException {
        ParsedLog log = Logs.ofBytes(join(compressed(ALLOCATED + "\n"), compressed(""), compressed(FREED + "\n")));

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
        ParsedLog log = Logs.ofBytes(bytes);
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
            ParsedLog log = Logs.ofText(text);
            assertThat(Logs.losses(log)).anyMatch(loss -> loss.contains("holds bytes that were never written (NUL)"));
            assertThat(Logs.verdictOn(log).outcome()).isIn(Outcome.INCONCLUSIVE, Outcome.LEAKED);
        }
        assertThat(Logs.verdictOn(Logs.ofText(ALLOCATED + "\n" + FREED + "\n" + hole))
                        .outcome())
                .isEqualTo(Outcome.INCONCLUSIVE);
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
        ParsedLog log = Logs.ofText(ALLOCATED + "\n" + "x".repeat(1_000_000) + "\n" + FREED + "\n");

        assertThat(log.unread().samples()).containsExactly(new UnreadLines.Sample(2, "a line of more than 64 KiB"));
        assertThat(Logs.verdictOn(log).outcome()).isEqualTo(Outcome.LEAK_FREE);
    }

    @ParameterizedTest
    @ValueSource(ints = {65_000, 65_536, 65_550, 131_000, 1_000_000})
    void aReportInALineThatIsTooLongIsALoss(int prefix) {
        ParsedLog log = Logs.of(ALLOCATED, FREED, "x".repeat(prefix) + " " + ALLOCATED + " " + "y".repeat(70_000));

        assertThat(Logs.losses(log)).containsExactly("line 3 contains a report, and a line may have 64 KiB at most");
    }

    private static byte[] compressed(String text) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
            gzip.write(text.getBytes(StandardCharsets.UTF_8));
        }
        return bytes.toByteArray();
    }
}
