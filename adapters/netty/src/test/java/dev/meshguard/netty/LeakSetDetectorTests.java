package dev.meshguard.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.ResourceLeakDetector;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The detector of Netty 4.1 says so if it does not see buffers. */
class LeakSetDetectorTests {

    private final ResourceLeakDetector.Level level = ResourceLeakDetector.getLevel();

    @AfterEach
    void enableLeakDetection() {
        ResourceLeakDetector.setLevel(level);
    }

    @Test
    void seesBuffersAtEachLevelThatTracksThem() {
        LeakSetDetector detector = LeakSetDetector.create();

        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.SIMPLE);
        assertThat(detector.obstacle()).isEmpty();
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
        assertThat(detector.obstacle()).isEmpty();
    }

    @Test
    void saysThatCodeHasDisabledLeakDetection() {
        LeakSetDetector detector = LeakSetDetector.create();

        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);

        assertThat(detector.obstacle())
                .hasValue("code has disabled Netty's leak detection with ResourceLeakDetector.setLevel");
    }
}
