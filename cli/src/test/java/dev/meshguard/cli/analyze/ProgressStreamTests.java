package dev.meshguard.cli.analyze;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.cli.common.Printer;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The reading progress of a long file is shown on a terminal, and erased at the end. */
class ProgressStreamTests {

    private final ByteArrayOutputStream terminal = new ByteArrayOutputStream();
    private final Printer printer = new Printer(terminal, "the terminal");
    private final InputStream file = new ByteArrayInputStream(new byte[100]);

    @Test
    void showsEachHundredthAndGoesAwayAtTheEnd() throws IOException {
        try (InputStream log = ProgressStream.over(file, ProgressStream.SHORTEST, Optional.of(printer))) {
            log.readNBytes(100);
        }

        assertThat(terminal.toString(StandardCharsets.UTF_8))
                .isEqualTo("\r[" + ".".repeat(40) + "]   0 %" + "\r" + " ".repeat(48) + "\r");
    }

    @Test
    void fillsUpAsTheFileIsRead() throws IOException {
        long size = ProgressStream.SHORTEST;
        InputStream half = new InputStream() {
            private boolean isOver;

            @Override
            public int read() {
                return -1;
            }

            @Override
            public int read(byte[] target, int from, int most) {
                isOver = !isOver;
                return isOver ? (int) (size / 2) : -1;
            }
        };
        InputStream log = ProgressStream.over(half, size, Optional.of(printer));

        assertThat(log.read(new byte[1], 0, 1)).isEqualTo((int) (size / 2));
        assertThat(terminal.toString(StandardCharsets.UTF_8))
                .isEqualTo("\r[" + "#".repeat(20) + ".".repeat(20) + "]  50 %");
    }

    @Test
    void shortFilesAndPipesShowNothing() {
        assertThat(ProgressStream.over(file, 100, Optional.of(printer))).isSameAs(file);
        assertThat(ProgressStream.over(file, ProgressStream.SHORTEST, Optional.empty()))
                .isSameAs(file);
    }
}
