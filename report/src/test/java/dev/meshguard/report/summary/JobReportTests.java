package dev.meshguard.report.summary;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verdict.SurvivorStatus;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The texts of a run for the job of a CI. */
class JobReportTests {

    private static final StackTraceElement DECODE =
            new StackTraceElement("dev.example.KvCacheTest", "decode", "KvCacheTest.java", 41);

    @Test
    void showsFindingsWithMostBytesFirst() {
        FindingTotals small = finding(Cause.LATE, SurvivorStatus.FREED_LATE, Optional.empty(), 4_096, "B#late");
        LeakTotals totals = new LeakTotals(2, 2, 9_437_184);
        FindingTotals large = new FindingTotals(
                new FindingTotals.Key("HELD", "leaked", Optional.of(DECODE), Optional.of("new since the baseline")),
                EnumSet.of(BufferType.DRAM),
                totals,
                Map.of(DECODE, totals),
                new TreeMap<>(Map.of(
                        "A#leaks", Optional.of("target/meshguard/A#leaks.html"), "A#leaksToo", Optional.empty())));

        JobReport report = new JobReport(
                numbers(2, 1, "mvn test -Dtest=A#leaks"),
                Outcome.LEAKED,
                List.of(small, large),
                Optional.of("target/meshguard"));

        assertThat(report.markdown()).isEqualTo("""
                ## MeshGuard: LEAKED

                4 tests tracked · 40 buffers · 2 failed · 1 with known leaks only

                | cause | allocated in | buffers | bytes | found by | page | baseline |
                | --- | --- | ---: | ---: | --- | --- | --- |
                | HELD | `KvCacheTest.decode(KvCacheTest.java:41)` | 2 DRAM | 9 MiB (9437184 B) | `A#leaks` and 1 more | \
                `target/meshguard/A#leaks.html` | new since the baseline |
                | LATE, freed late | `KvCacheTest.decode(KvCacheTest.java:41)` | 1 DRAM | 4 KiB (4096 B) | `B#late` | \
                `target/meshguard/B#late.html` |  |

                1 check failed for something else: budgets, overwritten buffers, wrong reports, doubts

                ```sh
                mvn test -Dtest=A#leaks
                ```

                Pages: `target/meshguard`
                """);
    }

    @Test
    void aRunWithoutFindingsIsTwoLines() {
        JobReport report = new JobReport(numbers(0, 0), Outcome.LEAK_FREE, List.of(), Optional.empty());

        assertThat(report.markdown()).isEqualTo("""
                ## MeshGuard: all checks held

                4 tests tracked · 40 buffers · 1 with known leaks only
                """);
    }

    @Test
    void aBudgetHasNoOutcome() {
        JobReport report = new JobReport(numbers(1, 1), Outcome.LEAK_FREE, List.of(), Optional.empty());

        assertThat(report.markdown()).startsWith("## MeshGuard: 1 check did not hold\n");
    }

    @Test
    void textOfTheUserStaysInItsCell() {
        FindingTotals finding =
                finding(Cause.HELD, SurvivorStatus.LEAKED, Optional.empty(), 64, "A#t(\"a|b`c\n<img>\")");

        assertThat(new JobReport(numbers(1, 0), Outcome.LEAKED, List.of(finding), Optional.empty()).markdown())
                .contains("| `A#t(\"a\\|b'c\\u000a<img>\")` |");
    }

    @Test
    void annotatesTheLineOfAFinding() {
        JobReport report = new JobReport(
                numbers(1, 0),
                Outcome.LEAKED,
                List.of(finding(
                        Cause.HELD, SurvivorStatus.LEAKED, Optional.of("new since the baseline"), 8_192, "A#leaks")),
                Optional.empty());

        assertThat(report.annotations(site -> Optional.of("a,b:c%/" + site.getFileName())))
                .containsExactly("::error file=a%2Cb%3Ac%25/KvCacheTest.java,line=41,title=MeshGuard%3A 8 KiB leaked"
                        + "::1 DRAM buffer HELD, new since the baseline;"
                        + " allocated in dev.example.KvCacheTest.decode(KvCacheTest.java:41); found by A#leaks");
    }

