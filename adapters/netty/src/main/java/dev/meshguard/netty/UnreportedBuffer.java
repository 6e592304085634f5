package dev.meshguard.netty;

import io.netty.buffer.ByteBuf;
import io.netty.util.ResourceLeakTracker;

/** Tracks what is not reported: a slice or duplicate, whose buffer is. */
enum UnreportedBuffer implements ResourceLeakTracker<ByteBuf> {
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
