package dev.meshguard.mesh.allocator;

import dev.meshguard.event.BufferType;
import dev.meshguard.tracker.internal.InvariantText;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The memory of one device as an {@link Allocator} divides it.
 *
 * <p>All sizes, addresses and alignments are bytes. Immutable and safe for use by several threads. Sources:
 * {@code AllocatorConfig} in {@code tt_metal/impl/allocator/allocator_types.hpp} and {@code generate_config} in
 * {@code l1_banking_allocator.cpp}.
 *
 * @param dramBankCount the number of DRAM banks
 * @param dramBankSize the size of a DRAM bank
 * @param dramUnreservedBase the first address of a DRAM bank that may be allocated
 * @param dramAlignment the alignment of DRAM, to which every allocation in any memory is rounded up
 * @param l1BankCount the number of L1 banks, equal to the number of compute cores
 * @param l1Size the size of a compute core's L1
 * @param l1UnreservedBase the first address of L1 that may be allocated
 * @param l1Alignment the alignment of pages in L1
 * @param l1SmallSize the part of L1, at its top, for small sharded buffers; rounded up to the DRAM alignment
 * @param traceRegionSize the part of every DRAM bank, at its top, for traces; rounded up to the DRAM alignment
 * @param interleaved whether buffers may be interleaved over the banks; false in the allocators of sub-devices
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record AllocatorConfig(
        int dramBankCount,
        long dramBankSize,
        long dramUnreservedBase,
        long dramAlignment,
        int l1BankCount,
        long l1Size,
        long l1UnreservedBase,
        long l1Alignment,
        long l1SmallSize,
        long traceRegionSize,
        boolean interleaved) {

    /**
     * Creates a configuration. {@link #builder()} sets the components by name.
     *
     * @param dramBankCount not negative
     * @param dramBankSize not negative
     * @param dramUnreservedBase not negative
     * @param dramAlignment at least 1
     * @param l1BankCount not negative
     * @param l1Size not negative
     * @param l1UnreservedBase not negative
     * @param l1Alignment at least 1
     * @param l1SmallSize not negative, and less than the L1 above its unreserved base
     * @param traceRegionSize not negative, and at most the bank above its unreserved base
     * @param interleaved whether buffers may be interleaved over the banks
     * @throws MeshRuntimeException if the part for small buffers leaves no room in L1
     * @throws IllegalArgumentException if a number is negative, an alignment is not positive, or the trace region does not fit
     *     into a DRAM bank
     */
    public AllocatorConfig {
        requireAtLeast(0, dramBankCount, "DRAM bank count");
        requireAtLeast(0, dramBankSize, "DRAM bank size");
        requireAtLeast(0, dramUnreservedBase, "DRAM unreserved base");
        requireAtLeast(1, dramAlignment, "DRAM alignment");
        requireAtLeast(0, l1BankCount, "L1 bank count");
        requireAtLeast(0, l1Size, "L1 size");
        requireAtLeast(0, l1UnreservedBase, "L1 unreserved base");
        requireAtLeast(1, l1Alignment, "L1 alignment");
        requireAtLeast(0, l1SmallSize, "L1 small size");
        requireAtLeast(0, traceRegionSize, "trace region size");
        l1SmallSize = Rounding.up(l1SmallSize, dramAlignment);
        traceRegionSize = Rounding.up(traceRegionSize, dramAlignment);
        if (l1SmallSize >= l1Size - l1UnreservedBase) {
            throw new MeshRuntimeException("Reserved size must be less than bank size");
        }
        if (traceRegionSize > dramBankSize - dramUnreservedBase) {
            throw new IllegalArgumentException(InvariantText.of(
                    "Cannot keep %d B of every DRAM bank for traces: only %d B of its %d B lie above the"
                            + " unreserved base %d. Ask for a smaller trace region.",
                    traceRegionSize, dramBankSize - dramUnreservedBase, dramBankSize, dramUnreservedBase));
        }
    }

    /** {@return a builder with every number 0, every alignment 1, and interleaving allowed} */
    public static Builder builder() {
        return new Builder();
    }

    /** {@return the bytes to a multiple of which the pages of a kind of memory are rounded up} */
    long alignment(BufferType kind) {
        return switch (kind) {
            case DRAM, TRACE -> dramAlignment;
            case L1, L1_SMALL -> l1Alignment;
            case SYSTEM_MEMORY -> throw new MeshRuntimeException(Allocator.UNSUPPORTED_BUFFER_TYPE);
        };
    }

    AddressRange dramRegion() {
        return new AddressRange(dramUnreservedBase, dramBankSize - traceRegionSize);
    }

    AddressRange traceRegion() {
        return new AddressRange(dramBankSize - traceRegionSize, dramBankSize);
    }

    AddressRange l1Region() {
        return new AddressRange(l1UnreservedBase, l1Size - l1SmallSize);
    }

    AddressRange l1SmallRegion() {
        return new AddressRange(l1Size - l1SmallSize, l1Size);
    }

    private static void requireAtLeast(long least, long value, String what) {
        if (value < least) {
            throw new IllegalArgumentException(InvariantText.of(
                    "Cannot use %d as the %s: it must be at least %d. Set it to a number from %d upwards.",
                    value, what, least, least));
        }
    }

    /**
     * Builds an {@link AllocatorConfig} by component name.
     *
     * <p>Not thread-safe.
     *
     * @since 0.1
     */
    @API(status = Status.EXPERIMENTAL, since = "0.1")
    public static final class Builder {

        private int dramBankCount;
        private long dramBankSize;
        private long dramUnreservedBase;
        private long dramAlignment = 1;
        private int l1BankCount;
        private long l1Size;
        private long l1UnreservedBase;
        private long l1Alignment = 1;
        private long l1SmallSize;
        private long traceRegionSize;
        private boolean interleaved = true;

        private Builder() {}

        /**
         * Sets the number of DRAM banks.
         *
         * @param count a power of two or a count that the kernels support
         * @return this builder
         */
        public Builder dramBankCount(int count) {
            this.dramBankCount = count;
            return this;
        }

        /**
         * Sets the size of a DRAM bank.
         *
         * @param size in bytes
         * @return this builder
         */
        public Builder dramBankSize(long size) {
            this.dramBankSize = size;
            return this;
        }

        /**
         * Sets the first address of a DRAM bank that may be allocated.
         *
         * @param base an address, a multiple of the DRAM alignment
         * @return this builder
         */
        public Builder dramUnreservedBase(long base) {
            this.dramUnreservedBase = base;
            return this;
        }

        /**
         * Sets the alignment of DRAM.
         *
         * @param alignment in bytes, at least 1
         * @return this builder
         */
        public Builder dramAlignment(long alignment) {
            this.dramAlignment = alignment;
            return this;
        }

        /**
         * Sets the number of L1 banks.
         *
         * @param count the number of compute cores, a power of two or a count that the kernels support
         * @return this builder
         */
        public Builder l1BankCount(int count) {
            this.l1BankCount = count;
            return this;
        }

        /**
         * Sets the size of a compute core's L1.
         *
         * @param size in bytes
         * @return this builder
         */
        public Builder l1Size(long size) {
            this.l1Size = size;
            return this;
        }

        /**
         * Sets the first address of L1 that may be allocated.
         *
         * @param base an address, a multiple of the DRAM alignment
         * @return this builder
         */
        public Builder l1UnreservedBase(long base) {
            this.l1UnreservedBase = base;
            return this;
        }

        /**
         * Sets the alignment of pages in L1.
         *
         * @param alignment in bytes, at least 1
         * @return this builder
         */
        public Builder l1Alignment(long alignment) {
            this.l1Alignment = alignment;
            return this;
        }

        /**
         * Sets the part of L1 for small sharded buffers.
         *
         * @param size in bytes
         * @return this builder
         */
        public Builder l1SmallSize(long size) {
            this.l1SmallSize = size;
            return this;
        }

        /**
         * Sets the part of every DRAM bank for traces.
         *
         * @param size in bytes
         * @return this builder
         */
        public Builder traceRegionSize(long size) {
            this.traceRegionSize = size;
            return this;
        }

        /**
         * Rejects interleaved buffers, as the allocators of sub-devices do.
         *
         * @return this builder
         */
        public Builder withoutInterleaving() {
            this.interleaved = false;
            return this;
        }

        /**
         * Creates the configuration.
         *
         * @return the configuration
         * @throws MeshRuntimeException if the part for small buffers leaves no room in L1
         * @throws IllegalArgumentException if a number is negative, an alignment is not positive, or the trace region
         *     does not fit into a DRAM bank
         */
        public AllocatorConfig build() {
            return new AllocatorConfig(
                    dramBankCount,
                    dramBankSize,
                    dramUnreservedBase,
                    dramAlignment,
                    l1BankCount,
                    l1Size,
                    l1UnreservedBase,
                    l1Alignment,
                    l1SmallSize,
                    traceRegionSize,
                    interleaved);
        }
    }
}
