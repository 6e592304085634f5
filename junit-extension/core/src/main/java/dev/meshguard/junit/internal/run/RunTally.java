package dev.meshguard.junit.internal.run;

import dev.meshguard.junit.internal.PlaceToOpen;
import dev.meshguard.report.findings.EntryUse;
import dev.meshguard.report.findings.FindingsJson;
import dev.meshguard.report.findings.JvmFindings;
import dev.meshguard.verdict.baseline.Baseline;
import dev.meshguard.verdict.baseline.BaselineEntry;
import dev.meshguard.verdict.expectation.Expectation;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Collects over a run which expectation entries matched, which could not be decided, the leaks that were found, and which tests
 * completed.
 *
 * <p>Entries of a file apply to all tests. Those of an annotation apply to some, so their use is unknown if one of
 * these failed, was aborted or is disabled. A known leak is gone only if each test that had it completed without it, or was
 * removed. If no test of it is known, it may be one that did not run.
 *
 * <p>Not safe for use by several threads.
 */
public final class RunTally {

    /** By location and text: a file that changed between two JVMs has other entries. */
    private final Map<String, UsedEntry> entries = new LinkedHashMap<>();

    private Baseline found = Baseline.empty();
    /** The tests, classes and runs with a check, and whether they completed. */
    private final Map<String, Boolean> completed = new HashMap<>();

    private record UsedEntry(Expectation entry, Set<EntryUse> uses) {

        UsedEntry(Expectation entry) {
            this(entry, EnumSet.noneOf(EntryUse.class));
        }

        /** Returns whether it has to match; one that matched has to, too. */
        boolean isExpected() {
            return uses.contains(EntryUse.EXPECTED) || uses.contains(EntryUse.MATCHED);
        }
    }

    /** Adds what the file of one JVM says. */
    public void add(JvmFindings jvm) {
        jvm.entries().forEach(used -> add(used.use(), List.of(used.entry())));
        find(jvm.found());
        jvm.completed().forEach(test -> completed.put(test, true));
    }

    /**
     * Adds a test, class or run of this JVM that completed, or did not. Of several tests with one name, for example overloads, each
     * must complete.
     */
    public void add(String test, boolean isCompleted) {
        completed.merge(test, isCompleted, Boolean::logicalAnd);
    }

    /** Adds a use of entries. */
    public void add(EntryUse use, List<Expectation> more) {
        for (Expectation entry : more) {
            if (entry.location().isPresent()
                    && (use != EntryUse.EXCUSED || entry.source().isEmpty())) {
                entries.computeIfAbsent(key(entry), unused -> new UsedEntry(entry))
                        .uses()
                        .add(use);
            }
        }
    }

    /** Adds leaks. */
    public void find(Baseline leaks) {
        found = found.and(leaks);
    }

    /** Returns the lines of a findings file that hand it to the judgement of several JVMs. */
    public String lines(FindingsJson json) {
        StringBuilder lines = new StringBuilder();
        for (UsedEntry used : entries.values()) {
            used.uses().forEach(use -> lines.append(json.entries(use, List.of(used.entry()))));
        }
        completed.forEach((test, isCompleted) -> lines.append(isCompleted ? "" : json.incomplete(test)));
        return lines.append(json.found(found)).toString();
    }

    public Baseline found() {
        return found;
    }

    /** Returns a baseline without the leaks that are gone, and with lower counts for those that are smaller. */
    Baseline shrunk(Baseline known) {
        return known.shrunkTo(found, this::isJudged);
    }

    /** Returns the known leaks that may be gone or smaller. */
    List<BaselineEntry> notFound(Baseline known) {
        return known.entries().values().stream()
                .filter(entry -> {
                    BaselineEntry now = found.entries().get(entry.fingerprint());
                    return now == null || now.count() < entry.count();
                })
                .toList();
    }

    /** Returns whether a known leak that was not found is certainly gone or smaller. */
    boolean isJudged(BaselineEntry entry) {
        return !entry.tests().isEmpty() && entry.tests().stream().allMatch(this::isJudged);
    }

    private boolean isJudged(String test) {
        return completed.getOrDefault(test, false) || DeclaredTests.lack(test);
    }

    /** Returns why a known leak that was not found may still be there. */
    String reasonToKeep(BaselineEntry entry) {
        List<String> missing =
                entry.tests().stream().filter(test -> !isJudged(test)).toList();
        if (missing.isEmpty()) {
            return "no test of it is known; remove the entry if it is fixed";
        }
        return missing.stream()
                .filter(test -> DeclaredTests.have(test).isEmpty())
                .findFirst()
                .map(test ->
                        "the class of " + test + " cannot be loaded; remove this line if it was removed or renamed")
                .orElseGet(() -> missing.get(0) + (missing.size() == 1 ? "" : " and " + (missing.size() - 1) + " more")
                        + " did not complete");
    }

    public int expected() {
        return expected(unused -> true).size();
    }

    /** Returns the entries that certainly matched nothing, as they are written. */
    List<Expectation> unmatched() {
        return expected(uses -> !uses.contains(EntryUse.MATCHED) && !uses.contains(EntryUse.EXCUSED));
    }

    /** Returns the entries that matched nothing, but could have matched in a test that did not complete. */
    public List<Expectation> unknown() {
        return expected(uses -> !uses.contains(EntryUse.MATCHED) && uses.contains(EntryUse.EXCUSED));
    }

    /** Returns the number of entries that matched something. */
    int matched() {
        return expected(uses -> uses.contains(EntryUse.MATCHED)).size();
    }

    private List<Expectation> expected(Predicate<Set<EntryUse>> isWanted) {
        return entries.values().stream()
                .filter(used -> used.isExpected() && isWanted.test(used.uses()))
                .map(UsedEntry::entry)
                .toList();
    }

    /** Returns the description of an entry with its location. */
    public static String description(Expectation entry) {
        return entry
                + entry.location()
                        .filter(place -> entry.source().isEmpty())
                        .map(place -> " at " + PlaceToOpen.withoutPackage(place))
                        .orElse("");
    }

    private static String key(Expectation entry) {
        return entry.location().orElseThrow() + " " + entry.toText();
    }
}
