package dev.meshguard.mesh.allocator;

import dev.meshguard.event.BufferType;
import dev.meshguard.text.InvariantText;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The memory of one device as an {@link Allocator} divides it.
 *
 * <p>All sizes, addresses and alignments are bytes. Immutable and safe for use by several threads. Sources:
 * {@code AllocatorConfig} in {@code tt_metal/impl/allocator/allocator_types.hpp} and {@code generate_config} in
 * {@code l1_banking_allocator.cpp}.
 *
 * @param dram the DRAM of the device
 * @param l1 the L1 of its compute cores, with the part for small buffers rounded up to the DRAM alignment
 * @param interleaved whether buffers may be interleaved over the banks; false in the allocators of sub-devices
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record AllocatorConfig(Dram dram, L1 l1, boolean interleaved) {

    static final String UNSUPPORTED_BUFFER_TYPE = "Unsupported buffer type!";

    /**
     * Creates a configuration.
     *
     * @throws MeshRuntimeException if the part for small buffers leaves no room in L1
     */
    public AllocatorConfig {
        l1 = new L1(
                l1.banks(),
                l1.size(),
                l1.unreservedBase(),
                l1.alignment(),
                Rounding.up(l1.smallSize(), dram.alignment()));
        if (l1.smallSize() >= l1.size() - l1.unreservedBase()) {
            throw new MeshRuntimeException("Reserved size must be less than bank size");
        }
    }

    /**
     * The banks of DRAM.
     *
     * @param banks the number of banks, not negative
     * @param bankSize the size of a bank, not negative
     * @param unreservedBase the first address of a bank that may be allocated, not negative
     * @param alignment at least 1; every allocation in any memory is rounded up to it
     * @param traceRegionSize the part of every bank, at its top, for traces; rounded up to the alignment
     * @since 0.1
     */
    @API(status = Status.EXPERIMENTAL, since = "0.1")
    public record Dram(int banks, long bankSize, long unreservedBase, long alignment, long traceRegionSize) {

        /**
         * Creates a description of DRAM.
         *
         * @throws IllegalArgumentException if a number is negative, the alignment is not positive, or the trace region does not
         *     fit into a bank
         */
        public Dram {
            requireAtLeast(0, banks, "DRAM bank count");
            requireAtLeast(0, bankSize, "DRAM bank size");
            requireAtLeast(0, unreservedBase, "DRAM unreserved base");
            requireAtLeast(1, alignment, "DRAM alignment");
            requireAtLeast(0, traceRegionSize, "trace region size");
            traceRegionSize = Rounding.up(traceRegionSize, alignment);
            if (traceRegionSize > bankSize - unreservedBase) {
                throw new IllegalArgumentException(InvariantText.of(
                        "Cannot keep %d B of every DRAM bank for traces: only %d B of its %d B lie above the"
                                + " unreserved base %d. Ask for a smaller trace region.",
                        traceRegionSize, bankSize - unreservedBase, bankSize, unreservedBase));
            }
        }
    }

    /**
     * The L1 of the compute cores, each of which is a bank.
     *
     * @param banks the number of compute cores, not negative
     * @param size the size of a core's L1, not negative
     * @param unreservedBase the first address that may be allocated, not negative
     * @param alignment the alignment of pages, at least 1
     * @param smallSize the part at the top for small sharded buffers, not negative
     * @since 0.1
     */
    @API(status = Status.EXPERIMENTAL, since = "0.1")
    public record L1(int banks, long size, long unreservedBase, long alignment, long smallSize) {

        /**
         * Creates a description of L1.
         *
         * @throws IllegalArgumentException if a number is negative, or the alignment is not positive
         */
        public L1 {
            requireAtLeast(0, banks, "L1 bank count");
            requireAtLeast(0, size, "L1 size");
            requireAtLeast(0, unreservedBase, "L1 unreserved base");
            requireAtLeast(1, alignment, "L1 alignment");
            requireAtLeast(0, smallSize, "L1 small size");
        }
    }

    /** {@return the bytes to a multiple of which the pages of a kind of memory are rounded up} */
    long alignment(BufferType kind) {
        return switch (kind) {
            case DRAM, TRACE -> dram.alignment;
            case L1, L1_SMALL -> l1.alignment;
            case SYSTEM_MEMORY -> throw new MeshRuntimeException(UNSUPPORTED_BUFFER_TYPE);
        };
    }

    AddressRange dramRegion() {
        return new AddressRange(dram.unreservedBase, dram.bankSize - dram.traceRegionSize);
    }

    AddressRange traceRegion() {
        return new AddressRange(dram.bankSize - dram.traceRegionSize, dram.bankSize);
    }

    AddressRange l1Region() {
        return new AddressRange(l1.unreservedBase, l1.size - l1.smallSize);
    }

    AddressRange l1SmallRegion() {
        return new AddressRange(l1.size - l1.smallSize, l1.size);
    }

    private static void requireAtLeast(long least, long value, String what) {
        if (value < least) {
            throw new IllegalArgumentException(InvariantText.of(
                    "Cannot use %d as the %s: it must be at least %d. Set it to a number from %d upwards.",
                    value, what, least, least));
        }
    }
}
