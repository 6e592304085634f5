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
    @ValueSource(
            strings = {
                "%s  ← DUPLICATE!",
                "%s # the first",
                "    %s",
                "> %s",
                "2025-11-20T10:15:30.123Z %s",
                "server-1  | %s",
                "2026-11-26T13:00:00.000000000Z stdout F {\"pod\":\"llama-decoder-7f6c9d9b6d-x2x9z-worker-0000017\",\"namespace\":\"a\"} %s",
                "{\"log\":\"%s\\n\",\"stream\":\"stdout\"}",
                "2026-11-26 10:15:30,123 - tests.decode - INFO - %s",
                "\u001b[32m%s\u001b[0m",
                "\u001b[1;38;5;40m\u001b]0;tests\u0007\u001b(B%s",
                "\uFEFF%s"
            })
    void whatPeopleAndToolsPutAroundALineIsNoHindrance(String around) {
        ParsedLog log = Logs.of(around.replace("%s", ALLOCATED));

        assertThat(log.reports()).isEqualTo(1);
        assertThat(Logs.losses(log)).isEmpty();
    }

    @Test
    void coloursInsideOfALineAreNoHindrance() {
        ParsedLog log = Logs.of(ALLOCATED.replace("4096", "\u001b[1m4096\u001b[22m"));

        assertThat(log.reports()).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({
        "'2026-11-27T13:00:%d.5Z stdout F ', ''",
        "'%d server | ', ''",
        "'{\"log\":\"', '\\n\",\"time\":\"2026-11-27T13:00:%d\"}'",
        "'{\"n\":%d,\"msg\":\"', '\"}'"
    })
    void theOtherLinesOfTheServerMayHaveThePrefixOfItsReports(String prefix, String rest) {
        String[] lines = {
            ALLOCATED,
            "✓ [PID 8] Allocated 64 bytes of L1 on device 0 (buffer_id=128)",
            "📊 Current Statistics:",
            "  Device 0:",
            "    Buffers: 2",
            "║           REMAINING ALLOCATED BUFFERS                       ║",
            "╚══════════════════════════════════════════════════════════════╝",
            "Total tracked allocations: 2",
            "",
            "Device 0:",
            "  L1: 2 buffers, 0.00396729 MB total",
            "📋 DUMP_REMAINING complete.",
            "   PID 7 is dead, removing its buffers...",
            "🛑 Allocation Server stopped"
        };
        for (int i = 0; i < lines.length; i++) {
            lines[i] =
                    prefix.replace("%d", String.valueOf(i + 2)) + lines[i] + rest.replace("%d", String.valueOf(i + 2));
        }

        ParsedLog log = Logs.of(lines);

        assertThat(log.unread().count()).isZero();
        assertThat(log.comparedStatistics()).isEqualTo(3);
        assertThat(log.differingStatistics()).isZero();
        assertThat(Logs.verdictOn(log).survivors())
                .extracting(Survivor::cause)
                .containsExactlyInAnyOrder(Cause.PROCESS_DIED, Cause.UNEXPLAINED);
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
