package dev.meshguard.example.netty.webclient;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.meshguard.junit.TrackAllocations;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.RepeatedTest;

@TrackAllocations
class EchoTests {

    private static EchoServer server;

    @BeforeAll
    static void start() {
        server = new EchoServer();
    }

    @AfterAll
    static void stop() {
        server.stop();
    }

    @RepeatedTest(20)
    void answers() {
        assertEquals("hello", server.post("hello"));
    }
}
