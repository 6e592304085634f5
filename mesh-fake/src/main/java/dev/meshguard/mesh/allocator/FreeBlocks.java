package dev.meshguard.mesh.allocator;

import static dev.meshguard.mesh.allocator.BlockTable.NONE;

import java.util.Arrays;
import java.util.function.IntConsumer;

/**
 * The free blocks of a free list by size class, each class ordered by address.
 *
 * <p>The runtime keeps a sorted list per class and searches it from one end for the first block that is large enough. This
 * class returns the same blocks, but keeps each class as a search tree over the addresses. Every node stores the largest size
 * below it. A search takes a logarithmic number of steps, even among very many blocks that are all too small. The trees are
 * treaps. A node's rank follows from its slot number, so nothing here is random. Not thread-safe.
 *
 * <p>Callers must remove a block before its bounds change and add it again afterwards.
 */
final class FreeBlocks {

    /** {@code size_segregated_base} in {@code free_list_opt.hpp}. */
    private static final long SMALLEST_CLASS = 1024;

    private static final int MIN_CLASSES = 2;

    /** The runtime thinks of 128 MiB as the largest class worth having. */
    private static final int MAX_CLASSES = bitLength(128 * 1024 * 1024 / SMALLEST_CLASS);

    private final BlockTable blocks;
    private final int[] roots;
    private int[] lower = new int[0];
    private int[] higher = new int[0];
    private long[] largest = new long[0];

    FreeBlocks(BlockTable blocks, long maxSize) {
        this.blocks = blocks;
        int classes = Math.max(MIN_CLASSES, Math.min(MAX_CLASSES, bitLength(maxSize / SMALLEST_CLASS)));
        this.roots = new int[classes];
        clear();
    }

    void clear() {
        Arrays.fill(roots, NONE);
    }

    void add(int slot) {
        makeRoomFor(slot);
        lower[slot] = NONE;
        higher[slot] = NONE;
        largest[slot] = blocks.size(slot);
        int sizeClass = sizeClass(blocks.size(slot));
        roots[sizeClass] = insert(roots[sizeClass], slot);
    }

    void remove(int slot) {
        int sizeClass = sizeClass(blocks.size(slot));
        roots[sizeClass] = remove(roots[sizeClass], slot);
    }

    int classCount() {
        return roots.length;
    }

    int sizeClass(long size) {
        return Math.max(0, Math.min(roots.length, bitLength(size / SMALLEST_CLASS)) - 1);
    }

    /** {@return the block at the lowest address in a class with at least the size, or {@link BlockTable#NONE}} */
    int lowestFit(int sizeClass, long size) {
        int node = roots[sizeClass];
        if (largest(node) < size) {
            return NONE;
        }
        while (true) {
            if (largest(lower[node]) >= size) {
                node = lower[node];
            } else if (blocks.size(node) >= size) {
                return node;
            } else {
                node = higher[node];
            }
        }
    }

    /** {@return the block at the highest address in a class with at least the size, or {@link BlockTable#NONE}} */
    int highestFit(int sizeClass, long size) {
        int node = roots[sizeClass];
        if (largest(node) < size) {
            return NONE;
        }
        while (true) {
            if (largest(higher[node]) >= size) {
                node = higher[node];
            } else if (blocks.size(node) >= size) {
                return node;
            } else {
                node = lower[node];
            }
        }
    }

    /** {@return the block that contains all of {@code [start, end)}, or {@link BlockTable#NONE}} */
    int containing(long start, long end) {
        for (int sizeClass = sizeClass(end - start); sizeClass < roots.length; sizeClass++) {
            int candidate = lastNotAfter(roots[sizeClass], start);
            if (candidate != NONE && blocks.end(candidate) >= end) {
                return candidate;
            }
        }
        return NONE;
    }

    /** {@return the size of the largest block of all classes, 0 if there is no block} */
    long largest() {
        long found = 0;
        for (int root : roots) {
            found = Math.max(found, largest(root));
        }
        return found;
    }

    /** Visits the blocks of a class that have at least the size, in ascending order of their addresses. */
    void forEachFit(int sizeClass, long size, IntConsumer action) {
        visit(roots[sizeClass], size, action);
    }

    /** {@return the maximum number of blocks that a search in one class may visit} */
    int depth() {
        int deepest = 0;
        for (int root : roots) {
            deepest = Math.max(deepest, depth(root));
        }
        return deepest;
    }

    private int depth(int node) {
        return node == NONE ? 0 : 1 + Math.max(depth(lower[node]), depth(higher[node]));
    }

    private void visit(int node, long size, IntConsumer action) {
        if (largest(node) < size) {
            return;
        }
        visit(lower[node], size, action);
        if (blocks.size(node) >= size) {
            action.accept(node);
        }
        visit(higher[node], size, action);
    }

    private int lastNotAfter(int root, long address) {
        int last = NONE;
        int node = root;
        while (node != NONE) {
            if (blocks.address(node) <= address) {
                last = node;
                node = higher[node];
            } else {
                node = lower[node];
            }
        }
        return last;
    }

    private int insert(int root, int slot) {
        if (root == NONE) {
            return slot;
        }
        if (blocks.address(slot) < blocks.address(root)) {
            lower[root] = insert(lower[root], slot);
            return rank(lower[root]) > rank(root) ? raiseLower(root) : updated(root);
        }
        higher[root] = insert(higher[root], slot);
        return rank(higher[root]) > rank(root) ? raiseHigher(root) : updated(root);
    }

    private int remove(int root, int slot) {
        if (root == slot) {
            return join(lower[slot], higher[slot]);
        }
        if (blocks.address(slot) < blocks.address(root)) {
            lower[root] = remove(lower[root], slot);
        } else {
            higher[root] = remove(higher[root], slot);
        }
        return updated(root);
    }

    /** Makes one tree of two, where every address of the first is below every address of the second. */
    private int join(int below, int above) {
        if (below == NONE) {
            return above;
        }
        if (above == NONE) {
            return below;
        }
        if (rank(below) > rank(above)) {
            higher[below] = join(higher[below], above);
            return updated(below);
        }
        lower[above] = join(below, lower[above]);
        return updated(above);
    }

    private int raiseLower(int root) {
        int raised = lower[root];
        lower[root] = higher[raised];
        higher[raised] = updated(root);
        return updated(raised);
    }

    private int raiseHigher(int root) {
        int raised = higher[root];
        higher[root] = lower[raised];
        lower[raised] = updated(root);
        return updated(raised);
    }

    private int updated(int node) {
        largest[node] = Math.max(blocks.size(node), Math.max(largest(lower[node]), largest(higher[node])));
        return node;
    }

    private long largest(int node) {
        return node == NONE ? NONE : largest[node];
    }

    /** Maps the slot numbers to distinct ints that are spread over the whole range, so that the trees stay shallow. */
    private static int rank(int slot) {
        int mixed = slot * 0x9E3779B9;
        mixed = (mixed ^ (mixed >>> 16)) * 0x85EBCA6B;
        return mixed ^ (mixed >>> 13);
    }

    private void makeRoomFor(int slot) {
        if (slot >= lower.length) {
            int capacity = Math.max(blocks.slotCount(), 2 * lower.length);
            lower = Arrays.copyOf(lower, capacity);
            higher = Arrays.copyOf(higher, capacity);
            largest = Arrays.copyOf(largest, capacity);
        }
    }

    private static int bitLength(long value) {
        return Long.SIZE - Long.numberOfLeadingZeros(value);
    }
}
