package dev.meshguard.example.netty.servers;

import dev.meshguard.junit.TrackAllocations;
import org.junit.jupiter.api.Test;

@TrackAllocations
class LeakingEchoTestCase extends WithEchoServer {

    @Test
    void keepsARequest() throws Exception {
        server.keep("hello");
    }
}
