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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HeapNeedTests {

    private static final long MEBIBYTE = 1L << 20;
    private static final int MANY = 50_000;
    private static final String LINE = "[PID 7] Allocated 4096 bytes of DRAM on device 0 (buffer_id=%d)\n";

    @TempDir
    Path folder;

    @Test
    void countsTheAllocationsInASmallLog() throws IOException {
        Path log = Files.writeString(folder.resolve("server.log"), repeated(LINE, 3));

        assertThat(HeapNeed.of(log)).contains(new HeapNeed(log.toString(), 3));
    }

    @Test
    void estimatesTheAllocationsInALargeLog() throws IOException {
        Path log = Files.writeString(folder.resolve("server.log"), repeated(LINE, MANY));

        assertThat(HeapNeed.of(log).orElseThrow().allocations()).isCloseTo(MANY, Percentage.withPercentage(2));
    }

    @Test
    void estimatesACompressedLogByItsCompressedBytes() throws IOException {
        Path log = folder.resolve("server.log.gz");
        int lines = 20 * MANY;
        try (OutputStream compressed = new GZIPOutputStream(Files.newOutputStream(log))) {
            compressed.write(repeated(LINE, lines).getBytes(StandardCharsets.UTF_8));
        }

        assertThat(HeapNeed.of(log).orElseThrow().allocations()).isBetween(lines / 3L, lines * 3L);
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

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"level\":\"info\",\"text\":\"decoding token %d\"}",
                "[app 7] Allocated %d bytes of memory",
                "> `[PID 7] Allocated %d bytes of DRAM on device 0 (buffer_id=4096)`",
                "[PID 7] Freed buffer 4096 on device 0 (%d bytes, FINAL)",
                "{\"counter\":%d,\"node_type\":\"circular_buffer_allocate\",\"params\":{}},"
            })
    void linesThatMayTakeNoHeapAreNotCounted(String line) throws IOException {
        Path file = Files.writeString(folder.resolve("file"), repeated(line + "\n", MANY));

        assertThat(HeapNeed.of(file)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "✓ [PID 7] Allocated %d bytes of L1 on device 0 (buffer_id=0x1000, ref_count=1)",
                "server-1  | 2026-03-01T10:00:00Z [PID xxx] Allocated %d bytes of DRAM on device 0 (buffer_id=4096)"
            })
    void allocationsAreCountedInEachDialect(String line) throws IOException {
        Path log = Files.writeString(folder.resolve("server.log"), repeated(line + "\n", 3));

        assertThat(HeapNeed.of(log).orElseThrow().allocations()).isEqualTo(3);
    }

    /** Its texts may have lines of logs. */
    @Test
    void aDatabaseHasNoEstimateBeforeItIsOpened() throws IOException {
        Path database = Files.writeString(folder.resolve("db.sqlite"), "SQLite format 3\0" + repeated(LINE, MANY));

        assertThat(HeapNeed.of(database)).isEmpty();
    }

    /** An event and its request take 52 bytes. */
    @Test
    void acceptsWhatFits() {
        long count = 10_000_000;
        HeapNeed need = new HeapNeed("file", count);

        assertThatCode(() -> need.requireRoom(8 * MEBIBYTE + count * 52)).doesNotThrowAnyException();
    }

    @Test
    void whatIsNoRegularFileHasNoEstimate() throws IOException {
        assertThat(HeapNeed.of(folder)).isEqualTo(Optional.empty());
        assertThat(HeapNeed.of(folder.resolve("missing"))).isEmpty();
    }

    @Test
    void refusesWhatNeedsMoreInAnyCaseAndNamesFileHeapAndOption() {
        HeapNeed need = new HeapNeed("server.log", 41_200_000);

        assertThatThrownBy(() -> need.requireRoom(512 * MEBIBYTE))
                .isInstanceOf(InsufficientHeapException.class)
                .hasMessage(
                        "server.log has about 41 million allocations, which need about 16 GiB of heap; this JVM has 512 MiB. Run it with -Xmx16g (meshguard: JDK_JAVA_OPTIONS=-Xmx16g meshguard …).");
        assertThatCode(() -> need.requireRoom(4096 * MEBIBYTE)).doesNotThrowAnyException();
    }

    @Test
    void asksForMoreThanThereIsWhereTheEstimateWasWrong() {
        HeapNeed need = new HeapNeed("server.log", 40_000);

        assertThat(need.text(200 * MEBIBYTE))
                .isEqualTo(
                        "server.log has about 40,000 allocations, which need about 448 MiB of heap; this JVM has 200 MiB."
                                + " Run it with -Xmx448m (meshguard: JDK_JAVA_OPTIONS=-Xmx448m meshguard …).");
    }

    private static String repeated(String line, int count) {
        StringBuilder text = new StringBuilder();
        for (int i = 1; i <= count; i++) {
            text.append(String.format(Locale.ROOT, line, i));
        }
        return text.toString();
    }
}
