package dev.meshguard.event;

import java.util.Locale;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The size of one memory of a device that is available for buffers.
 *
 * <p>A buffer occupies whole pages at one address in every bank, so memory is full when one bank is full. Compare the
 * size of a bank with what is reserved in it, never with the sum of the reported sizes.
 *
 * @param type the memory
 * @param banks the number of banks, at least 1
 * @param bytesPerBank the bytes of each bank that an allocator can reserve
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record MemoryCapacity(BufferType type, int banks, long bytesPerBank) {

    /**
     * Creates a capacity.
     *
     * @throws IllegalArgumentException if there is no bank, or the bytes of a bank are negative
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
