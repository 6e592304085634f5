package dev.meshguard.example.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.meshguard.junit.TrackAllocations;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import org.junit.jupiter.api.Test;

@TrackAllocations
class LineTests {

    @Test
    void releasesItsLine() {
        ByteBuf line = PooledByteBufAllocator.DEFAULT.directBuffer(128);
        try {
            assertEquals(128, line.capacity());
        } finally {
            line.release();
        }
    }

    @Test
    void needsNoMesh() {
        assertThrows(ClassNotFoundException.class, () -> Class.forName("dev.meshguard.mesh.MeshDevice"));
    }
}
