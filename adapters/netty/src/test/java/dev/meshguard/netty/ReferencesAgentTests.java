package dev.meshguard.netty;

import static dev.meshguard.junit.testkit.JupiterRun.failuresOf;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.junit.TrackAllocations;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.AbstractReferenceCountedByteBuf;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.assertj.core.api.AbstractStringAssert;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.mockito.Mockito;

/** The references to buffers that survive, in a JVM that has a Java agent. */
@Tag("agent")
class ReferencesAgentTests {

    private static List<String> failures;

    @BeforeAll
    static void runAll() {
        failures = failuresOf(SharingTestCase.class);
    }

    /** Its methods that are no tests take or touch references for others. */
    @TrackAllocations
    static class SharingTestCase {

        private static final ByteBufAllocator POOL = PooledByteBufAllocator.DEFAULT;

        private final List<ByteBuf> kept = new ArrayList<>();

        static List<ByteBufAllocator> allocators() {
            return List.of(POOL, UnpooledByteBufAllocator.DEFAULT);
        }

        private static ByteBuf allocated() {
            return POOL.directBuffer(128);
        }

        private void keep(ByteBuf buffer) {
            kept.add(buffer.retain());
        }

        private void verify(ByteBuf buffer) {
            buffer.slice(0, 1).touch("its checksum");
        }

        @ParameterizedTest
        @MethodSource("allocators")
        void releasesAll(ByteBufAllocator allocator) {
            ByteBuf buffer = allocator.directBuffer(128);
            buffer.retain(2);
            buffer.release();
            buffer.touch("last").release(2);
        }

        @Test
        void keepsAllItReleasesOnce() {
            ByteBuf buffer = allocated();
            keep(buffer);
            kept.remove(0).release();
            keep(buffer);
            buffer.release();
        }

        @Test
        void drops() {
            ByteBuf buffer = allocated();
            for (int i = 0; i < 100; i++) {
                ByteBuf used = buffer.retain();
                used.release();
            }
        }

        @Test
        void takesASlice() {
            ByteBuf whole = allocated();
            takeASlice(whole);
            whole.release();
        }

        private void takeASlice(ByteBuf whole) {
            kept.add(whole.readRetainedSlice(0));
        }

        @Test
        void keepsAComposite() {
            CompositeByteBuf both = POOL.compositeBuffer().addComponents(allocated(), allocated());
            keep(both);
            both.release();
        }

        @Test
        void touchesAComposite() {
            verify(POOL.compositeBuffer().addComponent(true, allocated().writeLong(7)));
        }

        @ParameterizedTest
        @MethodSource("allocators")
        void touches(ByteBufAllocator allocator) {
            verify(allocator.directBuffer(128).touch("first"));
        }

        /** On a thread of Netty: only there the pool hands out the same objects again. */
        @Test
        void dropsObjectsThatWereRetainedBefore() throws Exception {
            EventExecutor executor = new DefaultEventExecutor();
            executor.submit(() -> {
                        List<ByteBuf> released =
                                Stream.generate(() -> allocated()).limit(64).toList();
                        released.forEach(ByteBuf::retain);
                        released.forEach(ByteBuf::release);
                        released.forEach(ByteBuf::release);
                        return Stream.generate(() -> allocated()).limit(64).count();
                    })
                    .get();
            executor.shutdownGracefully(0, 0, TimeUnit.SECONDS).sync();
        }

        @Test
        @SuppressWarnings("deprecation") // The event loops of 4.2 are not in 4.1.
        void keepsWhatAnEventLoopReads() throws Exception {
            EventLoopGroup loops = new NioEventLoopGroup(1);
            var reader = new ChannelInboundHandlerAdapter() {
                @Override
                public void channelRead(ChannelHandlerContext context, Object message) {
                    keep((ByteBuf) message);
                    ((ByteBuf) message).release();
                    ChannelFuture unusedClose = context.close();
                }
            };
            Channel server = new ServerBootstrap()
                    .group(loops)
                    .channel(NioServerSocketChannel.class)
                    .childHandler(reader)
                    .bind("localhost", 0)
                    .sync()
                    .channel();
            Channel client = new Bootstrap()
                    .group(loops)
                    .channel(NioSocketChannel.class)
                    .handler(new ChannelInboundHandlerAdapter())
                    .connect(server.localAddress())
                    .sync()
                    .channel();
            ChannelFuture unusedWrite = client.writeAndFlush(allocated().writeInt(7));
            client.closeFuture().sync();
            loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
        }
    }

