package dev.meshguard.mesh.allocator;

import java.util.OptionalInt;

/**
 * One row of a free list's block table.
 *
 * <p>Immutable and safe for use by several threads. Source: {@code get_memory_block_table} in
 * {@code tt_metal/impl/allocator/algorithms/free_list_opt.cpp}.
 *
 * @param blockId the number of the block's slot
 * @param address the first byte of the block, counted from the start of the managed range, so without the list's offset
 * @param size the bytes of the block
 * @param prevId the slot of the block before this one, empty for the lowest block
 * @param nextId the slot of the block after this one, empty for the highest block
 * @param allocated whether the block is allocated
 */
record MemoryBlock(int blockId, long address, long size, OptionalInt prevId, OptionalInt nextId, boolean allocated) {}
