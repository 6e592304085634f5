package dev.meshguard.server.frame.internal;

/**
 * The memory that the frames of all connections may occupy: incomplete frames, and the names and call stacks that they define.
 *
 * <p>A history may refer to a name for as long as it exists, so the memory of names is never returned. Not safe for use by several
 * threads.
 */
public final class FrameMemory {

    private final long limit;
    private long used;

    /**
     * Creates an unused memory.
     *
     * @param limit the number of bytes
     */
    public FrameMemory(long limit) {
        this.limit = limit;
    }

    /** Returns the number of bytes. */
    public long limit() {
        return limit;
    }

    /** Takes a number of bytes; returns whether they were left. */
    public boolean take(long bytes) {
        if (bytes > limit - used) {
            return false;
        }
        used += bytes;
        return true;
    }

    /** Returns bytes that were taken. */
    void giveBack(long bytes) {
        used -= bytes;
    }
}
