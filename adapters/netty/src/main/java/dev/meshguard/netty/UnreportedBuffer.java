package dev.meshguard.netty;

import io.netty.buffer.ByteBuf;
import io.netty.util.ResourceLeakTracker;

/** The leak tracker of a slice or duplicate of a buffer of Netty: it reports nothing, because the buffer itself is reported. */
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
