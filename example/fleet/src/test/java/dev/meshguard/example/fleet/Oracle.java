package dev.meshguard.example.fleet;

import static java.util.Comparator.comparing;
import static java.util.Comparator.comparingInt;
import static java.util.Comparator.comparingLong;
import static java.util.Comparator.naturalOrder;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toMap;

import dev.meshguard.report.findings.CheckRecord;
import dev.meshguard.report.findings.FindingRecord;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The answers of the queries, counted over what a fleet has in its files and without any query. */
final class Oracle {

    private static final int NEWEST = Fleet.COMMITS - 1;
    private static final String NONE = "null";

    /** One JVM's run of one test. */
    private record Run(Fleet.Jvm jvm, CheckRecord check, boolean isWhole) {

        int commit() {
            return jvm.commit();
        }

        String test() {
            return check.test();
        }

        Stream<FindingRecord> leaks() {
            return check.findings().stream()
                    .filter(finding -> check.result().equals("FAILED")
                            && !finding.status().equals("EXPECTED")
                            && !finding.known());
        }

        Stream<FindingRecord> leaks(String fingerprint) {
            return leaks().filter(leak -> leak.fingerprint().equals(fingerprint));
        }

        boolean has(String leak) {
            return leaks(leak).findAny().isPresent();
        }

        boolean isCertain() {
            return isWhole && check.completed() && !check.outcome().name().equals("INCONCLUSIVE");
        }
    }

    private final Fleet fleet;
    private final List<Run> runs;

    /** By leak, the runs with it, and those certainly without it of tests that ever had it. */
    private final SortedMap<String, List<Run>> observations = new TreeMap<>();

    Oracle(Fleet fleet) {
        this.fleet = fleet;
        this.runs = fleet.jvms().stream()
                .flatMap(jvm -> jvm.checks().stream().map(check -> new Run(jvm, check.record(), check.isWhole())))
                .toList();
        runs.stream()
                .flatMap(Run::leaks)
                .forEach(leak -> observations.computeIfAbsent(leak.fingerprint(), this::observed));
    }

    private List<Run> observed(String leak) {
        Set<String> tests =
                runs.stream().filter(run -> run.has(leak)).map(Run::test).collect(Collectors.toSet());
        return runs.stream()
                .filter(run -> run.has(leak) || (tests.contains(run.test()) && run.isCertain()))
                .toList();
    }

    private Stream<Run> with(String leak) {
        return observations.get(leak).stream().filter(run -> run.has(leak));
    }

    private List<Run> with(String leak, int commit) {
        return with(leak).filter(run -> run.commit() == commit).toList();
    }

    private static List<String> row(Object... values) {
        return Stream.of(values).map(String::valueOf).toList();
    }

    /**
     * A leak of the newest commit.
     *
     * @param absence the last commit that certainly does not have it, or -1
     * @param since the first commit afterwards that has it
     */
    private record NewLeak(String fingerprint, int absence, int since, long bytes) {}

    List<List<String>> newLeaks() {
        return observations.keySet().stream()
                .filter(leak -> !with(leak, NEWEST).isEmpty())
                .map(this::newLeak)
                .sorted(comparingInt(NewLeak::since)
                        .thenComparing(NewLeak::bytes)
                        .reversed()
                        .thenComparing(NewLeak::fingerprint))
                .map(this::row)
                .toList();
    }

    private NewLeak newLeak(String leak) {
        int absence = observations.get(leak).stream()
                .mapToInt(Run::commit)
                .filter(commit -> with(leak, commit).isEmpty())
                .max()
                .orElse(-1);
        int since = with(leak)
                .mapToInt(Run::commit)
                .filter(commit -> commit > absence)
                .min()
                .orElseThrow();
        return new NewLeak(leak, absence, since, bytes(leak, NEWEST));
    }

    private List<String> row(NewLeak leak) {
        List<Run> now = with(leak.fingerprint(), NEWEST);
        List<FindingRecord> findings =
                now.stream().flatMap(run -> run.leaks(leak.fingerprint())).toList();
        return row(
                leak.fingerprint(),
                Fleet.commit(leak.since()),
                leak.absence() < 0 ? NONE : Fleet.commit(leak.absence()),
                tests(now).size(),
                sumOfMost(now, leak.fingerprint(), FindingRecord::buffers),
                leak.bytes(),
                findings.stream().map(FindingRecord::cause).min(naturalOrder()).orElseThrow(),
                findings.stream()
                        .map(finding -> finding.line().orElseThrow())
                        .min(naturalOrder())
                        .orElseThrow());
    }

    private long bytes(String leak, int commit) {
        return sumOfMost(with(leak, commit), leak, FindingRecord::bytes);
    }

    /** Adds up the most that one JVM reported of each test. */
    private static long sumOfMost(List<Run> some, String leak, ToLongFunction<FindingRecord> amount) {
        Map<String, Long> most = new HashMap<>();
        some.forEach(
                run -> most.merge(run.test(), run.leaks(leak).mapToLong(amount).sum(), Math::max));
        return most.values().stream().mapToLong(Long::longValue).sum();
    }

