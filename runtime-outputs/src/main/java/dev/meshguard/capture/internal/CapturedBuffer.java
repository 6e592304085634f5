package dev.meshguard.capture.internal;

import dev.meshguard.capture.internal.OperationNumbers.Numbered;
import dev.meshguard.event.BufferType;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A buffer of a graph. Its node is its identity: its address is reused, and is 0 if nothing was dispatched. */
final class CapturedBuffer {

    /** The memory and the address of an allocated buffer. */
    record Memory(int device, BufferType type, long address) {

        /** Mixes the digits: addresses are multiples of a page, and as such would meet in few buckets of a map. */
        @Override
        public int hashCode() {
            return Long.hashCode((address * TYPES + type.ordinal() + 31L * device) * GOLDEN_RATIO);
        }
    }

    private static final int TYPES = BufferType.values().length;
    /** Odd, and as irregular as a multiplier can be. */
    private static final long GOLDEN_RATIO = 0x9E37_79B9_7F4A_7C15L;

    final int node;
    /** The size that the buffer's own node names, or {@link GraphNode#NONE}. */
    final long size;

    /** The nodes that use it, with tensors among them; once it is freed, those that use it afterwards. */
    int[] users;

    private final boolean hasUsers;

    /** Where it is allocated; empty if it is not. */
    Optional<Memory> memory = Optional.empty();

    boolean hasAddress;
    /** The number of its period, if snapshots are compared. */
    int period;

    long allocatedSize;
    boolean wasAllocated;
    /** Whether the runtime allocated it for itself. */
    boolean isOfRuntime;
    /** Whether it is from before the capture and was freed in it. */
    boolean wasFreedFromBefore;
    /** The number of the event that allocated it last. */
    long event;
    /** The outermost operation that allocated it. */
    Optional<String> operation = Optional.empty();
    /** The innermost operation that allocated it, if there may be calls of Python. */
    @Nullable
    Numbered caller;

    /**
     * Creates a buffer that is not allocated.
     *
     * @param hasUsers whether the node's edges were read
     */
    CapturedBuffer(int node, int[] users, long size, boolean hasUsers) {
        this.node = node;
        this.users = users;
        this.size = size;
        this.hasUsers = hasUsers;
    }

    /** Returns whether it is certain that no tensor uses it. */
    boolean hasNoTensor() {
        return hasUsers && users.length == 0;
    }
}
