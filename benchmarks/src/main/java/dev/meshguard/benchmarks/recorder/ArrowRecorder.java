package dev.meshguard.benchmarks.recorder;

import dev.meshguard.arrow.TrackedRootAllocator;
import dev.meshguard.tracker.AllocationTracker;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;

/** Arrow's allocator; its debug mode is read once per JVM, from a system property. */
final class ArrowRecorder implements Recorder {

    private static final String DEBUG = "arrow.memory.debug.allocator";

    private final BufferAllocator allocator;

    private ArrowRecorder(BufferAllocator allocator) {
        this.allocator = allocator;
    }

    static ArrowRecorder plain() {
        System.setProperty(DEBUG, "false");
        return new ArrowRecorder(new RootAllocator());
    }

    static ArrowRecorder debugging() {
        System.setProperty(DEBUG, "true");
        return new ArrowRecorder(new RootAllocator());
    }

    static ArrowRecorder tracked(AllocationTracker tracker) {
        System.setProperty(DEBUG, "false");
        return new ArrowRecorder(new TrackedRootAllocator(tracker));
    }

    @Override
    public Lane lane(int device, int buffers) {
        ArrowBuf[] handles = new ArrowBuf[buffers];
        return new Lane() {
            @Override
            public void allocate(int buffer) {
                handles[buffer] = allocator.buffer(64);
            }

            @Override
            public void free(int buffer) {
                handles[buffer].close();
            }
        };
    }
}
