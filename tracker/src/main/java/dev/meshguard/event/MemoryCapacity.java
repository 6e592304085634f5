package dev.meshguard.event;

import java.util.Locale;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * How much of one memory a device has for buffers.
 *
 * <p>A buffer lies in every bank at one address and takes whole pages there, so memory is full when one bank is: what counts
 * is the size of a bank and what is reserved in it, never the sum of the sizes that were reported.
 *
 * @param type the memory
 * @param banks the number of banks, at least 1
 * @param bytesPerBank what an allocator can lend of each bank, in bytes
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record MemoryCapacity(BufferType type, int banks, long bytesPerBank) {

    /**
     * Creates a capacity.
     *
     * @throws IllegalArgumentException if there is no bank, or a bank has less than no bytes
     */
    public MemoryCapacity {
        if (banks < 1 || bytesPerBank < 0) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "A memory has at least 1 bank of 0 bytes or more: %s was given %d of %d bytes",
                    type,
                    banks,
                    bytesPerBank));
        }
    }
}
