package dev.meshguard.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.report.json.HistoryJson;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.LeakCheck;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code meshguard analyze} of histories in JSON Lines, called like from a shell. */
class AnalyzeHistoryTests {

    @TempDir
    Path folder;

    private final AllocationTracker tracker = AllocationTracker.create();
    private Path file = Path.of("");

    @BeforeEach
    void nameTheFile() {
        file = folder.resolve("history.jsonl");
    }

    @Test
    void hasTheVerdictOfTheRunWordForWord() throws IOException {
        tracker.allocated(0, BufferType.DRAM, 0x1000, 64);
        tracker.freed(1, BufferType.DRAM, 0x1000);

        HistoryJson.write(tracker.history(), file);

        Answer answer = Answer.to("analyze", file.toString());

        assertThat(answer.err()).isEmpty();
        assertThat(answer.out())
                .isEqualToNormalizingNewlines(file + ": 2 events (history)\n\n" + textOf(tracker.history()) + "\n");
        assertThat(answer.status()).isEqualTo(1);
    }

    @Test
    void isInconclusiveWithADamagedLine() throws IOException {
        tracker.allocated(0, BufferType.DRAM, 0x1000, 64);
        tracker.freed(0, BufferType.DRAM, 0x1000);
        HistoryJson.write(tracker.history(), file);
        List<String> lines = Files.readAllLines(file);
        int freed = lines.indexOf(lines.stream()
                .filter(line -> line.contains("\"freed\""))
                .findFirst()
                .orElseThrow());
        lines.set(freed, lines.get(freed).substring(0, 20));
        Files.write(file, lines);

        Answer answer = Answer.to("analyze", file.toString());

        assertThat(answer.out()).contains("INCONCLUSIVE  ", "line " + (freed + 1));
        assertThat(answer.status()).isEqualTo(2);
    }

    @Test
    void theVerdictCanBeJson() throws IOException {
        tracker.allocated(0, BufferType.DRAM, 0x1000, 64);

        HistoryJson.write(tracker.history(), file);

        String json = Answer.to("analyze", "--json", file.toString()).out().replaceAll("\\s+", "");

        assertThat(json)
                .startsWith(
                        "{\"format\":\"meshguard-analysis\",\"version\":1,\"logs\":[],\"histories\":[{\"history\":\""
                                + file + "\",\"status\":\"LEAKED\",\"events\":1,\"verdict\":{")
                .contains("\"outcome\":\"LEAKED\"");
    }

    @Test
    void isReadBesideALog() throws IOException {
        Path log = Files.writeString(
                folder.resolve("server.log"),
                "✓ [PID 7] Allocated 4096 bytes of L1 on device 0 (buffer_id=901152)\nAllocation Server stopped\n");
        HistoryJson.write(tracker.history(), file);

        Answer answer = Answer.to("analyze", file.toString(), log.toString());

        assertThat(answer.out())
                .startsWith(file + ": 0 events (history)")
                .contains(log + ": 2 lines", "LEAK  4 KiB in 1 L1 buffer");
        assertThat(answer.status()).isEqualTo(1);
    }

    // Forms of the file

    @Test
    void isReadCompressedWithGzip() throws IOException {
        tracker.allocated(0, BufferType.DRAM, 0x1000, 64);
        HistoryJson.write(tracker.history(), file);
        Path compressed = folder.resolve("history.jsonl.gz");
        try (OutputStream gzip = new GZIPOutputStream(Files.newOutputStream(compressed))) {
            Files.copy(file, gzip);
        }

        assertThat(Answer.to("analyze", compressed.toString()).out()).startsWith(compressed + ": 1 event (history)");
    }

    @Test
    void anotherVersionIsSaidInOneLine() throws IOException {
        Files.writeString(file, "{\"kind\":\"header\",\"format\":\"meshguard-history\",\"version\":9}\n");

        Answer answer = Answer.to("analyze", file.toString());

        assertThat(answer.status()).isEqualTo(64);
        assertThat(answer.err())
                .startsWith("meshguard: " + file + " cannot be read: ")
                .hasLineCount(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{\"kind\":\"header\",\"for", "{\"kind\":\"header\",\"format\":\"meshgu?rd-history\"}"})
    void withADamagedHeaderItIsInconclusive(String header) throws IOException {
        tracker.allocated(0, BufferType.DRAM, 0x1000, 64);
        tracker.freed(0, BufferType.DRAM, 0x1000);
        HistoryJson.write(tracker.history(), file);
        List<String> lines = Files.readAllLines(file);
        lines.set(0, header);
        Files.write(file, lines);

        Answer answer = Answer.to("analyze", file.toString());

        assertThat(answer.out()).contains("INCONCLUSIVE  ");
        assertThat(answer.status()).isEqualTo(2);
    }

    private static String textOf(AllocationHistory history) {
        return VerdictReport.of(LeakCheck.create().examine(history)).text();
    }
}
