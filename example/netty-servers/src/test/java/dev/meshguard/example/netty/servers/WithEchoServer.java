package dev.meshguard.example.netty.servers;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The tests of a class share a server and its client. */
abstract class WithEchoServer {

    static EchoServer server;

    @BeforeAll
    static void start() throws Exception {
        server = new EchoServer();
    }

    @AfterAll
    static void stop() throws Exception {
        server.stop();
    }
}
