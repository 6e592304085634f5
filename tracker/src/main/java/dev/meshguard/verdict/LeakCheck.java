package dev.meshguard.verdict;

import dev.meshguard.event.SourceDescription;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.verdict.expectation.ExpectedBuffers;
import dev.meshguard.verdict.internal.EarlierVerdict;
import dev.meshguard.verdict.internal.VerdictBuilder;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Computes the {@link LeakVerdict} on a history: which buffers survived, and why, given the expected buffers and the
 * findings that verdicts on its parts have already reported.
 *
 * <p>It is a pure function: the same history and expectations give the same verdict. It uses no clock and forces no
 * garbage collection. It reads only the history, so a history that was recorded elsewhere is judged like a live one.
 *
 * <h2>How a verdict is made</h2>
 *
 * <ol>
 *   <li>Survivors are what was live at the check, and what was freed after the close of its allocator had begun.
 *   <li>Survivors that a verdict on a part {@linkplain #excluding has reported} keep its diagnosis and are expected.
 *   <li>Each other survivor passes through one list of small rules. The first with evidence names its cause and
 *       {@linkplain SurvivorStatus status}. Three rules about open meshes and unclear reports come first, the others
 *       are in the order of {@link Cause}. The rules do not depend on the source: missing data (owners, origins, a
 *       witness) leads to fewer causes, never to other ones.
 *   <li>Overwritten buffers and contradictory reports are added.
 *   <li>Expectations are assigned. Nothing else changes the status of a survivor.
 *   <li>What remains unknown gives the {@linkplain InconclusiveReason reasons}, and the worst finding the outcome.
 * </ol>
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
    private final List<EarlierVerdict> excluded;
    private final Set<SourceDescription> unrequested;

    private LeakCheck(
            ExpectedBuffers expected, List<EarlierVerdict> excluded, Collection<SourceDescription> unrequested) {
        this.expected = expected;
        this.excluded = List.copyOf(excluded);
        this.unrequested = Set.copyOf(unrequested);
    }

    /** Returns a check that expects only buffers of lifetime {@code PERSISTENT} to survive. */
    public static LeakCheck create() {
        return new LeakCheck(ExpectedBuffers.none(), List.of(), List.of());
    }

    /** Returns this check with more expected buffers. */
    public LeakCheck expecting(ExpectedBuffers more) {
        return new LeakCheck(expected.and(more), excluded, unrequested);
    }

    /**
     * Returns this check without the findings of an earlier verdict on a part of the same history. The survivors of
     * that part are not judged again but expected; its frees of nothing and overwritten buffers are left out.
     *
     * @param part the verdict on the part of one context of a shared tracker
     * @param by a readable name of the party that reported it
     */
    public LeakCheck excluding(LeakVerdict part, String by) {
        List<EarlierVerdict> more = new ArrayList<>(excluded);
        more.add(EarlierVerdict.of(part, by));
        return new LeakCheck(expected, more, unrequested);
    }

    /**
     * Returns this check of a tracker to which the code under test should report, although other sources are connected without a
     * request. If one of these has announced itself and nothing has reported, the verdict is inconclusive.
     *
     * @param sources the sources that are connected without a request
     */
    public LeakCheck besides(Collection<SourceDescription> sources) {
        return new LeakCheck(expected, excluded, sources);
    }

    /**
     * Returns the survivors in a history that neither their lifetime, nor an expectation, nor an earlier verdict covers, the
     * oldest first.
     *
     * <p>This is faster than a verdict, because it searches no causes. Call it to decide whether a {@linkplain
     * dev.meshguard.handle.HandleSearch search for handles} is worth its garbage collections.
     */
    public List<BufferGeneration> unexpectedSurvivors(AllocationHistory history) {
        return builder(history).unexpectedSurvivors();
    }

    /** Returns the verdict on a history. */
    public LeakVerdict examine(AllocationHistory history) {
        return builder(history).verdict();
    }

    private VerdictBuilder builder(AllocationHistory history) {
        return new VerdictBuilder(history, expected, excluded, unrequested);
    }
}
