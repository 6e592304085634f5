package dev.meshguard.netty;

import static dev.meshguard.netty.NettyTestRun.failuresOf;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The failure that docs/netty.md shows. */
class LineDecoderTests {

    @Test
    void namesTheLineAndTheFieldOfTheLineThatIsNotReleased() {
        assertThat(failuresOf(LineDecoderTestCase.class)).containsExactly("""
                LEAK  128 B of Netty memory in 1 buffer, HELD by LineDecoder.last; allocated in LineDecoder.java:13

                1. Netty memory  128 B
                   at dev.meshguard.netty.LineDecoder.decode(LineDecoder.java:13)
                   at dev.meshguard.netty.LineDecoderTestCase.decodesALine(LineDecoderTestCase.java:16)
                   why   HELD: still referenced by LineDecoderTestCase.decoder -> LineDecoder.last (event #7)
                   fix   Release the buffer before the test ends.
                   seen  allocated in TEST (event #4)

                sum     1 allocated = 0 freed + 1 leaked
                expect  @ExpectBuffers(size = 128, atMost = 1, origin = "LineDecoder.decode", because = "…")
                rerun   mvn test -Dtest=LineDecoderTestCase#decodesALine""");
    }
}
