package dev.meshguard.samples.bindings;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.nio.ByteBuffer;

/** The binding: memory outside the heap, allocated by Netty's pooled allocator. */
final class NettyDevice implements Device {

    private final PooledByteBufAllocator allocator = new PooledByteBufAllocator(true);

    @Override
    public Memory allocate(int bytes) {
        return new NettyMemory(allocator.directBuffer(bytes, bytes));
    }

    /** Returns the bytes that the allocator counts as allocated, rounded up to its size classes. */
    long allocatedBytes() {
        return allocator.pinnedDirectMemory();
    }

    private record NettyMemory(ByteBuf buffer) implements Memory {

        @Override
        public long address() {
            return buffer.memoryAddress();
        }

        @Override
        public ByteBuffer bytes() {
            return buffer.nioBuffer(0, buffer.capacity());
        }

        @Override
        public void close() {
            buffer.release();
        }
    }
}