    private static List<String> tests(List<Run> some) {
        return some.stream().map(Run::test).distinct().toList();
    }

    List<List<String>> goneLeaks() {
        return observations.keySet().stream()
                .filter(leak -> lastCommit(leak) < NEWEST)
                .sorted(comparing(this::lastCommit).reversed().thenComparing(naturalOrder()))
                .map(this::goneLeak)
                .toList();
    }

    private int lastCommit(String leak) {
        return with(leak).mapToInt(Run::commit).max().orElseThrow();
    }

    private List<String> goneLeak(String leak) {
        int last = lastCommit(leak);
        List<String> tests = tests(with(leak, last));
        List<Integer> returns = tests.stream()
                .flatMap(test -> observations.get(leak).stream()
                        .filter(run -> run.test().equals(test) && run.commit() > last)
                        .map(Run::commit)
                        .min(naturalOrder())
                        .stream())
                .toList();
        int unseen = tests.size() - returns.size();
        String gone = unseen > 0
                ? NONE
                : Fleet.commit(returns.stream().max(naturalOrder()).orElseThrow());
        return row(leak, Fleet.commit(last), gone, tests.size(), unseen);
    }

    List<List<String>> trend() {
        return IntStream.rangeClosed(0, NEWEST).mapToObj(this::trend).toList();
    }

    private List<String> trend(int commit) {
        List<Run> now = runs.stream().filter(run -> run.commit() == commit).toList();
        List<String> leaks = observations.keySet().stream()
                .filter(leak -> !with(leak, commit).isEmpty())
                .toList();
        return row(
                Fleet.commit(commit),
                tests(now.stream().filter(Run::isWhole).toList()).size(),
                tests(now.stream()
                                .filter(run -> run.leaks().findAny().isPresent())
                                .toList())
                        .size(),
                leaks.size(),
                leaks.stream().mapToLong(leak -> bytes(leak, commit)).sum(),
                fleet.jvms().stream()
                        .filter(jvm -> jvm.commit() == commit && !jvm.hasEnd())
                        .count());
    }

    private record Memory(long peak, long leaked) {

        static Memory of(Run run) {
            return new Memory(run.check().peakBytes(), run.check().leakedBytes());
        }

        Memory or(Memory other) {
            return new Memory(Math.max(peak, other.peak), Math.max(leaked, other.leaked));
        }
    }

    private record Change(String test, int earlier, Memory before, Memory now) {

        long growth() {
            return now.peak() - before.peak();
        }
    }

    List<List<String>> memoryOfTests() {
        Map<String, TreeMap<Integer, Memory>> memory = runs.stream()
                .filter(run -> run.isWhole() && run.check().completed())
                .collect(groupingBy(Run::test, toMap(Run::commit, Memory::of, Memory::or, TreeMap::new)));
        List<Change> changes = new ArrayList<>();
        memory.forEach((test, byCommit) -> {
            Map.Entry<Integer, Memory> before = byCommit.lowerEntry(NEWEST);
            Memory now = byCommit.get(NEWEST);
            if (before != null && now != null && !now.equals(before.getValue())) {
                changes.add(new Change(test, before.getKey(), before.getValue(), now));
            }
        });
        return changes.stream()
                .sorted(comparingLong(Change::growth).reversed().thenComparing(Change::test))
                .map(change -> row(
                        change.test(),
                        Fleet.commit(change.earlier()),
                        change.before().peak(),
                        change.now().peak(),
                        change.before().leaked(),
                        change.now().leaked()))
                .toList();
    }

    List<List<String>> flakyLeaks() {
        List<List<String>> rows = new ArrayList<>();
        observations.forEach((leak, all) -> all.stream()
                .collect(groupingBy(Run::test, TreeMap::new, groupingBy(Run::commit)))
                .forEach((test, byCommit) -> {
                    List<Run> flaky = byCommit.values().stream()
                            .filter(some -> some.stream()
                                            .map(run -> run.has(leak))
                                            .distinct()
                                            .count()
                                    == 2)
                            .flatMap(List::stream)
                            .toList();
                    if (!flaky.isEmpty()) {
                        rows.add(row(
                                leak,
                                test,
                                flaky.stream().map(Run::commit).distinct().count(),
                                flaky.stream().filter(run -> run.has(leak)).count(),
                                flaky.size()));
                    }
                }));
        return rows;
    }

    List<List<String>> killedJvms() {
        return fleet.jvms().stream()
                .filter(jvm -> !jvm.hasEnd())
                .sorted(comparing((Fleet.Jvm jvm) -> jvm.identity().run()).thenComparing(Fleet.Jvm::name))
                .map(jvm -> row(
                        Fleet.commit(jvm.commit()),
                        jvm.identity().run(),
                        jvm.machine(),
                        jvm.name(),
                        jvm.checks().stream().filter(Fleet.Check::isWhole).count()))
                .toList();
    }
}
