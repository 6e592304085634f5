package dev.meshguard.capture.internal;

import dev.meshguard.capture.RemainingBuffer;
import dev.meshguard.event.Origin;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * A buffer of a graph until it is freed. Its node is its identity: its address is reused, and is 0 if nothing was dispatched.
 */
final class CapturedBuffer extends RecordedBuffer {

    /** The nodes that use it, which are tensors. */
    final int[] users;

    /** Whether it is certain that no tensor uses it. */
    final boolean hasNoTensor;

    private final GraphTensors tensors;

    /** The node that freed it, or {@link GraphNode#NONE}. */
    int freedAt = GraphNode.NONE;

    /** The innermost operation that allocated it. */
    @Nullable
    CapturedOperation innermost;

    CapturedBuffer(int node, int[] users, boolean hasNoTensor, long size, GraphTensors tensors) {
        super(node, null, size);
        this.users = users;
        this.hasNoTensor = hasNoTensor;
        this.tensors = tensors;
        this.isFromBefore = true; // Unless an allocation follows.
    }

    /** Returns the next buffer of the node, after this one was freed. */
    CapturedBuffer reused() {
        int[] later = Arrays.stream(users).filter(user -> user > freedAt).toArray();
        boolean knowsUsers = hasNoTensor || users.length > 0;
        return new CapturedBuffer(node, later, knowsUsers && later.length == 0, size, tensors);
    }

    boolean isAllocated() {
        return !isFromBefore && freedAt == GraphNode.NONE;
    }

    /** Returns whether a node may free it; older captures have no address and size 0 in it. */
    boolean mayBeFreedBy(GraphNode free) {
        RecordedAddress allocated = memory();
        long address = hasAddress ? allocated.address() : 0;
        long freedSize = free.number("size").orElse(0);
        return free.number("address").orElse(address) == address
                && (freedSize == 0 || freedSize == size)
                && (free.text("device_id").isEmpty() || free.device() == allocated.device())
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

    @Override
    List<RemainingBuffer.Tensor> tensors() {
        return tensors.of(users);
    }

    @Override
    public Optional<Origin> origin() {
        return CapturedOperation.nearest(innermost, around -> around.line.isPresent())
                .flatMap(around -> around.line);
    }

    @Override
    public boolean hasOneReport() {
        return true;
    }
}
