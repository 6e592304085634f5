package dev.meshguard.example.fleet;

import dev.meshguard.event.BufferType;
import dev.meshguard.report.findings.CheckRecord;
import dev.meshguard.report.findings.EntryUse;
import dev.meshguard.report.findings.FindingRecord;
import dev.meshguard.report.findings.FindingsJson;
import dev.meshguard.report.findings.RunIdentity;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verdict.expectation.Expectation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * The files of a made-up CI: three machines with two JVMs each test four commits. Leaks come and go, tests are skipped or
 * throw, and JVMs are killed in the middle of a line.
 */
final class Fleet {

    static final int COMMITS = 4;
    private static final int MACHINES = 3;
    private static final int JVMS = 2;
    private static final int TESTS = 24;
    private static final int LEAKS = 12;
    private static final Instant BEGAN = Instant.parse("2026-03-01T10:15:30.123Z");

    /** The contents of one JVM's file, as far as its lines are whole. */
    record Jvm(int commit, String machine, RunIdentity identity, List<Check> checks, boolean hasEnd) {

        String name() {
            return identity.jvm();
        }
    }

    /**
     * One check.
     *
     * @param isWhole whether its line is; its findings come before it
     */
    record Check(CheckRecord record, boolean isWhole) {}

    /**
     * A leak of the code under test.
     *
     * @param first the first commit that has it, from 0
     * @param fixed the first commit afterwards that does not have it
     * @param back the commit that has it again
     * @param shows the part of the runs in which it shows
     */
    private record Leak(String fingerprint, List<Integer> tests, int first, int fixed, int back, double shows) {

        boolean isIn(int commit) {
            return (commit >= first && commit < fixed) || commit >= back;
        }
    }

    private final Random random;
    private final List<Leak> leaks;
    private final List<Jvm> jvms = new ArrayList<>();

    private Fleet(long seed) {
        random = new Random(seed);
        leaks = IntStream.range(0, LEAKS).mapToObj(this::leak).toList();
    }

    /** Writes the files of a fleet. */
    static Fleet write(Path folder, long seed) throws IOException {
        Fleet fleet = new Fleet(seed);
        for (int commit = 0; commit < COMMITS; commit++) {
            for (int machine = 0; machine < MACHINES; machine++) {
                for (int jvm = 0; jvm < JVMS; jvm++) {
                    fleet.jvms.add(fleet.jvm(folder, commit, machine, jvm));
                }
            }
        }
        return fleet;
    }

    List<Jvm> jvms() {
        return jvms;
    }

    /** Returns the name of a commit; the names are not in the order of the commits. */
    static String commit(int number) {
        return List.of("d41c77", "0a9be2", "f0031b", "5c8e10").get(number);
    }

    static String test(int number) {
        return "dev.example.Fleet" + number / 4 + "Test#decode" + number % 4 + "[\u00fc \"" + number + "\"]";
    }

    private Leak leak(int number) {
        List<Integer> tests = IntStream.range(0, 1 + random.nextInt(4))
                .mapToObj(unused -> random.nextInt(TESTS))
                .distinct()
                .toList();
        int first = random.nextInt(COMMITS);
        int fixed = first + 1 + random.nextInt(COMMITS);
        int back = fixed + 1 + random.nextInt(COMMITS);
        double shows = random.nextInt(3) == 0 ? 0.5 : 1;
        return new Leak(String.format("%064x", number * 31 + 7), tests, first, fixed, back, shows);
    }

    private Jvm jvm(Path folder, int commit, int machine, int jvm) throws IOException {
        String host = "host-" + (char) ('a' + machine);
        RunIdentity identity = new RunIdentity(
                "run-" + commit,
                host + "-" + commit + "-" + jvm,
                BEGAN.plus(Duration.ofHours(commit)).plusMillis(machine * 7L + jvm),
                Optional.of(commit(commit)),
                Optional.of(host));
        FindingsJson json = new FindingsJson(identity);
        StringBuilder text = new StringBuilder(json.begin());
        text.append(json.entries(
                EntryUse.MATCHED,
                List.of(Expectation.because("shared").label("weights").locatedAt("@ExpectBuffers on FleetTest"))));
        List<Check> checks = new ArrayList<>();
        for (int test = jvm; test < TESTS; test += JVMS) {
            if (random.nextInt(5) > 0) {
                CheckRecord check = check(test, commit);
                text.append(json.check(check));
                checks.add(new Check(check, true));
            }
        }
        boolean isKilled = random.nextInt(4) == 0 && !checks.isEmpty();
        if (isKilled) {
            // The line of the last check is cut, not those of its findings.
            int last = text.lastIndexOf("\n", text.length() - 2) + 1;
            text.setLength(last + 1 + random.nextInt(text.length() - last - 2));
            checks.add(new Check(checks.remove(checks.size() - 1).record(), false));
        } else {
            text.append(json.end(
                    checks.size(),
                    checks.stream()
                            .mapToLong(check -> check.record().findings().size())
                            .sum(),
                    text.toString().lines().count()));
        }
        Files.writeString(folder.resolve("findings-" + identity.run() + "-" + identity.jvm() + ".jsonl"), text);
        return new Jvm(commit, host, identity, checks, !isKilled);
    }

    private CheckRecord check(int test, int commit) {
        List<FindingRecord> findings = new ArrayList<>();
        for (Leak leak : leaks) {
            if (leak.isIn(commit) && leak.tests().contains(test) && random.nextDouble() < leak.shows()) {
                // One leak may have two lines of code, and so two findings in one check.
                findings.add(finding(leak, "LEAKED", false, 41));
                if (random.nextInt(4) == 0) {
                    findings.add(finding(leak, "FREED_LATE", false, 57));
                }
            }
        }
        if (random.nextInt(6) == 0) {
            findings.add(finding(leaks.get(random.nextInt(LEAKS)), "EXPECTED", false, 63));
        }
        boolean isKnown = random.nextInt(6) == 0;
        if (isKnown) {
            findings.add(finding(leaks.get(random.nextInt(LEAKS)), "LEAKED", true, 71));
        }
        boolean isLeaking = findings.stream()
                .anyMatch(finding -> !finding.status().equals("EXPECTED") && !finding.known());
        boolean completes = random.nextInt(10) > 0;
        String result = isLeaking ? "FAILED" : isKnown ? "KNOWN" : "PASSED";
        Outcome outcome = random.nextInt(12) == 0
                ? Outcome.INCONCLUSIVE
                : isLeaking || isKnown ? Outcome.LEAKED : Outcome.LEAK_FREE;
        // A test has one of few peaks, so that some do not change from commit to commit.
        long peak = findings.stream().mapToLong(FindingRecord::bytes).sum() + (1L << (20 + random.nextInt(3)));
        return new CheckRecord(test(test), "TEST", Optional.of("mesh"), outcome, result, completes, peak, findings);
    }

    private FindingRecord finding(Leak leak, String status, boolean isKnown, int line) {
        long buffers = 1 + random.nextInt(8);
        return new FindingRecord(
                leak.fingerprint(),
                random.nextBoolean() ? "HELD" : "LOST",
                status,
                BufferType.DRAM,
                Optional.of("dev.example.Cache.append(Cache.java:" + line + ")"),
                isKnown,
                buffers,
                buffers << (10 + random.nextInt(30)));
    }
}
