package dev.meshguard.example.netty.webclient;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.meshguard.junit.TrackAllocations;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

@TrackAllocations
class LeakingEchoTestCase {

    private static EchoServer server;

    @BeforeAll
    static void start() {
        server = new EchoServer();
    }

    @AfterAll
    static void stop() {
        server.stop();
    }

    @Test
    void keepsARequest() {
        assertEquals(5, server.keep("hello"));
    }
}
