package dev.meshguard.mesh.buffer;

import dev.meshguard.mesh.allocator.Allocator;
import dev.meshguard.mesh.allocator.BankRequest;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.allocator.Rounding;
import dev.meshguard.text.InvariantText;
import java.util.OptionalInt;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The layout of a buffer in the banks of a memory: its derived sizes.
 *
 * <p>Sizes are bytes over all banks together unless a method says otherwise. Immutable and safe for use by several threads.
 * Source: the derived sizes of {@code tt_metal/impl/buffers/buffer.cpp}.
 *
 * @param buffer the requested buffer
 * @param banks the number of banks of the memory
 * @param alignment the alignment of pages in the memory
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record BankLayout(BufferConfig buffer, int banks, long alignment) {

    /**
     * Creates a layout; {@link #of} takes the numbers from an allocator.
     *
     * @throws IllegalArgumentException if the number of banks is negative or the alignment is not positive
     */
    public BankLayout {
        if (banks < 0 || alignment < 1) {
            throw new IllegalArgumentException(InvariantText.of(
                    "Cannot lay a buffer out in %d banks of %s with pages rounded up to %d B:"
                            + " there must be at least 0 banks, and pages of at least 1 B",
                    banks, buffer.type(), alignment));
        }
    }

    /**
     * Returns how a buffer lies in the banks of an allocator.
     *
     * @throws MeshRuntimeException if the allocator does not allocate the memory
     */
    public static BankLayout of(BufferConfig buffer, Allocator allocator) {
        return new BankLayout(buffer, allocator.numBanks(buffer.type()), allocator.alignment(buffer.type()));
    }

    /** Returns the bytes of a page in its bank. */
    public long alignedPageSize() {
        return Rounding.up(buffer.pageSize(), alignment);
    }

    /** Returns the number of pages on the device: those of the buffer, and those that fill up the last shards. */
    public long numDevPages() {
        return buffer.shards()
                .map(shards ->
                        countableProduct(shards.pagesPerCore(), shards.cores().numCores()))
                .orElseGet(buffer::numPages);
    }

    /** Returns the bytes of all pages on the device. */
    public long alignedSize() {
        return countableProduct(numDevPages(), alignedPageSize());
    }

    /** Returns the number of cores that have room for a shard, empty if the buffer is interleaved. */
    public OptionalInt numCores() {
        return buffer.shards()
                .map(shards -> OptionalInt.of(shards.cores().numCores()))
                .orElseGet(OptionalInt::empty);
    }

    /** Returns the maximum number of pages in a bank; for a sharded buffer, in each core that holds a shard. */
    public long maxPagesPerBank() {
        return banksInUse() == 0 ? 0 : Rounding.ceilDiv(numDevPages(), banksInUse());
    }

    /** Returns the bytes that each bank has to hold, before the free list rounds them up. */
    public long alignedSizePerBank() {
        return banksInUse() == 0 ? 0 : request().sizePerBank(banksInUse(), alignment);
    }

    /** Returns the request to the allocator. */
    public BankRequest request() {
        return new BankRequest(alignedSize(), alignedPageSize(), buffer.direction(), numCores());
    }

    private int banksInUse() {
        return numCores().orElse(banks);
    }

    /** As many whole times the second number as can be counted: that is more than any memory has. */
    private static long countableProduct(long times, long number) {
        return number == 0 ? 0 : Math.min(times, Long.MAX_VALUE / number) * number;
    }
}
