package dev.meshguard.example.closeables;

import dev.meshguard.closeables.NativeHandles;
import dev.meshguard.closeables.TrackCloseables;
import dev.meshguard.junit.TrackAllocations;
import org.junit.jupiter.api.Test;

@TrackAllocations
class LeakingFrameTestCase {

    private Frame frame;

    @Test
    @TrackCloseables(Frame.class)
    void leavesAFrame() {
        frame = new Frame();
    }

    @Test
    void leavesAHandle(NativeHandles handles) {
        frame = handles.track(new Frame(), Frame::isClosed, 4096);
    }
}
