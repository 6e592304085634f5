package dev.meshguard.verdict.growth;

import dev.meshguard.event.BufferType;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.history.CountingPolicy;
import dev.meshguard.history.PolicyLedger;
import dev.meshguard.verdict.DeviceMemory;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.internal.HeldMemory;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
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
 * one. Memory that was freed without a report is excluded. {@link #ledger(CountingPolicy)} is the count of a tool that
 * believes every report under the policy. The two differ wherever a report is missing or doubled. Then the ledger
 * drifts, but memory does not fill up.
 *
 * <h2>Rounds</h2>
 *
 * <p>The rounds are marked rounds ({@link Rounds#MARKED}) or open periods of meshes ({@link Rounds#MESHES}) of one
 * history. They can also be several histories, each of its own tracker ({@link #ofSeparate}). Memory allocated between
 * two rounds counts for the later one. With fewer than two rounds after the warm-up nothing is decided.
 *
 * <p>The run time grows with the number of events, not with events times rounds.
 *
 * <p>Immutable and safe for use by several threads.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class Accumulation {

    private static final int WARM_UP = 1;

    /** Data that does not depend on the warm-up. */
    private interface Source {
        int rounds();

        List<String> inconclusiveReasons();

        SortedMap<DeviceMemory, RoundVector> bytes();

        List<SiteGrowth> sites(int warmUp);

        SortedMap<DeviceMemory, RoundVector> ledger(CountingPolicy policy);

        Map<DeviceMemory, Forecast> forecasts(Iterable<DeviceMemory> memories, int warmUp);

        List<FragmentationGrowth> fragmentation(int warmUp);

        List<ProgramCacheGrowth> programCache(int warmUp);
    }

    private final Source source;
    private final int warmUp;
    private final List<MemoryGrowth> memory;
    private final List<SiteGrowth> sites;

    private Accumulation(Source source, int warmUp) {
        this.source = source;
        this.warmUp = warmUp;
        this.sites = worstFirst(source.sites(warmUp));
        this.memory = growths(source.bytes(), source::forecasts);
    }

    /** Returns the accumulation over the marked rounds of a history. */
    public static Accumulation of(AllocationHistory history) {
        return of(LeakCheck.create().examine(history), Rounds.MARKED);
    }

    /** Returns the accumulation over the rounds of a verdict's history. */
    public static Accumulation of(LeakVerdict verdict, Rounds rounds) {
        return new Accumulation(new OneHistory(verdict, RoundMarks.in(verdict.history(), rounds)), WARM_UP);
    }

    /**
     * Returns the accumulation over rounds with a history each, in the order of the list.
     *
     * @throws IllegalArgumentException if two histories were taken from one tracker: the later one then contains the
     *     earlier one; mark the rounds instead
     */
    public static Accumulation ofSeparate(List<AllocationHistory> histories) {
        return new Accumulation(new SeparateHistories(List.copyOf(histories)), WARM_UP);
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
        return new Accumulation(source, rounds);
    }

    /** Returns how many rounds ended. */
    public int rounds() {
        return source.rounds();
    }

    /** Returns how many rounds are warm-up. */
    public int warmUp() {
        return warmUp;
    }

    /**
     * Returns why the survivors of the rounds cannot be determined, as whole sentences; empty if nothing is missing.
     */
    public List<String> inconclusiveReasons() {
        List<String> doubts = new ArrayList<>(source.inconclusiveReasons());
        int needed = warmUp + Trend.MIN_ROUNDS_AFTER_WARM_UP;
        if (rounds() < needed) {
            doubts.add(String.format(
                    Locale.ROOT,
                    "%d of at least %d rounds ended, of which %d %s for warming up. Mark each with tracker.round(n).",
                    rounds(),
                    needed,
                    warmUp,
                    warmUp == 1 ? "is" : "are"));
        }
        return doubts;
    }

    /** Returns the worst trend of any memory. A growing site counts even if another one shrinks. */
    public Trend trend() {
        if (!inconclusiveReasons().isEmpty()) {
            return Trend.UNDECIDED;
        }
        Trend worst = Trend.SETTLED;
        for (MemoryGrowth growth : memory) {
            worst = worst.orWorse(growth.trend());
        }
        boolean siteGrows = sites.stream().anyMatch(site -> site.trend() == Trend.GROWING);
        return siteGrows ? Trend.GROWING : worst;
    }

    /** Returns the growth of each memory that the rounds changed, by type and device. */
    public List<MemoryGrowth> memory() {
        return memory;
    }

    /**
     * Returns the growth of the fragmentation of each memory, by mesh and type.
     *
     * <p>A memory is known if its source described where it begins and how large it is ({@link
     * dev.meshguard.event.MemoryCapacity#base()}), and if sub-devices have no part of it. Rounds with a history each have none,
     * because each begins with empty banks.
     */
    public List<FragmentationGrowth> fragmentation() {
        return source.fragmentation(warmUp);
    }

    /**
     * Returns the growth of the program cache by each operation, the worst first.
     *
     * <p>Empty if no source reported that a cache keeps a program.
     */
    public List<ProgramCacheGrowth> programCache() {
        return source.programCache(warmUp);
    }

    /** Returns how many programs each round added to the program cache, of all operations. */
    public RoundVector cachedPrograms() {
        List<ProgramCacheGrowth> growths = programCache();
        RoundVector.Builder programs = new RoundVector.Builder();
        for (int round = 1; round <= rounds(); round++) {
            for (ProgramCacheGrowth growth : growths) {
                programs.add(round - 1, growth.programs().retainedBy(round));
            }
        }
        return programs.build(rounds());
    }

    /** Returns the worst trend of the program cache: by any operation, or by all of them together. */
    public Trend programCacheTrend() {
        List<ProgramCacheGrowth> growths = programCache();
        if (growths.isEmpty() || !inconclusiveReasons().isEmpty()) {
            return Trend.UNDECIDED;
        }
        Trend worst = GrowthTrend.of(cachedPrograms(), warmUp).trend();
        for (ProgramCacheGrowth growth : growths) {
            worst = worst.orWorse(growth.trend());
        }
        return worst;
    }

    /** Returns the growth of each site, the worst first. */
    public List<SiteGrowth> sites() {
        return sites;
    }

    /**
     * Returns the growth of each memory as counted under the given policy, by type and device.
     *
     * @throws IllegalStateException if the history cannot be read under the policy
     */
    public List<MemoryGrowth> ledger(CountingPolicy policy) {
        return growths(source.ledger(policy), (memories, unused) -> Map.of());
    }

    /** Returns the trend and the number of rounds. */
    @Override
    public String toString() {
        return trend() + " after " + rounds() + (rounds() == 1 ? " round" : " rounds");
    }

    /** Forecasts when memories will be full. */
    private interface Forecaster {
        Map<DeviceMemory, Forecast> forecasts(Iterable<DeviceMemory> memories, int warmUp);
    }

    private List<MemoryGrowth> growths(SortedMap<DeviceMemory, RoundVector> vectors, Forecaster forecaster) {
        Map<DeviceMemory, GrowthTrend> trends = new TreeMap<>();
        List<DeviceMemory> growing = new ArrayList<>();
        vectors.forEach((where, bytes) -> {
            if (!bytes.isZero()) {
                GrowthTrend trend = GrowthTrend.of(bytes, warmUp);
                trends.put(where, trend);
                if (trend.trend() == Trend.GROWING) {
                    growing.add(where);
                }
            }
        });
        Map<DeviceMemory, Forecast> forecasts = forecaster.forecasts(growing, warmUp);
        List<MemoryGrowth> growths = new ArrayList<>();
        trends.forEach((where, trend) -> growths.add(new MemoryGrowth(
                where,
                vectors.getOrDefault(where, RoundVector.of()),
                trend.trend(),
                trend.growth(),
                Math.max(0, rounds() - warmUp),
                trend.roundsNeeded(),
                forecasts.getOrDefault(where, new Forecast.Never()))));
        return List.copyOf(growths);
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

    private static List<String> inconclusiveReasonsOf(AllocationHistory history) {
        List<String> doubts = new ArrayList<>();
        if (!history.isComplete()) {
            doubts.add(
                    "The tracker kept live buffers and totals only, so the live memory at the end of a round is unknown."
                            + " Record with Retention.ALL.");
        }
        if (!history.lostReports().isEmpty()) {
            doubts.add(String.format(
                    Locale.ROOT,
                    "Reports are missing (first at event #%d: %s).",
                    history.lostReports().get(0).number(),
                    history.lostReports().get(0).reason()));
        }
        return doubts;
    }

    private static SortedMap<DeviceMemory, RoundVector> ledger(
            int rounds, Function<RoundReader, RoundReader> readings) {
        RoundReader reader = readings.apply(new RoundReader());
        return RetainedByRound.built(reader.builders, rounds);
    }

    /** Reads the ledger at the ends of rounds. */
    private static final class RoundReader {
        private final Map<DeviceMemory, RoundVector.Builder> builders = new HashMap<>();
        private final Map<DeviceMemory, Long> last = new HashMap<>();

        /** Adds the difference to the previous reading of the same, continuing ledger. */
        private void advance(PolicyLedger books, int round) {
            for (int device : books.devices()) {
                for (BufferType type : BufferType.values()) {
                    DeviceMemory where = new DeviceMemory(device, type);
                    long bytes = books.bytes(device, type);
                    long before = last.getOrDefault(where, 0L);
                    if (bytes != before) {
                        last.put(where, bytes);
                        add(where, round, bytes - before);
                    }
                }
            }
        }

        /** Skips entries from before the first round, which belong to no round. */
        private void advanceFrom(PolicyLedger books, int moment) {
            advance(books, moment - 1);
        }

        private void add(DeviceMemory where, int round, long bytes) {
            if (round >= 0) {
                builders.computeIfAbsent(where, unused -> new RoundVector.Builder())
                        .add(round, bytes);
            }
        }
    }

    /** Rounds that are sections of one history. */
    private static final class OneHistory implements Source {
        private final LeakVerdict verdict;
        private final RoundMarks marks;
        private final RetainedByRound retained = new RetainedByRound();
        private final BankReservations reserves;
        private final FreeBlocksByRound freeBlocks;

        private OneHistory(LeakVerdict verdict, RoundMarks marks) {
            this.verdict = verdict;
            this.marks = marks;
            this.reserves = new BankReservations(verdict.history());
            this.freeBlocks = new FreeBlocksByRound(verdict.history());
            HeldMemory held = new HeldMemory(verdict);
            for (HeldMemory.HoldInterval interval : held.holdIntervals()) {
                add(interval, held.goneAt(interval));
            }
            retained.putInOrder();
            reserves.putInOrder();
        }

        private void add(HeldMemory.HoldInterval interval, long goneAt) {
            int from = marks.firstSeenAtEndOf(interval.from());
            int until = marks.firstSeenAtEndOf(interval.until());
            boolean sinceBefore = interval.from() < marks.start();
            if (from == rounds()) {
                return;
            }
            BufferGeneration buffer = interval.buffer();
            if (from < until && !sinceBefore) {
                retained.change(from, interval, 1);
            }
            if ((from < until || sinceBefore) && until < rounds() && interval.until() > marks.start()) {
                retained.change(until, interval, -1);
            }
            int gone = marks.firstSeenAtEndOf(goneAt);
            if (goneAt > marks.start() && (from < gone || sinceBefore)) {
                reserves.held(buffer, sinceBefore, from, gone);
                freeBlocks.held(buffer, sinceBefore, from, gone);
            }
        }

        @Override
        public int rounds() {
            return marks.ends().length;
        }

        @Override
        public List<String> inconclusiveReasons() {
            List<String> doubts = inconclusiveReasonsOf(verdict.history());
            marks.inconclusiveReason().ifPresent(doubts::add);
            return doubts;
        }

        @Override
        public SortedMap<DeviceMemory, RoundVector> bytes() {
            return retained.byMemory(rounds());
        }

        @Override
        public List<SiteGrowth> sites(int warmUp) {
            return retained.bySite(rounds(), warmUp);
        }

        @Override
        public SortedMap<DeviceMemory, RoundVector> ledger(CountingPolicy policy) {
            if (rounds() == 0) {
                return new TreeMap<>();
            }
            long[] moments = new long[rounds() + 1];
            moments[0] = marks.start();
            System.arraycopy(marks.ends(), 0, moments, 1, rounds());
            return Accumulation.ledger(rounds(), reader -> {
                verdict.history().ledger(policy, moments, reader::advanceFrom);
                return reader;
            });
        }

        @Override
        public Map<DeviceMemory, Forecast> forecasts(Iterable<DeviceMemory> memories, int warmUp) {
            return reserves.forecasts(memories, rounds(), warmUp);
        }

        @Override
        public List<FragmentationGrowth> fragmentation(int warmUp) {
            return freeBlocks.growths(rounds(), warmUp);
        }

        @Override
        public List<ProgramCacheGrowth> programCache(int warmUp) {
            ProgramsByRound programs = new ProgramsByRound();
            programs.add(verdict.history(), marks.start(), marks::firstSeenAtEndOf, rounds());
            return programs.growths(rounds(), warmUp);
        }
    }

    /** Rounds with a history each. */
    private static final class SeparateHistories implements Source {
        private final List<AllocationHistory> histories;
        private final RetainedByRound retained = new RetainedByRound();

        private SeparateHistories(List<AllocationHistory> histories) {
            this.histories = histories;
            rejectOneTracker();
            for (int round = 0; round < histories.size(); round++) {
                HeldMemory held = new HeldMemory(LeakCheck.create().examine(histories.get(round)));
                for (HeldMemory.HoldInterval interval : held.holdIntervals()) {
                    if (interval.until() == HeldMemory.TO_THE_END) {
                        retained.change(round, interval, 1);
                    }
                }
            }
            retained.putInOrder();
        }

        /** Histories of one tracker share its requests. */
        private void rejectOneTracker() {
            IdentityHashMap<Object, Integer> known = new IdentityHashMap<>();
            for (int round = 0; round < histories.size(); round++) {
                int place = round;
                histories.get(round).generations().stream()
                        .map(BufferGeneration::request)
                        .filter(request -> !request.isAnonymous())
                        .findFirst()
                        .map(request -> known.putIfAbsent(request, place))
                        .ifPresent(before -> {
                            throw new IllegalArgumentException(String.format(
                                    Locale.ROOT,
                                    "Histories %d and %d were taken from one tracker, so the later holds the earlier. Mark the"
                                            + " rounds with tracker.round(n) and take the last history only.",
                                    before + 1,
                                    place + 1));
                        });
            }
        }

        @Override
        public int rounds() {
            return histories.size();
        }

        @Override
        public List<String> inconclusiveReasons() {
            return histories.stream()
                    .flatMap(history -> inconclusiveReasonsOf(history).stream())
                    .distinct()
                    .toList();
        }

        @Override
        public SortedMap<DeviceMemory, RoundVector> bytes() {
            return retained.byMemory(rounds());
        }

        @Override
        public List<SiteGrowth> sites(int warmUp) {
            return retained.bySite(rounds(), warmUp);
        }

        @Override
        public SortedMap<DeviceMemory, RoundVector> ledger(CountingPolicy policy) {
            return Accumulation.ledger(rounds(), reader -> {
                for (int round = 0; round < histories.size(); round++) {
                    PolicyLedger books = histories.get(round).ledger(policy);
                    for (int device : books.devices()) {
                        for (BufferType type : BufferType.values()) {
                            reader.add(new DeviceMemory(device, type), round, books.bytes(device, type));
                        }
                    }
                }
                return reader;
            });
        }

        @Override
        public Map<DeviceMemory, Forecast> forecasts(Iterable<DeviceMemory> memories, int warmUp) {
            Map<DeviceMemory, Forecast> forecasts = new HashMap<>();
            memories.forEach(memory -> forecasts.put(
                    memory,
                    new Forecast.Unknown(
                            "each round has a tracker of its own, so it is unknown whether they share a memory")));
            return forecasts;
        }

        @Override
        public List<FragmentationGrowth> fragmentation(int warmUp) {
            return List.of(); // Each round begins with empty banks.
        }

        @Override
        public List<ProgramCacheGrowth> programCache(int warmUp) {
            ProgramsByRound programs = new ProgramsByRound();
            for (int index = 0; index < rounds(); index++) {
                int round = index;
                programs.add(
                        histories.get(round), 0, event -> event == HeldMemory.TO_THE_END ? rounds() : round, rounds());
            }
            return programs.growths(rounds(), warmUp);
        }
    }
}
