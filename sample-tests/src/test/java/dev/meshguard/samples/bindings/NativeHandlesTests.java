package dev.meshguard.samples.bindings;

import static dev.meshguard.tracker.script.ExpectedText.expected;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.closeables.NativeHandles;
import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.samples.support.Fixtures;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Test;

/** Handles of a library that reports nothing are checked without an adapter for it. */
class NativeHandlesTests {

    @Test
    @TrackAllocations
    void releasesItsFrame(NativeHandles handles) {
        ByteBuf frame = handles.track(Unpooled.directBuffer(4096), buffer -> buffer.refCnt() == 0, 4096);

        frame.writeInt(1);

        assertThat(frame.release()).isTrue();
    }

    @Test
    void aFrameThatNobodyReleasesLeaks() {
        Throwable failure = Fixtures.failureOf(NativeHandlesTestCase.class);

        assertThat(failure.getMessage()).isEqualTo(expected(Fixtures.historyOf(failure), """
                LEAK  4 KiB of native memory in 1 handle, HELD; allocated in NativeHandlesTestCase.java:23

                1. native memory  4 KiB, label "InstrumentedUnpooledUnsafeDirectByteBuf"
                   at dev.meshguard.samples.bindings.NativeHandlesTestCase.decodes(NativeHandlesTestCase.java:23)
                   why   HELD: still referenced by NativeHandlesTestCase.frame (event #6)
                   fix   Close the handle before the test ends.
                   seen  allocated in TEST (event #3)

                note    the source native handles covers handles that the test tracks; nothing else is reported through it
                sum     1 allocated = 0 freed + 1 leaked
                expect  @ExpectBuffers(size = 4096, atMost = 1, label = "InstrumentedUnpooledUnsafeDirectByteBuf", origin = "NativeHandlesTestCase.decodes", because = "…")
                rerun   mvn test -Dtest=NativeHandlesTestCase#decodes"""));
    }
}
