package dev.meshguard.netty;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.junit.TrackAllocations;
import org.junit.jupiter.api.Test;

// region: leaking-test
@TrackAllocations
class LineDecoderTestCase {

    private final LineDecoder decoder = new LineDecoder();

    @Test
    void decodesALine() {
        assertThat(decoder.decode(new byte[128])).isEqualTo(128);
    }
}
// end region
