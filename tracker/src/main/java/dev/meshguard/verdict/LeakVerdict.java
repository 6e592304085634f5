package dev.meshguard.verdict;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.SourceVocabulary;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.Anomaly;
import dev.meshguard.history.MemorySnapshot.MemoryKey;
import dev.meshguard.history.Timeline;
import dev.meshguard.verdict.expectation.ExpectationResult;
import dev.meshguard.verdict.expectation.ExpectationResult.Kind;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The result of a {@link LeakCheck}: its {@linkplain Outcome outcome}, the survivors with their causes, and every other
 * finding.
 *
 * <p>Immutable and safe for use by several threads. The report module formats it as text.
 *
 * @param history the history that was judged
 * @param outcome the worst of all findings
 * @param survivors every buffer that was still in the ledger at the check or when the close of its allocator began,
 *     oldest first
 * @param groups the survivors, grouped for a reader
 * @param sum the buffers of the history: {@code allocated = freed + late + live}
 * @param anomalies the reports that did not fit
 * @param overwrites the buffers whose data was lost, on each device, the oldest event first
 * @param expectations the result of each expectation
 * @param inconclusiveReasons why the check cannot decide; empty if nothing is missing
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record LeakVerdict(
        AllocationHistory history,
        Outcome outcome,
        List<Survivor> survivors,
        List<SurvivorGroup> groups,
        Sum sum,
        List<Anomaly> anomalies,
        List<Overwrite> overwrites,
        List<ExpectationResult> expectations,
        List<InconclusiveReason> inconclusiveReasons) {

    /**
     * The buffers of a history by their state; a buffer is one generation of one address on one device.
     *
     * @param allocated how many were ever allocated
     * @param freed how many were freed in time
     * @param late how many were freed too late, after the close of their allocator had begun
     * @param leaked how many were not freed
     * @param misreported how many only the ledger still holds
     * @param expected how many survivors are expected
     * @param undecided how many may leak or have been freed, see {@link Diagnosis#reason()}
     */
    public record Sum(
            long allocated, long freed, long late, long leaked, long misreported, long expected, long undecided) {

        /** Returns how many survived. */
        public long live() {
            return leaked + misreported + expected + undecided;
        }
    }

    /** Creates a verdict with its own copies of the lists. */
    public LeakVerdict {
        survivors = List.copyOf(survivors);
        groups = List.copyOf(groups);
        anomalies = List.copyOf(anomalies);
        overwrites = List.copyOf(overwrites);
        expectations = List.copyOf(expectations);
        inconclusiveReasons = List.copyOf(inconclusiveReasons);
    }

    /**
     * Returns the allocated and surviving memory of all devices by type and lifetime, in the order of both. User memory and the
     * runtime's own are never added up.
     */
    public SortedMap<MemoryKey, Timeline.Section> totals() {
        SortedMap<MemoryKey, Timeline.Section> totals = new TreeMap<>();
        history.timeline()
                .curvesBy(memory -> new MemoryKey(HistoryEvent.NO_DEVICE, memory.type(), memory.lifetime()))
                .forEach((memory, curve) -> totals.put(memory, curve.between(0, Long.MAX_VALUE)));
        return totals;
    }

    /** Returns the memory that was allocated and freed in each phase, in order. */
    public List<PhaseUsage> phaseUsages() {
        return PhaseUsage.of(history);
    }

    /** Returns why the check cannot decide, as whole sentences; empty if nothing is missing. */
    public List<String> inconclusiveReasonTexts() {
        return inconclusiveReasons.stream().map(InconclusiveReason::text).toList();
    }

    /** Returns why events may be missing in the history, so that what is not in it may have happened; empty if nothing is missing. */
    @API(status = Status.INTERNAL, since = "0.1")
    public List<InconclusiveReason> missingReports() {
        return select(inconclusiveReasons, reason -> reason.kind().isAboutMissingReports());
    }

    /**
     * Returns how to fix the cause of a group, in the words of its source.
     *
     * @return whole sentences; empty if no fix follows from the evidence, and for expected and undecided survivors
     */
    public Optional<String> fixOf(SurvivorGroup group) {
        return Fixes.of(history, group);
    }

    /** Returns the words for memory of which the source is unknown. */
    public SourceVocabulary vocabulary() {
        return history.vocabulary();
    }

    /** Returns the groups of one status. */
    public List<SurvivorGroup> groups(SurvivorStatus status) {
        return select(groups, group -> group.status() == status);
    }

    /** Returns the survivors that fit. */
    public List<Survivor> survivors(Predicate<Survivor> fits) {
        return select(survivors, fits);
    }

    /** Returns the buffers whose data was lost and that no entry permits to lose it. */
    public List<Overwrite> unexpectedOverwrites() {
        return select(overwrites, overwrite -> !overwrite.isExpected());
    }

    /** Returns the anomalies that prevent the ledger from balancing. */
    public List<Anomaly> unbalancingAnomalies() {
        return select(anomalies, anomaly -> anomaly.kind().unbalancesLedger());
    }

    /** Returns the expectations with fewer survivors than they require. */
    public List<ExpectationResult> staleExpectations() {
        return select(expectations, result -> result.kind() == Kind.UNDER_ITS_BOUND);
    }

    /** Most tests have no findings, and a stream costs them more than all that is asked of the verdict. */
    private static <T> List<T> select(List<T> all, Predicate<T> fits) {
        return all.isEmpty() ? List.of() : all.stream().filter(fits).toList();
    }

    /** Returns whether all memory was freed in time: nothing leaked or was freed late, and the check could decide. */
    public boolean isLeakFree() {
        return sum.leaked() == 0 && sum.late() == 0 && sum.undecided() == 0 && inconclusiveReasons.isEmpty();
    }

    /** Returns whether the ledger agrees with the memory: nothing misreported, no free without a buffer. */
    public boolean hasBalancedReports() {
        return sum.misreported() == 0 && unbalancingAnomalies().isEmpty() && inconclusiveReasons.isEmpty();
    }

    /** Returns whether each expectation has as many survivors as it requires. */
    public boolean meetsExpectations() {
        return staleExpectations().isEmpty();
    }

    /** Returns the outcome and the sum in one line. */
    @Override
    public String toString() {
        return outcome + ": " + sum.allocated() + " allocated, " + sum.freed() + " freed, " + sum.late()
                + " freed late, "
                + sum.leaked()
                + " leaked, " + sum.misreported() + " misreported, " + sum.expected() + " expected, "
                + sum.undecided() + " undecided";
    }
}
