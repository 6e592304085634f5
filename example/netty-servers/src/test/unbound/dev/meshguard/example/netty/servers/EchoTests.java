package dev.meshguard.example.netty.servers;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.meshguard.junit.TrackAllocations;
import org.junit.jupiter.api.RepeatedTest;

@TrackAllocations
class EchoTests extends WithEchoServer {

    @RepeatedTest(20)
    void answers() throws Exception {
        assertEquals("hello", server.echo("hello"));
    }
}
