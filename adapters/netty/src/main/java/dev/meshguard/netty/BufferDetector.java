package dev.meshguard.netty;

import dev.meshguard.junit.source.TestThreads;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakTracker;
import org.jspecify.annotations.Nullable;

/**
 * The leak detector of Netty's buffers: it reports every buffer to the tracker of the test whose thread allocates it.
 *
 * <p>Netty calls it for each buffer of its allocators, except for unpooled heap buffers, which are plain garbage. A slice or
 * duplicate is part of its buffer, and a composite consists of others, so that neither is reported as memory of its own.
 *
 * <p>Netty 4.1 does not let this method be overridden: there this class must not be loaded. Source:
 * {@code io.netty.util.ResourceLeakDetector}, {@code io.netty.buffer.SimpleLeakAwareByteBuf}.
 */
final class BufferDetector extends ResourceLeakDetector<ByteBuf> {

    BufferDetector(int samplingInterval) {
        super(ByteBuf.class, samplingInterval);
    }

    /** Returns null for a buffer that no test is responsible for; Netty then hands it out as it is. */
    @Override
    public @Nullable ResourceLeakTracker<ByteBuf> track(ByteBuf buffer) {
        if (buffer instanceof CompositeByteBuf) {
            return null;
        }
        return TestThreads.tracker(NettySource.ID)
                .map(tracker -> NettyBuffers.of(tracker).allocated(buffer))
                .orElse(null);
    }

    /** Netty calls it for retained slices and duplicates only, and needs a result. */
    @Override
    public ResourceLeakTracker<ByteBuf> trackForcibly(ByteBuf derived) {
        return PartOfBuffer.INSTANCE;
    }

    /** Otherwise Netty would record each access to a buffer. */
    @Override
    public boolean isRecordEnabled() {
        return false;
    }

    /** A slice or duplicate; its buffer is reported. */
    private enum PartOfBuffer implements ResourceLeakTracker<ByteBuf> {
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
}
