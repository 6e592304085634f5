package dev.meshguard.capture.internal;

import dev.meshguard.capture.RemainingBuffer;
import dev.meshguard.capture.evidence.internal.MemoryHolder;
import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.MemoryRequest;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** A buffer of a recording, and the request of its allocation. */
abstract class RecordedBuffer implements MemoryRequest {

    /** The number of its node in a capture, or {@link GraphNode#NONE}. */
    final int node;

    /** Null while its allocation is not known. */
    @Nullable
    RecordedAddress memory;

    /** Whether its address is known; otherwise the number of its node stands for it. */
    boolean hasAddress = true;

    /** Whether it was allocated before the recording, so that it is not judged. */
    boolean isFromBefore;

    /** The bytes on one device. */
    long size;

    /** The operation that allocated it, if it is known. */
    Optional<String> operation = Optional.empty();

    /** Whether the runtime allocated it for itself. */
    boolean isOfRuntime;

    AllocationDetails details = AllocationDetails.user();

    RecordedBuffer(int node, @Nullable RecordedAddress memory, long size) {
        this.node = node;
        this.memory = memory;
        this.size = size;
    }

    /** Returns where it lies; its allocation must be known. */
    final RecordedAddress memory() {
        return Objects.requireNonNull(memory);
    }

    /** Returns the tensors that use it, in their order. */
    abstract List<RemainingBuffer.Tensor> tensors();

    @Override
    public AllocationDetails details() {
        return details;
    }

    RemainingBuffer remaining() {
        return new RemainingBuffer(
                node == GraphNode.NONE ? OptionalInt.empty() : OptionalInt.of(node),
                memory().device(),
                memory().type(),
                hasAddress ? OptionalLong.of(memory().address()) : OptionalLong.empty(),
                size,
                operation,
                origin(),
                tensors());
    }

    /** Returns the buffer for a sentence, labelled with the number and shape of its first tensor. */
    MemoryHolder holder() {
        Optional<String> label = tensors().stream().findFirst().map(tensor -> {
            String number = tensor.id().isPresent() ? "tensor " + tensor.id().getAsLong() : "tensor";
            return tensor.shape().map(shape -> number + " " + shape).orElse(number);
        });
        boolean hasNode = node != GraphNode.NONE;
        return new MemoryHolder(
                memory().address(),
                size,
                memory().device(),
                label,
                this::origin,
                operation
                        .map(name -> "of " + name + (hasNode ? " (node " + node + ")" : ""))
                        .orElse(hasNode ? "node " + node : "of an unknown operation"));
    }
}
