package dev.meshguard.junit.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SourceFilesTests {

    @TempDir
    private Path repository;

    @Test
    void findsTheFileOfALineInEveryFolderOfSources() throws IOException {
        source("src/test/java/dev/example/DecoderTest.java");
        source("src/main/java/dev/example/Decoder.java");
        source("src/integrationTest/kotlin/dev/example/Slow.kt");
        source("src/main/java/Rootless.java");

        assertThat(pathOf("dev.example.DecoderTest$Nested", "DecoderTest.java"))
                .contains("decoder/src/test/java/dev/example/DecoderTest.java");
        assertThat(pathOf("dev.example.Decoder", "Decoder.java"))
                .contains("decoder/src/main/java/dev/example/Decoder.java");
        assertThat(pathOf("dev.example.SlowKt", "Slow.kt"))
                .contains("decoder/src/integrationTest/kotlin/dev/example/Slow.kt");
        assertThat(pathOf("Rootless", "Rootless.java")).contains("decoder/src/main/java/Rootless.java");
    }

    @Test
    void aLineOfALibraryHasNoFile() throws IOException {
        source("src/main/java/dev/example/Decoder.java");

        assertThat(pathOf("dev.other.Decoder", "Decoder.java")).isEmpty();
        assertThat(pathOf("dev.example.Decoder", null)).isEmpty();
    }

    @Test
    void aModuleOutsideTheWorkspaceNamesPathsInItself() throws IOException {
        source("src/main/java/dev/example/Decoder.java");
        StackTraceElement line = new StackTraceElement("dev.example.Decoder", "decode", "Decoder.java", 7);

        assertThat(SourceFiles.of(repository.resolve("decoder"), Optional.of("/elsewhere"))
                        .pathOf(line))
                .contains("src/main/java/dev/example/Decoder.java");
        assertThat(SourceFiles.of(repository.resolve("decoder"), Optional.empty())
                        .pathOf(line))
                .contains("src/main/java/dev/example/Decoder.java");
    }

    private Optional<String> pathOf(String type, String file) {
        return SourceFiles.of(repository.resolve("decoder"), Optional.of(repository.toString()))
                .pathOf(new StackTraceElement(type, "decode", file, 7));
    }

    private void source(String path) throws IOException {
        Path file = repository.resolve("decoder").resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, "");
    }
}
