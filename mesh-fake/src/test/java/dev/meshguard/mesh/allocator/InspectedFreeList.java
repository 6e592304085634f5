package dev.meshguard.mesh.allocator;

import java.util.Comparator;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** A free list with what the runtime's own tests ask of it, and its banks do not: allocations at an address, and its blocks. */
final class InspectedFreeList extends FreeListOpt {

    InspectedFreeList(long maxSize, long offset, long minAllocationSize, long alignment) {
        super(maxSize, offset, minAllocationSize, alignment);
    }

    /** Allocates at a given address, which need not be aligned; empty if the rounded size does not lie in one free block there. */
    OptionalLong allocateAtAddress(long absoluteAddress, long size) {
        long rounded = roundedSize(size);
        long start = absoluteAddress - offset;
        return blocks().filter(block -> !block.allocated && block.start <= start && rounded <= block.end - start)
                .findFirst()
                .map(block -> place(block, start, rounded, 0))
                .orElse(OptionalLong.empty());
    }

    /** Returns the whole of every free block that is large enough, by address. */
    List<AddressRange> availableAddresses(long size) {
        long rounded = roundedSize(size);
        return blocks().filter(block -> !block.allocated && block.size() >= rounded)
                .map(block -> new AddressRange(block.start + offset, block.end + offset))
                .toList();
    }

    /** Returns one row for each block, by ascending slot number. */
    List<Row> memoryBlockTable() {
        return blocks().sorted(Comparator.comparingInt(block -> block.slot))
                .map(block -> new Row(
                        block.slot,
                        block.start,
                        block.size(),
                        slotOf(block.previous),
                        slotOf(block.next),
                        block.allocated))
                .toList();
    }

    private static OptionalInt slotOf(@Nullable Block block) {
        return block == null ? OptionalInt.empty() : OptionalInt.of(block.slot);
    }

    /** A block: its address does not include the offset of the list. */
    record Row(int blockId, long address, long size, OptionalInt prevId, OptionalInt nextId, boolean allocated) {}
}
