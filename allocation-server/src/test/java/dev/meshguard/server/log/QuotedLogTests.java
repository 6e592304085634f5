package dev.meshguard.server.log;

import static dev.meshguard.server.log.Logs.ALLOCATED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.Evidence;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verdict.Survivor;
import dev.meshguard.verdict.SurvivorStatus;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Log lines that people quoted: in documents, shortened, with remarks, and read in another encoding.
 *
 * <p>The documents are tt-metal's own; here they have their log lines in place, and placeholders for the text around
 * them.
 */
class QuotedLogTests {

    @ParameterizedTest
    @CsvSource({
        "remaining-l1-buffers.md, 224, 6, INCONCLUSIVE",
        "what-remains.md, 339, 2, INCONCLUSIVE",
        "dram-leak.md, 148, 0, INCONCLUSIVE",
        "double-allocation.md, 197, 2, INCONCLUSIVE",
        "mesh-tracking-issues.md, 214, 11, INCONCLUSIVE"
    })
    void documentsAreReadAndTheRestIsCounted(String document, long lines, long reports, Outcome outcome) {
        ParsedLog log = Logs.ofResource(document);

        assertThat(log.lines()).isEqualTo(lines);
        assertThat(log.reports()).isEqualTo(reports);
        assertThat(Logs.verdictOn(log).outcome()).isEqualTo(outcome);
    }

    @Test
    void ofTheThreeControlBuffersOfTheDocumentItIsUndecidedWhetherTheyAreMemory() {
        ParsedLog log = Logs.ofResource("remaining-l1-buffers.md");
        LeakVerdict verdict = Logs.verdictOn(log);

        assertThat(verdict.survivors()).extracting(Survivor::status).containsOnly(SurvivorStatus.UNDECIDED);
        assertThat(verdict.survivors().get(0).diagnosis().evidence())
                .extracting(Evidence::text)
                .contains(
                        "it lies in a stack of L1 buffers without gaps from 0x18b20 (101152), where L1 begins on Wormhole B0"
                                + " (October 2025). Circular buffers stack upward from there, and the allocator allocates L1 from the top");
        assertThat(log.comparedStatistics()).isEqualTo(6);
        assertThat(log.differingStatistics()).isZero();
        assertThat(log.unread().numbers(20)).isEqualTo("1-15, 20, 33-41, 45-224");
    }

    @Test
    void theDumpOfTheDocumentHasBuffersThatNoLineAllocates() {
        ParsedLog log = Logs.ofResource("what-remains.md");

        assertThat(Logs.losses(log)).startsWith("line 111 says 381 live buffers, and the lines before it add up to 0");
        assertThat(log.differingStatistics()).isEqualTo(17);
    }

    @ParameterizedTest
    @ValueSource(strings = {"windows-1252", "ISO-8859-1", "x-MacRoman", "IBM850", "US-ASCII"})
    void marksThatWereReadInAnotherEncodingAreNoHindrance(String encoding) {
        String text = String.join(
                "\n",
                "🚀 Allocation Server started",
                ALLOCATED,
                "📊 Current Statistics:",
                "  Active allocations: 1",
                "╔══════════════════════════════════════════════════════════════╗",
                "║           REMAINING ALLOCATED BUFFERS                       ║",
                "╚══════════════════════════════════════════════════════════════╝",
                "Total tracked allocations: 1",
                "⚠️  Detected dead processes, cleaning up orphaned buffers...",
                "   PID 7 is dead, removing its buffers...",
                "   ✓ Removed 1 buffers (0.00390625 MB) from PID 7",
                "");
        String spoilt = new String(text.getBytes(StandardCharsets.UTF_8), Charset.forName(encoding));
        ParsedLog log = Logs.ofText(spoilt);

        assertThat(log.unread().samples()).isEmpty();
        assertThat(log.comparedStatistics()).isEqualTo(3);
        assertThat(Logs.verdictOn(log).survivors()).extracting(Survivor::cause).containsExactly(Cause.PROCESS_DIED);
    }
}
