package dev.meshguard.example.fleet;

import dev.meshguard.report.findings.CheckRecord;
import dev.meshguard.report.findings.FindingRecord;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The answers of the queries, counted over what a fleet has in its files and without any query. */
final class Oracle {

    private static final String NONE = "null";

    /** One JVM's run of one test that ever had the leak. */
    private record Observation(String test, int commit, boolean hasLeak) {}

    private final Fleet fleet;
    private final int newest;
    private final Map<String, List<Observation>> observations = new TreeMap<>();

    Oracle(Fleet fleet) {
        this.fleet = fleet;
        this.newest = Fleet.COMMITS - 1;
        Map<String, Set<String>> tests = new TreeMap<>();
        each((jvm, check) -> leaksOf(check).forEach(leak -> tests.computeIfAbsent(
                        leak.fingerprint(), unused -> new TreeSet<>())
                .add(check.record().test())));
        tests.forEach((fingerprint, had) -> {
            List<Observation> seen = new ArrayList<>();
            each((jvm, check) -> {
                String test = check.record().test();
                boolean hasLeak = leaksOf(check).anyMatch(leak -> leak.fingerprint().equals(fingerprint));
                if (hasLeak || (had.contains(test) && isCertain(check))) {
                    seen.add(new Observation(test, jvm.commit(), hasLeak));
                }
            });
            observations.put(fingerprint, seen);
        });
    }

    private interface Visitor {
        void visit(Fleet.Jvm jvm, Fleet.Check check);
    }

    private void each(Visitor visitor) {
        fleet.jvms().forEach(jvm -> jvm.checks().forEach(check -> visitor.visit(jvm, check)));
    }

    private static Stream<FindingRecord> leaksOf(Fleet.Check check) {
        return check.record().findings().stream()
                .filter(finding -> check.record().result().equals("FAILED")
                        && !finding.status().equals("EXPECTED")
                        && !finding.known());
    }

    private static boolean isCertain(Fleet.Check check) {
        CheckRecord record = check.record();
        return check.isWhole()
                && record.completed()
                && !record.outcome().name().equals("INCONCLUSIVE");
    }

    List<List<String>> newLeaks() {
        List<List<String>> rows = new ArrayList<>();
        for (int since = newest; since >= 0; since--) {
            int begun = since;
            observations.keySet().stream()
                    .filter(leak -> isIn(leak, newest) && beginning(leak) == begun)
                    .map(leak -> amounts(leak, newest))
                    .sorted(Comparator.comparingLong(Amounts::bytes).reversed().thenComparing(Amounts::fingerprint))
                    .forEach(leak -> rows.add(List.of(
                            leak.fingerprint(),
                            Fleet.commit(begun),
                            begun == 0 || !isAbsentBefore(leak.fingerprint(), begun)
                                    ? NONE
                                    : Fleet.commit(absence(leak.fingerprint())),
                            Integer.toString(leak.tests()),
                            Long.toString(leak.buffers()),
                            Long.toString(leak.bytes()),
                            leak.cause(),
                            leak.line())));
        }
        return rows;
    }

    private boolean isIn(String leak, int commit) {
        return observations.get(leak).stream().anyMatch(seen -> seen.commit() == commit && seen.hasLeak());
    }

    private boolean isAbsent(String leak, int commit) {
        return !isIn(leak, commit) && observations.get(leak).stream().anyMatch(seen -> seen.commit() == commit);
    }

    private boolean isAbsentBefore(String leak, int commit) {
        return absence(leak) >= 0 && absence(leak) < commit;
    }

    /** Returns the last commit that certainly does not have the leak, or -1. */
    private int absence(String leak) {
        int last = newest;
        while (last >= 0 && !isAbsent(leak, last)) {
            last--;
        }
        return last;
    }

    private int beginning(String leak) {
        int commit = absence(leak) + 1;
        while (!isIn(leak, commit)) {
            commit++;
        }
        return commit;
    }

    private record Amounts(String fingerprint, int tests, long buffers, long bytes, String cause, String line) {}

    /** Adds up the most that one JVM reported of each test. */
    private Amounts amounts(String leak, int commit) {
        Map<String, Long> buffers = new TreeMap<>();
        Map<String, Long> bytes = new TreeMap<>();
        TreeSet<String> causes = new TreeSet<>();
        TreeSet<String> lines = new TreeSet<>();
        each((jvm, check) -> {
            List<FindingRecord> findings = leaksOf(check)
                    .filter(finding -> finding.fingerprint().equals(leak))
                    .toList();
            if (jvm.commit() == commit && !findings.isEmpty()) {
                buffers.merge(
                        check.record().test(),
                        findings.stream().mapToLong(FindingRecord::buffers).sum(),
                        Math::max);
                bytes.merge(
                        check.record().test(),
                        findings.stream().mapToLong(FindingRecord::bytes).sum(),
                        Math::max);
                findings.forEach(finding -> causes.add(finding.cause()));
                findings.forEach(finding -> lines.add(finding.line().orElseThrow()));
            }
        });
        return new Amounts(leak, bytes.size(), sum(buffers), sum(bytes), causes.first(), lines.first());
    }

    private static long sum(Map<String, Long> numbers) {
        return numbers.values().stream().mapToLong(Long::longValue).sum();
    }

