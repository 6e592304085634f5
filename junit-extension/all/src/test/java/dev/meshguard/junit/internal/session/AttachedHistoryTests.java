package dev.meshguard.junit.internal.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.junit.testkit.Survivors;
import dev.meshguard.report.json.HistoryJson;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An attached history never exceeds its limit, remains readable when it is cut, and replaces an earlier one. */
class AttachedHistoryTests {

    @TempDir
    private Path folder;

    @Test
    void aHistoryIsCutAfterAWholeLineAndItsReaderSaysSo() throws IOException {
        Path file = folder.resolve("history.jsonl");

        new AttachedHistory(Survivors.on(20, BufferType.DRAM, 64, "ключ"), 1_024).write(file);

        assertThat(Files.size(file)).isBetween(512L, 1_024L);
        assertThat(Files.readString(file)).endsWith("}\n");
        assertThat(LeakCheck.create().examine(HistoryJson.read(file)).outcome()).isEqualTo(Outcome.INCONCLUSIVE);
    }

    @Test
    void aFileOfAnEarlierRunIsReplacedAndNotWrittenInto() throws IOException {
        Path file = Files.writeString(folder.resolve("history.jsonl"), "earlier");
        Path opened = Files.createLink(folder.resolve("opened"), file);

        new AttachedHistory(Survivors.on(20, BufferType.DRAM, 64, "ключ"), AttachedHistory.MAX_BYTES).write(file);

        assertThat(opened).hasContent("earlier");
        assertThat(file).content().startsWith("{");
    }
}
