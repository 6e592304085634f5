package dev.meshguard.example.closeables;

import dev.meshguard.closeables.TrackCloseables;
import dev.meshguard.junit.TrackAllocations;
import org.junit.jupiter.api.Test;

@TrackAllocations
@TrackCloseables(Frame.class)
class LeakingFrameTestCase {

    private Frame frame;

    @Test
    void leaves() {
        frame = new Frame();
    }
}