    List<List<String>> goneLeaks() {
        List<List<String>> rows = new ArrayList<>();
        for (int commit = newest - 1; commit >= 0; commit--) {
            int last = commit;
            for (String leak : observations.keySet()) {
                if (lastSeen(leak) == last) {
                    List<Integer> returns = testsWith(leak, last).stream()
                            .map(test -> firstWithout(leak, test, last))
                            .toList();
                    long unseen = returns.stream().filter(first -> first < 0).count();
                    String gone = unseen > 0
                            ? NONE
                            : Fleet.commit(returns.stream().mapToInt(first -> first).max().orElseThrow());
                    rows.add(List.of(
                            leak,
                            Fleet.commit(last),
                            gone,
                            Integer.toString(returns.size()),
                            Long.toString(unseen)));
                }
            }
        }
        return rows;
    }

    private int lastSeen(String leak) {
        return observations.get(leak).stream()
                .filter(Observation::hasLeak)
                .mapToInt(Observation::commit)
                .max()
                .orElseThrow();
    }

    private Set<String> testsWith(String leak, int commit) {
        return observations.get(leak).stream()
                .filter(seen -> seen.commit() == commit && seen.hasLeak())
                .map(Observation::test)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private int firstWithout(String leak, String test, int after) {
        return observations.get(leak).stream()
                .filter(seen -> seen.test().equals(test) && seen.commit() > after && !seen.hasLeak())
                .mapToInt(Observation::commit)
                .min()
                .orElse(-1);
    }

    List<List<String>> trend() {
        List<List<String>> rows = new ArrayList<>();
        for (int commit = 0; commit <= newest; commit++) {
            int now = commit;
            Set<String> tests = new TreeSet<>();
            Set<String> leaking = new TreeSet<>();
            each((jvm, check) -> {
                if (jvm.commit() == now && check.isWhole()) {
                    tests.add(check.record().test());
                }
                if (jvm.commit() == now && leaksOf(check).findAny().isPresent()) {
                    leaking.add(check.record().test());
                }
            });
            List<String> leaks =
                    observations.keySet().stream().filter(leak -> isIn(leak, now)).toList();
            rows.add(Stream.of(
                            Fleet.commit(now),
                            tests.size(),
                            leaking.size(),
                            leaks.size(),
                            leaks.stream()
                                    .mapToLong(leak -> amounts(leak, now).bytes())
                                    .sum(),
                            fleet.jvms().stream()
                                    .filter(jvm -> jvm.commit() == now && !jvm.hasEnd())
                                    .count())
                    .map(Objects::toString)
                    .toList());
        }
        return rows;
    }

    private record Memory(long peak, long leaked) {

        static Memory of(CheckRecord check) {
            return new Memory(check.peakBytes(), check.leakedBytes());
        }

        Memory or(Memory other) {
            return new Memory(Math.max(peak, other.peak), Math.max(leaked, other.leaked));
        }
    }

    private record Change(String test, int earlier, Memory before, Memory now) {

        long growth() {
            return now.peak() - before.peak();
        }

        List<String> row() {
            return Stream.of(test, Fleet.commit(earlier), before.peak(), now.peak(), before.leaked(), now.leaked())
                    .map(Objects::toString)
                    .toList();
        }
    }

    List<List<String>> memoryOfTests() {
        Map<String, TreeMap<Integer, Memory>> memory = new TreeMap<>();
        each((jvm, check) -> {
            if (check.isWhole() && check.record().completed()) {
                memory.computeIfAbsent(check.record().test(), unused -> new TreeMap<>())
                        .merge(jvm.commit(), Memory.of(check.record()), Memory::or);
            }
        });
        List<Change> changes = new ArrayList<>();
        memory.forEach((test, byCommit) -> {
            Map.Entry<Integer, Memory> before = byCommit.lowerEntry(newest);
            Memory now = byCommit.get(newest);
            if (before != null && now != null && !now.equals(before.getValue())) {
                changes.add(new Change(test, before.getKey(), before.getValue(), now));
            }
        });
        return changes.stream()
                .sorted(Comparator.comparingLong(Change::growth).reversed().thenComparing(Change::test))
                .map(Change::row)
                .toList();
    }

    List<List<String>> flakyLeaks() {
        List<List<String>> rows = new ArrayList<>();
        observations.forEach((leak, all) -> {
            Map<String, Map<Integer, List<Observation>>> byTest = new TreeMap<>();
            all.forEach(seen -> byTest.computeIfAbsent(seen.test(), unused -> new LinkedHashMap<>())
                    .computeIfAbsent(seen.commit(), unused -> new ArrayList<>())
                    .add(seen));
            byTest.forEach((test, byCommit) -> {
                List<List<Observation>> flaky = byCommit.values().stream()
                        .filter(seen -> seen.stream().map(Observation::hasLeak).distinct().count() == 2)
                        .toList();
                if (!flaky.isEmpty()) {
                    rows.add(Stream.of(
                                    leak,
                                    test,
                                    flaky.size(),
                                    flaky.stream()
                                            .flatMap(List::stream)
                                            .filter(Observation::hasLeak)
                                            .count(),
                                    flaky.stream().mapToLong(List::size).sum())
                            .map(Objects::toString)
                            .toList());
                }
            });
        });
        return rows;
    }

    List<List<String>> killedJvms() {
        return fleet.jvms().stream()
                .filter(jvm -> !jvm.hasEnd())
                .sorted(Comparator.comparing((Fleet.Jvm jvm) -> jvm.identity().run()).thenComparing(Fleet.Jvm::name))
                .map(jvm -> List.of(
                        Fleet.commit(jvm.commit()),
                        jvm.identity().run(),
                        jvm.machine(),
                        jvm.name(),
                        Long.toString(jvm.checks().stream()
                                .filter(Fleet.Check::isWhole)
                                .count())))
                .toList();
    }
}
