package dev.meshguard.example.netty.servers;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.meshguard.junit.TrackAllocations;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Tests that share a server and its client at the same time. Those that keep nothing may not fail. */
@TrackAllocations
@Execution(ExecutionMode.CONCURRENT)
class ConcurrentEchoTestCase extends WithEchoServer {

    @RepeatedTest(20)
    void keepsARequest() throws Exception {
        server.keep("hello");
    }

    @RepeatedTest(20)
    void answers() throws Exception {
        assertEquals("hello", server.echo("hello"));
    }

    @RepeatedTest(20)
    void callsNobody() {}
}
