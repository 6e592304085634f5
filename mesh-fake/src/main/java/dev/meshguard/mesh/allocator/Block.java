package dev.meshguard.mesh.allocator;

import org.jspecify.annotations.Nullable;

/** A block of a {@link FreeListOpt}: a range of addresses, counted from the start of the managed range, in a numbered slot. */
final class Block {

    final int slot;
    long start;
    long end;
    boolean allocated;

    /** The blocks that adjoin this one. */
    @Nullable
    Block previous;

    @Nullable
    Block next;

    /** The trees of free blocks at lower and at higher addresses, as {@link FreeBlocks} needs them. */
    final @Nullable Block[] children = new @Nullable Block[2];

    /** The size of the largest block of the tree of which this is the root. */
    long largest;

    Block(int slot, long start, long end) {
        this.slot = slot;
        this.start = start;
        this.end = end;
    }

    long size() {
        return end - start;
    }
}
