package dev.meshguard.netty;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.junit.TrackAllocations;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.websocketx.WebSocket13FrameDecoder;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

@TrackAllocations
class TextReaderTestCase {

    @Test
    void reads() {
        TextReader reader = new TextReader();
        EmbeddedChannel channel = new EmbeddedChannel(new WebSocket13FrameDecoder(false, false, 1024), reader);

        channel.writeInbound(PooledByteBufAllocator.DEFAULT
                .directBuffer()
                .writeShort(0x8102)
                .writeBytes("hi".getBytes(StandardCharsets.UTF_8)));
        channel.finishAndReleaseAll();

        assertThat(reader.texts()).containsExactly("hi");
    }
}
