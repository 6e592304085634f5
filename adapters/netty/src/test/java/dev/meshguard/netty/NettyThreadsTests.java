package dev.meshguard.netty;

import static dev.meshguard.junit.testkit.JupiterRun.failuresOf;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.junit.TestThreads;
import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.junit.testkit.JupiterRun;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.DefaultEventLoopGroup;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.SingleThreadEventExecutor;
import io.netty.util.internal.ThreadExecutorMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;

/** Event loops that are older than the tests for which they allocate. */
@Timeout(60)
@SuppressWarnings("UnusedVariable") // Fields hold what leaks.
class NettyThreadsTests {

    private static EventLoopGroup first;
    private static EventLoopGroup second;

    @BeforeAll
    static void startEventLoops() throws Exception {
        first = new DefaultEventLoopGroup(1);
        second = new DefaultEventLoopGroup(1);
        allocateOn(first).release();
        allocateOn(second).release();
    }

    @AfterAll
    static void stopEventLoops() {
        first.shutdownGracefully(0, 0, TimeUnit.SECONDS).awaitUninterruptibly();
        second.shutdownGracefully(0, 0, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    private static ByteBuf allocateOn(ExecutorService executor) throws Exception {
        return executor.submit(() -> PooledByteBufAllocator.DEFAULT.directBuffer(128))
                .get();
    }

    @TrackAllocations
    static class AloneTestCase {

        private ByteBuf kept;

        @Test
        void keepsABufferOfAnOlderEventLoop() throws Exception {
            kept = allocateOn(first);
        }
    }

    /** The check hands tasks to an event loop for which it waits. */
    private static void untilTheCheckWaits() {
        SingleThreadEventExecutor eventLoop = (SingleThreadEventExecutor) ThreadExecutorMap.currentExecutor();
        long start = System.nanoTime();
        while (eventLoop.pendingTasks() == 0 && System.nanoTime() - start < TimeUnit.SECONDS.toNanos(20)) {
            Thread.onSpinWait();
        }
    }

    @TrackAllocations
    static class AnsweredTestCase {

        @Test
        void endsBeforeTheEventLoopReleases() throws Exception {
            CompletableFuture<Integer> answer = new CompletableFuture<>();
            first.execute(() -> {
                ByteBuf buffer = PooledByteBufAllocator.DEFAULT.directBuffer(128);
                answer.complete(buffer.capacity());
                untilTheCheckWaits();
                buffer.release();
            });

            assertThat(answer.get()).isEqualTo(128);
        }

        @Test
        void endsBeforeAnotherEventLoopReleases() throws Exception {
            allocateOn(second).release();
            CompletableFuture<Integer> answer = new CompletableFuture<>();
            first.execute(() -> {
                ByteBuf buffer = PooledByteBufAllocator.DEFAULT.directBuffer(128);
                answer.complete(buffer.capacity());
                untilTheCheckWaits();
                second.execute(() -> {
                    untilTheCheckWaits();
                    buffer.release();
                });
            });

            assertThat(answer.get()).isEqualTo(128);
        }
    }

    @TrackAllocations
    static class TogetherTestCase {

        private static final CyclicBarrier BOTH_RUN = new CyclicBarrier(2);
        private static final CyclicBarrier BOTH_ALLOCATED = new CyclicBarrier(2);

        private ByteBuf kept;

        @Test
        void leaks(TestThreads threads) throws Exception {
            threads.bind(first);
            await(BOTH_RUN);
            kept = allocateOn(first);
            await(BOTH_ALLOCATED);
        }

        @Test
        void releases(TestThreads threads) throws Exception {
            threads.bind(second);
            await(BOTH_RUN);
            allocateOn(second).release();
            await(BOTH_ALLOCATED);
        }

        private static void await(CyclicBarrier barrier) throws Exception {
            try {
                barrier.await(30, TimeUnit.SECONDS);
            } catch (TimeoutException alone) {
                throw new IllegalStateException("The other test does not run.", alone);
            }
        }
    }

    /** The first test starts the thread of the pool, and the second one leaks there. */
    @TrackAllocations
    static class SharedPoolTestCase {

        private static final ExecutorService POOL = Executors.newSingleThreadExecutor();
        private static final CountDownLatch STARTED = new CountDownLatch(1);
        private static final CountDownLatch LEAKED = new CountDownLatch(1);

        @AfterAll
        static void stopPool() {
            POOL.shutdown();
        }

        @Test
        void startsTheThread() throws Exception {
            POOL.submit(() -> PooledByteBufAllocator.DEFAULT.directBuffer(128).release())
                    .get();
            STARTED.countDown();
            await(LEAKED);
        }

        @Test
        void leaksThere() throws Exception {
            await(STARTED);
            allocateOn(POOL);
            LEAKED.countDown();
        }
    }

    private static void await(CountDownLatch latch) throws InterruptedException {
        assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
    }

    /** A task that the first test forgets leaks while the second one runs. */
    @TrackAllocations
    @TestMethodOrder(MethodOrderer.MethodName.class)
    static class ForgottenTaskTestCase {

        private static final EventLoopGroup GROUP = new DefaultEventLoopGroup(1);
        private static final CountDownLatch SECOND_RUNS = new CountDownLatch(1);
        private static final CountDownLatch LEAKED = new CountDownLatch(1);

        @AfterAll
        static void stopEventLoop() {
            GROUP.shutdownGracefully(0, 0, TimeUnit.SECONDS).awaitUninterruptibly();
        }

        @Test
        void forgetsATask() {
            Future<?> unused = GROUP.submit(() -> {
                await(SECOND_RUNS);
                PooledByteBufAllocator.DEFAULT.directBuffer(128);
                LEAKED.countDown();
                return null;
            });
        }

        @Test
        void usesNoBuffer() throws Exception {
            SECOND_RUNS.countDown();
            await(LEAKED);
        }
    }

    @Test
    void blameNotEvenTheOnlyTestThatRuns() {
        assertThat(failuresOf(AloneTestCase.class))
                .singleElement()
                .asString()
                .contains("LEAK  128 B of Netty memory")
                .contains(
                        "seen  allocated in no test, while NettyThreadsTests$AloneTestCase#keepsABufferOfAnOlderEventLoop ran")
                .endsWith("rerun   mvn test");
    }

    @Test
    void mayReleaseAfterTheTestHasItsAnswer() {
        assertThat(failuresOf(AnsweredTestCase.class)).isEmpty();
    }

    @Test
    void workForTheTestThatBindsThemWhileOthersRun() {
        assertThat(JupiterRun.runConcurrently(TogetherTestCase.class).failures())
                .singleElement()
                .asString()
                .contains("LEAK  128 B of Netty memory")
                .contains("TogetherTestCase.kept");
    }

    @Test
    void ofAPoolBlameNoTestThatHasOnlyStartedThem() {
        assertThat(JupiterRun.runConcurrently(SharedPoolTestCase.class).failures())
                .singleElement()
                .asString()
                .contains("LEAK  128 B of Netty memory")
                .endsWith("rerun   mvn test");
    }

    @Test
    void ofAnEarlierTestBlameNoLaterOne() {
        assertThat(failuresOf(ForgottenTaskTestCase.class))
                .singleElement()
                .asString()
                .startsWith("LEAK  128 B of Netty memory")
                .contains("(started by", "ForgottenTaskTestCase#forgetsATask 1 test ago), while these tests ran:")
                .endsWith("rerun   mvn test");
    }
}
