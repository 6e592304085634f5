package dev.meshguard.capture.internal;

import dev.meshguard.capture.RemainingBuffer;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.Origin;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;

/**
 * The buffers that are allocated at one moment of a recording.
 *
 * @param recording what the recording is, for a text: capture or recording
 * @param moment the moment, for a text: at its end, or after an operation
 * @param hasExactTypes whether L1_SMALL and the trace region have types of their own
 * @param hasAddresses whether the buffers have been allocated on a device
 * @param buffers the buffers; those from before the recording only if it has them as allocated
 * @param before further buffers from before the recording, which were in use and may have been freed
 */
record LiveSet(
        String recording,
        String moment,
        boolean hasExactTypes,
        boolean hasAddresses,
        List<LiveBuffer> buffers,
        List<LiveBuffer> before) {

    /**
     * A buffer.
     *
     * @param device its device
     * @param type its memory
     * @param address its address
     * @param size its bytes on the device, over all banks; at least those of the fullest bank
     * @param bankSize its bytes in the fullest bank, if they are certain
     * @param label its tensors, if there are any
     * @param operation the operation that allocated it, if it is known
     * @param origin returns the stack of the allocation, if it is known; it may be at the end only
     * @param record where its allocation is recorded, with its preposition
     */
    record LiveBuffer(
            int device,
            BufferType type,
            long address,
            long size,
            OptionalLong bankSize,
            Optional<String> label,
            Optional<String> operation,
            Supplier<Optional<Origin>> origin,
            String record) {

        /** Returns the first of a buffer's tensors, with its number and shape. */
        static Optional<String> label(List<RemainingBuffer.Tensor> tensors) {
            return tensors.stream().findFirst().map(tensor -> {
                String number =
                        tensor.id().isPresent() ? "tensor " + tensor.id().getAsLong() : "tensor";
                return tensor.shape().map(shape -> number + " " + shape).orElse(number);
            });
        }
    }
}
