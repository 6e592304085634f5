package dev.meshguard.junit.internal;

import dev.meshguard.report.findings.JvmFindings;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.baseline.Baseline;
import dev.meshguard.verdict.baseline.BaselineEntry;
import dev.meshguard.verdict.expectation.Expectation;
import dev.meshguard.verdict.expectation.ExpectationResult;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Collects over a run which expectation entries matched, which could not be decided, and the leaks that were found.
 *
 * <p>Entries of a file apply to all tests. Those of an annotation apply to some, so their use is unknown if one of
 * these failed, was aborted or is disabled.
 *
 * <p>Not safe for use by several threads.
 */
final class EntryUsage {

    /** Entries by location and text: a file that changed between two JVMs has other entries. */
    private final Map<String, Expectation> entries = new LinkedHashMap<>();

    private final Map<String, Boolean> matched = new LinkedHashMap<>();
    private final Set<String> excused = new LinkedHashSet<>();
    private Baseline found = Baseline.empty();

    /** Adds what the file of one JVM says. */
    void add(JvmFindings jvm) {
        for (JvmFindings.UsedEntry used : jvm.entries()) {
            switch (used.use()) {
                case EXPECTED -> expect(List.of(used.entry()));
                case MATCHED -> match(used.entry());
                case EXCUSED -> excuse(List.of(used.entry()));
            }
        }
        find(jvm.found());
    }

    /** Adds entries that must match in the whole run; returns the new ones. */
    List<Expectation> expect(List<Expectation> more) {
        List<Expectation> added = new ArrayList<>();
        for (Expectation entry : more) {
            if (entry.location().isPresent() && entries.putIfAbsent(key(entry), entry) == null) {
                added.add(entry);
            }
        }
        return added;
    }

    /** Records that an entry matched; returns whether it had not matched before. */
    boolean match(Expectation entry) {
        expect(List.of(entry));
        return matched.put(key(entry), true) == null;
    }

    /** Adds the verdict of one check; returns the entries that had not matched before. */
    List<Expectation> matches(LeakVerdict verdict) {
        List<Expectation> news = new ArrayList<>();
        for (ExpectationResult result : verdict.expectations()) {
            Expectation entry = result.expectation();
            if (entry.location().isPresent() && !result.neverMatched() && match(entry)) {
                news.add(entry);
            }
        }
        return news;
    }

    /** Records that a test with these entries did not show whether they match; returns those for which this is new. */
    List<Expectation> excuse(List<Expectation> more) {
        List<Expectation> news = new ArrayList<>();
        for (Expectation entry : more) {
            if (entry.location().isPresent() && entry.source().isEmpty() && excused.add(key(entry))) {
                news.add(entry);
            }
        }
        return news;
    }

    /** Adds leaks; returns whether any is new or more frequent than before. */
    boolean find(Baseline leaks) {
        Baseline before = found;
        found = found.and(leaks);
        return !found.equals(before);
    }

    Baseline found() {
        return found;
    }

    /** Returns the known leaks that were not found, or only with fewer buffers. */
    List<BaselineEntry> gone(Baseline known) {
        Baseline left = known.shrunkTo(found);
        return known.entries().values().stream()
                .filter(entry -> !left.entries().containsValue(entry))
                .toList();
    }

    int expected() {
        return entries.size();
    }

    /** Returns the entries that certainly matched nothing, as they are written. */
    List<Expectation> unmatched() {
        return entriesOf(key -> !matched.containsKey(key) && !excused.contains(key));
    }

    /** Returns the entries that matched nothing, but could have matched in a test that did not complete. */
    List<Expectation> unknown() {
        return entriesOf(key -> !matched.containsKey(key) && excused.contains(key));
    }

    /** Returns the entries that matched something, as they are written. */
    List<Expectation> matched() {
        return entriesOf(matched::containsKey);
    }

    private List<Expectation> entriesOf(Predicate<String> isWanted) {
        return entries.entrySet().stream()
                .filter(entry -> isWanted.test(entry.getKey()))
                .map(Map.Entry::getValue)
                .toList();
    }

    /** Returns the description of an entry with its location. */
    static String description(Expectation entry) {
        boolean saysWhere = entry.source().isPresent();
        return entry
                + (saysWhere
                        ? ""
                        : entry.location()
                                .map(place -> " at " + PlaceToOpen.withoutPackage(place))
                                .orElse(""));
    }

    private static String key(Expectation entry) {
        return entry.location().orElseThrow() + " " + entry.toText();
    }
}
