package dev.meshguard.server.log;

import dev.meshguard.event.BufferType;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * How often one address of one device was allocated and freed in a log.
 *
 * <p>A free that leaves other references counts as much as the last one: counting only the last is what made every shared
 * address look leaked.
 *
 * @param device the device
 * @param address the address; a log calls it the buffer id
 * @param type the memory that the last allocation names; empty if no line allocates it
 * @param allocated how many lines allocate it
 * @param freed how many lines free it, the last reference or one of several
 * @param unknownFrees how many lines say that it was freed and that the server did not know it
 * @param largestSize the largest size that a line names, in bytes
 * @param sizeChanges how often an allocation named another size than the one before it
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

    /** Returns how many more allocations than frees of any kind there are; below 0 if there are more frees. */
    public long surplus() {
        return allocated - freed - unknownFrees;
    }
}
