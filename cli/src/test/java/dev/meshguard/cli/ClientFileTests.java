package dev.meshguard.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code meshguard client} prints the files of the repository, byte for byte. */
class ClientFileTests {

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @ParameterizedTest
    @CsvSource({"c, c/meshguard.h", "python, python/meshguard.py", "PYTHON, python/meshguard.py"})
    void aClientIsPrintedAsItIs(String language, Path file) throws IOException {
        assertThat(run("client", language)).isZero();

        assertThat(out.toByteArray())
                .isEqualTo(Files.readAllBytes(Path.of("..", "clients").resolve(file)));
    }

    @Test
    void anotherLanguageIsAnError() {
        assertThat(run("client", "rust")).isEqualTo(64);

        assertThat(err.toString(StandardCharsets.UTF_8)).contains("C, PYTHON").contains("'rust'");
    }

    private int run(String... arguments) {
        return MeshGuard.run(InputStream.nullInputStream(), out, err, arguments);
    }
}
