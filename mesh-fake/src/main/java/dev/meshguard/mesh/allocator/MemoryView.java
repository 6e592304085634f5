package dev.meshguard.mesh.allocator;

import java.util.List;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The report of {@code ttnn.get_memory_view} about one kind of memory.
 *
 * <p>All banks of a kind share their addresses, so the figures of one bank apply to each bank of each device. Sizes are in
 * bytes. Immutable and safe for use by several threads. Source: {@code GetMemoryView} in
 * {@code tt_metal/detail/reports/memory_reporter.cpp}.
 *
 * @param numBanks the number of banks
 * @param totalBytesPerBank the managed bytes of a bank
 * @param totalBytesAllocatedPerBank the allocated bytes of a bank, rounded as they were allocated
 * @param totalBytesFreePerBank the free bytes of a bank
 * @param largestContiguousBytesFreePerBank the largest free block, less than the free bytes when the bank is fragmented
 * @param blockTable the blocks of a bank, in the order of their slots
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record MemoryView(
        int numBanks,
        long totalBytesPerBank,
        long totalBytesAllocatedPerBank,
        long totalBytesFreePerBank,
        long largestContiguousBytesFreePerBank,
        List<MemoryBlock> blockTable) {

    /** Creates a view with its own copy of the table. */
    public MemoryView {
        blockTable = List.copyOf(blockTable);
    }

    /** Returns the view of an allocator's memory of one kind. */
    public static MemoryView of(int numBanks, Statistics statistics, List<MemoryBlock> blockTable) {
        return new MemoryView(
                numBanks,
                statistics.totalAllocatable(),
                statistics.totalAllocated(),
                statistics.totalFree(),
                statistics.largestFree(),
                blockTable);
    }
}
