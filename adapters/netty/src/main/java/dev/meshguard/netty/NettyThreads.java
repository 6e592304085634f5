package dev.meshguard.netty;

import dev.meshguard.junit.source.SourceContext;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The event loops that work for a test although they are older than it.
 *
 * <p>While one test runs, all threads work for it. While several run, an event loop that another test or a static field has started
 * works for none of them, until a test binds it.
 *
 * <pre>{@code
 * @Test
 * void answers(NettyThreads threads) {
 *     threads.bind(SERVER.group());
 *     …
 * }
 * }</pre>
 *
 * <p>Safe for use by several threads.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class NettyThreads {

    private final SourceContext context;

    NettyThreads(SourceContext context) {
        this.context = context;
    }

    /**
     * Attributes the buffers of event loops to the test until its end. Waits until each of them has run a task.
     *
     * @param eventLoops an {@code EventLoopGroup}, for example
     * @throws java.util.concurrent.RejectedExecutionException if one is shut down
     */
    public void bind(Iterable<? extends Executor> eventLoops) {
        List<CompletableFuture<Void>> bound = new ArrayList<>();
        for (Executor eventLoop : eventLoops) {
            bound.add(CompletableFuture.runAsync(() -> context.bind(Thread.currentThread()), eventLoop));
        }
        bound.forEach(CompletableFuture::join);
    }
}
