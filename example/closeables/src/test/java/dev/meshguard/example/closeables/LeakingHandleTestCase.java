package dev.meshguard.example.closeables;

import dev.meshguard.closeables.NativeHandles;
import dev.meshguard.junit.TrackAllocations;
import org.junit.jupiter.api.Test;

@TrackAllocations
class LeakingHandleTestCase {

    private Frame frame;

    @Test
    void leaves(NativeHandles handles) {
        frame = handles.track(new Frame(), Frame::isClosed, 4096);
    }
}
