package dev.meshguard.mesh.allocator;

import dev.meshguard.event.BufferType;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.Set;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.jspecify.annotations.Nullable;

/**
 * Allocates the memory of one kind in all of its banks.
 *
 * <p>A buffer has the same address in every bank, so one {@link FreeListOpt} represents all banks. A buffer with fewer pages
 * than banks still uses a page in each (quirk Q7).
 *
 * <p>Sizes and addresses are bytes; addresses are absolute. Not thread-safe. Source:
 * {@code tt_metal/impl/allocator/bank_manager.cpp}.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class BankManager {

    /** The counts, other than powers of two, for which kernels can compute the bank of a page. */
    private static final Set<Integer> BANK_COUNTS_WITH_MODULO =
            Set.of(7, 12, 20, 48, 56, 63, 70, 72, 80, 94, 108, 110, 117, 120, 124, 126, 130, 140);

    private final BufferType kind;
    private final int banks;
    private final long interleavedLimit;
    private final long pageAlignment;
    private final int computeCores;
    private final AddressRange region;
    private final long dramAlignment;

    /** Created on first use, because most meshes do not use most kinds of memory. */
    private @Nullable FreeListOpt createdList;

    private final Set<Long> allocated = new HashSet<>();

    private boolean trackingHighWaterMarks;
    private HighWaterMarks highWaterMarks = HighWaterMarks.ZERO;

    private BankManager(Builder builder) {
        this.kind = builder.kind;
        this.banks = builder.banks;
        this.interleavedLimit = builder.interleavedLimit;
        this.pageAlignment = builder.pageAlignment;
        this.computeCores = builder.computeCores;
        requireUsableBankCount(builder.interleaved);
        this.region = builder.region;
        this.dramAlignment = builder.dramAlignment;
        requireAlignedStart();
    }

    /**
     * Starts to describe a manager.
     *
     * @param kind the kind of memory, as it shall be named in error texts
     * @return a description to fill in
     */
    public static Builder builder(BufferType kind) {
        return new Builder(kind);
    }

    /**
     * Allocates memory.
     *
     * <p>The address limit is checked after the allocation, and a block below it stays allocated without an owner, as in the
     * runtime.
     *
     * @param request the requested memory
     * @return the address in every bank
     * @throws DeviceOutOfMemoryException if there is no room
     * @throws MeshRuntimeException if there are more shards than compute cores, or interleaved L1 has no address limit
     * @throws IllegalStateException if there is no bank to interleave over
     */
    public long allocate(BankRequest request) {
        int banksInUse = banksFor(request);
        long sizePerBank = request.sizePerBank(banksInUse, pageAlignment);
        long limit = addressLimitFor(request);
        FreeListOpt list = freeList();
        long address = list.allocate(sizePerBank, request.direction().isBottomUp(), limit)
                .orElseThrow(() -> DeviceOutOfMemoryException.notEnoughSpace(
                        kind, request.size(), banksInUse, sizePerBank, list.statistics()));
        allocated.add(address);
        if (trackingHighWaterMarks) {
            highWaterMarks = highWaterMarks.withAllocationUpTo(address + sizePerBank);
        }
        return address;
    }

    /** {@return the error of a request for which there is no room, with the figures as they are} */
    DeviceOutOfMemoryException outOfMemory(BankRequest request) {
        int banksInUse = banksFor(request);
        addressLimitFor(request);
        return DeviceOutOfMemoryException.notEnoughSpace(
                kind, request.size(), banksInUse, request.sizePerBank(banksInUse, pageAlignment), statistics());
    }

    /** {@return the managed addresses of a bank} */
    AddressRange managedRange() {
        return new AddressRange(region.end() - bankSize(), region.end());
    }

    /** {@return the allocated blocks of a bank, in any order} */
    List<AddressRange> allocatedRanges() {
        return freeList().allocatedAddresses();
    }

    /**
     * Gives memory back.
     *
     * @param address the address it was allocated at; an unknown one is ignored
     */
    public void deallocate(long address) {
        FreeListOpt list = freeList();
        if (trackingHighWaterMarks) {
            list.getAllocationSize(address)
                    .ifPresent(size -> highWaterMarks = highWaterMarks.withDeletionUpTo(address + size));
        }
        list.deallocate(address);
        allocated.remove(address);
    }

    /** Gives back everything that is allocated, by ascending address. */
    public void deallocateAll() {
        for (long address : liveAddresses()) {
            freeList().deallocate(address);
        }
        allocated.clear();
    }

    /** Makes the memory as new, except for the lowest occupied address, as in the runtime (quirk Q1). */
    public void clear() {
        if (createdList != null) {
            createdList.clear();
        }
        allocated.clear();
    }

    /** {@return the lowest allocated address, the same in each bank; empty if nothing is allocated} */
    public OptionalLong lowestOccupiedAddress() {
        return createdList == null ? OptionalLong.empty() : createdList.lowestOccupiedAddress();
    }

    /**
     * Removes the lowest bytes of every bank.
     *
     * @param size the bytes to remove, in addition to those removed before, not negative; 0 does nothing
     * @throws MeshRuntimeException if the size is larger than the managed range, or if memory is allocated in the removed part
     */
    public void shrinkSize(long size) {
        freeList().shrinkSize(size);
    }

    /** Undoes every shrink. */
    public void resetSize() {
        freeList().resetSize();
    }

    /** Starts to record, from zero, the highest addresses at which memory is allocated and freed. */
    public void beginHighWaterMarkTracking() {
        trackingHighWaterMarks = true;
        highWaterMarks = HighWaterMarks.ZERO;
    }

    /**
     * Stops noting high water marks.
     *
     * @return the last marks
     */
    public HighWaterMarks endHighWaterMarkTracking() {
        trackingHighWaterMarks = false;
        return highWaterMarks;
    }

    /** {@return the high water marks of the current tracking, or else of the last one} */
    public HighWaterMarks highWaterMarks() {
        return highWaterMarks;
    }

    /** {@return how full each bank is} */
    public Statistics statistics() {
        return freeList().statistics();
    }

    /** {@return the allocated addresses, in ascending order} */
    public long[] liveAddresses() {
        return allocated.stream().mapToLong(Long::longValue).sorted().toArray();
    }

    /**
     * {@return the bytes that a request needs in each bank: its share of the pages, rounded up as the free list does; 0 without
     * banks}
     *
     * @param request the requested memory
     */
    public long reservedPerBank(BankRequest request) {
        int banksInUse = request.shards().orElse(banks);
        return banksInUse == 0 ? 0 : freeList().roundedSize(request.sizePerBank(banksInUse, pageAlignment));
    }

    /** {@return the number of banks} */
    public int numBanks() {
        return banks;
    }

    /** {@return the managed bytes in each bank, without those removed by shrinking} */
    public long bankSize() {
        return createdList == null ? region.size() : statistics().totalAllocatable();
    }

    /** {@return the lowest address that can be reserved, the same in each bank, before any shrinking} */
    public long bankBase() {
        return region.start();
    }

    private int banksFor(BankRequest request) {
        if (!request.isSharded()) {
            return requireBanks();
        }
        int shards = request.shards().getAsInt();
        if (shards > computeCores) {
            throw new MeshRuntimeException(AllocatorMessages.tooManyShards(shards, computeCores));
        }
        return shards;
    }

    /** The runtime divides by the number of banks and crashes if there are none. */
    private int requireBanks() {
        if (banks == 0) {
            throw new IllegalStateException(String.format(
                    Locale.ROOT,
                    "Cannot interleave a buffer over the banks of %s: it has 0 banks."
                            + " Ask for a sharded buffer, or describe at least 1 bank.",
                    kind));
        }
        return banks;
    }

    long addressLimitFor(BankRequest request) {
        if (request.isSharded() || kind != BufferType.L1) {
            return 0;
        }
        if (interleavedLimit <= 0) {
            throw new MeshRuntimeException(AllocatorMessages.limitNotPositive(interleavedLimit));
        }
        return interleavedLimit;
    }

    private FreeListOpt freeList() {
        if (createdList == null) {
            createdList = new FreeListOpt(region.size(), start(), dramAlignment, dramAlignment, SearchPolicy.FIRST);
        }
        return createdList;
    }

    /** Without banks the start needs no alignment. */
    private long start() {
        return region.size() == 0 ? 0 : region.start();
    }

    private void requireAlignedStart() {
        long excess = start() % dramAlignment;
        if (excess != 0) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "Cannot manage %s from %d: the start must be a multiple of the DRAM alignment %d. The nearest below is %d.",
                    kind,
                    start(),
                    dramAlignment,
                    start() - excess));
        }
    }

    private void requireUsableBankCount(boolean interleaved) {
        boolean bankOfPageIsComputed = interleaved && kind != BufferType.L1_SMALL;
        if (bankOfPageIsComputed && Integer.bitCount(banks) != 1 && !BANK_COUNTS_WITH_MODULO.contains(banks)) {
            throw new MeshRuntimeException(AllocatorMessages.invalidBankCount(banks, kind));
        }
    }

    /**
     * The highest ends of allocated and freed memory during a tracking.
     *
     * <p>Source: the high water marks of {@code tt_metal/impl/allocator/bank_manager.cpp}, by which the runtime checks a trace
     * in DRAM.
     *
     * @param allocation the highest end of an allocation, in bytes, without the rounding of its size; 0 if there was none
     * @param deletion the highest end of a block that was freed, in bytes; 0 if there was none
     * @since 0.1
     */
    @API(status = Status.EXPERIMENTAL, since = "0.1")
    public record HighWaterMarks(long allocation, long deletion) {

        static final HighWaterMarks ZERO = new HighWaterMarks(0, 0);

        HighWaterMarks withAllocationUpTo(long end) {
            return new HighWaterMarks(Math.max(allocation, end), deletion);
        }

        HighWaterMarks withDeletionUpTo(long end) {
            return new HighWaterMarks(allocation, Math.max(deletion, end));
        }
    }

    /**
     * The description of a {@link BankManager}.
     *
     * <p>Not thread-safe.
     *
     * @since 0.1
     */
    @API(status = Status.EXPERIMENTAL, since = "0.1")
    public static final class Builder {

        private final BufferType kind;
        private int banks;
        private AddressRange region = new AddressRange(0, 0);
        private long interleavedLimit;
        private long pageAlignment = 1;
        private long dramAlignment = 1;
        private int computeCores;
        private boolean interleaved = true;

        private Builder(BufferType kind) {
            this.kind = kind;
        }

        /**
         * Sets the number of banks; 0 by default.
         *
         * @param count the number of banks
         * @return this builder
         * @throws IllegalArgumentException if the count is negative
         */
        public Builder banks(int count) {
            if (count < 0) {
                throw new IllegalArgumentException(String.format(
                        Locale.ROOT,
                        "Cannot manage %d banks: there must be at least 0. Use 0 for a kind of memory without banks.",
                        count));
            }
            banks = count;
            return this;
        }

        /**
         * Sets the managed range of every bank; empty by default.
         *
         * @param region absolute addresses that start at a multiple of the DRAM alignment
         * @return this builder
         */
        public Builder region(AddressRange region) {
            this.region = region;
            return this;
        }

        /**
         * Sets the lowest address that interleaved L1 may have; 0 unless set, which interleaved L1 rejects.
         *
         * @param limit an absolute address
         * @return this builder
         */
        public Builder interleavedLimit(long limit) {
            this.interleavedLimit = limit;
            return this;
        }

        /**
         * Sets the alignment of a buffer's pages; 1 by default.
         *
         * @param alignment in bytes, at least 1
         * @return this builder
         */
        public Builder pageAlignment(long alignment) {
            this.pageAlignment = requirePositive(alignment, "page alignment");
            return this;
        }

        /**
         * Sets the alignment of every allocation in a bank, for any kind of memory (quirk Q5); 1 by default.
         *
         * @param alignment in bytes, at least 1
         * @return this builder
         */
        public Builder dramAlignment(long alignment) {
            this.dramAlignment = requirePositive(alignment, "DRAM alignment");
            return this;
        }

        /**
         * Sets the number of cores that shards can be spread over; 0 unless set.
         *
         * @param cores the cores of the compute grid
         * @return this builder
         */
        public Builder computeCores(int cores) {
            this.computeCores = cores;
            return this;
        }

        /**
         * Allows any number of banks, because no buffer will be interleaved over them.
         *
         * @return this builder
         */
        public Builder withoutInterleaving() {
            this.interleaved = false;
            return this;
        }

        /**
         * Creates the manager.
         *
         * @return the manager
         * @throws MeshRuntimeException if interleaving over this number of banks is not possible
         * @throws IllegalArgumentException if the region does not start at a multiple of the DRAM alignment
         */
        public BankManager build() {
            return new BankManager(this);
        }

        private static long requirePositive(long alignment, String what) {
            if (alignment < 1) {
                throw new IllegalArgumentException(String.format(
                        Locale.ROOT,
                        "Cannot use %d as the %s: it must be at least 1. Use 1 for no alignment.",
                        alignment,
                        what));
            }
            return alignment;
        }
    }
}
