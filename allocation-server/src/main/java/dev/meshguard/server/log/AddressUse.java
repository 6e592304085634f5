package dev.meshguard.server.log;

import dev.meshguard.event.BufferType;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The use of one address of one device in a log: how often it is allocated and freed, and with which sizes.
 *
 * <p>Each free counts, even if other references remain: counting only the last one made every shared address look
 * leaked.
 *
 * @param device the device
 * @param address the address; a log calls it the buffer id
 * @param type the memory type of the last allocation; empty if no line allocates it
 * @param allocated the number of lines that allocate it
 * @param freed the number of lines that free it, the last reference or one of several
 * @param unknownFrees the number of lines with a free that the server did not know
 * @param largestSize the largest size in a line, in bytes
 * @param sizeChanges the number of allocations with another size than the previous one
 * @param processDied whether the server removed it because its process was dead
 * @param firstLine the number of the first line that names it
 * @param lastLine the number of the last line that names it
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record AddressUse(
        int device,
        long address,
        Optional<BufferType> type,
        long allocated,
        long freed,
        long unknownFrees,
        long largestSize,
        long sizeChanges,
        boolean processDied,
        long firstLine,
        long lastLine) {

    /** Returns the number of allocations minus all frees; below 0 if there are more frees. */
    public long surplus() {
        return allocated - freed - unknownFrees;
    }
}
