package dev.meshguard.verdict.baseline;

import dev.meshguard.file.EditedText;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.text.InvariantText;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.SurvivorGroup;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.LongBinaryOperator;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The known leaks of a project, each with a number of buffers: a test fails only for another leak, or for more buffers than that.
 *
 * <p>A leak in the baseline is reported but fails no test. A new leak fails, and so do more buffers of a known leak
 * than its count. The count is the most buffers that one check may find. A fixed leak is removed from the baseline, and
 * fails again if it comes back.
 *
 * <p>The file is made for version control: one line per leak, sorted by fingerprint, and below it one per test that had it,
 * without dates, machine names, line numbers or addresses. Two people who fix two leaks change different lines.
 *
 * <p>Immutable.
 *
 * @param entries the known leaks by fingerprint
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record Baseline(Map<String, BaselineEntry> entries) {

    /** The description of a known group that is within its count. */
    public static final String KNOWN = "known";

    /** Explains the file to a reader: its purpose and how to change it. */
    private static final String HEADER = """
            # Leaks that are known: fingerprint, most buffers in one check, type, size class, place. Below: the tests that had it.
            # Change with -Dmeshguard.baseline.update=shrink (fixed ones go) or =accept (new ones come).
            """;

    /** Creates a baseline with its own copy of the entries, sorted. */
    public Baseline {
        entries = Collections.unmodifiableMap(new TreeMap<>(entries));
    }

    /** Returns the baseline without known leaks. */
    public static Baseline empty() {
        return new Baseline(Map.of());
    }

    /** Returns a baseline of the given entries; the larger count wins for equal leaks. */
    public static Baseline of(Collection<BaselineEntry> entries) {
        return merged(entries.stream(), Math::max);
    }

    /**
     * Returns the baseline that covers a verdict: its leaked, late and misreported survivors, counted by fingerprint.
     */
    public static Baseline of(LeakVerdict verdict) {
        return merged(
                verdict.groups().stream()
                        .filter(group -> group.status().isDefect())
                        .map(group -> BaselineEntry.of(
                                Fingerprint.of(group), group.survivors().size())),
                Long::sum);
    }

    private static Baseline merged(Stream<BaselineEntry> entries, LongBinaryOperator count) {
        return new Baseline(entries.collect(Collectors.toMap(
                BaselineEntry::fingerprint,
                Function.identity(),
                (one, other) -> one.withCount(count.applyAsLong(one.count(), other.count()))
                        .foundBy(other.tests()))));
    }

    /**
     * Parses the text of a file, with or without a byte order mark.
     *
     * @param name the name of the file in messages
     * @throws IllegalArgumentException if a line is no entry; the message names file and line
     */
    public static Baseline parse(String text, String name) {
        List<BaselineEntry> entries = new ArrayList<>();
        int number = 0;
        for (String line : EditedText.withoutMark(text).lines().toList()) {
            number++;
            if (line.isBlank() || line.startsWith("#")) {
                continue;
            }
            int last = entries.size() - 1;
            if (last >= 0 && Character.isWhitespace(line.charAt(0)) && !BaselineEntry.isEntry(line)) {
                entries.set(last, entries.get(last).foundBy(List.of(line.strip())));
            } else {
                entries.add(entry(line, name, number));
            }
        }
        return of(entries);
    }

    private static BaselineEntry entry(String line, String name, int number) {
        try {
            return BaselineEntry.parse(line.strip());
        } catch (IllegalArgumentException refusal) {
            throw new IllegalArgumentException(
                    InvariantText.of("%s:%d: %s", name, number, refusal.getMessage()), refusal);
        }
    }

    /** Returns the count of a leak, or 0. */
    private long countOf(String fingerprint) {
        BaselineEntry entry = entries.get(fingerprint);
        return entry == null ? 0 : entry.count();
    }

    /**
     * Returns whether it has every failure of a verdict, within its counts: then the verdict fails no test. It never has frees of
     * nothing, stale expectations, overwritten buffers and inconclusive reasons.
     */
    public boolean covers(LeakVerdict verdict) {
        return verdict.inconclusiveReasons().isEmpty()
                && verdict.unbalancingAnomalies().isEmpty()
                && verdict.meetsExpectations()
                && verdict.unexpectedOverwrites().isEmpty()
                && covers(of(verdict));
    }

    /** Returns whether it has the leaks of all of these survivors, within their counts. */
    public boolean covers(Collection<BufferGeneration> survivors) {
        return covers(merged(survivors.stream().map(buffer -> BaselineEntry.of(Fingerprint.of(buffer), 1)), Long::sum));
    }

    private boolean covers(Baseline found) {
        return found.entries.values().stream().allMatch(entry -> countOf(entry.fingerprint()) >= entry.count());
    }

    /**
     * Returns the description of a group beside its fingerprint: {@code new since the baseline}, {@value #KNOWN}, or
     * {@code known, but 9 instead of 8}; empty if it is no defect.
     *
     * @param found the leaks of the verdict
     */
    public Optional<String> description(SurvivorGroup group, Fingerprint ofGroup, Baseline found) {
        if (!group.status().isDefect()) {
            return Optional.empty();
        }
        String fingerprint = ofGroup.abbreviated(BaselineEntry.DIGITS);
        long known = countOf(fingerprint);
        // The verdict counts no consequences of other groups.
        long count = Math.max(found.countOf(fingerprint), group.survivors().size());
        if (known == 0) {
            return Optional.of("new since the baseline");
        }
        return Optional.of(count > known ? InvariantText.of("known, but %d instead of %d", count, known) : KNOWN);
    }

    /** Returns this baseline with a test that had all its leaks. */
    public Baseline foundBy(String test) {
        return of(entries.values().stream()
                .map(entry -> entry.foundBy(List.of(test)))
                .toList());
    }

    /** Returns this baseline with all entries of another one; the larger count wins. */
    public Baseline and(Baseline more) {
        return merged(Stream.of(this, more).flatMap(one -> one.entries.values().stream()), Math::max);
    }

    /**
     * Returns this baseline without leaks that a run did not find, and with lower counts where it found fewer buffers.
     *
     * @param found the leaks of the run
     * @param isJudged whether the run would have found a leak that is not fixed: each test that had it completed, or was removed.
     *     Other leaks stay as they are
     */
    public Baseline shrunkTo(Baseline found, Predicate<BaselineEntry> isJudged) {
        List<BaselineEntry> remaining = new ArrayList<>();
        for (BaselineEntry known : entries.values()) {
            BaselineEntry now = found.entries.get(known.fingerprint());
            if (!isJudged.test(known)) {
                remaining.add(now == null ? known : known.foundBy(now.tests()));
            } else if (now != null) {
                remaining.add(now.withCount(Math.min(known.count(), now.count())));
            }
        }
        return of(remaining);
    }

    /** Returns the text of the file: sorted, and the same for the same leaks. */
    public String toText() {
        return HEADER + entries.values().stream().map(BaselineEntry::toText).collect(Collectors.joining());
    }
}
