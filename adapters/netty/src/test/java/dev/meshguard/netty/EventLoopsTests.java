package dev.meshguard.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A check waits for event loops, but not for those that do not answer. */
@Timeout(60)
class EventLoopsTests {

    private final EventExecutor eventLoop = new DefaultEventExecutor(new DefaultThreadFactory("worker"));
    private final CompletableFuture<Void> endOfTest = new CompletableFuture<>();

    @AfterEach
    void stop() {
        endOfTest.complete(null);
        eventLoop.shutdownGracefully(0, 0, TimeUnit.SECONDS).syncUninterruptibly();
    }

    private EventLoops remembered(Duration maxWait) throws Exception {
        EventLoops used = new EventLoops(maxWait);
        eventLoop.submit(used::rememberCurrent).get();
        return used;
    }

    @Test
    void nameOneThatDoesNotFinishWhatItDoes() throws Exception {
        EventLoops used = remembered(Duration.ofMillis(10));
        eventLoop.execute(endOfTest::join);

        assertThat(used.await())
                .hasValueSatisfying(note ->
                        assertThat(note).startsWith("event loops that have not finished what they did: worker-"));
    }

    @Test
    void areNotWaitedForAgainIfOneDoesNotFinish() throws Exception {
        EventLoops used = remembered(Duration.ofMillis(10));
        eventLoop.execute(endOfTest::join);
        used.await();

        assertThat(used.await()).isEmpty();
    }

    @Test
    void areNotWaitedForOnceTheyAreShutDown() throws Exception {
        EventLoops used = remembered(Duration.ofSeconds(60));
        eventLoop.shutdownGracefully(0, 0, TimeUnit.SECONDS).sync();

        assertThat(used.await()).isEmpty();
    }

    @Test
    void areNotWaitedForByTheirOwnThread() throws Exception {
        EventLoops used = remembered(Duration.ofSeconds(60));

        assertThat(eventLoop.submit(used::await).get()).isEmpty();
    }
}
