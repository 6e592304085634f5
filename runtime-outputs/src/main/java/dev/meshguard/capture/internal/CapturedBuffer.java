package dev.meshguard.capture.internal;

import dev.meshguard.event.BufferType;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A buffer of a graph until it is freed. Its node is its identity: its address is reused, and is 0 if nothing was dispatched.
 */
final class CapturedBuffer {

    /** The memory and the address of an allocated buffer. */
    record Memory(int device, BufferType type, long address) {

        /** Mixes the digits: addresses are multiples of a page, and as such would meet in few buckets of a map. */
        @Override
        public int hashCode() {
            return Long.hashCode((address * TYPES + type.ordinal() + 31L * device) * GOLDEN_RATIO);
        }
    }

    /** Whether it is allocated, and by whom. */
    enum State {
        /** It was allocated before the capture, as far as is known. */
        FROM_BEFORE,
        ALLOCATED,
        FREED,
        FREED_FROM_BEFORE
    }

    private static final int TYPES = BufferType.values().length;
    /** Odd, and as irregular as a multiplier can be. */
    private static final long GOLDEN_RATIO = 0x9E37_79B9_7F4A_7C15L;

    final int node;
    /** The nodes that use it, with tensors among them. */
    final int[] users;

    private final boolean hasUsers;

    /** The size that its allocation or its own node names, or {@link GraphNode#NONE}. */
    long size;

    State state = State.FROM_BEFORE;
    /** The node that freed it. */
    int freedAt;

    // Its allocation in the capture.
    @Nullable
    Memory memory;

    @Nullable
    CapturedRequest request;

    boolean hasAddress;
    /** Whether the runtime allocated it for itself. */
    boolean isOfRuntime;
    /** The outermost operation that allocated it. */
    Optional<String> operation = Optional.empty();

    /**
     * Creates a buffer that is not allocated in the capture.
     *
     * @param hasUsers whether the node's edges were read
     */
    CapturedBuffer(int node, int[] users, long size, boolean hasUsers) {
        this.node = node;
        this.users = users;
        this.size = size;
        this.hasUsers = hasUsers;
    }

    /** Returns the next buffer of the node, after this one was freed. */
    CapturedBuffer reused() {
        int[] later = Arrays.stream(users).filter(user -> user > freedAt).toArray();
        return new CapturedBuffer(node, later, size, hasUsers);
    }

    boolean isUsedBefore(int number) {
        return Arrays.stream(users).anyMatch(user -> user < number);
    }

    boolean isUsedAfterFree(int end) {
        return (state == State.FREED || state == State.FREED_FROM_BEFORE)
                && Arrays.stream(users).anyMatch(user -> user > freedAt && user < end);
    }

    /** Returns whether it is certain that no tensor uses it. */
    boolean hasNoTensor() {
        return hasUsers && users.length == 0;
    }
}
