package dev.meshguard.server.frame.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** Clients can make the server remember only as much as it has memory for. */
class FrameMemoryTests {

    private static final int TEXT = 3;

    @Test
    void textsAreKeptOnlyAsLongAsThereIsMemoryForThem() {
        FrameMemory memory = new FrameMemory(10_000);
        Definitions definitions = new Definitions(memory, "");

        for (int id = 1; id <= 50; id++) {
            definitions.add(new Frame.Text(id, "x".repeat(1000)));
        }

        assertThat(definitions.text(1)).isPresent();
        assertThat(definitions.text(50)).isEmpty();
        assertThat(definitions.problem())
                .contains(
                        "defined texts and call stacks, and all clients together have used up the 10000 bytes for them, so later"
                                + " ones are not shown. Allow the server a larger heap (-Xmx)");
    }

    @Test
    void aLongTextIsCut() {
        Definitions definitions = new Definitions(new FrameMemory(100_000), "");

        definitions.add(new Frame.Text(1, "x".repeat(4095) + "😀"));

        assertThat(definitions.text(1)).contains("x".repeat(4095));
    }

    @Test
    void aFrameTakesOnlyTheMemoryOfTheBytesThatArrived() throws InvalidFrameException {
        FrameMemory memory = new FrameMemory(100);
        FrameDecoder decoder = new FrameDecoder(memory);

        assertThat(decoder.next(begun(FrameDecoder.MAX_LENGTH, 20))).isNull();

        assertThat(decoder.isWithinFrame()).isTrue();
        assertThat(memory.take(60)).isTrue();
    }

    @Test
    void aFrameForWhichThereIsNoMemoryEndsTheConnection() {
        FrameDecoder decoder = new FrameDecoder(new FrameMemory(100));

        assertThatThrownBy(() -> decoder.next(begun(FrameDecoder.MAX_LENGTH, 1000)))
                .isInstanceOf(InvalidFrameException.class)
                .hasMessage(
                        "sent part of a frame of 1048584 bytes, and all clients together have used up the 100 bytes for"
                                + " frames and names. Allow the server a larger heap (-Xmx)");
    }

    @Test
    void theMemoryOfAFrameIsReturnedWhenItIsComplete() throws InvalidFrameException {
        FrameMemory memory = new FrameMemory(200);
        FrameDecoder decoder = new FrameDecoder(memory);
        decoder.next(begun(60, 40));

        Frame frame = decoder.next(ByteBuffer.allocate(20).order(ByteOrder.LITTLE_ENDIAN));

        assertThat(frame).isInstanceOf(Frame.Text.class);
        assertThat(memory.take(200)).isTrue();
    }

    /** Returns the beginning of a connection, whose first frame has only some of its bytes. */
    private static ByteBuffer begun(int length, int arrived) {
        return ByteBuffer.allocate(16 + arrived)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put("MESHGRD1".getBytes(StandardCharsets.US_ASCII))
                .putInt(length)
                .putInt(TEXT)
                .rewind();
    }
}
