package dev.meshguard.benchmarks.recorder;

/** One way of knowing which buffers are allocated, shared by all threads. */
public interface Recorder {

    /** Returns the side of a thread that works on a device of its own, for buffers 0 to {@code buffers - 1}. */
    Lane lane(int device, int buffers);
}
