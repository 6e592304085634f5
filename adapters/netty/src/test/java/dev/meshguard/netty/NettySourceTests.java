package dev.meshguard.netty;

import static dev.meshguard.junit.testkit.JupiterRun.failuresOf;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.junit.testkit.JupiterRun;
import dev.meshguard.junit.testkit.RunAssert;
import io.netty.buffer.AdaptiveByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.EventExecutor;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store.CloseableResource;
import org.junit.jupiter.api.extension.TestInstanceFactoryContext;
import org.junit.jupiter.api.extension.TestInstancePreConstructCallback;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that use buffers of Netty, without a parameter and without a property. */
@SuppressWarnings("UnusedVariable") // Fields hold what leaks.
class NettySourceTests {

    static List<ByteBufAllocator> allocators() {
        return List.of(
                PooledByteBufAllocator.DEFAULT, UnpooledByteBufAllocator.DEFAULT, new AdaptiveByteBufAllocator());
    }

    @TrackAllocations
    static class CleanTestCase {

        @ParameterizedTest
        @MethodSource("dev.meshguard.netty.NettySourceTests#allocators")
        void releases(ByteBufAllocator allocator) {
            ByteBuf buffer = allocator.directBuffer(128);
            buffer.writeLong(7);
            buffer.capacity(4096);
            buffer.release();
        }

        @Test
        void usesNoBuffer() {}
    }

    @TrackAllocations
    static class OtherHandleTestCase {

        /** The collector may not take before the check what only the check finds released. */
        private final List<ByteBuf> kept = new ArrayList<>();

        @ParameterizedTest
        @MethodSource("dev.meshguard.netty.NettySourceTests#allocators")
        void releasesWhatTheDetectorHasWrapped(ByteBufAllocator allocator) {
            kept.add(allocator.directBuffer(128).unwrap());
            kept.get(0).release();
        }

        /** On a thread of Netty: only there the pool hands out the same objects again. */
        @Test
        void releasesABufferTwiceThatThePoolHasHandedOutAgain() throws Exception {
            EventExecutor executor = new DefaultEventExecutor();
            executor.submit(() -> {
                        List<ByteBuf> released = directBuffers();
                        released.forEach(ByteBuf::release);
                        List<ByteBuf> again = directBuffers();
                        released.stream()
                                .filter(old -> old.refCnt() > 0)
                                .findFirst()
                                .orElseThrow()
                                .release();
                        again.stream().filter(buffer -> buffer.refCnt() > 0).forEach(ByteBuf::release);
                        kept.addAll(again);
                    })
                    .get();
            executor.shutdownGracefully(0, 0, TimeUnit.SECONDS).sync();
        }

        private static List<ByteBuf> directBuffers() {
            return Stream.generate(() -> PooledByteBufAllocator.DEFAULT.directBuffer(128))
                    .limit(64)
                    .toList();
        }
    }

    /** It has no session before its first test. */
    @TrackAllocations
    static class PreparedTestCase {
        private static ByteBuf kept;
        private static ByteBuf released;

        @BeforeAll
        static void prepares() {
            kept = PooledByteBufAllocator.DEFAULT.directBuffer(64);
            released = PooledByteBufAllocator.DEFAULT.directBuffer(128).unwrap();
            released.release();
        }

        @Test
        void usesNoBuffer() {}
    }

    @TrackAllocations
    static class HeldTestCase {

        private final List<ByteBuf> kept = new ArrayList<>();

        @ParameterizedTest
        @MethodSource("dev.meshguard.netty.NettySourceTests#allocators")
        void keeps(ByteBufAllocator allocator) {
            kept.add(allocator.directBuffer(128));
        }
    }

    @TrackAllocations
    static class HeldHeapTestCase {

        private final List<ByteBuf> kept = new ArrayList<>();

        @Test
        void keeps() {
            kept.add(PooledByteBufAllocator.DEFAULT.heapBuffer(128));
            kept.add(new AdaptiveByteBufAllocator().heapBuffer(128));
        }
    }

    @TrackAllocations
    static class CollectedTestCase {

        @Test
        void allocatesAfterTheCollectorHasFoundTheFirst() throws Exception {
            ReferenceQueue<ByteBuf> collected = new ReferenceQueue<>();
            Reference<ByteBuf> first = new WeakReference<>(PooledByteBufAllocator.DEFAULT.directBuffer(128), collected);
            do {
                System.gc();
            } while (collected.remove(100) != first);
            PooledByteBufAllocator.DEFAULT.directBuffer(64).release();
        }
    }

    @TrackAllocations
    static class DisablingTestCase {

        private ByteBuf kept;

        @Test
        void disablesLeakDetection() {
            ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
            kept = PooledByteBufAllocator.DEFAULT.directBuffer(128);
        }
    }

    @TrackAllocations
    static class CompositeTestCase {

        private CompositeByteBuf kept;

        @Test
        void keepsAComposite() {
            kept = PooledByteBufAllocator.DEFAULT.compositeBuffer();
            kept.addComponent(PooledByteBufAllocator.DEFAULT.directBuffer(96));
        }
    }

    @TrackAllocations
    static class GrownTestCase {

