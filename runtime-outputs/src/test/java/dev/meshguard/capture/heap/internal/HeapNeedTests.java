package dev.meshguard.capture.heap.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.zip.GZIPOutputStream;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HeapNeedTests {

    private static final long MEBIBYTE = 1L << 20;
    private static final int MANY = 50_000;
    private static final String LINE = "[PID 7] Allocated 4096 bytes of DRAM on device 0 (buffer_id=%d)\n";
    private static final String NODE =
            "{\"counter\":%d,\"node_type\":\"buffer_allocate\",\"params\":{\"address\":1488896,\"size\":2048,\"type\":\"L1\"}},\n";

    @TempDir
    Path folder;

    @Test
    void countsTheLinesOfASmallLog() throws IOException {
        Path log = Files.writeString(folder.resolve("server.log"), repeated(LINE, 3));

        assertThat(HeapNeed.of(log)).contains(new HeapNeed(log.toString(), HeapNeed.Unit.LINE, 3));
    }

    @Test
    void estimatesTheLinesOfALargeLog() throws IOException {
        Path log = Files.writeString(folder.resolve("server.log"), repeated(LINE, MANY));

        assertThat(HeapNeed.of(log).orElseThrow().count()).isCloseTo(MANY, Percentage.withPercentage(2));
    }

    @Test
    void estimatesTheNodesOfACaptureWithoutLineBreaks() throws IOException {
        Path capture = Files.writeString(
                folder.resolve("graph.json"), "[" + repeated(NODE, MANY).replace("\n", ""));

        HeapNeed need = HeapNeed.of(capture).orElseThrow();

        assertThat(need.unit()).isEqualTo(HeapNeed.Unit.NODE);
        assertThat(need.count()).isCloseTo(MANY, Percentage.withPercentage(2));
    }

    @Test
    void estimatesACompressedLogByItsCompressedBytes() throws IOException {
        Path log = folder.resolve("server.log.gz");
        int lines = 20 * MANY;
        try (OutputStream compressed = new GZIPOutputStream(Files.newOutputStream(log))) {
            compressed.write(repeated(LINE, lines).getBytes(StandardCharsets.UTF_8));
        }

        assertThat(HeapNeed.of(log).orElseThrow().count()).isBetween(lines / 3L, lines * 3L);
    }

    @Test
    void damagedCompressedDataHasNoEstimate() throws IOException {
        Path log = folder.resolve("server.log.gz");
        try (OutputStream compressed = new GZIPOutputStream(Files.newOutputStream(log))) {
            compressed.write(repeated(LINE, MANY).getBytes(StandardCharsets.UTF_8));
        }
        try (RandomAccessFile cut = new RandomAccessFile(log.toFile(), "rw")) {
            cut.setLength(cut.length() / 8);
        }

        assertThat(HeapNeed.of(log)).isEmpty();
    }

    @Test
    void whatIsNoRegularFileHasNoEstimate() throws IOException {
        assertThat(HeapNeed.of(folder)).isEqualTo(Optional.empty());
        assertThat(HeapNeed.of(folder.resolve("missing"))).isEmpty();
    }

    @Test
    void refusesWhatNeedsMoreInAnyCaseAndNamesFileHeapAndOption() {
        HeapNeed need = new HeapNeed("server.log", HeapNeed.Unit.LINE, 41_200_000);

        assertThatThrownBy(() -> need.requireRoom(512 * MEBIBYTE))
                .isInstanceOf(InsufficientHeapException.class)
                .hasMessage(
                        "server.log has about 41 million lines, which need about 6 GiB of heap; this JVM has 512 MiB. Run it with -Xmx6g (meshguard: JAVA_TOOL_OPTIONS=-Xmx6g meshguard …).");
        assertThatCode(() -> need.requireRoom(1024 * MEBIBYTE)).doesNotThrowAnyException();
    }

    @Test
    void asksForMoreThanThereIsWhereTheEstimateWasWrong() {
        HeapNeed need = new HeapNeed("db.sqlite", HeapNeed.Unit.OPERATION, 40_000);

        assertThat(need.text(200 * MEBIBYTE))
                .isEqualTo(
                        "db.sqlite has about 40,000 operations, which need about 448 MiB of heap; this JVM has 200 MiB."
                                + " Run it with -Xmx448m (meshguard: JAVA_TOOL_OPTIONS=-Xmx448m meshguard …).");
    }

    private static String repeated(String line, int count) {
        StringBuilder text = new StringBuilder();
        for (int i = 1; i <= count; i++) {
            text.append(String.format(Locale.ROOT, line, i));
        }
        return text.toString();
    }
}
