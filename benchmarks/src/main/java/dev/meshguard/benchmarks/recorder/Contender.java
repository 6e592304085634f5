package dev.meshguard.benchmarks.recorder;

import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginCapture;
import io.netty.util.ResourceLeakDetector.Level;

/** The compared recorders; at most one per JVM, because two of them are enabled for the whole process. */
public enum Contender {
    /** Nothing at all: what the loop around a pair costs. */
    NOTHING,
    /** {@code new Throwable()} per allocation, never resolved. */
    STACK_ONLY,
    /** A concurrent map of records, without stacks. */
    MAP,
    /** A concurrent map of records, each with an unresolved stack. */
    MAP_WITH_STACK,
    /** MeshGuard without origins. It keeps every event, so it grows. */
    MESHGUARD,
    /** MeshGuard as it comes, with origins. It keeps every event, so it grows. */
    MESHGUARD_ORIGIN,
    /** Netty's pooled buffers, the detector off. */
    NETTY,
    /** Netty's pooled buffers, the detector at PARANOID. */
    NETTY_PARANOID,
    /** Netty's pooled buffers in a tracked test, with origins. */
    NETTY_MESHGUARD,
    /** Arrow's root allocator. */
    ARROW,
    /** Arrow's root allocator in debug mode. */
    ARROW_DEBUG,
    /** The root allocator of a tracked test, with origins. */
    ARROW_MESHGUARD;

    /** Starts from nothing. */
    public Recorder start() {
        return switch (this) {
            case NOTHING -> new NothingRecorder();
            case STACK_ONLY -> new StackOnlyRecorder();
            case MAP -> new MapRecorder(() -> null);
            case MAP_WITH_STACK -> new MapRecorder(Throwable::new);
            case MESHGUARD -> new TrackerRecorder(tracker(OriginCapture.NONE));
            case MESHGUARD_ORIGIN -> new TrackerRecorder(tracker(OriginCapture.ALLOCATIONS));
            case NETTY -> new NettyRecorder(Level.DISABLED);
            case NETTY_PARANOID -> new NettyRecorder(Level.PARANOID);
            case NETTY_MESHGUARD -> new NettyAdapterRecorder(tracker(OriginCapture.ALLOCATIONS));
            case ARROW -> ArrowRecorder.plain();
            case ARROW_DEBUG -> ArrowRecorder.debugging();
            case ARROW_MESHGUARD -> ArrowRecorder.tracked(tracker(OriginCapture.ALLOCATIONS));
        };
    }

    private static AllocationTracker tracker(OriginCapture capture) {
        return AllocationTracker.builder().originCapture(capture).build();
    }
}