    @Test
    void annotatesTheCallersOfAHelper() {
        StackTraceElement small = new StackTraceElement("dev.example.ModelTest", "small", "ModelTest.java", 7);
        StackTraceElement large = new StackTraceElement("dev.example.ModelTest", "large", "ModelTest.java", 9);
        FindingTotals finding = new FindingTotals(
                new FindingTotals.Key("HELD", "leaked", Optional.of(DECODE), Optional.empty()),
                EnumSet.of(BufferType.DRAM),
                new LeakTotals(2, 3, 9_216),
                Map.of(small, new LeakTotals(1, 1, 1_024), large, new LeakTotals(1, 2, 8_192)),
                new TreeMap<>(Map.of("A#leaks", Optional.empty())));

        assertThat(new JobReport(numbers(1, 0), Outcome.LEAKED, List.of(finding), Optional.empty())
                        .annotations(site -> Optional.of(site.getFileName())))
                .containsExactly(
                        "::error file=ModelTest.java,line=9,title=MeshGuard%3A 8 KiB leaked::2 DRAM buffers HELD; allocated in"
                                + " dev.example.KvCacheTest.decode(KvCacheTest.java:41), called from"
                                + " dev.example.ModelTest.large(ModelTest.java:9); found by A#leaks",
                        "::error file=ModelTest.java,line=7,title=MeshGuard%3A 1 KiB leaked::1 DRAM buffer HELD; allocated in"
                                + " dev.example.KvCacheTest.decode(KvCacheTest.java:41), called from"
                                + " dev.example.ModelTest.small(ModelTest.java:7); found by A#leaks");
    }

    @Test
    void aLineWithoutAFileIsInTheTextOnly() {
        JobReport report = new JobReport(
                numbers(1, 0),
                Outcome.LEAKED,
                List.of(finding(Cause.HELD, SurvivorStatus.LEAKED, Optional.empty(), 8_192, "A#50%\r\nof")),
                Optional.empty());

        assertThat(report.annotations(site -> Optional.empty()))
                .containsExactly("::error title=MeshGuard%3A 8 KiB leaked::1 DRAM buffer HELD;"
                        + " allocated in dev.example.KvCacheTest.decode(KvCacheTest.java:41);"
                        + " found by A#50%25%0D%0Aof");
    }

    @Test
    void annotatesNoKnownLeakAndAtMostTenOthers() {
        List<FindingTotals> findings = IntStream.range(0, 12)
                .mapToObj(number -> finding(
                        Cause.HELD,
                        SurvivorStatus.LEAKED,
                        Optional.of(number == 0 ? "known" : "known, but " + number + " instead of 0"),
                        10_000 - number,
                        "A#leaks"))
                .toList();

        assertThat(new JobReport(numbers(1, 0), Outcome.LEAKED, findings, Optional.empty())
                        .annotations(site -> Optional.empty()))
                .hasSize(10)
                .allMatch(command -> command.contains("known, but "));
    }

    private static FindingTotals finding(
            Cause cause, SurvivorStatus status, Optional<String> baseline, long bytes, String check) {
        return finding(
                new FindingTotals.Key(cause.name(), status.description(), Optional.of(DECODE), baseline), bytes, check);
    }

    private static FindingTotals finding(FindingTotals.Key key, long bytes, String check) {
        return new FindingTotals(
                key,
                EnumSet.of(BufferType.DRAM),
                new LeakTotals(1, 1, bytes),
                Map.of(DECODE, new LeakTotals(1, 1, bytes)),
                new TreeMap<>(Map.of(check, Optional.of("target/meshguard/" + check + ".html"))));
    }

    private static RunSummary numbers(long failed, long withoutLeak, String... reproductions) {
        return new RunSummary(
                4,
                0,
                0,
                0,
                40,
                failed,
                withoutLeak,
                0,
                0,
                1,
                Collections.emptySortedMap(),
                Map.of(),
                LeakTotals.NOTHING,
                Collections.emptySortedSet(),
                Collections.emptySortedSet(),
                Collections.emptySortedSet(),
                Collections.emptySortedSet(),
                0,
                new TreeSet<>(List.of(reproductions)),
                0,
                Optional.empty());
    }
}
