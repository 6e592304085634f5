package dev.meshguard.netty;

import io.netty.buffer.ByteBuf;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakTracker;
import org.jspecify.annotations.Nullable;

/**
 * A leak detector for Netty 4.2 that reports each buffer, except unpooled heap buffers, to the tracker of the test whose thread allocates
 * it.
 *
 * <p>{@link DetectorFactory} gives it to Netty as its leak detector. Netty calls {@link #track} for each buffer of its allocators,
 * except for unpooled heap buffers, which are plain garbage.
 *
 * <p>Netty 4.1 does not let {@link #track} be overridden: there this class must not be loaded. Source:
 * {@code io.netty.util.ResourceLeakDetector}, {@code io.netty.buffer.SimpleLeakAwareByteBuf}.
 */
final class BufferDetector extends ResourceLeakDetector<ByteBuf> {

    private BufferDetector(int samplingInterval) {
        super(ByteBuf.class, samplingInterval);
    }

    /** Creates a detector. A caller that creates it by its constructor could not be verified without this class. */
    static ResourceLeakDetector<ByteBuf> create(int samplingInterval) {
        return new BufferDetector(samplingInterval);
    }

    /** Returns null for a buffer that is not reported; Netty then hands it out as it is. */
    @Override
    public @Nullable ResourceLeakTracker<ByteBuf> track(ByteBuf buffer) {
        return ReportedBuffers.report(buffer).orElse(null);
    }

    /** Netty calls it for retained slices and duplicates only, and needs a result. */
    @Override
    public ResourceLeakTracker<ByteBuf> trackForcibly(ByteBuf derived) {
        return SilentLeakTracker.INSTANCE;
    }

    /** Otherwise Netty would record each access to a buffer. */
    @Override
    public boolean isRecordEnabled() {
        return false;
    }
}
