package dev.meshguard.mesh.allocator;

import dev.meshguard.event.BufferType;
import dev.meshguard.text.InvariantText;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Allocates the memory of one kind in all of its banks.
 *
 * <p>A buffer has the same address in every bank, so one {@link FreeListOpt} represents all banks. A buffer with fewer pages
 * than banks still uses a page in each (quirk Q7).
 *
 * <p>Sizes and addresses are bytes; addresses are absolute. Safe for use by several threads: each call holds its lock. Source:
 * {@code tt_metal/impl/allocator/bank_manager.cpp}.
 */
final class BankManager {

    /** The counts, other than powers of two, for which kernels can compute the bank of a page. */
    private static final Set<Integer> BANK_COUNTS_WITH_MODULO =
            Set.of(7, 12, 20, 48, 56, 63, 70, 72, 80, 94, 108, 110, 117, 120, 124, 126, 130, 140);

    private final BufferType kind;
    private final int banks;
    private final long interleavedLimit;
    private final AddressRange region;
    private final AllocatorConfig config;

    /** Created on first use, because most meshes do not use most kinds of memory. */
    private @Nullable FreeListOpt createdList;

    private final Set<Long> allocated = new HashSet<>();

    private boolean trackingHighWaterMarks;
    private HighWaterMarks highWaterMarks = HighWaterMarks.ZERO;

