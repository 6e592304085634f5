package dev.meshguard.mesh.allocator;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The free blocks of a free list by size class, each class ordered by address.
 *
 * <p>The runtime keeps a sorted list per class and searches it from one end for the first block that is large enough. This
 * class returns the same blocks, but keeps each class as a search tree over the addresses. Every block stores the largest size
 * below it. A search takes a logarithmic number of steps, even among very many blocks that are all too small. The trees are
 * treaps. A block's rank follows from its slot number, so nothing here is random. Not thread-safe.
 *
 * <p>Callers must remove a block before its bounds change and add it again afterwards.
 */
final class FreeBlocks {

    /** {@code size_segregated_base} in {@code free_list_opt.hpp}. */
    private static final long SMALLEST_CLASS = 1024;

    private static final int MIN_CLASSES = 2;

    /** The runtime thinks of 128 MiB as the largest class worth having. */
    private static final int MAX_CLASSES = bitLength(128 * 1024 * 1024 / SMALLEST_CLASS);

    private static final int LOWER = 0;
    private static final int HIGHER = 1;

    /** The trees of the classes. */
    final @Nullable Block[] roots;

    FreeBlocks(long maxSize) {
        int classes = Math.max(MIN_CLASSES, Math.min(MAX_CLASSES, bitLength(maxSize / SMALLEST_CLASS)));
        this.roots = new @Nullable Block[classes];
    }

    void add(Block block) {
        Arrays.fill(block.children, null);
        int sizeClass = sizeClass(block.size());
        roots[sizeClass] = inserted(roots[sizeClass], updated(block));
    }

    void remove(Block block) {
        int sizeClass = sizeClass(block.size());
        roots[sizeClass] = removed(roots[sizeClass], block);
    }

    /** Returns, in the direction of the search, the first fit of all classes or the first of the smallest class with a fit. */
    @Nullable
    Block fit(SearchPolicy policy, long size, boolean bottomUp) {
        Block found = null;
        for (int sizeClass = sizeClass(size); sizeClass < roots.length; sizeClass++) {
            Block fit = fit(roots[sizeClass], size, bottomUp ? LOWER : HIGHER);
            if (fit != null
                    && (found == null || (policy == SearchPolicy.FIRST && bottomUp == fit.start < found.start))) {
                found = fit;
            }
        }
        return found;
    }

    /** {@return the size of the largest block of all classes, 0 if there is no block} */
    long largest() {
        return Arrays.stream(roots).mapToLong(FreeBlocks::largest).max().orElseThrow();
    }

    int sizeClass(long size) {
        return Math.max(0, Math.min(roots.length, bitLength(size / SMALLEST_CLASS)) - 1);
    }

    /** Returns the first fit of a tree, searched from one side. */
    private static @Nullable Block fit(@Nullable Block root, long size, int side) {
        if (root == null || root.largest < size) {
            return null;
        }
        Block nearer = fit(root.children[side], size, side);
        if (nearer != null) {
            return nearer;
        }
        return root.size() >= size ? root : fit(root.children[1 - side], size, side);
    }

    private static Block inserted(@Nullable Block root, Block block) {
        if (root == null) {
            return block;
        }
        int side = block.start < root.start ? LOWER : HIGHER;
        Block child = inserted(root.children[side], block);
        if (rank(child) <= rank(root)) {
            root.children[side] = child;
            return updated(root);
        }
        root.children[side] = child.children[1 - side];
        child.children[1 - side] = updated(root);
        return updated(child);
    }

    private static @Nullable Block removed(Block root, Block block) {
        if (root == block) {
            return joined(block.children[LOWER], block.children[HIGHER]);
        }
        int side = block.start < root.start ? LOWER : HIGHER;
        root.children[side] = removed(root.children[side], block);
        return updated(root);
    }

    /** Makes one tree of two, where every address of the first is below every address of the second. */
    private static @Nullable Block joined(@Nullable Block below, @Nullable Block above) {
        if (below == null || above == null) {
            return below == null ? above : below;
        }
        if (rank(below) > rank(above)) {
            below.children[HIGHER] = joined(below.children[HIGHER], above);
            return updated(below);
        }
        above.children[LOWER] = joined(below, above.children[LOWER]);
        return updated(above);
    }

    private static Block updated(Block root) {
        root.largest = Math.max(root.size(), Math.max(largest(root.children[LOWER]), largest(root.children[HIGHER])));
        return root;
    }

    private static long largest(@Nullable Block root) {
        return root == null ? 0 : root.largest;
    }

    /** Maps the slot numbers to distinct ints that are spread over the whole range, so that the trees stay shallow. */
    private static int rank(Block block) {
        return Integer.reverse(block.slot * 0x9E3779B9);
    }

    private static int bitLength(long value) {
        return Long.SIZE - Long.numberOfLeadingZeros(value);
    }
}
