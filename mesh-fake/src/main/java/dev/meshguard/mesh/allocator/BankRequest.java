package dev.meshguard.mesh.allocator;

import dev.meshguard.text.InvariantText;
import java.util.OptionalInt;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * A request to an {@link Allocator}: the bytes, the page size, the distribution over the banks and the end to allocate from.
 *
 * <p>Immutable and safe for use by several threads. Source: the parameters of {@code BankManager::allocate_buffer} in
 * {@code tt_metal/impl/allocator/bank_manager.cpp}.
 *
 * @param size the buffer's aligned bytes in all banks together, a multiple of the page size
 * @param pageSize the buffer's aligned page size in bytes; 0 only if the size is 0
 * @param direction the end of the bank to allocate from
 * @param shards the number of cores that hold a shard, empty for a buffer that is interleaved over all banks
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record BankRequest(long size, long pageSize, AllocationDirection direction, OptionalInt shards) {

    /**
     * Creates a request.
     *
     * @param size the buffer's aligned bytes in all banks together
     * @param pageSize the buffer's aligned page size in bytes
     * @param direction the end of the bank to allocate from
     * @param shards the number of cores that hold a shard, if it is sharded
     * @throws IllegalArgumentException if a number is negative, the size is not a multiple of the page size, or the number of
     *     shards is not positive
     */
    public BankRequest {
        if (size < 0 || pageSize < 0 || !isWholePages(size, pageSize)) {
            throw new IllegalArgumentException(InvariantText.of(
                    "Cannot ask for %d B in pages of %d B: the size must be a whole number of pages."
                            + " Round the size up to the page size.",
                    size, pageSize));
        }
        if (shards.isPresent() && shards.getAsInt() < 1) {
            throw new IllegalArgumentException(InvariantText.of(
                    "Cannot spread a buffer over %d shards: there must be at least 1."
                            + " Ask for an interleaved buffer if it is not sharded.",
                    shards.getAsInt()));
        }
    }

    /**
     * Creates a request for memory interleaved page by page over all banks.
     *
     * @param size the buffer's aligned bytes in all banks together, a multiple of the page size
     * @param pageSize the buffer's aligned page size in bytes; 0 only if the size is 0
     * @param direction the end of the bank to allocate from
     * @return the request
     * @throws IllegalArgumentException if a number is negative or the size is not a multiple of the page size
     */
    public static BankRequest interleaved(long size, long pageSize, AllocationDirection direction) {
        return new BankRequest(size, pageSize, direction, OptionalInt.empty());
    }

    /**
     * Creates a request for memory spread over a number of cores.
     *
     * @param size the buffer's aligned bytes in all banks together, a multiple of the page size
     * @param pageSize the buffer's aligned page size in bytes; 0 only if the size is 0
     * @param shards the number of cores that hold a shard, at least 1
     * @param direction the end of the bank to allocate from
     * @return the request
     * @throws IllegalArgumentException if a number is out of range or the size is not a multiple of the page size
     */
    public static BankRequest sharded(long size, long pageSize, int shards, AllocationDirection direction) {
        return new BankRequest(size, pageSize, direction, OptionalInt.of(shards));
    }

    /** {@return whether this requests memory in named cores instead of all banks} */
    public boolean isSharded() {
        return shards.isPresent();
    }

    /**
     * {@return the bytes that each bank needs, with every page rounded up to the alignment; on overflow a size larger than any
     * bank}
     *
     * @param banks the number of banks or, for a sharded buffer, of cores
     * @param pageAlignment the alignment of pages, in bytes
     */
    public long sizePerBank(int banks, long pageAlignment) {
        if (size == 0) {
            return 0;
        }
        long pages = Rounding.ceilDiv(size / pageSize, banks);
        long alignedPageSize = Rounding.up(pageSize, pageAlignment);
        return pages <= Long.MAX_VALUE / alignedPageSize ? pages * alignedPageSize : Long.MAX_VALUE;
    }

    private static boolean isWholePages(long size, long pageSize) {
        return pageSize == 0 ? size == 0 : size % pageSize == 0;
    }
}
