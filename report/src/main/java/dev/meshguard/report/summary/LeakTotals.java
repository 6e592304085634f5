package dev.meshguard.report.summary;

import dev.meshguard.report.SurvivorFinding;
import dev.meshguard.text.Quantities;
import dev.meshguard.verdict.SurvivorStatus;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The number of leaks, of their buffers and of their bytes; totals can be added.
 *
 * @param leaks the number of findings
 * @param buffers the buffers of all of them
 * @param bytes the bytes of these buffers, at most {@link Long#MAX_VALUE}; none of misreported memory, which was freed
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record LeakTotals(long leaks, long buffers, long bytes) {

    /** No survivors. */
    public static final LeakTotals NOTHING = new LeakTotals(0, 0, 0);

    /** Returns the total of one finding, as the text of a failure counts findings. */
    public static LeakTotals of(SurvivorFinding finding) {
        long bytes = finding.status() == SurvivorStatus.MISREPORTED ? 0 : finding.bytes();
        return new LeakTotals(1, finding.buffers(), bytes);
    }

    /** Returns the sum of both. */
    public LeakTotals and(LeakTotals more) {
        return new LeakTotals(leaks + more.leaks, buffers + more.buffers, Quantities.saturatedSum(bytes, more.bytes));
    }
}
