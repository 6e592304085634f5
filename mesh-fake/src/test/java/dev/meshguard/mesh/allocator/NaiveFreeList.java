package dev.meshguard.mesh.allocator;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * The rules of {@link FreeListOpt} in the simplest form: one list of blocks, searched from end to end.
 *
 * <p>Shares no code with the compared class, except the records of the results.
 */
final class NaiveFreeList {

    private static final class Block {
        int id;
        long start;
        long size;
        boolean allocated;

        Block(int id, long start, long size) {
            this.id = id;
            this.start = start;
            this.size = size;
        }

        long end() {
            return start + size;
        }
    }

    private final long offset;
    private final long min;
    private final long alignment;

    private final List<Block> blocks = new ArrayList<>();
    private final Deque<Integer> releasedIds = new ArrayDeque<>();
    private int nextId;
    private long max;
    private long shrunk;
    private OptionalLong lowest = OptionalLong.empty();

    NaiveFreeList(long max, long offset, long min, long alignment) {
        this.max = max;
        this.offset = offset;
        this.min = min;
        this.alignment = alignment;
        blocks.add(new Block(nextId++, 0, max));
    }

    OptionalLong allocate(long size, boolean up, long limit) {
        long rounded = rounded(size);
        List<Block> fits = blocks.stream()
                .filter(block -> !block.allocated && block.size >= rounded)
                .sorted(Comparator.comparingLong(block -> up ? block.start : -block.start))
                .toList();
        if (fits.isEmpty()) {
            return OptionalLong.empty();
        }
        Block target = fits.get(0);
        long start = up ? target.start : target.end() - rounded;
        take(target, start, rounded);
        if (start + offset < limit) {
            throw new RandomPrograms.RejectedCall("Out of Memory: Cannot allocate at an address below " + limit
                    + ". Allocation at " + (start + offset));
        }
        noteOccupied(start);
        return OptionalLong.of(start + offset);
    }

    void deallocate(long address) {
        int index = indexOfAllocated(address - offset);
        if (index < 0) {
            return;
        }
        if (lowest.isEmpty()) {
            throw new RandomPrograms.RejectedCall("Lowest occupied address should have a value");
        }
        blocks.get(index).allocated = false;
        if (index > 0 && !blocks.get(index - 1).allocated) {
            index--;
            swallowNext(index);
        }
        if (index + 1 < blocks.size() && !blocks.get(index + 1).allocated) {
            swallowNext(index);
        }
        if (address - offset <= lowest.getAsLong()) {
            long freed = blocks.get(index).start;
            lowest = blocks.stream()
                    .filter(block -> block.allocated && block.start > freed)
                    .mapToLong(block -> block.start)
                    .findFirst();
        }
    }

    List<AddressRange> allocatedAddresses() {
        return blocks.stream()
                .filter(block -> block.allocated)
                .sorted(Comparator.comparingInt(block -> block.id))
                .map(block -> new AddressRange(block.start + offset, block.end() + offset))
                .toList();
    }

    OptionalLong getAllocationSize(long address) {
        int index = indexOfAllocated(address - offset);
        return index < 0 ? OptionalLong.empty() : OptionalLong.of(blocks.get(index).size);
    }

    OptionalLong lowestOccupiedAddress() {
        return lowest.isEmpty() ? lowest : OptionalLong.of(lowest.getAsLong() + offset);
    }

    void clear() {
        max += shrunk;
        shrunk = 0;
        blocks.clear();
        releasedIds.clear();
        nextId = 0;
        blocks.add(new Block(nextId++, 0, max));
    }

    void shrinkSize(long size) {
        if (size == 0) {
            return;
        }
        if (size > max) {
            throw new RandomPrograms.RejectedCall("Shrink size " + size + " must be smaller than max size " + max);
        }
        long cut = shrunk + size;
        List<Block> bySlot = new ArrayList<>(blocks);
        bySlot.sort(Comparator.comparingInt(block -> block.id));
        for (Block block : bySlot) {
            if (block.allocated && block.start < cut) {
                throw new RandomPrograms.RejectedCall(
                        "Shrink size " + cut + " cuts into allocated block at address " + block.start);
            }
        }
        Block bottom = blocks.get(0);
        bottom.start += size;
        bottom.size -= size;
        if (bottom.size == 0) {
            blocks.remove(0);
            releasedIds.push(bottom.id);
        }
        max -= size;
        shrunk = cut;
    }

    void resetSize() {
        if (shrunk == 0) {
            return;
        }
        if (!blocks.isEmpty() && !blocks.get(0).allocated) {
            blocks.get(0).start = 0;
            blocks.get(0).size += shrunk;
        } else {
            blocks.add(0, new Block(newId(), 0, shrunk));
        }
        max += shrunk;
        shrunk = 0;
    }

    Statistics statistics() {
        long allocated = 0;
        long free = 0;
        long largest = 0;
        for (Block block : blocks) {
            if (block.allocated) {
                allocated += block.size;
            } else {
                free += block.size;
                largest = Math.max(largest, block.size);
            }
        }
        return allocated == 0 ? new Statistics(max, 0, max, max) : new Statistics(max, allocated, free, largest);
    }

    List<InspectedFreeList.Row> memoryBlockTable() {
        List<InspectedFreeList.Row> rows = new ArrayList<>();
        for (int i = 0; i < blocks.size(); i++) {
            Block block = blocks.get(i);
            rows.add(new InspectedFreeList.Row(
                    block.id, block.start, block.size, idAt(i - 1), idAt(i + 1), block.allocated));
        }
        rows.sort(Comparator.comparingInt(InspectedFreeList.Row::blockId));
        return rows;
    }

    private void take(Block block, long start, long size) {
        long oldStart = block.start;
        long oldEnd = block.end();
        block.start = start;
        block.size = size;
        block.allocated = true;
        if (oldStart < start) {
            blocks.add(blocks.indexOf(block), new Block(newId(), oldStart, start - oldStart));
        }
        if (start + size < oldEnd) {
            blocks.add(blocks.indexOf(block) + 1, new Block(newId(), start + size, oldEnd - start - size));
        }
    }

    private void swallowNext(int index) {
        Block next = blocks.remove(index + 1);
        blocks.get(index).size += next.size;
        releasedIds.push(next.id);
    }

    private int indexOfAllocated(long start) {
        for (int i = 0; i < blocks.size(); i++) {
            if (blocks.get(i).allocated && blocks.get(i).start == start) {
                return i;
            }
        }
        return -1;
    }

    private OptionalInt idAt(int index) {
        return index < 0 || index >= blocks.size() ? OptionalInt.empty() : OptionalInt.of(blocks.get(index).id);
    }

    private int newId() {
        return releasedIds.isEmpty() ? nextId++ : releasedIds.pop();
    }

    private void noteOccupied(long start) {
        if (lowest.isEmpty() || start < lowest.getAsLong()) {
            lowest = OptionalLong.of(start);
        }
    }

    private long rounded(long size) {
        long wanted = Math.max(size, min);
        return wanted % alignment == 0 ? wanted : (wanted / alignment + 1) * alignment;
    }
}
