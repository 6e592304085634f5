package dev.meshguard.arrow;

import dev.meshguard.junit.testkit.DetectorComparison;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What Arrow's own detectors and MeshGuard say of the same programs. */
class ArrowDetectorTests {

    private static final DetectorComparison COMPARISON =
            new DetectorComparison(VectorProgramTestCase.class, ArrowDetector.LIBRARY);

    @Test
    void areComparedOnThePage() throws IOException {
        COMPARISON.assertIsOnThePage(List.of(ArrowDetector.PLAIN.answers(), ArrowDetector.DEBUG.answers()));
    }

    @Test
    void areNotNeededToFindEachLeakWithItsLine() {
        COMPARISON.assertFindsEachLeakWithItsLine();
    }
}
