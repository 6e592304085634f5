package dev.meshguard.samples.pages;

import static dev.meshguard.assertions.LeakAssertions.assertThat;
import static dev.meshguard.event.BufferType.DRAM;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.junit.AllocationCheck;
import dev.meshguard.junit.ExpectBuffers;
import dev.meshguard.junit.ExpectedBuffersFile;
import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.expectation.Expectation;
import dev.meshguard.verdict.expectation.ExpectedBuffers;
import org.junit.jupiter.api.Test;

/** The code of {@code docs/expected-buffers.md}: one expectation in three forms. */
@TrackAllocations
class ExpectedWeightsTests {

    // region: annotation
    @Test
    @ExpectBuffers(
            type = DRAM,
            exactly = 8,
            origin = "ExpectedWeightsTests.weights",
            until = "9999-12-31",
            because = "shared by all tests")
    // end region
    void anAnnotationLetsThemStay(Ttnn ttnn, MeshDevice mesh) {
        weights(ttnn, mesh);
    }

    // region: file
    @Test
    @ExpectedBuffersFile("src/test/meshguard-expected.txt") // of a class or a method
    // end region
    void aFileLetsThemStay(Ttnn ttnn, MeshDevice mesh) {
        weights(ttnn, mesh);
    }

    @Test
    @TrackAllocations(check = AllocationCheck.NONE)
    void codeLetsThemStay(Ttnn ttnn, MeshDevice mesh, AllocationTracker tracker) {
        weights(ttnn, mesh);
        mesh.close();

        assertThat(tracker).allowing(inCode()).noLeaks();
    }

    @Test
    void theLineSaysTheSameAsTheCode() {
        assertThat(ExpectedBuffers.parse(inCode().toText(), "file").entries())
                .extracting(Expectation::toText)
                .containsExactly(inCode().toText());
    }

    /** What the file of the page has to hold. */
    String line() {
        return inCode().toText();
    }

    private static Expectation inCode() {
        return
        // region: code
        Expectation.because("shared by all tests")
                .type(DRAM)
                .exactly(8)
                .origin("ExpectedWeightsTests.weights")
                .until("9999-12-31");
        // end region
    }

    private static void weights(Ttnn ttnn, MeshDevice mesh) {
        ttnn.empty(TensorShape.of(64, 64), DataType.BFLOAT16, mesh);
    }
}
