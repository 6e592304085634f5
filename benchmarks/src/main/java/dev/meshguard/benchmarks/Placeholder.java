package dev.meshguard.benchmarks;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.RootAllocator;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Fork;

/** Proves that the peers and the generator work until the first benchmark arrives. */
public class Placeholder {

    /** Allocates and frees with Netty. */
    @Benchmark
    public int netty() {
        ByteBuf buffer = PooledByteBufAllocator.DEFAULT.directBuffer(64);
        int capacity = buffer.capacity();
        buffer.release();
        return capacity;
    }

    /** Allocates and frees with Arrow, which reaches into java.nio; a fork takes no options from the jar's manifest. */
    @Benchmark
    @Fork(jvmArgsAppend = "--add-opens=java.base/java.nio=ALL-UNNAMED")
    public long arrow() {
        try (RootAllocator allocator = new RootAllocator();
                ArrowBuf buffer = allocator.buffer(64)) {
            return buffer.capacity();
        }
    }
}
