package dev.meshguard.samples.bindings;

import java.nio.ByteBuffer;

/** A tensor of a native library, which its users must close. */
final class NativeTensor implements AutoCloseable {

    private final ByteBuffer memory;
    private boolean isClosed;

    private NativeTensor(ByteBuffer memory) {
        this.memory = memory;
    }

    static NativeTensor allocate(int bytes) {
        return new NativeTensor(ByteBuffer.allocateDirect(bytes));
    }

    int bytes() {
        return memory.capacity();
    }

    boolean isClosed() {
        return isClosed;
    }

    @Override
    public void close() {
        isClosed = true;
    }
}
