package dev.meshguard.netty;

import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.junit.testkit.ProgramThat;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Small programs that use a buffer. */
@TrackAllocations
class BufferProgramTestCase {

    private static final ByteBufAllocator POOL = PooledByteBufAllocator.DEFAULT;

    private final List<Object> kept = new ArrayList<>();

    @ProgramThat("releases its buffer")
    void releases() {
        POOL.directBuffer(128).release();
    }

    @ProgramThat(value = "keeps its buffer in a field", leaks = 1)
    void keeps() {
        kept.add(POOL.directBuffer(128));
    }

    @ProgramThat(value = "drops its buffer", leaks = 1)
    void drops() {
        POOL.directBuffer(128).writeInt(7);
    }

    @ProgramThat(value = "keeps a slice, and releases nothing", leaks = 1)
    void keepsSlice() {
        kept.add(POOL.directBuffer(128).slice(0, 16));
    }

    @ProgramThat(value = "keeps a retained slice, and releases the buffer", leaks = 1)
    void keepsRetainedSlice() {
        ByteBuf whole = POOL.directBuffer(128);
        kept.add(whole.retainedSlice(0, 16));
        whole.release();
    }

    @ProgramThat("releases its buffer first, and a retained slice last")
    void releasesRetainedSlice() {
        ByteBuf whole = POOL.directBuffer(128);
        ByteBuf part = whole.retainedSlice(0, 16);
        whole.release();
        part.release();
    }

    @ProgramThat(value = "retains its buffer once too often, and drops it", leaks = 1)
    void retainsTooOften() {
        ByteBuf buffer = POOL.directBuffer(128);
        buffer.retain();
        buffer.release();
    }

    @ProgramThat("transfers its buffer to a composite, which is released")
    void transfers() {
        CompositeByteBuf all = POOL.compositeBuffer();
        all.addComponent(POOL.directBuffer(128));
        all.release();
    }

    @ProgramThat(value = "transfers its buffer to a composite, which is dropped", leaks = 1)
    void transfersToDropped() {
        POOL.compositeBuffer().addComponent(POOL.directBuffer(128));
    }

    @ProgramThat("releases its buffer twice")
    void releasesTwice() {
        ByteBuf buffer = POOL.directBuffer(128);
        buffer.release();
        buffer.release();
    }

    @ProgramThat(value = "keeps a buffer that another thread allocates", leaks = 1)
    void keepsOfThread() throws Exception {
        ExecutorService other = Executors.newSingleThreadExecutor();
        kept.add(other.submit(() -> POOL.directBuffer(128)).get());
        other.shutdown();
    }

    @ProgramThat("lets another thread release its buffer")
    void releasesOnThread() throws Exception {
        ByteBuf buffer = POOL.directBuffer(128);
        Thread other = new Thread(buffer::release);
        other.start();
        other.join();
    }

    @ProgramThat("uses a constant of a static initializer")
    void usesConstant() {
        Constant.CRLF.readableBytes();
    }

    @ProgramThat(value = "logs an exception of a close, and skips its release", leaks = 1)
    void failsToClose() {
        AutoCloseable connection = () -> {
            throw new IllegalStateException("The peer has reset the connection.");
        };
        ByteBuf buffer = POOL.directBuffer(128);
        try {
            connection.close();
            buffer.release();
        } catch (Exception logged) {
            kept.add(logged);
        }
    }

    @ProgramThat("drops an unpooled heap buffer")
    void dropsUnpooledHeap() {
        Unpooled.buffer(128).writeInt(7);
    }

    /** As codecs keep their constants. */
    private static final class Constant {

        static final ByteBuf CRLF =
                Unpooled.unreleasableBuffer(POOL.directBuffer(2).writeShort(0x0d0a));
    }
}
