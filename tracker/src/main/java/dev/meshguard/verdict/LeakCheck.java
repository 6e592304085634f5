package dev.meshguard.verdict;

import dev.meshguard.tracker.history.AllocationHistory;
import dev.meshguard.verdict.expectation.ExpectedBuffers;
import dev.meshguard.verdict.internal.ExcludedFindings;
import dev.meshguard.verdict.internal.VerdictBuilder;
import java.util.ArrayList;
import java.util.List;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Judges a history.
 *
 * <p>A pure function: the same history and allowlist give the same verdict. There is no clock, no collection of garbage
 * and no look at anything but the history in it, so a history that was recorded elsewhere is judged like a live one.
 *
 * <h2>How causes are found</h2>
 *
 * <p>A list of small rules, each in a class of its own, is tried in the order of {@link Cause}; the first that finds
 * proof names the cause. The rules know nothing of the source: what a history does not hold (owners, origins, a
 * witness) can only make causes fewer, never other.
 *
 * <pre>{@code
 * LeakVerdict verdict = LeakCheck.create()
 *         .expecting(ExpectedBuffers.of(Expectation.because("…").label("kv-cache").atMost(8)))
 *         .examine(tracker.history());
 * }</pre>
 *
 * <p>Immutable and safe for use by several threads.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class LeakCheck {

    private final ExpectedBuffers expected;
    private final List<ExcludedFindings> excluded;

    private LeakCheck(ExpectedBuffers expected, List<ExcludedFindings> told) {
        this.expected = expected;
        this.excluded = List.copyOf(told);
    }

    /** Returns a check that expects nothing but buffers of lifetime {@code PERSISTENT} to stay. */
    public static LeakCheck create() {
        return new LeakCheck(ExpectedBuffers.none(), List.of());
    }

    /** Returns this check with more buffers that may stay. */
    public LeakCheck expecting(ExpectedBuffers more) {
        return new LeakCheck(expected.and(more), excluded);
    }

    /**
     * Returns this check for a history of which a part was judged before: what was said of the part is not said again. Its survivors
     * may stay, and its frees of nothing are left out.
     *
     * @param part the verdict on what one of several who shared the tracker left
     * @param by who said it, for readers
     */
    public LeakCheck excluding(LeakVerdict part, String by) {
        List<ExcludedFindings> more = new ArrayList<>(excluded);
        more.add(ExcludedFindings.of(part, by));
        return new LeakCheck(expected, more);
    }

    /** Returns what the history means. */
    public LeakVerdict examine(AllocationHistory history) {
        return new VerdictBuilder(history, expected, excluded).verdict();
    }
}
