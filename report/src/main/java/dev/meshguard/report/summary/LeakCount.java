package dev.meshguard.report.summary;

import dev.meshguard.verdict.SurvivorGroup;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The total of some survivors.
 *
 * @param leaks the findings
 * @param buffers the buffers of all of them
 * @param bytes their bytes
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record LeakCount(long leaks, long buffers, long bytes) {

    /** No survivors. */
    public static final LeakCount NOTHING = new LeakCount(0, 0, 0);

    /** Returns the total of one finding. */
    public static LeakCount of(SurvivorGroup group) {
        return new LeakCount(1, group.buffers(), group.totalBytes());
    }

    /** Returns the sum of both. */
    public LeakCount and(LeakCount more) {
        return new LeakCount(leaks + more.leaks, buffers + more.buffers, bytes + more.bytes);
    }
}
