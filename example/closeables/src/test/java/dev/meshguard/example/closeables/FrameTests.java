package dev.meshguard.example.closeables;

import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.meshguard.closeables.NativeHandles;
import dev.meshguard.junit.TrackAllocations;
import org.junit.jupiter.api.Test;

@TrackAllocations
class FrameTests {

    @Test
    void closesItsFrame(NativeHandles handles) {
        handles.track(new Frame(), Frame::isClosed, 4096).close();
    }

    @Test
    void needsNoMesh() {
        assertThrows(ClassNotFoundException.class, () -> Class.forName("dev.meshguard.mesh.MeshDevice"));
    }
}
