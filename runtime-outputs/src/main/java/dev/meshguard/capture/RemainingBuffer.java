package dev.meshguard.capture;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.Origin;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * A buffer that was allocated while a file was recorded and is still allocated at its end, with the tensors that use it.
 *
 * @param node the number of the buffer's node; empty in a database
 * @param device the mesh device, by its id
 * @param type the memory
 * @param address the address; empty if the capture has none
 * @param size the bytes on one device, over all banks; of the fullest bank if a database has no other size
 * @param operation the outermost operation that allocated it; empty if there was none
 * @param origin the calls in Python that allocated it, the innermost first; empty if they are not known
 * @param tensors the tensors that use the buffer, in their order
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record RemainingBuffer(
        OptionalInt node,
        int device,
        BufferType type,
        OptionalLong address,
        long size,
        Optional<String> operation,
        Optional<Origin> origin,
        List<Tensor> tensors) {

    /**
     * A tensor that uses a buffer.
     *
     * @param node the number of the tensor's node; empty in a database
     * @param id the runtime's number of the tensor, if it is known
     * @param shape the shape, as ttnn prints it, if it is known
     * @param users the operations that take the tensor as input, in their order
     */
    public record Tensor(OptionalInt node, OptionalLong id, Optional<String> shape, List<String> users) {

        /** Creates the record with its own copy of the list. */
        public Tensor {
            users = List.copyOf(users);
        }
    }

    /** Creates the record with its own copy of the list. */
    public RemainingBuffer {
        tensors = List.copyOf(tensors);
    }
}
