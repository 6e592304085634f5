package dev.meshguard.event;

import java.util.Locale;
import java.util.OptionalLong;
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
 * @param base the lowest address that an allocator can reserve, the same in every bank, if the source knows it; without it
 *     the free space below the lowest and above the highest buffer cannot be told apart
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record MemoryCapacity(BufferType type, int banks, long bytesPerBank, OptionalLong base) {

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

    /** Creates a capacity of a memory whose lowest address is unknown. */
    public MemoryCapacity(BufferType type, int banks, long bytesPerBank) {
        this(type, banks, bytesPerBank, OptionalLong.empty());
    }

    /** Returns this capacity with the lowest address that an allocator can reserve. */
    public MemoryCapacity startingAt(long address) {
        return new MemoryCapacity(type, banks, bytesPerBank, OptionalLong.of(address));
    }
}
