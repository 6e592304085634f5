package dev.meshguard.mockito.statics;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/** A handle of a library whose factories are static. */
final class StaticTensor implements AutoCloseable {

    private static final Queue<StaticTensor> KEPT = new ConcurrentLinkedQueue<>();

    private final long bytes;
    private boolean isClosed;

    StaticTensor(long bytes) {
        this.bytes = bytes;
    }

    static StaticTensor allocate(long bytes) {
        return allocate(bytes, 64);
    }

    static StaticTensor allocate(long bytes, int alignment) {
        if (bytes % alignment != 0) {
            throw new IllegalArgumentException(bytes + " B are not aligned to " + alignment);
        }
        return new StaticTensor(bytes);
    }

    /** The library keeps what it copies. */
    static StaticTensor copyOfOnes() {
        StaticTensor ones = allocate(64);
        KEPT.add(ones);
        return new StaticTensor(ones.bytes);
    }

    static @Nullable StaticTensor ifPresent(String name) {
        return name.isEmpty() ? null : allocate(64);
    }

    static StaticTensor requireOpen(StaticTensor tensor) {
        return tensor;
    }

    /** Runs code of the user. */
    static void inScope(Runnable code) {
        code.run();
    }

    long bytes() {
        return bytes;
    }

    boolean isClosed() {
        return isClosed;
    }

    @Override
    public void close() {
        isClosed = true;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        throw new AssertionError("equals was called");
    }

    @Override
    public int hashCode() {
        throw new AssertionError("hashCode was called");
    }
}
