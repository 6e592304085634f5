package dev.meshguard.mesh.allocator;

import dev.meshguard.event.BufferType;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The end of a bank from which memory is allocated.
 *
 * <p>Source: {@code bottom_up} in {@code tt_metal/impl/buffers/buffer.cpp}.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum AllocationDirection {
    /** From the lowest free address upwards. */
    BOTTOM_UP,
    /** From the highest free address downwards. */
    TOP_DOWN;

    /**
     * {@return the direction of a buffer without an explicit one}
     *
     * <p>L1 is filled from the top because the circular buffers of programs grow from its bottom.
     *
     * @param type the memory of the buffer
     */
    public static AllocationDirection defaultFor(BufferType type) {
        return type.memory() == BufferType.Memory.L1 ? TOP_DOWN : BOTTOM_UP;
    }

    boolean isBottomUp() {
        return this == BOTTOM_UP;
    }
}
