package dev.meshguard.netty;

import io.netty.buffer.ByteBuf;
import io.netty.util.ResourceLeakTracker;

/** A leak tracker of Netty that reports nothing: of a slice or duplicate, because the buffer itself is reported, or of what is no buffer. */
enum SilentLeakTracker implements ResourceLeakTracker<ByteBuf> {
    INSTANCE;

    @Override
    public void record() {}

    @Override
    public void record(Object hint) {}

    @Override
    public boolean close(ByteBuf derived) {
        return true;
    }
}
