package dev.meshguard.server.log;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.luben.zstd.Zstd;
import dev.meshguard.capture.RuntimeOutput;
import dev.meshguard.tracker.AllocationTracker;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Logs compressed with zstd; those with gzip are tested with the damaged ones. */
class CompressedLogTests {

    private static final String LINES = """
            ✓ [PID 7] Allocated 4096 bytes of L1 on device 0 (buffer_id=101152)
            ✗ [PID 7] Freed buffer 101152 on device 0 (4096 bytes, FINAL)
            """;

    @Test
    void zstdIsKnownByItsFirstBytes() {
        AllocationLog log = Logs.ofBytes(zstd(LINES.repeat(50_000)));

        assertThat(log.reports()).isEqualTo(100_000);
        assertThat(Logs.losses(log)).isEmpty();
    }

    @Test
    void partsThatWereCompressedOneByOneAreOneLog() {
        byte[] one = zstd(LINES);
        byte[] two = Arrays.copyOf(one, one.length * 2);
        System.arraycopy(one, 0, two, one.length, one.length);

        assertThat(Logs.ofBytes(two).reports()).isEqualTo(4);
    }

    @Test
    void zstdThatBreaksOffIsInconclusive() {
        byte[] whole = zstd(LINES.repeat(50_000));

        AllocationLog log = Logs.ofBytes(Arrays.copyOf(whole, whole.length - 5));

        assertThat(Logs.losses(log))
                .last()
                .asString()
                .matches("the log cannot be read after line \\d+: the compressed data breaks off or is spoilt");
    }

    @Test
    void zstdThatIsSpoiltIsInconclusive() {
        AllocationLog log = Logs.ofBytes(new byte[] {0x28, (byte) 0xb5, 0x2f, (byte) 0xfd, 0, 0});

        assertThat(Logs.losses(log))
                .containsExactly("the log cannot be read after line 0: the compressed data breaks off or is spoilt");
    }

    @Test
    void withoutTheLibraryItIsSaidWhatToDo() throws Exception {
        try (URLClassLoader without = new URLClassLoader(pathWithoutZstd(), null)) {
            Class<?> log = without.loadClass(AllocationLog.class.getName());

            assertThat(failureOf(log, zstd(LINES)))
                    .isInstanceOf(IOException.class)
                    .hasMessage("The file is compressed with zstd, and the library that reads it is not there. Put"
                            + " com.github.luben:zstd-jni on the class path, or decompress the file first: zstd -dc FILE | meshguard"
                            + " analyze -");
        }
    }

    private static Throwable failureOf(Class<?> log, byte[] bytes) throws ReflectiveOperationException {
        try {
            return new AssertionError("It was read: "
                    + log.getMethod("read", InputStream.class, String.class)
                            .invoke(null, new ByteArrayInputStream(bytes), "test.log"));
        } catch (InvocationTargetException e) {
            return e.getCause();
        }
    }

    private static URL[] pathWithoutZstd() {
        return Stream.of(AllocationLog.class, RuntimeOutput.class, AllocationTracker.class)
                .map(type -> type.getProtectionDomain().getCodeSource().getLocation())
                .toArray(URL[]::new);
    }

    private static byte[] zstd(String text) {
        return Zstd.compress(text.getBytes(StandardCharsets.UTF_8));
    }
}
