package dev.meshguard.samples.bindings;

import dev.meshguard.closeables.NativeHandles;
import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.samples.support.Fixture;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import org.junit.jupiter.api.Test;

/** A buffer outside the heap that is never released. */
@Fixture
@TrackAllocations
class NativeHandlesTestCase {

    /** Without Netty's leak detector, which wraps some buffers. */
    private static final ByteBufAllocator FRAMES = new UnpooledByteBufAllocator(true, true);

    private ByteBuf frame;

    @Test
    void decodes(NativeHandles handles) {
        frame = handles.track(FRAMES.directBuffer(4096), buffer -> buffer.refCnt() == 0, 4096);

        frame.writeInt(1);
    }
}
