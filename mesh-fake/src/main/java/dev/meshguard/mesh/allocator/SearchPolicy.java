package dev.meshguard.mesh.allocator;

/**
 * The choice of a {@link FreeListOpt} among the free blocks that fit.
 *
 * <p>The runtime itself always uses {@link #FIRST}. Direct users of the class get {@link #BEST} (quirk Q6). Source:
 * {@code tt_metal/impl/allocator/algorithms/free_list_opt.hpp}.
 *
 */
enum SearchPolicy {
    /** The first block, in the direction of the search, of the smallest size class that has a fit. */
    BEST,
    /** The block at the lowest address, or at the highest when allocating from the top. */
    FIRST
}
