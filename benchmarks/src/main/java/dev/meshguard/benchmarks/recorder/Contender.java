package dev.meshguard.benchmarks.recorder;

import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginCapture;

/** The compared recorders; at most one per JVM, because two of them are enabled for the whole process. */
public enum Contender {
    /** {@code new Throwable()} per allocation, never resolved. */
    STACK_ONLY,
    /** A concurrent map of records, without stacks. */
    MAP,
    /** MeshGuard without origins. It keeps every event, so it grows. */
    MESHGUARD,
    /** MeshGuard as it comes, with origins. It keeps every event, so it grows. */
    MESHGUARD_ORIGIN,
    /** Netty's pooled buffers, the detector at PARANOID. */
    NETTY_PARANOID,
    /** Arrow's root allocator in debug mode. */
    ARROW_DEBUG;

    /** Starts from nothing. */
    public Recorder start() {
        return switch (this) {
            case STACK_ONLY -> new StackOnlyRecorder();
            case MAP -> new MapRecorder();
            case MESHGUARD -> new TrackerRecorder(tracker(OriginCapture.NONE));
            case MESHGUARD_ORIGIN -> new TrackerRecorder(tracker(OriginCapture.ALLOCATIONS));
            case NETTY_PARANOID -> new NettyRecorder();
            case ARROW_DEBUG -> new ArrowRecorder();
        };
    }

    private static AllocationTracker tracker(OriginCapture capture) {
        return AllocationTracker.builder().originCapture(capture).build();
    }
}
