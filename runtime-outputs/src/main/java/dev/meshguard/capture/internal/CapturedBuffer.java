package dev.meshguard.capture.internal;

import dev.meshguard.capture.RemainingBuffer;
import dev.meshguard.capture.internal.GraphNode.Param;
import dev.meshguard.event.Origin;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * A buffer of a graph until it is freed. Its node is its identity: its address is reused, and is 0 if nothing was dispatched.
 */
final class CapturedBuffer extends RecordedBuffer {

    final int node;

    /** The nodes that use it, which are tensors. */
    final int[] users;

    private final boolean hasUsers;
    private final GraphTensors tensors;

    /** The node that freed it, or {@link GraphNode#NONE}. */
    int freedAt = GraphNode.NONE;

    // Its allocation in the capture.

    /** Null before the allocation, so it is from before the capture unless one follows. */
    @Nullable
    Memory memory;

    boolean hasAddress;

    /** The innermost operation that allocated it. */
    @Nullable
    CapturedOperation innermost;

    private CapturedBuffer(int node, int[] users, boolean hasUsers, long size, GraphTensors tensors) {
        this.node = node;
        this.users = users;
        this.hasUsers = hasUsers;
        this.size = size;
        this.tensors = tensors;
    }

    /** Creates a buffer by its own node. */
    CapturedBuffer(int number, GraphNode node, GraphTensors tensors) {
        this(
                number,
                node.connections(),
                node.connection() != GraphNode.NONE || node.hasNoEdge(),
                node.number(Param.SIZE).orElse(GraphNode.NONE),
                tensors);
    }

    /** Creates a buffer without a node, by that of its allocation. */
    CapturedBuffer(int allocation, GraphTensors tensors) {
        this(allocation, new int[0], false, GraphNode.NONE, tensors);
    }

    /** Returns the next buffer of the node, after this one was freed. */
    CapturedBuffer reused() {
        int[] later = Arrays.stream(users).filter(user -> user > freedAt).toArray();
        return new CapturedBuffer(node, later, hasUsers, size, tensors);
    }

    @Override
    boolean isFromBefore() {
        return memory == null;
    }

    boolean isAllocated() {
        return memory != null && freedAt == GraphNode.NONE;
    }

    /** Returns whether a node may free it; older captures have no address and size 0 in it. */
    boolean mayBeFreedBy(GraphNode free) {
        Memory allocated = memory();
        long address = hasAddress ? allocated.address() : 0;
        long freedSize = free.number(Param.SIZE).orElse(0);
        return free.number(Param.ADDRESS).orElse(address) == address
                && (freedSize == 0 || freedSize == size)
                && (free.text(Param.DEVICE) == null || free.device() == allocated.device())
                && free.mayLieIn(allocated.type());
    }

    boolean isUsedBefore(int number) {
        return Arrays.stream(users).anyMatch(user -> user < number);
    }

    boolean isUsedAfterFree() {
        return freedAt != GraphNode.NONE && Arrays.stream(users).anyMatch(user -> user > freedAt && tensors.has(user));
    }

    /** Returns the first node before another one that uses it and is no tensor. */
    OptionalInt nonTensorUserBefore(int end) {
        return Arrays.stream(users)
                .filter(user -> user < end && !tensors.has(user))
                .findFirst();
    }

    /** Returns whether it is certain that no tensor uses it. */
    boolean hasNoTensor() {
        return hasUsers && users.length == 0;
    }

    @Override
    Memory memory() {
        return Objects.requireNonNull(memory);
    }

    @Override
    OptionalInt node() {
        return OptionalInt.of(node);
    }

    @Override
    boolean hasAddress() {
        return hasAddress;
    }

    @Override
    List<RemainingBuffer.Tensor> tensors() {
        return tensors.of(users);
    }

    @Override
    public Optional<Origin> origin() {
        return innermost == null ? Optional.empty() : innermost.nearestLine();
    }

    @Override
    public boolean hasOneReport() {
        return true;
    }
}