    /**
     * Creates a manager of empty banks.
     *
     * @param kind the kind of memory, as it shall be named in error texts
     * @param region the managed range of every bank, which starts at a multiple of the DRAM alignment
     * @param interleavedLimit the lowest address that interleaved L1 may have
     * @throws MeshRuntimeException if interleaving over this number of banks is not possible
     * @throws IllegalArgumentException if the region does not start at a multiple of the DRAM alignment
     */
    BankManager(BufferType kind, int banks, AddressRange region, long interleavedLimit, AllocatorConfig config) {
        this.kind = kind;
        this.banks = banks;
        this.region = region;
        this.interleavedLimit = interleavedLimit;
        this.config = config;
        requireUsableBankCount();
        requireAlignedStart();
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
     */
    synchronized long allocate(BankRequest request) {
        int banksInUse = banksFor(request);
        long sizePerBank = request.sizePerBank(banksInUse, config.alignment(kind));
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
    synchronized DeviceOutOfMemoryException outOfMemory(BankRequest request) {
        int banksInUse = banksFor(request);
        addressLimitFor(request);
        return DeviceOutOfMemoryException.notEnoughSpace(
                kind,
                request.size(),
                banksInUse,
                request.sizePerBank(banksInUse, config.alignment(kind)),
                statistics());
    }

    /** {@return the managed addresses of a bank} */
    synchronized AddressRange managedRange() {
        return new AddressRange(region.end() - bankSize(), region.end());
    }

    /** {@return the allocated blocks of a bank, in any order} */
    synchronized List<AddressRange> allocatedRanges() {
        return freeList().allocatedAddresses();
    }

    /**
     * Gives memory back.
     *
     * @param address the address it was allocated at; an unknown one is ignored
     */
    synchronized void deallocate(long address) {
        FreeListOpt list = freeList();
        if (trackingHighWaterMarks) {
            list.getAllocationSize(address)
                    .ifPresent(size -> highWaterMarks = highWaterMarks.withDeletionUpTo(address + size));
        }
        list.deallocate(address);
        allocated.remove(address);
    }

    /** Gives back everything that is allocated, by ascending address. */
    synchronized void deallocateAll() {
        for (long address : liveAddresses()) {
            freeList().deallocate(address);
        }
        allocated.clear();
    }

    /** Makes the memory as new, except for the lowest occupied address, as in the runtime (quirk Q1). */
    synchronized void clear() {
        if (createdList != null) {
            createdList.clear();
        }
        allocated.clear();
    }

    /** {@return the lowest allocated address, the same in each bank; empty if nothing is allocated} */
    synchronized OptionalLong lowestOccupiedAddress() {
        return createdList == null ? OptionalLong.empty() : createdList.lowestOccupiedAddress();
    }

    /**
     * Removes the lowest bytes of every bank.
     *
     * @param size the bytes to remove, in addition to those removed before, not negative; 0 does nothing
     * @throws MeshRuntimeException if the size is larger than the managed range, or if memory is allocated in the removed part
     */
    synchronized void shrinkSize(long size) {
        freeList().shrinkSize(size);
    }

    /** Undoes every shrink. */
    synchronized void resetSize() {
        freeList().resetSize();
    }

    /** Starts to record, from zero, the highest addresses at which memory is allocated and freed. */
    synchronized void beginHighWaterMarkTracking() {
        trackingHighWaterMarks = true;
        highWaterMarks = HighWaterMarks.ZERO;
    }

    /**
     * Stops noting high water marks.
     *
     * @return the last marks
     */
    synchronized HighWaterMarks endHighWaterMarkTracking() {
        trackingHighWaterMarks = false;
        return highWaterMarks;
    }

    /** {@return the high water marks of the current tracking, or else of the last one} */
    synchronized HighWaterMarks highWaterMarks() {
        return highWaterMarks;
    }

    /** {@return how full each bank is} */
    synchronized Statistics statistics() {
        return freeList().statistics();
    }

    /** {@return the allocated addresses, in ascending order} */
    synchronized long[] liveAddresses() {
        return allocated.stream().mapToLong(Long::longValue).sorted().toArray();
    }

    /**
     * {@return the bytes that a request needs in each bank: its share of the pages, rounded up as the free list does; 0 without
     * banks}
     *
     * @param request the requested memory
     */
    synchronized long reservedPerBank(BankRequest request) {
        int banksInUse = request.shards().orElse(banks);
        return banksInUse == 0 ? 0 : freeList().roundedSize(request.sizePerBank(banksInUse, config.alignment(kind)));
    }

    /** {@return the number of banks} */
    int numBanks() {
        return banks;
    }

    /** {@return the managed bytes in each bank, without those removed by shrinking} */
    synchronized long bankSize() {
        return createdList == null ? region.size() : statistics().totalAllocatable();
    }

    /** {@return the lowest address that can be reserved, the same in each bank, before any shrinking} */
    long bankBase() {
        return region.start();
    }

    private int banksFor(BankRequest request) {
        int banksInUse = request.shards().orElse(banks);
        if (request.isSharded() && banksInUse > config.l1().banks()) {
            throw new MeshRuntimeException(
                    "Expected number of shards %d to be less than or equal to total number of L1 banks %d in compute cores",
                    banksInUse, config.l1().banks());
        }
        return banksInUse;
    }

    long addressLimitFor(BankRequest request) {
        if (request.isSharded() || kind != BufferType.L1) {
            return 0;
        }
        if (interleavedLimit <= 0) {
            throw new MeshRuntimeException("Address limit %d needs to be larger than zero.", interleavedLimit);
        }
        return interleavedLimit;
    }

    private FreeListOpt freeList() {
        if (createdList == null) {
            long alignment = config.dram().alignment();
            createdList = new FreeListOpt(region.size(), start(), alignment, alignment);
        }
        return createdList;
    }

    /** Without banks the start needs no alignment. */
    private long start() {
        return region.size() == 0 ? 0 : region.start();
    }

    private void requireAlignedStart() {
        long excess = start() % config.dram().alignment();
        if (excess != 0) {
            throw new IllegalArgumentException(InvariantText.of(
                    "Cannot manage %s from %d: the start must be a multiple of the DRAM alignment %d. The nearest below is %d.",
                    kind, start(), config.dram().alignment(), start() - excess));
        }
    }

    private void requireUsableBankCount() {
        boolean bankOfPageIsComputed = config.interleaved() && kind != BufferType.L1_SMALL;
        if (bankOfPageIsComputed && Integer.bitCount(banks) != 1 && !BANK_COUNTS_WITH_MODULO.contains(banks)) {
            throw new MeshRuntimeException(
                    "Invalid number of memory banks %d for %s."
                            + " Num banks must be power of 2 or have a dedicated modulo implementation",
                    banks, kind);
        }
    }
}
