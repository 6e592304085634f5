package dev.meshguard.example.netty.servers;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.meshguard.junit.TrackAllocations;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.RepeatedTest;

@TrackAllocations
class EchoTests {

    private static EchoServer server;

    @BeforeAll
    static void start() throws Exception {
        server = new EchoServer();
    }

    @AfterAll
    static void stop() throws Exception {
        server.stop();
    }

    @RepeatedTest(20)
    void answers() throws Exception {
        assertEquals("hello", server.echo("hello"));
    }
}
