package dev.meshguard.benchmarks.recorder;

/**
 * One thread's side of a recorder.
 *
 * <p>Buffers are called by number; their addresses and handles are the lane's affair. A lane is used by one thread.
 */
public interface Lane {

    /** Records that a buffer was allocated. */
    void allocate(int buffer);

    /** Records that a buffer was freed. */
    void free(int buffer);
}
