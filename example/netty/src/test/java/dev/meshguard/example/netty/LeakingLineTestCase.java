package dev.meshguard.example.netty;

import dev.meshguard.junit.TrackAllocations;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import org.junit.jupiter.api.Test;

@TrackAllocations
class LeakingLineTestCase {

    private ByteBuf line;

    @Test
    void leaves() {
        line = PooledByteBufAllocator.DEFAULT.directBuffer(128);
    }
}
