package dev.meshguard.mesh.allocator;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The fill level of one bank.
 *
 * <p>All banks of a kind share their addresses, so the figures of one bank apply to each of them. Immutable and safe for use by
 * several threads. Source: {@code Statistics} in {@code tt_metal/impl/allocator/allocator_types.hpp}.
 *
 * @param totalAllocatable the managed bytes of a bank
 * @param totalAllocated the bytes of the allocated blocks, rounded as they were allocated
 * @param totalFree the bytes of the free blocks
 * @param largestFree the bytes of the largest free block; less than {@code totalFree} when the bank is fragmented
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record Statistics(long totalAllocatable, long totalAllocated, long totalFree, long largestFree) {}
