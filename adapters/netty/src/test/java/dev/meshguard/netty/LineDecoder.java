package dev.meshguard.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;

/** Code that knows nothing of tests. */
final class LineDecoder {

    private ByteBuf last = Unpooled.EMPTY_BUFFER;

    int decode(byte... line) {
        last = PooledByteBufAllocator.DEFAULT.directBuffer(line.length).writeBytes(line);
        return last.readableBytes();
    }

    void close() {
        last.release();
    }
}
