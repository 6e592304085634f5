package dev.meshguard.verdict;

import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.BufferType;
import dev.meshguard.tracker.history.AllocationHistory;
import dev.meshguard.tracker.history.Anomaly;
import dev.meshguard.tracker.history.BufferGeneration;
import dev.meshguard.tracker.history.HistoryEvent;
import dev.meshguard.verdict.expectation.ExpectationResult;
import dev.meshguard.verdict.expectation.ExpectationResult.Fate;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * An outcome with the evidence for it.
 *
 * <p>Immutable and safe for use by several threads. How it reads as text is the business of the report module.
 *
 * @param history what was judged
 * @param outcome the worst of all findings
 * @param survivors every buffer that is still in the books or was when the close of its allocator began, oldest first
 * @param groups the survivors, grouped for a reader
 * @param sum the buffers of the history; it always comes out, or the outcome is {@code INCONCLUSIVE}
 * @param totals what each type took in all and what is left, user and system memory apart
 * @param phaseUsages what came and went in each phase
 * @param anomalies the reports that did not fit
 * @param expectations what became of each entry of the allowlist
 * @param inconclusiveReasons why it cannot be known; empty unless something is missing
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record LeakVerdict(
        AllocationHistory history,
        Outcome outcome,
        List<Survivor> survivors,
        List<SurvivorGroup> groups,
        Sum sum,
        List<TypeTotal> totals,
        List<PhaseUsage> phaseUsages,
        List<Anomaly> anomalies,
        List<ExpectationResult> expectations,
        List<InconclusiveReason> inconclusiveReasons) {

    /**
     * Where the buffers of a history are; a buffer is one life of one address on one device.
     *
     * @param allocated how many were ever allocated
     * @param freed how many were freed in time
     * @param late how many were freed too late: when the close of their allocator had begun
     * @param leaked how many were not given back
     * @param misreported how many only the books still hold
     * @param expected how many may stay
     * @param undecided of how many it is not known: their mesh is still open, or their report came after the close
     */
    public record Sum(
            long allocated, long freed, long late, long leaked, long misreported, long expected, long undecided) {

        /** Returns how many are left. */
        public long live() {
            return leaked + misreported + expected + undecided;
        }

        /** Returns whether {@code allocated = freed + late + live}. */
        public boolean comesOut() {
            return allocated == freed + late + live();
        }
    }

    /**
     * What one type of memory took in all and what is left of it, over all devices.
     *
     * @param type the memory
     * @param lifetime whose memory
     * @param allocatedBuffers how many buffers were ever allocated
     * @param allocatedBytes their bytes
     * @param liveBuffers how many are left
     * @param liveBytes their bytes
     */
    public record TypeTotal(
            BufferType type,
            BufferLifetime lifetime,
            long allocatedBuffers,
            long allocatedBytes,
            long liveBuffers,
            long liveBytes) {}

    /** Creates a verdict with its own copies of the lists. */
    public LeakVerdict {
        survivors = List.copyOf(survivors);
        groups = List.copyOf(groups);
        totals = List.copyOf(totals);
        phaseUsages = List.copyOf(phaseUsages);
        anomalies = List.copyOf(anomalies);
        expectations = List.copyOf(expectations);
        inconclusiveReasons = List.copyOf(inconclusiveReasons);
    }

    /** Returns why it cannot be known, as whole sentences; empty unless something is missing. */
    public List<String> inconclusiveReasonTexts() {
        return inconclusiveReasons.stream().map(InconclusiveReason::text).toList();
    }

    /** Returns what to do about a cause, in words that fit where no mesh is known: of programs, logs and bindings without one. */
    public String remedyOf(Cause cause) {
        return isWithoutMesh() ? cause.remedyWithoutMesh() : cause.remedy();
    }

    /** Returns whether what was reported came from a source that tells of no mesh: from the log of a server, say. */
    public boolean isWithoutMesh() {
        return history.meshes().isEmpty()
                && !history.events(HistoryEvent.SourceAttached.class).isEmpty();
    }

    /** Returns the groups of one standing. */
    public List<SurvivorGroup> groups(SurvivorStatus standing) {
        return groups.isEmpty()
                ? List.of()
                : groups.stream().filter(group -> group.status() == standing).toList();
    }

    /** Returns the survivors that fit. */
    public List<Survivor> survivors(Predicate<Survivor> fits) {
        return survivors.isEmpty() ? List.of() : survivors.stream().filter(fits).toList();
    }

    /**
     * Returns where two allocators (of two meshes, or of a mesh and a device of it) held the same memory of a device at a time,
     * oldest first: no leak, and the books are right, but on hardware each buffer overwrites what the other wrote.
     *
     * <p>What was freed without a report is left out: it may have been gone before the other allocator reserved the memory.
     */
    public List<Anomaly> meshOverlaps() {
        if (anomalies.isEmpty()) {
            return List.of();
        }
        Set<BufferGeneration> givenBack =
                survivors(survivor -> survivor.status() == SurvivorStatus.MISREPORTED).stream()
                        .map(Survivor::buffer)
                        .collect(Collectors.toSet());
        return anomalies.stream()
                .filter(anomaly -> anomaly.kind() == Anomaly.Kind.HELD_BY_TWO_ALLOCATORS)
                .filter(anomaly ->
                        anomaly.generation().filter(givenBack::contains).isEmpty())
                .toList();
    }

    /** Returns the anomalies because of which the books cannot balance. */
    public List<Anomaly> unbalancingAnomalies() {
        if (anomalies.isEmpty()) {
            return List.of();
        }
        return anomalies.stream()
                .filter(anomaly -> anomaly.kind().unbalancesLedger())
                .toList();
    }

    /** Returns whether the memory was given back in time: nothing leaked or was freed late, and it can be known. */
    public boolean isLeakFree() {
        return sum.leaked() == 0 && sum.late() == 0 && inconclusiveReasons.isEmpty();
    }

    /** Returns whether the books agree with the memory: nothing misreported, no free without a buffer. */
    public boolean hasBalancedReports() {
        return sum.misreported() == 0 && unbalancingAnomalies().isEmpty() && inconclusiveReasons.isEmpty();
    }

    /** Returns the entries of the allowlist of which less is left than they promise. */
    public List<ExpectationResult> staleExpectations() {
        if (expectations.isEmpty()) {
            return List.of();
        }
        return expectations.stream()
                .filter(result -> result.fate() == Fate.UNDER_ITS_BOUND)
                .toList();
    }

    /** Returns whether as much is left as each entry of the allowlist promises. */
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
