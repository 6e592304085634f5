package dev.meshguard.mesh.allocator;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The highest ends of allocated and of freed memory in a bank while they are tracked; with them the runtime checks that a trace is safe.
 *
 * <p>Source: the high water marks of {@code tt_metal/impl/allocator/bank_manager.cpp}, by which the runtime checks a trace
 * in DRAM.
 *
 * @param allocation the highest end of an allocation, in bytes, without the rounding of its size; 0 if there was none
 * @param deletion the highest end of a block that was freed, in bytes; 0 if there was none
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record HighWaterMarks(long allocation, long deletion) {

    static final HighWaterMarks ZERO = new HighWaterMarks(0, 0);

    HighWaterMarks withAllocationUpTo(long end) {
        return new HighWaterMarks(Math.max(allocation, end), deletion);
    }

    HighWaterMarks withDeletionUpTo(long end) {
        return new HighWaterMarks(allocation, Math.max(deletion, end));
    }
}
