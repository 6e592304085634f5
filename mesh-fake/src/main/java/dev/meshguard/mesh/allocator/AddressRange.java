package dev.meshguard.mesh.allocator;

import dev.meshguard.text.InvariantText;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * A range of addresses in every bank, from {@code start} up to but not including {@code end}.
 *
 * <p>Immutable and safe for use by several threads.
 *
 * @param start the first address, in bytes
 * @param end the address after the last one, in bytes; at least {@code start}
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record AddressRange(long start, long end) {

    /**
     * Creates a range.
     *
     * @param start the first address, in bytes
     * @param end the address after the last one, in bytes
     * @throws IllegalArgumentException if the end lies before the start
     */
    public AddressRange {
        if (end < start) {
            throw new IllegalArgumentException(InvariantText.of(
                    "Cannot create an address range from %d to %d: the end must not lie before the start."
                            + " Swap the two.",
                    start, end));
        }
    }

    /** {@return the length of this range in bytes} */
    public long size() {
        return end - start;
    }
}
