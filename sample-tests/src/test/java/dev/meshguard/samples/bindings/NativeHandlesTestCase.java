package dev.meshguard.samples.bindings;

import dev.meshguard.closeables.NativeHandles;
import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.samples.support.Fixture;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Test;

/** A buffer outside the heap that is never released. */
@Fixture
// region: leaking-test
@TrackAllocations
class NativeHandlesTestCase {

    private ByteBuf frame;

    @Test
    void decodes(NativeHandles handles) {
        frame = handles.track(Unpooled.directBuffer(4096), buffer -> buffer.refCnt() == 0, 4096);

        frame.writeInt(1);
    }
}
// end region
