package dev.meshguard.page.internal.suite;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.meshguard.event.Quantities;
import java.io.IOException;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The findings of the last runs of a folder by fingerprint, cause and status, and their comparison with the run before.
 *
 * <p>Only tests that ran are compared. A finding is new if one of its tests ran in the run before and no test had it
 * there. It is gone if all tests that had it ran again without it.
 *
 * <p>Bounded: {@value #MAX_RUNS} runs, the {@value #MAX_FINDINGS} largest findings, {@value #MAX_TESTS} tests of each. A
 * finding of more tests is never gone.
 *
 * <p>Immutable.
 *
 * @param runs the runs, oldest first
 * @param findings the findings, each with a point for every run
 */
public record FindingTrends(List<Run> runs, List<Trend> findings) {

    static final int MAX_RUNS = 30;
    static final int MAX_FINDINGS = 1_000;
    static final int MAX_TESTS = 200;

    /** Only the last run and the one before are compared, so older ones do not keep their tests. */
    private static final int RUNS_WITH_TESTS = 2;

    private static final int DIGITS = 8;

    private static final DateTimeFormatter MINUTE =
            DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm", Locale.ROOT).withZone(ZoneId.systemDefault());

    /** No test has this id, so a finding that has it is never gone. */
    private static final String MANY = "*";

    /**
     * An execution of tests, by one JVM or several of one build.
     *
     * @param at the local date and time of its end, to the minute
     * @param build identifies the build whose JVMs belong to one run
     * @param tests the ids of the checked tests; empty if the run is older than the one before the last
     * @param size the number of checked tests
     * @param isTruncated whether findings of it were omitted, so that nothing is known to be new in the next one
     */
    public record Run(String at, String build, Set<String> tests, int size, boolean isTruncated) {

        Run withoutTests() {
            return new Run(at, build, Set.of(), size, isTruncated);
        }
    }

    /** The properties that the findings of one trend share. */
    public record Key(String fingerprint, String cause, String status, String site, String type) {

        /** The findings of one row of the page: those of one line, or of one fingerprint if the line is unknown. */
        List<String> row() {
            return List.of(cause, status, site.isEmpty() ? fingerprint : site);
        }
    }

    /**
     * A finding in one run.
     *
     * @param isPartial whether a test that had it before did not run
     */
    public record Point(long bytes, long buffers, int tests, boolean isPartial) {

        static final Point NOTHING = new Point(0, 0, 0, false);
    }

    /**
     * A finding over the runs.
     *
     * @param tests the ids of the tests that had it when they last ran; only a mark if they are too many
     * @param points a point for each run; null if none of its tests, or not all of them, ran
     */
    public record Trend(Key key, Set<String> tests, List<@Nullable Point> points) {

        /** Returns whether it was found in a run. */
        boolean isIn(int run) {
            Point point = run < 0 ? null : points.get(run);
            return point != null && point.bytes() > 0;
        }

        private long largest() {
            return points.stream()
                    .mapToLong(point -> point == null ? 0 : point.bytes())
                    .max()
                    .orElse(0);
        }
    }

    /**
     * A finding of the current run.
     *
     * @param tests the ids of the tests that have it
     */
    record Found(Key key, long bytes, long buffers, Set<String> tests) {

        Found and(Found other) {
            Set<String> all = new HashSet<>(tests);
            all.addAll(other.tests);
            return new Found(key, bytes + other.bytes, buffers + other.buffers, all);
        }
    }

    static final FindingTrends NONE = new FindingTrends(List.of(), List.of());

    /** Creates trends with their own copies. */
    public FindingTrends {
        runs = List.copyOf(runs);
        findings = List.copyOf(findings);
    }

    /** Returns the local date and time of a run, to the minute. */
    public static String minute(Instant time) {
        return MINUTE.format(time);
    }

    /** Returns the id of a test by the name of its page, whose last digits distinguish it from all others. */
    static String testOf(String name) {
        return name.substring(Math.max(0, name.length() - DIGITS));
    }

    /**
     * Returns these trends with one more execution; it belongs to the last run if that is of the same build and none of
     * its tests ran there.
     */
    FindingTrends with(Run execution, Map<Key, Found> found) {
        boolean isSameRun = !runs.isEmpty()
                && last().build().equals(execution.build())
                && Collections.disjoint(last().tests(), execution.tests());
        return (isSameRun ? this : withRun(execution))
                .adding(execution, found, isSameRun)
                .bounded();
    }

    private FindingTrends withRun(Run run) {
        List<Run> all = new ArrayList<>(runs);
        all.add(run);
        for (int i = 0; i < all.size() - RUNS_WITH_TESTS; i++) {
            all.set(i, all.get(i).withoutTests());
        }
        return new FindingTrends(
                all,
                findings.stream()
                        .map(trend -> new Trend(trend.key(), trend.tests(), appended(trend.points())))
                        .toList());
    }

    private static List<@Nullable Point> appended(List<@Nullable Point> points) {
        List<@Nullable Point> all = new ArrayList<>(points);
        all.add(null);
        return all;
    }

    private FindingTrends adding(Run execution, Map<Key, Found> found, boolean isSameRun) {
        List<Run> all = new ArrayList<>(runs);
        Set<String> ran = new TreeSet<>(last().tests());
        ran.addAll(execution.tests());
        all.set(
                all.size() - 1,
                new Run(
                        execution.at(),
                        execution.build(),
                        ran,
                        ran.size(),
                        execution.isTruncated() || (isSameRun && last().isTruncated())));
        Map<Key, Trend> trends = new LinkedHashMap<>();
        findings.forEach(trend -> trends.put(trend.key(), trend));
        found.keySet().forEach(key -> trends.computeIfAbsent(key, this::unknown));
        return new FindingTrends(
                all,
                trends.values().stream()
                        .map(trend -> added(trend, Optional.ofNullable(found.get(trend.key())), execution.tests(), ran))
                        .toList());
    }

    private Trend unknown(Key key) {
        return new Trend(key, Set.of(), new ArrayList<>(Collections.nCopies(runs.size(), null)));
    }

    private Trend added(Trend trend, Optional<Found> found, Set<String> now, Set<String> ran) {
        int run = runs.size() - 1;
        List<@Nullable Point> points = new ArrayList<>(trend.points());
        Point before = points.get(run);
        Set<String> tests = new TreeSet<>(trend.tests());
        boolean isPartial = !ran.containsAll(tests);
        tests.removeAll(now);
        if (found.isPresent()) {
            tests.addAll(found.get().tests());
            Point more = before == null ? Point.NOTHING : before;
            points.set(
                    run,
                    new Point(
                            more.bytes() + found.get().bytes(),
                            more.buffers() + found.get().buffers(),
                            more.tests() + found.get().tests().size(),
                            isPartial && !tests.contains(MANY)));
        } else if (before != null) {
            points.set(run, new Point(before.bytes(), before.buffers(), before.tests(), isPartial));
        } else if (!isPartial) {
            points.set(run, Point.NOTHING);
        }
        return new Trend(trend.key(), tests.size() > MAX_TESTS ? Set.of(MANY) : tests, points);
    }

    private FindingTrends bounded() {
        int dropped = Math.max(0, runs.size() - MAX_RUNS);
        List<Run> kept = new ArrayList<>(runs.subList(dropped, runs.size()));
        List<Trend> alive = findings.stream()
                .map(trend -> new Trend(
                        trend.key(),
                        trend.tests(),
                        new ArrayList<>(trend.points().subList(dropped, runs.size()))))
                .filter(trend -> trend.largest() > 0)
                .sorted(Comparator.comparingLong(Trend::largest)
                        .reversed()
                        .thenComparing(trend -> trend.key().toString()))
                .toList();
        if (alive.size() > MAX_FINDINGS) {
            Run last = kept.get(kept.size() - 1);
            kept.set(kept.size() - 1, new Run(last.at(), last.build(), last.tests(), last.size(), true));
        }
        return new FindingTrends(kept, alive.subList(0, Math.min(MAX_FINDINGS, alive.size())));
    }

    private Run last() {
        return runs.get(runs.size() - 1);
    }

    /** Returns the run before the last one, if there is one. */
    Optional<Run> before() {
        return runs.size() < 2 ? Optional.empty() : Optional.of(runs.get(runs.size() - 2));
    }

    /** Returns the rows of the page that the run before did not have, though one of their tests ran there. */
    Set<List<String>> newRows() {
        return before().filter(run -> !run.isTruncated())
                .map(run -> rows(trend ->
                        trend.isIn(runs.size() - 1) && trend.tests().stream().anyMatch(run.tests()::contains)))
                .map(rows -> {
                    rows.removeAll(rows(trend -> trend.isIn(runs.size() - 2)));
                    return rows;
                })
                .orElseGet(Set::of);
    }

    /** Returns the rows of the run before whose tests all ran again without them. */
    Set<List<String>> goneRows() {
        Set<List<String>> gone = rows(trend -> trend.isIn(runs.size() - 2));
        gone.removeAll(rows(trend -> trend.isIn(runs.size() - 1)
                || (trend.isIn(runs.size() - 2) && trend.points().get(runs.size() - 1) == null)));
        return gone;
    }

    private Set<List<String>> rows(Predicate<Trend> condition) {
        return findings.stream()
                .filter(condition)
                .map(trend -> trend.key().row())
                .collect(Collectors.toCollection(HashSet::new));
    }

    /** Returns the comparison with the run before as a phrase; empty if there is none. */
    public Optional<String> comparison() {
        return before().map(run -> {
            int gone = goneRows().size();
            String all = (run.isTruncated() ? "" : Quantities.count(newRows().size(), "new finding"))
                    + (run.isTruncated() || gone == 0 ? "" : ", ")
                    + (gone == 0 ? "" : gone + " gone");
            return all.isEmpty()
                    ? "not compared with the run of " + run.at() + ", which had too many findings"
                    : all + " since the run of " + run.at();
        });
    }

    /** Writes the trends for the page. */
    void write(JsonGenerator json) throws IOException {
        Set<List<String>> added = newRows();
        Set<List<String>> gone = goneRows();
        json.writeObjectFieldStart("trends");
        if (before().isPresent()) {
            json.writeStringField("since", before().get().at());
        }
        json.writeArrayFieldStart("runs");
        for (Run run : runs) {
            json.writeStartObject();
            json.writeStringField("at", run.at());
            json.writeNumberField("tests", run.size());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeArrayFieldStart("findings");
        for (Trend trend : findings) {
            json.writeStartObject();
            FindingTrendsFile.write(trend.key(), json);
            if (added.contains(trend.key().row())) {
                json.writeBooleanField("isNew", true);
            }
            if (gone.contains(trend.key().row())) {
                json.writeBooleanField("isGone", true);
            }
            json.writeArrayFieldStart("bytes");
            for (Point point : trend.points()) {
                if (point == null || point.isPartial()) {
                    json.writeNull();
                } else {
                    json.writeNumber(point.bytes());
                }
            }
            json.writeEndArray();
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
    }
}
