package dev.meshguard.reproduce.minimize;

import dev.meshguard.history.AllocationHistory;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.baseline.Baseline;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Shrinks a failing history by delta debugging while its findings stay the same.
 *
 * <pre>{@code
 * MinimizedHistory least = HistoryMinimizer.create().minimize(HistoryJson.read(Path.of("history.jsonl")));
 * HistoryJson.write(least.history(), Path.of("least.jsonl"));
 * }</pre>
 *
 * <h2>Algorithm</h2>
 *
 * <p>Each attempt omits events, is judged like any other history, and is kept if it has the same
 * {@link FailureSignature}. The attempts follow this order:
 * <ol>
 *   <li>Omit everything except the buffers of the finding. That is enough for most histories, also if these are a few
 *       of a million.
 *   <li>Omit generations of buffers in ever smaller chunks, then devices, then other events (phases, meshes, witness
 *       snapshots).
 *   <li>Reduce sizes and remove details of requests.
 * </ol>
 *
 * <p>This is repeated until nothing more can be omitted.
 *
 * <p>The finding is that of the whole history: of two leaks with the same cause one remains, of two causes both.
 * {@link #about} selects one of them. Addresses, labels and origins stay unchanged, so that the remaining events can be
 * recognised.
 *
 * <p>Deterministic: the same history gives the same shorter one. The search is bounded by the number of checks and of
 * the events that they read. At its bounds it returns the shortest history found.
 *
 * <p>Immutable and safe for use by several threads.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class HistoryMinimizer {

    private static final int MAX_CHECKS = 10_000;

    /** The last pass finds nothing, so there is at least one. Each pass removes something, so few are needed. */
    private static final int MAX_PASSES = 8;

    private final LeakCheck check;
    private final int maxChecks;
    private final Optional<Cause> target;
    private final Baseline known;

    private HistoryMinimizer(LeakCheck check, int mostChecks, Optional<Cause> wanted, Baseline known) {
        this.check = check;
        this.maxChecks = mostChecks;
        this.target = wanted;
        this.known = known;
    }

    /** Returns a search that expects no survivors and makes at most {@value #MAX_CHECKS} checks. */
    public static HistoryMinimizer create() {
        return new HistoryMinimizer(LeakCheck.create(), MAX_CHECKS, Optional.empty(), Baseline.empty());
    }

    /** Returns this search with another check. */
    public HistoryMinimizer judgedBy(LeakCheck newCheck) {
        return new HistoryMinimizer(newCheck, maxChecks, target, known);
    }

    /** Returns this search for the shortest history with a survivor of one cause, whatever the other findings are. */
    public HistoryMinimizer about(Cause cause) {
        return new HistoryMinimizer(check, maxChecks, Optional.of(cause), known);
    }

    /**
     * Returns this search for findings that a baseline does not list. Leaks of the baseline, in no larger number, are
     * omitted.
     */
    public HistoryMinimizer excluding(Baseline newKnown) {
        return new HistoryMinimizer(check, maxChecks, target, newKnown);
    }

    /**
     * Returns this search with another bound.
     *
     * @throws IllegalArgumentException if it is less than 1
     */
    public HistoryMinimizer withMaxChecks(int checks) {
        if (checks < 1) {
            throw new IllegalArgumentException("A search makes at least 1 check: " + checks + " were allowed");
        }
        return new HistoryMinimizer(check, checks, target, known);
    }

    /**
     * Returns the shortest history found that fails in the same way.
     *
     * @throws IllegalArgumentException if the history has no finding, or none with the requested cause, or if its
     *     events were not kept
     */
    public MinimizedHistory minimize(AllocationHistory history) {
        LeakVerdict verdict = check.examine(history);
        FailureSignature finding = FailureSignature.of(verdict, known);
        if (finding.isClean()) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "Nothing is wrong with this history (%s), so there is nothing to minimize. Give one whose verdict fails.",
                    finding));
        }
        if (!history.isComplete()) {
            throw new IllegalArgumentException(
                    "This history holds only what was still allocated and sums, so nothing can be"
                            + " removed from it. Record it with Retention.ALL.");
        }
        MinimizingSearch search = new MinimizingSearch(
                history, check, one -> FailureSignature.of(one, known), finding, kept(finding), maxChecks);
        search.attempt(new FindingBuffers(verdict, target).candidates());
        int before;
        int passes = 0;
        do {
            before = search.steps();
            pass(search);
            passes++;
        } while (search.steps() > before && passes < MAX_PASSES && !search.isOver());
        return search.result();
    }

    /** Returns the condition that a shorter history has to meet. */
    private Predicate<FailureSignature> kept(FailureSignature finding) {
        if (target.isEmpty()) {
            return finding::isKeptBy;
        }
        Cause cause = target.get();
        FailureSignature.SurvivorKind kind = finding.survivorKinds().stream()
                .filter(one -> one.cause() == cause)
                .min(Comparator.comparing(FailureSignature.SurvivorKind::status))
                .orElseThrow(() -> new IllegalArgumentException(String.format(
                        Locale.ROOT,
                        "No buffer of this history remains because of %s. What is wrong is %s.",
                        cause,
                        finding)));
        return other -> other.survivorKinds().contains(kind);
    }

    private static void pass(MinimizingSearch search) {
        search.omit(OmittableParts::generations);
        search.omit(OmittableParts::reports);
        search.omit(OmittableParts::devices);
        search.omit(OmittableParts::meshes);
        search.omit(OmittableParts::others);
        for (UnaryOperator<MutableHistory> simpler : search.simplifications()) {
            search.attempt(List.of(simpler));
        }
    }
}
