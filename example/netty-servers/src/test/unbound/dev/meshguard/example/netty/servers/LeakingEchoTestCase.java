package dev.meshguard.example.netty.servers;

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
        server.keep("hello");
    }
}
