package dev.meshguard.benchmarks.recorder;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.ResourceLeakDetector;

/** Netty's pooled buffers, its leak detector at PARANOID. */
final class NettyRecorder implements Recorder {

    private final ByteBufAllocator allocator;

    NettyRecorder() {
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
        allocator = new PooledByteBufAllocator(true);
    }

    @Override
    public Lane lane(int device, int buffers) {
        ByteBuf[] handles = new ByteBuf[buffers];
        return new Lane() {
            @Override
            public void allocate(int buffer) {
                handles[buffer] = allocator.directBuffer(64);
            }

            @Override
            public void free(int buffer) {
                handles[buffer].release();
            }
        };
    }
}
