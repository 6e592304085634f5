package dev.meshguard.mesh.allocator;

import static dev.meshguard.mesh.allocator.BlockTable.NONE;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Allocates the addresses of one bank with the runtime's only allocation algorithm.
 *
 * <p>Blocks are adjacent, free or allocated. An allocation uses one end of a free block; a release merges the block with its
 * free neighbours. Blocks have slot numbers, which appear in {@link #allocatedAddresses()} and {@link #memoryBlockTable()}.
 * Every address is absolute, that is, includes the list's offset, except in the block table. All sizes and addresses are bytes.
 * Two observable behaviours of the runtime are kept. {@link #clear()} does not change the lowest occupied address (quirk Q1).
 * An allocation that fails its address limit (Q2) keeps its block.
 *
 * <p>Two things differ from the runtime. {@link #shrinkSize(long)} never cuts into a live block; the runtime overlooks some. A
 * release without a known lowest occupied address fails before it changes anything. There the runtime's assertion, if it is
 * compiled in at all, fails half-way.
 *
 * <p>Allocating and releasing take logarithmic time in the number of blocks. Not thread-safe. Source:
 * {@code tt_metal/impl/allocator/algorithms/free_list_opt.cpp}.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class FreeListOpt {

    private final long offset;
    private final long minAllocationSize;
    private final long alignment;
    private final SearchPolicy policy;

    private final BlockTable blocks = new BlockTable();
    private final FreeBlocks freeBlocks;
    private final AddressIndex allocatedSlots = new AddressIndex();

    private long maxSize;
    private long shrunk;
    private long totalAllocated;
    private OptionalLong lowestOccupied = OptionalLong.empty();

    /**
     * Creates a list whose whole range is free and that uses the {@linkplain SearchPolicy#BEST best} fit.
     *
     * @param maxSize the bytes to manage, not negative; 0 makes a list that never has room
     * @param offset the absolute address of the first managed byte, not negative and a multiple of the alignment
     * @param minAllocationSize the minimum bytes of an allocation before rounding, at least 1
     * @param alignment the multiple to which every allocation's size is rounded up, at least 1
     * @throws IllegalArgumentException if a number is outside its range
     */
    public FreeListOpt(long maxSize, long offset, long minAllocationSize, long alignment) {
        this(maxSize, offset, minAllocationSize, alignment, SearchPolicy.BEST);
    }

    /**
     * Creates a list whose whole range is free.
     *
     * @param maxSize the bytes to manage, not negative; 0 makes a list that never has room
     * @param offset the absolute address of the first managed byte, not negative and a multiple of the alignment
     * @param minAllocationSize the minimum bytes of an allocation before rounding, at least 1
     * @param alignment the multiple to which every allocation's size is rounded up, at least 1
     * @param policy the choice among the fitting blocks
     * @throws IllegalArgumentException if a number is outside its range
     */
    public FreeListOpt(long maxSize, long offset, long minAllocationSize, long alignment, SearchPolicy policy) {
        requireUsable(maxSize, offset, minAllocationSize, alignment);
        this.maxSize = maxSize;
        this.offset = offset;
        this.minAllocationSize = minAllocationSize;
        this.alignment = alignment;
        this.policy = policy;
        this.freeBlocks = new FreeBlocks(blocks, maxSize);
        insertFree(0, maxSize, NONE, NONE);
    }

    /** Checks the arguments of a list before a caller creates it lazily. */
    static void requireUsable(long maxSize, long offset, long minAllocationSize, long alignment) {
        requireAtLeast(0, maxSize, "maximum size");
        requireAtLeast(0, offset, "offset");
        requireAtLeast(1, minAllocationSize, "minimum allocation size");
        requireAtLeast(1, alignment, "alignment");
        if (offset % alignment != 0) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "Cannot create a free list at offset %d: the offset must be a multiple of the"
                            + " alignment %d. The nearest below is %d.",
                    offset,
                    alignment,
                    offset - offset % alignment));
        }
    }

    /**
     * Allocates at the lower end of a free block.
     *
     * @param size the requested bytes, not negative; rounded up
     * @return the absolute address, empty if no block is large enough
     * @throws IllegalArgumentException if the size is negative
     */
    public OptionalLong allocate(long size) {
        return allocate(size, true);
    }

    /**
     * Allocates at the lower or the upper end of a free block.
     *
     * @param size the requested bytes, not negative; rounded up
     * @param bottomUp whether true to search from the lowest address and use the block's lower end, false for the opposite
     * @return the absolute address, empty if no block is large enough
     * @throws IllegalArgumentException if the size is negative
     */
    public OptionalLong allocate(long size, boolean bottomUp) {
        return allocate(size, bottomUp, 0);
    }

    /**
     * Allocates at the lower or the upper end of a free block, not below a limit.
     *
     * <p>The limit does not guide the search. It is checked after the allocation. A block below the limit stays allocated
     * without an owner, as in the runtime.
     *
     * @param size the requested bytes, not negative; rounded up
     * @param bottomUp whether true to search from the lowest address and use the block's lower end, false for the opposite
     * @param addressLimit the lowest absolute address allowed
     * @return the absolute address, empty if no block is large enough
     * @throws DeviceOutOfMemoryException if the allocated block starts below the limit
     * @throws IllegalArgumentException if the size is negative
     */
    public OptionalLong allocate(long size, boolean bottomUp, long addressLimit) {
        long rounded = roundedSize(size);
        int slot = policy == SearchPolicy.BEST ? bestFit(rounded, bottomUp) : firstFit(rounded, bottomUp);
        if (slot == NONE) {
            return OptionalLong.empty();
        }
        long start = bottomUp ? blocks.address(slot) : blocks.end(slot) - rounded;
        occupy(slot, start, rounded);
        if (start + offset < addressLimit) {
            throw DeviceOutOfMemoryException.belowLimit(addressLimit, start + offset);
        }
        lowerLowestOccupied(start);
        return OptionalLong.of(start + offset);
    }

    /**
     * Allocates at a given address, which need not be aligned.
     *
     * @param absoluteAddress the requested address
     * @param size the requested bytes, not negative; rounded up
     * @return the given address, empty if the rounded size does not lie in one free block there
     * @throws IllegalArgumentException if the size is negative
     */
    public OptionalLong allocateAtAddress(long absoluteAddress, long size) {
        long rounded = roundedSize(size);
        long start = absoluteAddress - offset;
        if (start < 0 || start > shrunk + maxSize - rounded) {
            return OptionalLong.empty();
        }
        int slot = freeBlocks.containing(start, start + rounded);
        if (slot == NONE) {
            return OptionalLong.empty();
        }
        occupy(slot, start, rounded);
        lowerLowestOccupied(start);
        return OptionalLong.of(absoluteAddress);
    }

    /**
     * Releases the block that starts at an address.
     *
     * <p>The list ignores an address at which no allocated block starts. A second release therefore does nothing, or releases a
     * block that was allocated there since.
     *
     * @param absoluteAddress the address of the block
     * @throws MeshRuntimeException if all blocks allocated so far failed their address limit
     */
    public void deallocate(long absoluteAddress) {
        long start = absoluteAddress - offset;
        int slot = allocatedSlots.get(start);
        if (slot == AddressIndex.ABSENT) {
            return;
        }
        long lowest =
                lowestOccupied.orElseThrow(() -> new MeshRuntimeException(AllocatorMessages.LOWEST_OCCUPIED_UNSET));
        allocatedSlots.remove(start);
        blocks.markFree(slot);
        totalAllocated -= blocks.size(slot);
        int merged = mergeWithFreeNeighbours(slot);
        if (start <= lowest) {
            lowestOccupied = firstOccupiedAfter(merged);
        }
    }

    /**
     * Returns the whole of every free block that is large enough.
     *
     * @param size the requested bytes, not negative; rounded up
     * @return absolute ranges by ascending size class, within a class by ascending address, so not sorted as a whole
     * @throws IllegalArgumentException if the size is negative
     */
    public List<AddressRange> availableAddresses(long size) {
        long rounded = roundedSize(size);
        var ranges = new ArrayList<AddressRange>();
        for (int sizeClass = freeBlocks.sizeClass(rounded); sizeClass < freeBlocks.classCount(); sizeClass++) {
            freeBlocks.forEachFit(sizeClass, rounded, slot -> ranges.add(absoluteRange(slot)));
        }
        return List.copyOf(ranges);
    }

    /** {@return the absolute ranges of the allocated blocks, by ascending slot number and so not by address} */
    public List<AddressRange> allocatedAddresses() {
        return blocks.allocatedSlots().mapToObj(this::absoluteRange).toList();
    }

    /**
     * Returns the size of the block that starts at an address.
     *
     * @param address the absolute address of the block
     * @return its bytes as rounded when it was allocated, empty if no allocated block starts there
     */
    public OptionalLong getAllocationSize(long address) {
        int slot = allocatedSlots.get(address - offset);
        return slot == AddressIndex.ABSENT ? OptionalLong.empty() : OptionalLong.of(blocks.size(slot));
    }

    /**
     * Returns the lowest allocated address.
     *
     * @return the absolute address, empty if nothing is allocated; after a {@link #clear()} the address from before it
     */
    public OptionalLong lowestOccupiedAddress() {
        return lowestOccupied.isPresent() ? OptionalLong.of(lowestOccupied.getAsLong() + offset) : OptionalLong.empty();
    }

    /** Frees the whole range, undoes every shrink and restarts the slot numbers. */
    public void clear() {
        maxSize += shrunk;
        shrunk = 0;
        totalAllocated = 0;
        blocks.clear();
        freeBlocks.clear();
        allocatedSlots.clear();
        insertFree(0, maxSize, NONE, NONE);
    }

    /**
     * Removes the lowest bytes of the managed range.
     *
     * @param size the bytes to remove, in addition to those removed before; 0 does nothing
     * @throws MeshRuntimeException if the size is larger than the managed range, or a live block starts in the removed part
     * @throws IllegalArgumentException if the size is negative
     */
    public void shrinkSize(long size) {
        shrinkSize(size, true);
    }

    /**
     * Removes the lowest bytes of the managed range.
     *
     * <p>Fails whenever a live block starts below the cut. The runtime visits blocks in slot order and stops at the free block
     * that contains the cut. It can overlook a live block in a later slot and then allocate the same memory twice.
     *
     * @param size the bytes to remove, in addition to those removed before; 0 does nothing
     * @param bottomUp must be true unless the size is 0; the runtime has no shrinking from the top
     * @throws MeshRuntimeException if it would shrink from the top, if the size is larger than the managed range, or if a live
     *     block starts in the removed part (the text's address is counted without the offset)
     * @throws IllegalArgumentException if the size is negative
     */
    public void shrinkSize(long size, boolean bottomUp) {
        requireAtLeast(0, size, "shrink size");
        if (size == 0) {
            return;
        }
        if (!bottomUp) {
            throw new MeshRuntimeException(AllocatorMessages.SHRINK_FROM_TOP);
        }
        if (size > maxSize) {
            throw new InsufficientMemoryException(AllocatorMessages.shrinkBeyondSize(size, maxSize));
        }
        requireNothingAllocatedBelow(shrunk + size);
        cutLowestBlock(size);
        maxSize -= size;
        shrunk += size;
    }

    /** Undoes every shrink; allocated blocks keep their addresses. */
    public void resetSize() {
        if (shrunk == 0) {
            return;
        }
        int lowest = blocks.lowest();
        if (blocks.isFree(lowest)) {
            freeBlocks.remove(lowest);
            blocks.resize(lowest, 0, blocks.end(lowest));
            freeBlocks.add(lowest);
        } else {
            insertFree(0, shrunk, NONE, lowest);
        }
        maxSize += shrunk;
        shrunk = 0;
    }

    /** {@return the managed addresses, without those removed by shrinking} */
    AddressRange managedRange() {
        return new AddressRange(offset + shrunk, offset + shrunk + maxSize);
    }

    /** {@return how full the list is; the time does not depend on the number of blocks} */
    public Statistics statistics() {
        return new Statistics(maxSize, totalAllocated, maxSize - totalAllocated, freeBlocks.largest());
    }

    /** {@return the maximum number of free blocks that a search in one size class may visit} */
    int searchDepth() {
        return freeBlocks.depth();
    }

    /** {@return one row for each block, by ascending slot number} */
    public List<MemoryBlock> memoryBlockTable() {
        return blocks.slots().mapToObj(blocks::row).toList();
    }

    /** Returns the first fit, in the direction of the search, of the smallest class that has a fit. */
    private int bestFit(long size, boolean bottomUp) {
        for (int sizeClass = freeBlocks.sizeClass(size); sizeClass < freeBlocks.classCount(); sizeClass++) {
            int fit = fitInClass(sizeClass, size, bottomUp);
            if (fit != NONE) {
                return fit;
            }
        }
        return NONE;
    }

    /** Returns, of the first fits of all classes, the first in the direction of the search. */
    private int firstFit(long size, boolean bottomUp) {
        int first = NONE;
        for (int sizeClass = freeBlocks.sizeClass(size); sizeClass < freeBlocks.classCount(); sizeClass++) {
            int fit = fitInClass(sizeClass, size, bottomUp);
            if (fit != NONE && (first == NONE || bottomUp == blocks.address(fit) < blocks.address(first))) {
                first = fit;
            }
        }
        return first;
    }

    private int fitInClass(int sizeClass, long size, boolean bottomUp) {
        return bottomUp ? freeBlocks.lowestFit(sizeClass, size) : freeBlocks.highestFit(sizeClass, size);
    }

    /** Allocates a part of a free block. The part keeps the slot; the remaining pieces get new slots, the lower piece first. */
    private void occupy(int slot, long start, long size) {
        freeBlocks.remove(slot);
        long blockStart = blocks.address(slot);
        long blockEnd = blocks.end(slot);
        blocks.resize(slot, start, size);
        if (start > blockStart) {
            insertFree(blockStart, start - blockStart, blocks.previous(slot), slot);
        }
        if (blockEnd > start + size) {
            insertFree(start + size, blockEnd - start - size, slot, blocks.next(slot));
        }
        blocks.markAllocated(slot);
        allocatedSlots.put(start, slot);
        totalAllocated += size;
    }

    /** Merges a newly free block with free neighbours and returns the remaining slot. */
    private int mergeWithFreeNeighbours(int slot) {
        int previous = blocks.previous(slot);
        int next = blocks.next(slot);
        int merged = slot;
        if (blocks.isFree(previous)) {
            freeBlocks.remove(previous);
            merged = absorb(previous, slot);
        }
        if (blocks.isFree(next)) {
            freeBlocks.remove(next);
            merged = absorb(merged, next);
        }
        freeBlocks.add(merged);
        return merged;
    }

    private int absorb(int slot, int neighbourAbove) {
        blocks.resize(slot, blocks.address(slot), blocks.size(slot) + blocks.size(neighbourAbove));
        blocks.release(neighbourAbove);
        return slot;
    }

    private OptionalLong firstOccupiedAfter(int freeSlot) {
        int next = blocks.next(freeSlot);
        return next == NONE ? OptionalLong.empty() : OptionalLong.of(blocks.address(next));
    }

    private void lowerLowestOccupied(long start) {
        lowestOccupied = OptionalLong.of(Math.min(start, lowestOccupied.orElse(start)));
    }

    private void requireNothingAllocatedBelow(long cut) {
        blocks.allocatedSlots()
                .filter(slot -> blocks.address(slot) < cut)
                .findFirst()
                .ifPresent(slot -> {
                    throw new InsufficientMemoryException(
                            AllocatorMessages.shrinkCutsIntoBlock(cut, blocks.address(slot)));
                });
    }

    /**
     * Removes bytes from the lowest block. Nothing is allocated below the cut, so this block is free and reaches at least up to
     * the cut.
     */
    private void cutLowestBlock(long size) {
        int lowest = blocks.lowest();
        freeBlocks.remove(lowest);
        if (blocks.size(lowest) == size) {
            blocks.release(lowest);
        } else {
            blocks.resize(lowest, blocks.address(lowest) + size, blocks.size(lowest) - size);
            freeBlocks.add(lowest);
        }
    }

    private void insertFree(long start, long size, int previous, int next) {
        freeBlocks.add(blocks.insert(start, size, previous, next));
    }

    private AddressRange absoluteRange(int slot) {
        return new AddressRange(blocks.address(slot) + offset, blocks.end(slot) + offset);
    }

    /** {@return the bytes that an allocation of the given size uses} */
    long roundedSize(long size) {
        requireAtLeast(0, size, "size");
        return Rounding.up(Math.max(size, minAllocationSize), alignment);
    }

    private static void requireAtLeast(long least, long value, String what) {
        if (value < least) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "Cannot use %d as the %s of a free list: it must be at least %d."
                            + " Give a number of bytes from %d upwards.",
                    value,
                    what,
                    least,
                    least));
        }
    }
}
