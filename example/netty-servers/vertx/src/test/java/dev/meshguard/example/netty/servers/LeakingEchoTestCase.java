package dev.meshguard.example.netty.servers;

import dev.meshguard.junit.TestThreads;
import dev.meshguard.junit.TrackAllocations;
import org.junit.jupiter.api.Test;

@TrackAllocations
class LeakingEchoTestCase extends WithEchoServer {

    /** Its event loops are older than the test, whose own thread uses no buffer. */
    @Test
    void keepsARequest(TestThreads threads) throws Exception {
        threads.bind(server.eventLoops());

        server.keep("hello");
    }
}
