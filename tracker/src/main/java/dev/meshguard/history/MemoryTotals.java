package dev.meshguard.history;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Live, peak and total memory of one device, type or lifetime.
 *
 * <p>An address that is reported again while it is live stays one entry until all its reports are freed
 * ({@code CountingPolicy.REFERENCE_COUNTED}).
 *
 * @param liveBytes bytes allocated now
 * @param liveBuffers entries allocated now
 * @param liveReports reported allocations minus reported frees of the live entries; more than the entries where one
 *     address was reported more than once
 * @param peakBytes the most bytes ever allocated at once
 * @param peakBuffers the most entries ever allocated at once
 * @param totalBytes bytes of all entries ever allocated
 * @param totalBuffers all entries ever allocated
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record MemoryTotals(
        long liveBytes,
        long liveBuffers,
        long liveReports,
        long peakBytes,
        long peakBuffers,
        long totalBytes,
        long totalBuffers) {

    /** The totals of unused memory. */
    public static final MemoryTotals NOTHING = new MemoryTotals(0, 0, 0, 0, 0, 0, 0);
}
