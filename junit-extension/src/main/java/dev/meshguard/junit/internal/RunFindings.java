package dev.meshguard.junit.internal;

import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.baseline.Baseline;
import dev.meshguard.verdict.expectation.Expectation;
import dev.meshguard.verdict.expectation.ExpectationResult;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What the checks of a run, or of a part of it, found: which entries of files matched, and which leaks were there.
 *
 * <p>Not safe for use by several threads.
 */
final class RunFindings {

    /** Entries by where they are written and what they say: a file that changed between two JVMs has other entries. */
    private final Map<String, Expectation> entries = new LinkedHashMap<>();

    private final Map<String, Boolean> matched = new LinkedHashMap<>();
    private Baseline found = Baseline.empty();

    /** Adds entries that have to match in the whole run; returns those that were not known. */
    List<Expectation> expect(List<Expectation> more) {
        List<Expectation> added = new ArrayList<>();
        for (Expectation entry : more) {
            if (entry.source().isPresent() && entries.putIfAbsent(key(entry), entry) == null) {
                added.add(entry);
            }
        }
        return added;
    }

    /** Says that an entry matched; returns whether that is news. */
    boolean match(Expectation entry) {
        expect(List.of(entry));
        return matched.put(key(entry), true) == null;
    }

    /** Adds what one check found; returns the entries that had not matched before. */
    List<Expectation> matches(LeakVerdict verdict) {
        List<Expectation> news = new ArrayList<>();
        for (ExpectationResult result : verdict.expectations()) {
            Expectation entry = result.expectation();
            if (entry.source().isPresent() && !result.neverMatched() && match(entry)) {
                news.add(entry);
            }
        }
        return news;
    }

    /** Adds leaks; returns whether any is new or more than before. */
    boolean find(Baseline leaks) {
        Baseline before = found;
        found = found.and(leaks);
        return !found.equals(before);
    }

    Baseline found() {
        return found;
    }

    int expected() {
        return entries.size();
    }

    /** Returns the entries that matched nothing, as they are written. */
    List<Expectation> unmatched() {
        return entries.entrySet().stream()
                .filter(entry -> !matched.containsKey(entry.getKey()))
                .map(Map.Entry::getValue)
                .toList();
    }

    /** Returns the entries that matched something, as they are written. */
    List<Expectation> matched() {
        return entries.entrySet().stream()
                .filter(entry -> matched.containsKey(entry.getKey()))
                .map(Map.Entry::getValue)
                .toList();
    }

    static String key(Expectation entry) {
        return entry.source().orElseThrow() + " " + entry.toText();
    }
}
