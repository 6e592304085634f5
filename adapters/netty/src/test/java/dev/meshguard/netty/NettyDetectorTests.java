package dev.meshguard.netty;

import dev.meshguard.junit.testkit.DetectorComparison;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What Netty's own detectors and MeshGuard say of the same programs. */
class NettyDetectorTests {

    private static final DetectorComparison COMPARISON =
            new DetectorComparison(BufferProgramTestCase.class, NettyDetector.LIBRARY);

    @Test
    void areComparedOnThePage() throws IOException {
        COMPARISON.assertIsOnThePage(List.of(NettyDetector.PARANOID.answers(), NettyDetector.PRESENCE.answers()));
    }

    @Test
    void areNotNeededToFindEachLeakWithItsLine() {
        COMPARISON.assertFindsEachLeakWithItsLine();
    }
}
