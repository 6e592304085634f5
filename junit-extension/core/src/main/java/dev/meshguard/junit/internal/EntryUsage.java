package dev.meshguard.junit.internal;

import dev.meshguard.report.findings.EntryUse;
import dev.meshguard.report.findings.JvmFindings;
import dev.meshguard.verdict.baseline.Baseline;
import dev.meshguard.verdict.baseline.BaselineEntry;
import dev.meshguard.verdict.expectation.Expectation;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Collects over a run which expectation entries matched, which could not be decided, the leaks that were found, and which tests
 * completed.
 *
 * <p>Entries of a file apply to all tests. Those of an annotation apply to some, so their use is unknown if one of
 * these failed, was aborted or is disabled. A known leak is gone only if each test that had it completed without it.
 *
 * <p>Not safe for use by several threads.
 */
final class EntryUsage {

    /** By location and text: a file that changed between two JVMs has other entries. */
    private final Map<String, UsedEntry> entries = new LinkedHashMap<>();

    private Baseline found = Baseline.empty();
    private final Set<String> completed = new HashSet<>();
    private final Set<String> incomplete = new HashSet<>();

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
    void add(JvmFindings jvm) {
        jvm.entries().forEach(used -> add(used.use(), List.of(used.entry())));
        find(jvm.found());
        Set<String> completedInJvm = new HashSet<>(jvm.completed());
        completedInJvm.removeAll(jvm.incomplete());
        completed.addAll(completedInJvm);
        incomplete.addAll(jvm.incomplete());
    }

    /**
     * Adds a test, class or run of this JVM that completed, or did not; returns whether that is new. Of several tests with one name,
     * for example overloads, each must complete.
     */
    boolean add(String test, boolean isCompleted) {
        if (!isCompleted) {
            completed.remove(test);
            return incomplete.add(test);
        }
        return !incomplete.contains(test) && completed.add(test);
    }

    /** Adds a use of entries; returns those for which it is new. */
    List<Expectation> add(EntryUse use, List<Expectation> more) {
        List<Expectation> added = new ArrayList<>();
        for (Expectation entry : more) {
            boolean isJudged = entry.location().isPresent()
                    && (use != EntryUse.EXCUSED || entry.source().isEmpty());
            if (isJudged
                    && entries.computeIfAbsent(key(entry), unused -> new UsedEntry(entry))
                            .uses()
                            .add(use)) {
                added.add(entry);
            }
        }
        return added;
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

    /** Returns a baseline without the leaks that are gone, and with lower counts for those that are smaller. */
    Baseline shrunk(Baseline known) {
        return known.shrunkTo(found, this::isJudged);
    }

    /** Returns the known leaks that are certainly gone or smaller. */
    List<BaselineEntry> gone(Baseline known) {
        return notFound(known).filter(this::isJudged).toList();
    }

    /** Returns the known leaks that may be gone or smaller, but not each test that had them completed. */
    List<BaselineEntry> undecided(Baseline known) {
        return notFound(known).filter(entry -> !isJudged(entry)).toList();
    }

    /** Those of a check of the run, and those of an unknown test, may come from any test. */
    private boolean isJudged(BaselineEntry entry) {
        return completed.containsAll(entry.tests().isEmpty() ? incomplete : entry.tests());
    }

    private Stream<BaselineEntry> notFound(Baseline known) {
        return known.entries().values().stream().filter(entry -> {
            BaselineEntry now = found.entries().get(entry.fingerprint());
            return now == null || now.count() < entry.count();
        });
    }

    /** Returns the tests that had a leak and did not complete, as far as they are known. */
    String incompleteOf(BaselineEntry entry) {
        List<String> missing = (entry.tests().isEmpty() ? incomplete : entry.tests())
                .stream().filter(test -> !completed.contains(test)).sorted().toList();
        return missing.get(0) + (missing.size() == 1 ? "" : " and " + (missing.size() - 1) + " more");
    }

    int expected() {
        return expected(unused -> true).size();
    }

    /** Returns the entries that certainly matched nothing, as they are written. */
    List<Expectation> unmatched() {
        return expected(uses -> !uses.contains(EntryUse.MATCHED) && !uses.contains(EntryUse.EXCUSED));
    }

    /** Returns the entries that matched nothing, but could have matched in a test that did not complete. */
    List<Expectation> unknown() {
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
    static String description(Expectation entry) {
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
