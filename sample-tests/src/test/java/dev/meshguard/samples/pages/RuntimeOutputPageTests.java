package dev.meshguard.samples.pages;

import static dev.meshguard.assertions.LeakAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.capture.RemainingBuffer;
import dev.meshguard.capture.RuntimeOutput;
import dev.meshguard.capture.RuntimeOutputReader;
import dev.meshguard.event.BufferType;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verdict.expectation.Expectation;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.Method;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A graph capture that {@code ttnn.graph.end_graph_capture} returned. */
class RuntimeOutputPageTests {

    private static final Path FOLDER = Path.of("src/test/resources/dev/meshguard/samples/pages");

    @Test
    void namesWhatIsAllocatedAtItsEnd() throws IOException {
        // region: read
        RuntimeOutput capture = RuntimeOutputReader.create().read(FOLDER.resolve("graph.json"));

        LeakVerdict verdict = LeakCheck.create().examine(capture.history());
        List<RemainingBuffer> remaining = capture.remaining();
        // end region

        Assertions.assertThat(verdict.outcome()).isEqualTo(Outcome.INCONCLUSIVE);
        Assertions.assertThat(remaining)
                .singleElement()
                .extracting(buffer -> buffer.node().orElseThrow())
                .isEqualTo(4);
    }

    @Test
    void isCheckedAtTheMomentThatTheUserChooses() throws IOException {
        // region: moments
        Path file = FOLDER.resolve("decoding.json");
        RuntimeOutputReader reader = RuntimeOutputReader.create();
        Expectation weights =
                Expectation.because("weights").type(BufferType.DRAM).atMost(1);

        assertThat(reader.judgedAtEnd().read(file)).allowing(weights).noLeaks();
        assertThat(reader.roundsAt(Pattern.compile("^forward$")).read(file))
                .accumulation()
                .doesNotGrow();
        // end region

        assertThatThrownBy(() -> assertThat(reader.judgedAtEnd().read(file)).noLeaks())
                .hasMessageContaining("4 KiB in 1 DRAM buffer");
    }

    @Test
    void saysWhichLibraryReadsADatabase(@TempDir Path folder) throws Exception {
        Path database = Files.writeString(folder.resolve("db.sqlite"), "SQLite format 3\0");

        try (URLClassLoader withoutLibrary = new URLClassLoader(
                Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                        .filter(entry -> !entry.contains("sqlite-jdbc"))
                        .map(RuntimeOutputPageTests::url)
                        .toArray(URL[]::new),
                ClassLoader.getPlatformClassLoader())) {
            Class<?> type = withoutLibrary.loadClass(RuntimeOutputReader.class.getName());
            Object reader = type.getMethod("create").invoke(null);
            Method read = type.getMethod("read", Path.class);

            assertThatThrownBy(() -> read.invoke(reader, database))
                    .cause()
                    .hasMessage("it is a database of SQLite, and the library that reads it is missing:"
                            + " add org.xerial:sqlite-jdbc to the class path");
        }
    }

    private static URL url(String entry) {
        try {
            return Path.of(entry).toUri().toURL();
        } catch (MalformedURLException e) {
            throw new IllegalArgumentException(entry, e);
        }
    }
}