    @TrackAllocations
    static class MockedTestCase {

        @Test
        void verifiesTheCallsOfAMock() {
            ByteBuf counted = PooledByteBufAllocator.DEFAULT.directBuffer(128);
            AbstractReferenceCountedByteBuf mock =
                    Mockito.mock(AbstractReferenceCountedByteBuf.class, Mockito.CALLS_REAL_METHODS);
            mock.touch("first");

            Mockito.verify(mock).touch("first");
            Mockito.verifyNoMoreInteractions(mock);
            counted.release();
        }
    }

    @Test
    void callNoMethodOfAMock() {
        assertThat(failuresOf(MockedTestCase.class)).isEmpty();
    }

    /** Returns the failure of a test; those of a parameterized one follow one another. */
    private static AbstractStringAssert<?> assertThatFailureOf(String test) {
        String method = "#" + test + "'";
        return assertThat(String.join(
                "\n",
                failures.stream().filter(failure -> failure.endsWith(method)).toList()));
    }

    private static String retainIn(String method) {
        return "at dev\\.meshguard\\.netty\\.ReferencesAgentTests\\$SharingTestCase\\." + method
                + "\\(ReferencesAgentTests\\.java:\\d+\\)   retained; no release is known that answers it";
    }

    @Test
    void areNoLeakIfEachIsReleased() {
        assertThatFailureOf("releasesAll").isEmpty();
        assertThat(failures).as("of all other tests").hasSize(9);
    }

    @Test
    void nameTheLineThatRetainsAMessageOfADecoder() {
        assertThat(failuresOf(TextReaderTestCase.class))
                .singleElement()
                .asString()
                .contains("LOST; retained in TextReader.java:17", "of 2 references only 1 was released")
                .contains("SimpleChannelInboundHandler releases it once.");
    }

    @Test
    void nameTheLineThatRetainsWhatAnEventLoopReads() {
        assertThatFailureOf("keepsWhatAnEventLoopReads")
                .contains(
                        "HELD; retained in ReferencesAgentTests.java:",
                        "2 references (allocation, 1 retain), 1 release")
                .contains("io.netty.channel.nio.AbstractNioByteChannel$NioByteUnsafe.read(")
                .containsPattern(retainIn("keep"));
    }

    @Test
    void nameTheLastRetainThatIsNotAnswered() {
        assertThatFailureOf("keepsAllItReleasesOnce")
                .contains("3 references (allocation, 2 retains), 2 releases")
                .containsPattern(retainIn("keep"));
    }

    @Test
    void blameNoRetainThatTheSameMethodReleases() {
        assertThatFailureOf("drops")
                .contains("LOST; allocated in ReferencesAgentTests.java:", "of 101 references only 100 were released")
                .doesNotContain("retained");
    }

    @Test
    void nameTheLineThatTakesASlice() {
        assertThatFailureOf("takesASlice").containsPattern(retainIn("takeASlice"));
    }

    @Test
    void nameTheLineThatRetainsAComposite() {
        assertThatFailureOf("keepsAComposite").contains("in 2 buffers, HELD").containsPattern(retainIn("keep"));
    }

    @Test
    void nameTheLastTouchWithItsHint() {
        for (String test : List.of("touches", "touchesAComposite")) {
            assertThatFailureOf(test)
                    .contains("LOST; allocated in ReferencesAgentTests.java:", "SharingTestCase.verify(", "checksum\"")
                    .doesNotContain("first", "agent:");
        }
    }

    @Test
    void areForgottenWithTheReleaseOfTheirBuffer() {
        assertThatFailureOf("dropsObjectsThatWereRetainedBefore")
                .contains("in 64 buffers")
                .doesNotContain("references", "retained");
    }
}
