package dev.meshguard.example.closeables;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.meshguard.closeables.NativeHandles;
import dev.meshguard.closeables.TrackCloseables;
import dev.meshguard.junit.TrackAllocations;
import org.junit.jupiter.api.Test;

@TrackAllocations
class FrameTests {

    @Test
    @TrackCloseables(Frame.class)
    void closesItsFrame() {
        try (Frame frame = new Frame()) {
            assertFalse(frame.isClosed());
        }
    }

    @Test
    void closesAHandle(NativeHandles handles) {
        handles.track(new Frame(), Frame::isClosed, 4096).close();
    }

    @Test
    void needsNoMesh() {
        assertThrows(ClassNotFoundException.class, () -> Class.forName("dev.meshguard.mesh.MeshDevice"));
    }
}
