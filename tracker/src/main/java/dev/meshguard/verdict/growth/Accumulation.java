package dev.meshguard.verdict.growth;

import dev.meshguard.history.AllocationHistory;
import dev.meshguard.text.InvariantText;
import dev.meshguard.verdict.CachedPrograms;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The survivors of repeated rounds, which distinguish a leak from a cache.
 *
 * <p>A cache is filled in the first round and then stays the same; a leak grows with every round. Accumulation
 * therefore counts what each round adds, by site, device and type. {@code [5, 0, 0, 0]} is a cache, {@code [3, 1, 0]}
 * is settling, {@code [1, 1, 1, 1]} is a leak. {@link Trend} has the rule.
 *
 * <pre>{@code
 * tracker.rounds(4, round -> decode(tokens));
 * Accumulation accumulation = Accumulation.of(tracker.history());
 * }</pre>
 *
 * <h2>Memory and ledger</h2>
 *
 * <p>{@link #memory()} is the memory that is really held according to the verdict, proved by a witness where there is
 * one. Memory that was freed without a report is excluded. Where a report is missing or doubled, the ledger of a tool
 * that believes every report drifts, but memory does not fill up. To see such a drift, read {@link
 * AllocationHistory#ledger} after each round.
 *
 * <h2>Rounds</h2>
 *
 * <p>The rounds are marked rounds ({@link Rounds#MARKED}) or open periods of meshes ({@link Rounds#MESHES}) of one
 * history. Memory allocated between two rounds counts for the later one. With fewer than two rounds after the warm-up
 * nothing is decided.
 *
 * <p>The run time grows with the number of events, not with events times rounds.
 *
 * <p>Immutable and safe for use by several threads.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class Accumulation {

    private final LeakVerdict verdict;
    private final RoundMarks marks;
    private final RetainedByRound retained;
    private final int warmUp;
    private final List<MemoryGrowth> memory;
    private final List<SiteGrowth> sites;

    private Accumulation(LeakVerdict verdict, RoundMarks marks, RetainedByRound retained, int warmUp) {
        this.verdict = verdict;
        this.marks = marks;
        this.retained = retained;
        this.warmUp = warmUp;
        this.sites = worstFirst(retained.bySite(warmUp));
        this.memory = retained.byMemory(warmUp);
    }

    /** Returns the accumulation over the marked rounds of a history. */
    public static Accumulation of(AllocationHistory history) {
        return of(LeakCheck.create().examine(history), Rounds.MARKED);
    }

    /** Returns the accumulation over the rounds of a verdict's history. */
    public static Accumulation of(LeakVerdict verdict, Rounds rounds) {
        RoundMarks marks = RoundMarks.in(verdict.history(), rounds);
        return new Accumulation(verdict, marks, new RetainedByRound(verdict, marks), RoundVector.DEFAULT_WARM_UP);
    }

    /**
     * Returns this accumulation with another number of warm-up rounds; 1 by default.
     *
     * @throws IllegalArgumentException if it is less than 0
     */
    public Accumulation withWarmUp(int rounds) {
        if (rounds < 0) {
            throw new IllegalArgumentException("The warm-up takes 0 rounds or more: " + rounds + " was given");
        }
        return new Accumulation(verdict, marks, retained, rounds);
    }

    /** Returns how many rounds ended. */
    public int rounds() {
        return marks.rounds();
    }

    /** Returns how many rounds are warm-up. */
    public int warmUp() {
        return warmUp;
    }

    /**
     * Returns why the survivors of the rounds cannot be determined, as whole sentences; empty if nothing is missing.
     */
    public List<String> inconclusiveReasons() {
        List<String> reasons = new ArrayList<>();
        verdict.history().lostReports().stream()
                .findFirst()
                .map(lost ->
                        InvariantText.of("Reports are missing (first at event #%d: %s).", lost.number(), lost.reason()))
                .ifPresent(reasons::add);
        marks.inconclusiveReason().ifPresent(reasons::add);
        long needed = (long) warmUp + Trend.MIN_ROUNDS_AFTER_WARM_UP;
        if (rounds() < needed) {
            reasons.add(InvariantText.of(
                    "%d of at least %d rounds ended, of which %d %s for warming up. Mark each with tracker.round(n).",
                    rounds(), needed, warmUp, warmUp == 1 ? "is" : "are"));
        }
        return reasons;
    }

    /**
     * Returns the worst trend of any memory: of its bytes, and of its units where their size is unknown. A growing site counts
     * even if another one shrinks.
     */
    public Trend trend() {
        if (!inconclusiveReasons().isEmpty()) {
            return Trend.UNDECIDED;
        }
        Stream<Trend> ofMemory = memory.stream().map(growth -> growth.amounts().trend());
        Stream<Trend> ofGrowingSites = sites.stream().map(SiteGrowth::trend).filter(trend -> trend == Trend.GROWING);
        return worst(Stream.concat(ofMemory, ofGrowingSites));
    }

    /**
     * Returns the growth of each memory that the rounds changed: in bytes by type and device, and then in units that of memory outside
     * devices of which some is of unknown size, as that of closeable objects.
     */
    public List<MemoryGrowth> memory() {
        return memory;
    }

    /**
     * Returns the growth of the program cache by each operation, the worst first.
     *
     * <p>Empty if no source reported that a cache keeps a program.
     */
    public List<ProgramCacheGrowth> programCache() {
        return ProgramsByRound.growths(verdict.history(), marks, warmUp);
    }

    /** Returns how many programs each round added to the program cache, of all operations. */
    public RoundVector cachedPrograms() {
        return ofAllOperations(programCache());
    }

    /** Returns the cached programs that own the buffers of a site, by operation. */
    @API(status = Status.INTERNAL, since = "0.1")
    public List<CachedPrograms> cachedPrograms(SiteGrowth site) {
        return CachedPrograms.of(site.owners(), verdict.history()::cacheKeyOf);
    }

    private RoundVector ofAllOperations(List<ProgramCacheGrowth> growths) {
        SortedMap<Integer, Long> programs = new TreeMap<>();
        for (ProgramCacheGrowth growth : growths) {
            growth.programs().amounts().forEach((round, amount) -> programs.merge(round, amount, Long::sum));
        }
        return new RoundVector(rounds(), warmUp, programs);
    }

    /** Returns the worst trend of the program cache: by any operation, or by all of them together. */
    public Trend programCacheTrend() {
        List<ProgramCacheGrowth> growths = programCache();
        if (growths.isEmpty() || !inconclusiveReasons().isEmpty()) {
            return Trend.UNDECIDED;
        }
        return worst(Stream.concat(
                        Stream.of(ofAllOperations(growths)), growths.stream().map(ProgramCacheGrowth::programs))
                .map(RoundVector::trend));
    }

    /** Returns the growth of each site, the worst first. */
    public List<SiteGrowth> sites() {
        return sites;
    }

    /** Returns the trend and the number of rounds. */
    @Override
    public String toString() {
        return trend() + " after " + rounds() + (rounds() == 1 ? " round" : " rounds");
    }

    private static Trend worst(Stream<Trend> trends) {
        return trends.max(Comparator.naturalOrder()).orElse(Trend.SETTLED);
    }

    private static List<SiteGrowth> worstFirst(List<SiteGrowth> sites) {
        return sites.stream()
                .sorted(Comparator.comparing(SiteGrowth::trend)
                        .reversed()
                        .thenComparing(
                                (SiteGrowth site) ->
                                        site.bytes().total() * site.devices().size(),
                                Comparator.reverseOrder()))
                .toList();
    }
}
