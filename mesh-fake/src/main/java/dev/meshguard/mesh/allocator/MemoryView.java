package dev.meshguard.mesh.allocator;

import java.util.List;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * What {@code ttnn.get_memory_view} says of one kind of memory.
 *
 * <p>All banks of a kind share their addresses, so the figures of one bank hold for each bank of each device. Sizes are in bytes.
 * Immutable and safe for use by several threads. Source: {@code GetMemoryView} in {@code tt_metal/detail/reports/memory_reporter.cpp}.
 *
 * @param numBanks the number of banks
 * @param totalBytesPerBank what a bank manages
 * @param totalBytesAllocatedPerBank what is taken of it, rounded as it was taken
 * @param totalBytesFreePerBank what is free of it
 * @param largestContiguousBytesFreePerBank the largest free block, which is less than all that is free when the bank is fragmented
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
