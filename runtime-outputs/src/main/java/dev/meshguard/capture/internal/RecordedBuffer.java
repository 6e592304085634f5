package dev.meshguard.capture.internal;

import dev.meshguard.capture.RemainingBuffer;
import dev.meshguard.capture.evidence.internal.MemoryHolder;
import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.MemoryRequest;
import java.util.Optional;

/** A buffer of a recording, and the request of its allocation. */
abstract class RecordedBuffer implements MemoryRequest {

    /** The bytes on one device. */
    long size;

    /** The operation that allocated it, if it is known. */
    Optional<String> operation = Optional.empty();

    /** Whether the runtime allocated it for itself. */
    boolean isOfRuntime;

    AllocationDetails details = AllocationDetails.user();

    abstract Memory memory();

    /** Returns whether it was allocated before the recording, so that it is not judged. */
    abstract boolean isFromBefore();

    /** Returns what is known of it and its tensors. */
    abstract RemainingBuffer remaining();

    @Override
    public AllocationDetails details() {
        return details;
    }

    /** Returns the buffer for a sentence, labelled with the number and shape of its first tensor. */
    MemoryHolder holder() {
        RemainingBuffer known = remaining();
        Optional<String> label = known.tensors().stream().findFirst().map(tensor -> {
            String number = tensor.id().isPresent() ? "tensor " + tensor.id().getAsLong() : "tensor";
            return tensor.shape().map(shape -> number + " " + shape).orElse(number);
        });
        String node = known.node().isPresent() ? "node " + known.node().getAsInt() : "";
        return new MemoryHolder(
                known.type(),
                memory().address(),
                size,
                known.device(),
                label,
                this::origin,
                operation
                        .map(name -> "of " + name + (node.isEmpty() ? "" : " (" + node + ")"))
                        .orElse(node.isEmpty() ? "of an unknown operation" : node));
    }
}
