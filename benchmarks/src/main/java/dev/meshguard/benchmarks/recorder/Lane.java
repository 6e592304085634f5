package dev.meshguard.benchmarks.recorder;

/**
 * One thread's side of a recorder.
 *
 * <p>Buffers are identified by number; the lane manages their addresses and handles. One thread uses a lane.
 */
public interface Lane {

    /** Records that a buffer was allocated. */
    void allocate(int buffer);

    /** Records that a buffer was freed. */
    void free(int buffer);
}