        private ByteBuf kept;

        @Test
        void grows() {
            kept = PooledByteBufAllocator.DEFAULT.directBuffer(16);
            kept.capacity(4096);
        }
    }

    @Test
    void passWhereAllBuffersAreReleased() {
        assertThat(failuresOf(CleanTestCase.class)).isEmpty();
    }

    @Test
    void passWhereABufferIsReleasedByAnotherHandleThanItsOwn() {
        assertThat(failuresOf(OtherHandleTestCase.class)).isEmpty();
    }

    @Test
    void failTheRunForWhatABeforeAllMethodLeavesUnreleased() {
        try {
            assertThat(failuresOf(PreparedTestCase.class))
                    .singleElement()
                    .asString()
                    .contains("LEAK  64 B of Netty memory in 1 buffer", "allocated by threads that work for no test");
        } finally {
            PreparedTestCase.kept.release();
        }
    }

    @Test
    void nameTheLineAndTheFieldOfABufferThatIsHeld() {
        assertThat(failuresOf(HeldTestCase.class))
                .hasSize(3)
                .allSatisfy(text -> assertThat(text)
                        .contains(
                                "LEAK  128 B of Netty memory in 1 buffer, HELD by HeldTestCase.kept; allocated in NettySourceTests.java:")
                        .contains("at dev.meshguard.netty.NettySourceTests$HeldTestCase.keeps(NettySourceTests.java:")
                        .contains("why   HELD: still referenced by HeldTestCase.kept -> ArrayList[0]")
                        .contains("fix   Release the buffer before the test ends.")
                        .doesNotContain("device", "mesh ", "SYSTEM_MEMORY", "io.netty"));
    }

    @Test
    void nameTheFieldOfHeapBuffersOfPools() {
        assertThat(failuresOf(HeldHeapTestCase.class))
                .singleElement()
                .asString()
                .contains("LEAK  256 B of Netty memory in 2 buffers")
                .contains("HELD: still referenced by HeldHeapTestCase.kept -> ArrayList[0]");
    }

    @Test
    void findABufferThatTheCollectorHasFoundBefore() {
        assertThat(failuresOf(CollectedTestCase.class))
                .singleElement()
                .asString()
                .contains("LEAK  128 B of Netty memory in 1 buffer, LOST")
                .contains("sum     2 allocated = 1 freed + 1 leaked");
    }

    @Test
    void areNotGreenIfTheyDisableLeakDetection() {
        ResourceLeakDetector.Level level = ResourceLeakDetector.getLevel();
        try {
            assertThat(failuresOf(DisablingTestCase.class))
                    .singleElement()
                    .asString()
                    .containsAnyOf(
                            "LEAK  128 B of Netty memory", "the source \"netty\" is not installed: code has disabled");
        } finally {
            ResourceLeakDetector.setLevel(level);
        }
    }

    @Test
    void countACompositeAsItsBuffers() {
        assertThat(failuresOf(CompositeTestCase.class))
                .singleElement()
                .asString()
                .contains("LEAK  96 B of Netty memory in 1 buffer, HELD by CompositeTestCase.kept")
                .contains("sum     1 allocated = 0 freed + 1 leaked");
    }

    @Test
    void countABufferWithTheCapacityItHasAtTheEnd() {
        assertThat(failuresOf(GrownTestCase.class)).singleElement().asString().contains("LEAK  4 KiB of Netty memory");
    }

    @Test
    void areInconclusiveIfAnotherDetectorIsChosen() {
        System.setProperty("io.netty.customResourceLeakDetector", "com.example.Detector");
        try {
            assertThat(failuresOf(CleanTestCase.class))
                    .isNotEmpty()
                    .allSatisfy(
                            text -> assertThat(text)
                                    .startsWith("INCONCLUSIVE  ")
                                    .contains(
                                            "io.netty.customResourceLeakDetector selects another leak detector, com.example.Detector"));
        } finally {
            System.clearProperty("io.netty.customResourceLeakDetector");
        }
    }

    @Test
    void nameTheOrderIfAnExtensionReleasesTheirBuffersAfterTheCheck() {
        RunAssert.assertThat(JupiterRun.run(StoringTestCase.class))
                .hasSingleTest()
                .whichFailed()
                .withSuppressedTextContaining(
                        "1 buffer of this leak was freed after the check, by dev.meshguard.netty.NettySourceTests$StoringExtension.");
    }

    static class StoringExtension implements TestInstancePreConstructCallback {
        @Override
        public ExtensionContextScope getTestInstantiationExtensionContextScope(ExtensionContext root) {
            return ExtensionContextScope.TEST_METHOD;
        }

        @Override
        public void preConstructTestInstance(TestInstanceFactoryContext factory, ExtensionContext context) {
            CloseableResource releaser = () -> StoringTestCase.taken.release();
            context.getStore(Namespace.create(StoringExtension.class)).put("releaser", releaser);
        }
    }

    @ExtendWith(StoringExtension.class)
    @TrackAllocations
    static class StoringTestCase {
        private static ByteBuf taken;

        @Test
        void takes() {
            taken = PooledByteBufAllocator.DEFAULT.directBuffer(128);
        }
    }
}
