package dev.meshguard.mesh.allocator;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Allocates the addresses of one bank with the runtime's only allocation algorithm.
 *
 * <p>Blocks are adjacent, free or allocated. An allocation uses one end of a free block; a release merges the block with its
 * free neighbours. Blocks have slot numbers, by which {@link #allocatedAddresses()} and {@link #shrinkSize(long)} go, and which
 * are assigned as in the runtime: released numbers are used again, the last released first, before there are new ones.
 *
 * <p>Every address is absolute, that is, includes the list's offset. All sizes and addresses are bytes. Two observable behaviours of the runtime are kept. {@link #clear()} does not change the lowest occupied address (quirk
 * Q1). An allocation that fails its address limit (Q2) keeps its block.
 *
 * <p>Two things differ from the runtime. {@link #shrinkSize(long)} never cuts into a live block; the runtime overlooks some. A
 * release without a known lowest occupied address fails before it changes anything. There the runtime's assertion, if it is
 * compiled in at all, fails half-way.
 *
 * <p>Allocating and releasing take logarithmic time in the number of blocks. Not thread-safe. Source:
 * {@code tt_metal/impl/allocator/algorithms/free_list_opt.cpp}.
 */
class FreeListOpt {

    final long offset;
    private final long minAllocationSize;
    private final long alignment;

    /** The allocated blocks by their start. */
    private final Map<Long, Block> allocated = new HashMap<>();

    FreeBlocks freeBlocks = new FreeBlocks();
    private final Deque<Integer> releasedSlots = new ArrayDeque<>();
    private int slotCount;

    /** The first block, from which links lead to all others; null if the whole range is removed. */
    private @Nullable Block lowest;

    private long maxSize;
    private long shrunk;
    private long totalAllocated;
    private OptionalLong lowestOccupied = OptionalLong.empty();

    /**
     * Creates a list whose whole range is free.
     *
     * @param maxSize the bytes to manage, not negative; 0 makes a list that never has room
     * @param offset the absolute address of the first managed byte, not negative and a multiple of the alignment
     * @param minAllocationSize the minimum bytes of an allocation before rounding, at least 1
     * @param alignment the multiple to which every allocation's size is rounded up, at least 1
     */
    FreeListOpt(long maxSize, long offset, long minAllocationSize, long alignment) {
        this.maxSize = maxSize;
        this.offset = offset;
        this.minAllocationSize = minAllocationSize;
        this.alignment = alignment;
        clear();
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
     */
    OptionalLong allocate(long size, boolean bottomUp, long addressLimit) {
        long rounded = roundedSize(size);
        Block fit = freeBlocks.fit(rounded, bottomUp);
        return fit == null
                ? OptionalLong.empty()
                : place(fit, bottomUp ? fit.start : fit.end - rounded, rounded, addressLimit);
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
    void deallocate(long absoluteAddress) {
        Block block = allocated.get(absoluteAddress - offset);
        if (block == null) {
            return;
        }
        long lowestBefore = lowestOccupied.orElseThrow(
                () -> new MeshRuntimeException("Lowest occupied address should have a value"));
        allocated.remove(block.start);
        totalAllocated -= block.size();
        block.allocated = false;
        Block merged = mergedWithFreeNeighbours(block);
        freeBlocks.add(merged);
        if (absoluteAddress <= lowestBefore) {
            lowestOccupied = merged.next == null ? OptionalLong.empty() : OptionalLong.of(merged.next.start + offset);
        }
    }

    /** {@return the absolute ranges of the allocated blocks, by ascending slot number and so not by address} */
    List<AddressRange> allocatedAddresses() {
        return bySlot().filter(block -> block.allocated)
                .map(this::absoluteRange)
                .toList();
    }

    /**
     * Returns the size of the block that starts at an address.
     *
     * @param address the absolute address of the block
     * @return its bytes as rounded when it was allocated, empty if no allocated block starts there
     */
    OptionalLong getAllocationSize(long address) {
        Block block = allocated.get(address - offset);
        return block == null ? OptionalLong.empty() : OptionalLong.of(block.size());
    }

    /**
     * Returns the lowest allocated address.
     *
     * @return the absolute address, empty if nothing is allocated; after a {@link #clear()} the address from before it
     */
    OptionalLong lowestOccupiedAddress() {
        return lowestOccupied;
    }

    /** Frees the whole range, undoes every shrink and restarts the slot numbers. */
    void clear() {
        maxSize += shrunk;
        shrunk = 0;
        totalAllocated = 0;
        allocated.clear();
        lowest = null;
        slotCount = 0;
        freeBlocks = new FreeBlocks();
        releasedSlots.clear();
        insertFree(0, maxSize, null, null);
    }

    /**
     * Removes the lowest bytes of the managed range.
     *
     * <p>Fails whenever a live block starts below the cut. The runtime visits blocks in slot order and stops at the free block
     * that contains the cut. It can overlook a live block in a later slot and then allocate the same memory twice.
     *
     * @param size the bytes to remove, in addition to those removed before, not negative; 0 does nothing
     * @throws MeshRuntimeException if the size is larger than the managed range, or if a live block starts in the removed part
     *     (the text's address is counted without the offset)
     */
    void shrinkSize(long size) {
        if (size == 0) {
            return;
        }
        if (size > maxSize) {
            throw new InsufficientMemoryException("Shrink size %d must be smaller than max size %d", size, maxSize);
        }
        long cut = shrunk + size;
        bySlot().filter(block -> block.allocated && block.start < cut)
                .findFirst()
                .ifPresent(block -> {
                    throw new InsufficientMemoryException(
                            "Shrink size %d cuts into allocated block at address %d", cut, block.start);
                });
        cut(Objects.requireNonNull(lowest), size);
        maxSize -= size;
        shrunk = cut;
    }

    /** Undoes every shrink; allocated blocks keep their addresses. */
    void resetSize() {
        if (shrunk == 0) {
            return;
        }
        if (lowest == null || lowest.allocated) {
            insertFree(0, shrunk, null, lowest);
        } else {
            freeBlocks.remove(lowest);
            lowest.start = 0;
            freeBlocks.add(lowest);
        }
        maxSize += shrunk;
        shrunk = 0;
    }

    /** {@return how full the list is; the time does not depend on the number of blocks} */
    Statistics statistics() {
        return new Statistics(maxSize, totalAllocated, maxSize - totalAllocated, freeBlocks.largest());
    }

    /** {@return the bytes that an allocation of the given size uses} */
    long roundedSize(long size) {
        return Rounding.up(Math.max(size, minAllocationSize), alignment);
    }

    /** Allocates a part of a free block. The part keeps the slot; the remaining pieces get new slots, the lower piece first. */
    OptionalLong place(Block block, long start, long size, long addressLimit) {
        freeBlocks.remove(block);
        if (block.start < start) {
            insertFree(block.start, start, block.previous, block);
        }
        if (start + size < block.end) {
            insertFree(start + size, block.end, block, block.next);
        }
        block.start = start;
        block.end = start + size;
        block.allocated = true;
        allocated.put(start, block);
        totalAllocated += size;
        long address = start + offset;
        if (address < addressLimit) {
            throw DeviceOutOfMemoryException.belowLimit(addressLimit, address);
        }
        lowestOccupied = OptionalLong.of(Math.min(address, lowestOccupied.orElse(address)));
        return OptionalLong.of(address);
    }

    /** Merges a newly free block with free neighbours; the lowest of them remains. */
    private Block mergedWithFreeNeighbours(Block block) {
        Block merged = block;
        Block below = block.previous;
        Block above = block.next;
        if (below != null && !below.allocated) {
            freeBlocks.remove(below);
            merged = absorb(below, block);
        }
        if (above != null && !above.allocated) {
            freeBlocks.remove(above);
            absorb(merged, above);
        }
        return merged;
    }

    private Block absorb(Block block, Block above) {
        block.end = above.end;
        link(block, above.next);
        releasedSlots.push(above.slot);
        return block;
    }

    /** Removes bytes from the lowest block. Nothing is allocated below the cut, so this block is free and reaches up to it. */
    private void cut(Block block, long size) {
        freeBlocks.remove(block);
        block.start += size;
        if (block.size() > 0) {
            freeBlocks.add(block);
        } else {
            link(null, block.next);
            releasedSlots.push(block.slot);
        }
    }

    private void insertFree(long start, long end, @Nullable Block previous, @Nullable Block next) {
        Block block = new Block(releasedSlots.isEmpty() ? slotCount++ : releasedSlots.pop(), start, end);
        link(previous, block);
        link(block, next);
        freeBlocks.add(block);
    }

    private void link(@Nullable Block below, @Nullable Block above) {
        if (above != null) {
            above.previous = below;
        }
        if (below != null) {
            below.next = above;
        } else {
            lowest = above;
        }
    }

    Stream<Block> blocks() {
        return Stream.iterate(lowest, Objects::nonNull, block -> block.next);
    }

    private Stream<Block> bySlot() {
        return blocks().sorted(Comparator.comparingInt(block -> block.slot));
    }

    private AddressRange absoluteRange(Block block) {
        return new AddressRange(block.start + offset, block.end + offset);
    }
}
