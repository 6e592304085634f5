package dev.meshguard.server.log;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LargeLogTests {

    @TempDir
    Path folder;

    /** The file has a hole, so that it is large and takes no space; reading it to its end would take days. */
    @Test
    void aLogThatNeedsMoreHeapThanThereIsIsRefusedBeforeItIsRead() throws IOException {
        Path log = folder.resolve("server.log");
        Files.writeString(log, "[PID 7] Allocated 64 bytes of DRAM on device 1 (buffer_id=101152)\n".repeat(20_000));
        try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "rw")) {
            file.setLength(1L << 42);
        }

        assertThatThrownBy(() -> AllocationLog.read(log))
                .isInstanceOf(IOException.class)
                .hasMessageMatching("\\Q" + log
                        + "\\E has about \\d{5} million allocations, which need about \\S+ TiB of heap; this JVM has .+\\. Run it with"
                        + " -Xmx\\d+g .+");
    }
}
