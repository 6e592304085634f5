package dev.meshguard.benchmarks;

import dev.meshguard.benchmarks.recorder.Contender;
import dev.meshguard.benchmarks.recorder.Lane;
import java.util.function.IntFunction;

/**
 * A steady state: a fixed number of live buffers, of which each new allocation frees the oldest.
 *
 * <p>There are twice as many addresses as live buffers, so that addresses are reused, as by an allocator.
 */
final class Window {

    /** Frames from the caller of {@link #pairs} to the one that asks for the buffer. */
    static final int FRAMES = 2;

    /** What the fields of a state hold until it is set up. */
    static final Window NONE =
            new Window(buffers -> Contender.STACK_ONLY.start().lane(0, buffers), 1);

    private final Lane lane;
    private final int live;
    private final int mask;
    private int next;

    /**
     * Fills the window.
     *
     * @param lanes what makes the lane for a number of buffers
     * @param live the number of live buffers, a power of two
     */
    Window(IntFunction<Lane> lanes, int live) {
        this.lane = lanes.apply(2 * live);
        this.live = live;
        this.mask = 2 * live - 1;
        for (int buffer = 0; buffer < live; buffer++) {
            lane.allocate(buffer);
        }
        this.next = live;
    }

    /** Allocates that many buffers, and frees the oldest one after each. */
    void pairs(int count) {
        int buffer = next;
        for (int i = 0; i < count; i++) {
            lane.allocate(buffer);
            lane.free((buffer - live) & mask);
            buffer = (buffer + 1) & mask;
        }
        next = buffer;
    }

    /** Frees the live buffers. */
    void clear() {
        for (int buffer = next - live; buffer < next; buffer++) {
            lane.free(buffer & mask);
        }
    }
}
