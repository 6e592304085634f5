package dev.meshguard.benchmarks.recorder;

import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;

/** Arrow's allocator in its debug mode, which is read once per JVM, from a system property. */
final class ArrowRecorder implements Recorder {

    private final BufferAllocator allocator;

    ArrowRecorder() {
        System.setProperty("arrow.memory.debug.allocator", "true");
        allocator = new RootAllocator();
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
