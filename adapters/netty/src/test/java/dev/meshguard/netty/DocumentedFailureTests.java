package dev.meshguard.netty;

import static dev.meshguard.junit.testkit.JupiterRun.failuresOf;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The failures that docs/netty.md shows. */
class DocumentedFailureTests {

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

    @Test
    @Tag("agent")
    void namesTheLineThatRetainsAMessage() {
        assertThat(failuresOf(TextReaderTestCase.class)).containsExactly("""
                LEAK  2 B of Netty memory in 1 buffer, LOST; retained in TextReader.java:17

                1. Netty memory  2 B
                   at dev.meshguard.netty.TextReader.channelRead0(TextReader.java:17)   retained; no release is known that answers it
                   why   LOST: no handle to it is reachable any more, and of 2 references only 1 was released (event #10)
                   fix   Release the buffer after TextReader.java:17, or do not retain it: SimpleChannelInboundHandler releases it once.
                   seen  allocated in TEST (event #5) at dev.meshguard.netty.TextReaderTestCase.reads(TextReaderTestCase.java:20)
                         2 references (allocation, 1 retain), 1 release; retained at
                         dev.meshguard.netty.TextReader.channelRead0(TextReader.java:17); released at
                         io.netty.channel.SimpleChannelInboundHandler.channelRead(SimpleChannelInboundHandler.java:106) (event #8)

                sum     2 allocated = 1 freed + 1 leaked
                expect  @ExpectBuffers(size = 2, atMost = 1, origin = "TextReaderTestCase.reads", because = "…")
                rerun   mvn test -Dtest=TextReaderTestCase#reads""");
    }

    @Test
    void sayHowToSeeMoreIfThereIsNoAgent() {
        assertThat(failuresOf(TextReaderTestCase.class))
                .singleElement()
                .asString()
                .contains("LOST; allocated in TextReaderTestCase.java:20", "-javaagent");
    }
}
