package dev.meshguard.samples.pages;

import static dev.meshguard.assertions.LeakAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.capture.RemainingBuffer;
import dev.meshguard.capture.RuntimeOutput;
import dev.meshguard.capture.RuntimeOutputReader;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A graph capture that {@code ttnn.graph.end_graph_capture} returned. */
class RuntimeOutputPageTests {

    private static final Path FOLDER = Path.of("src/test/resources/dev/meshguard/samples/pages");

    @Test
    void namesWhatIsAllocatedAtItsEnd() throws IOException {
        // region: read
        RuntimeOutput capture = RuntimeOutput.read(FOLDER.resolve("graph.json"));

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
    void leaksIfItsEndIsJudged() throws IOException {
        // region: at-end
        RuntimeOutput capture = RuntimeOutputReader.create().judgedAtEnd().read(FOLDER.resolve("graph.json"));
        // end region

        assertThatThrownBy(() -> assertThat(capture).noLeaks()).hasMessageContaining("owned by ttnn::relu");
    }

    @Test
    void saysWhichLibraryReadsADatabase(@TempDir Path folder) throws IOException {
        Path database = Files.writeString(folder.resolve("db.sqlite"), "SQLite format 3\0");

        assertThatThrownBy(() -> RuntimeOutput.read(database))
                .hasMessage("it is a database of SQLite, and the library that reads it is missing:"
                        + " add org.xerial:sqlite-jdbc to the class path");
    }
}
