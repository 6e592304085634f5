package dev.meshguard.benchmarks.freelist;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** The simplest free list: the free blocks by address, first fit, with merging of neighbours. */
final class TreeMapFreeList implements FreeList {

    private static final long ALIGNMENT = 32;

    private final TreeMap<Long, Long> sizes = new TreeMap<>();
    private final Map<Long, Long> allocated = new HashMap<>();

    TreeMapFreeList(long bytes) {
        sizes.put(0L, bytes);
    }

    @Override
    public long allocate(long size) {
        long rounded = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        Map.Entry<Long, Long> block = firstFit(rounded);
        long address = block.getKey();
        long rest = block.getValue() - rounded;
        sizes.remove(address);
        if (rest > 0) {
            sizes.put(address + rounded, rest);
        }
        allocated.put(address, rounded);
        return address;
    }

    private Map.Entry<Long, Long> firstFit(long size) {
        for (Map.Entry<Long, Long> block : sizes.entrySet()) {
            if (block.getValue() >= size) {
                return block;
            }
        }
        throw new IllegalStateException("There are no " + size + " bytes left");
    }

    @Override
    public void free(long address) {
        Long lentSize = allocated.remove(address);
        if (lentSize == null) {
            return;
        }
        long start = address;
        long size = lentSize;
        Map.Entry<Long, Long> below = sizes.lowerEntry(address);
        if (below != null && below.getKey() + below.getValue() == address) {
            start = below.getKey();
            size += below.getValue();
        }
        Long above = sizes.remove(address + lentSize);
        if (above != null) {
            size += above;
        }
        sizes.put(start, size);
    }
}
