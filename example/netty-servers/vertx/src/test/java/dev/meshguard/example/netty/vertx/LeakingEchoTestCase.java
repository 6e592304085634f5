package dev.meshguard.example.netty.vertx;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.meshguard.junit.TrackAllocations;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

@TrackAllocations
class LeakingEchoTestCase {

    private static EchoServer server;

    @BeforeAll
    static void start() throws Exception {
        server = new EchoServer();
    }

    @AfterAll
    static void stop() throws Exception {
        server.stop();
    }

    @Test
    void keepsARequest() throws Exception {
        assertEquals("hello", server.post("/keep", "hello"));
    }
}
