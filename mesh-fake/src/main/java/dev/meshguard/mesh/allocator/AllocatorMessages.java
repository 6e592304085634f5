package dev.meshguard.mesh.allocator;

import dev.meshguard.event.BufferType;
import java.util.Locale;

/**
 * The texts of the runtime's allocator, verbatim, excluding those about missing memory.
 *
 * <p>Sources: {@code tt_metal/impl/allocator/{allocator,bank_manager,l1_banking_allocator}.cpp} and
 * {@code algorithms/free_list_opt.cpp}.
 */
final class AllocatorMessages {

    static final String LOWEST_OCCUPIED_UNSET = "Lowest occupied address should have a value";
    static final String UNSUPPORTED_BUFFER_TYPE = "Unsupported buffer type!";
    static final String INTERLEAVED_DISABLED = "Interleaved allocation is disabled, see validate_num_banks";
    static final String L1_SMALL_SHARDED_ONLY = "L1_SMALL only supports sharded allocations, see validate_num_banks";
    static final String RESERVED_SIZE_TOO_LARGE = "Reserved size must be less than bank size";
    static final String UNSAFE_ALLOCATION =
            "Allocating device buffers is unsafe due to the existence of an active trace."
                    + " These buffers may be corrupted once a trace is executed.";

    private AllocatorMessages() {}

    static String shrinkBeyondSize(long shrinkSize, long maxSize) {
        return String.format(Locale.ROOT, "Shrink size %d must be smaller than max size %d", shrinkSize, maxSize);
    }

    static String shrinkCutsIntoBlock(long cut, long address) {
        return String.format(Locale.ROOT, "Shrink size %d cuts into allocated block at address %d", cut, address);
    }

    static String invalidBankCount(int banks, BufferType kind) {
        return String.format(
                Locale.ROOT,
                "Invalid number of memory banks %d for %s."
                        + " Num banks must be power of 2 or have a dedicated modulo implementation",
                banks,
                kind);
    }

    static String tooManyShards(int shards, int computeCores) {
        return String.format(
                Locale.ROOT,
                "Expected number of shards %d to be less than or equal to total number of L1 banks %d in compute cores",
                shards,
                computeCores);
    }

    static String limitNotPositive(long limit) {
        return String.format(Locale.ROOT, "Address limit %d needs to be larger than zero.", limit);
    }
}
