package dev.meshguard.mockito;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A typical device interface of a user, with all kinds of allocation methods. */
interface UserDevice {

    long allocate(long bytes);

    long allocate(int device, long bytes);

    long allocateOnAll(List<Integer> devices, long bytes);

    int handleOf(long bytes);

    void reserve(long address, long bytes);

    void fill(Buffer buffer, long bytes);

    Buffer buffer(long bytes);

    Closeable closeable(long bytes);

    CompletableFuture<Buffer> later(long bytes);

    String named(long bytes);

    ByteBuffer mapped(long bytes);

    long[] pages(long bytes);

    long ofTensor(String shape);

    long anything(Object bytes);

    void free(long address);

    void free(int device, long address);

    void free(Buffer buffer);

    void freeAll(List<Buffer> buffers);

    void freeAll(int... addresses);

    void freeNamed(String name);

    void freePages(long[] pages);

    void unmap(ByteBuffer mapped);

    /** A handle of a user's own type. */
    class Buffer {
        final long address;

        Buffer(long address) {
            this.address = address;
        }

        @Override
        public boolean equals(Object other) {
            throw new AssertionError("The user's code is not to be called");
        }

        @Override
        public int hashCode() {
            throw new AssertionError("The user's code is not to be called");
        }
    }

    /** A handle that frees itself. */
    interface Closeable extends AutoCloseable {
        @Override
        void close();
    }
}
