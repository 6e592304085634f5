package dev.meshguard.mesh.allocator;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** The invariants of a {@link FreeListOpt} that can be checked from outside. */
final class FreeListInvariants {

    private final FreeListOpt list;
    private final long size;
    private final long offset;
    private final List<MemoryBlock> rows;
    private final List<MemoryBlock> byAddress;

    private FreeListInvariants(FreeListOpt list, long size, long offset) {
        this.list = list;
        this.size = size;
        this.offset = offset;
        this.rows = list.memoryBlockTable();
        this.byAddress = new ArrayList<>(rows);
        byAddress.sort(Comparator.comparingLong(MemoryBlock::address));
    }

    /** Checks a list that was created with a size and an offset. */
    static void check(FreeListOpt list, long size, long offset) {
        var invariants = new FreeListInvariants(list, size, offset);
        invariants.slotsAscend();
        invariants.blocksLieSideBySide();
        invariants.freeBlocksAreMerged();
        invariants.neighboursNameEachOther();
        invariants.sizesAddUp();
        invariants.allocatedBlocksAreFound();
        invariants.freeBlocksAreFound();
    }

    /** Checks that the lowest occupied address is that of the lowest allocated block, as it is unless a quirk is at work. */
    static void checkLowestOccupied(FreeListOpt list) {
        OptionalLong lowest = list.allocatedAddresses().stream()
                .mapToLong(AddressRange::start)
                .min();

        if (!list.lowestOccupiedAddress().equals(lowest)) {
            assertThat(list.lowestOccupiedAddress())
                    .describedAs("lowest occupied address")
                    .isEqualTo(lowest);
        }
    }

    private void slotsAscend() {
        for (int i = 1; i < rows.size(); i++) {
            require(rows.get(i - 1).blockId() < rows.get(i).blockId(), "slots do not ascend to", rows.get(i));
        }
    }

    private void blocksLieSideBySide() {
        long next = size - list.statistics().totalAllocatable();
        for (MemoryBlock block : byAddress) {
            require(block.address() == next, "a gap or an overlap before", block);
            require(block.size() > 0 || size == 0, "nothing in", block);
            next += block.size();
        }
        require(next == size, "the blocks end at", next);
    }

    private void freeBlocksAreMerged() {
        for (int i = 1; i < byAddress.size(); i++) {
            require(
                    byAddress.get(i - 1).allocated() || byAddress.get(i).allocated(),
                    "two free neighbours at",
                    byAddress.get(i));
        }
    }

    private void neighboursNameEachOther() {
        for (int i = 0; i < byAddress.size(); i++) {
            MemoryBlock block = byAddress.get(i);
            require(block.prevId().equals(idAt(i - 1)), "wrong block before", block);
            require(block.nextId().equals(idAt(i + 1)), "wrong block after", block);
        }
    }

    private OptionalInt idAt(int index) {
        return index < 0 || index == byAddress.size()
                ? OptionalInt.empty()
                : OptionalInt.of(byAddress.get(index).blockId());
    }

    private void sizesAddUp() {
        long allocated = 0;
        long free = 0;
        long largest = 0;
        for (MemoryBlock block : rows) {
            if (block.allocated()) {
                allocated += block.size();
            } else {
                free += block.size();
                largest = Math.max(largest, block.size());
            }
        }
        var expected = new Statistics(allocated + free, allocated, free, largest);
        require(list.statistics().equals(expected), "not the statistics", expected);
    }

    private void allocatedBlocksAreFound() {
        List<AddressRange> allocated = list.allocatedAddresses();
        int next = 0;
        for (MemoryBlock block : rows) {
            boolean found = next < allocated.size() && allocated.get(next).equals(absolute(block));
            OptionalLong sizeThere = list.getAllocationSize(block.address() + offset);
            if (block.allocated()) {
                require(found, "not among the allocated addresses:", block);
                require(sizeThere.equals(OptionalLong.of(block.size())), "wrong allocation size for", block);
                next++;
            } else {
                require(sizeThere.isEmpty(), "an allocation size for", block);
            }
        }
        require(next == allocated.size(), "too many allocated addresses:", allocated);
    }

    private void freeBlocksAreFound() {
        var available = new ArrayList<>(list.availableAddresses(0));
        available.sort(Comparator.comparingLong(AddressRange::start));
        long least = available.stream().mapToLong(AddressRange::size).min().orElse(Long.MAX_VALUE);
        var free = byAddress.stream()
                .filter(block -> !block.allocated() && block.size() >= least)
                .map(this::absolute)
                .toList();
        require(available.equals(free), "not what is available:", available);
    }

    private AddressRange absolute(MemoryBlock block) {
        return new AddressRange(block.address() + offset, block.address() + block.size() + offset);
    }

    private void require(boolean holds, String otherwise, Object where) {
        if (!holds) {
            throw new AssertionError(otherwise + " " + where + " in " + rows);
        }
    }
}
