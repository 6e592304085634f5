package dev.meshguard.samples.pages;

import static dev.meshguard.assertions.LeakAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.capture.GraphCapture;
import dev.meshguard.capture.GraphCaptureReader;
import dev.meshguard.capture.RemainingBuffer;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;

/** A graph capture that {@code ttnn.graph.end_graph_capture} returned. */
class GraphCapturePageTests {

    private static final Path FOLDER = Path.of("src/test/resources/dev/meshguard/samples/pages");

    @Test
    void namesWhatIsAllocatedAtItsEnd() throws IOException {
        // region: read
        GraphCapture capture = GraphCapture.read(FOLDER.resolve("graph.json"));

        LeakVerdict verdict = LeakCheck.create().examine(capture.history());
        List<RemainingBuffer> remaining = capture.remaining();
        // end region

        Assertions.assertThat(verdict.outcome()).isEqualTo(Outcome.INCONCLUSIVE);
        Assertions.assertThat(remaining)
                .singleElement()
                .extracting(RemainingBuffer::node)
                .isEqualTo(4);
    }

    @Test
    void leaksIfItsEndIsJudged() throws IOException {
        // region: at-end
        GraphCapture capture = GraphCaptureReader.create().judgedAtEnd().read(FOLDER.resolve("graph.json"));
        // end region

        assertThatThrownBy(() -> assertThat(capture).noLeaks()).hasMessageContaining("owned by ttnn::relu");
    }
}
