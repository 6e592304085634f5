package dev.meshguard.mesh.allocator;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The free blocks of a free list, ordered by address.
 *
 * <p>The runtime keeps a sorted list for each size class and takes the outermost fit of all of them. That is the outermost block of
 * all that is large enough, so this class keeps one search tree over the addresses. Every block stores the largest size below
 * it. A search takes a logarithmic number of steps, even among very many blocks that are all too small. The tree is a treap. A
 * block's rank follows from its slot number, so nothing here is random. Not thread-safe.
 *
 * <p>Callers must remove a block before its bounds change and add it again afterwards.
 */
final class FreeBlocks {

    private static final int LOWER = 0;
    private static final int HIGHER = 1;

    @Nullable
    Block root;

    void add(Block block) {
        block.children[LOWER] = null;
        block.children[HIGHER] = null;
        root = inserted(root, updated(block));
    }

    void remove(Block block) {
        root = removed(Objects.requireNonNull(root), block);
    }

    /** Returns the first block in the direction of the search that is large enough. */
    @Nullable
    Block fit(long size, boolean bottomUp) {
        return fit(root, size, bottomUp ? LOWER : HIGHER);
    }

    /** {@return the size of the largest block, 0 if there is no block} */
    long largest() {
        return largest(root);
    }

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
}
