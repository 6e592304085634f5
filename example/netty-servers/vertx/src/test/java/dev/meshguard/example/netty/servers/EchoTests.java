package dev.meshguard.example.netty.servers;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.meshguard.junit.TestThreads;
import dev.meshguard.junit.TrackAllocations;
import org.junit.jupiter.api.RepeatedTest;

@TrackAllocations
class EchoTests extends WithEchoServer {

    // region: bound
    @RepeatedTest(20)
    void answers(TestThreads threads) throws Exception {
        threads.bind(server.eventLoops());

        assertEquals("hello", server.echo("hello"));
    }
    // end region
}
