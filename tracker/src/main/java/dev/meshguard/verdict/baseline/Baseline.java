package dev.meshguard.verdict.baseline;

import dev.meshguard.history.BufferGeneration;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.SurvivorGroup;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The known leaks, as a ratchet that only tightens.
 *
 * <p>A leak in the baseline is reported but fails no test. A new leak fails, and so do more buffers of a known leak
 * than its count. The count is the most buffers that one check may find. A fixed leak is removed from the baseline, and
 * fails again if it comes back.
 *
 * <p>The file is made for version control: one line per leak, sorted by fingerprint, without dates, machine names, line
 * numbers or addresses. Two people who fix two leaks change two lines.
 *
 * <p>Immutable.
 *
 * @param entries the known leaks by fingerprint
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record Baseline(Map<String, BaselineEntry> entries) {

    /** Explains the file to a reader: its purpose and how to change it. */
    private static final String HEADER = """
            # Leaks that are known: fingerprint, most buffers in one check, type, size class, place.
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
        Map<String, BaselineEntry> byFingerprint = new TreeMap<>();
        entries.forEach(entry -> byFingerprint.merge(entry.fingerprint(), entry, Baseline::larger));
        return new Baseline(byFingerprint);
    }

    /**
     * Returns the baseline that covers a verdict: its leaked, late and misreported survivors, counted by fingerprint.
     */
    public static Baseline of(LeakVerdict verdict) {
        Map<String, BaselineEntry> found = new TreeMap<>();
        for (SurvivorGroup group : verdict.groups()) {
            if (group.status().isDefect()) {
                BaselineEntry entry = BaselineEntry.of(
                        Fingerprint.of(group), group.survivors().size());
                found.merge(entry.fingerprint(), entry, (one, other) -> one.withCount(one.count() + other.count()));
            }
        }
        return new Baseline(found);
    }

    private static BaselineEntry larger(BaselineEntry one, BaselineEntry other) {
        return one.count() >= other.count() ? one : other;
    }

    /**
     * Parses the text of a file.
     *
     * @param name the name of the file in messages
     * @throws IllegalArgumentException if a line is no entry; the message names file and line
     */
    public static Baseline parse(String text, String name) {
        List<BaselineEntry> entries = new ArrayList<>();
        int number = 0;
        for (String line : text.lines().toList()) {
            number++;
            if (!line.isBlank() && !line.startsWith("#")) {
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
                    String.format(Locale.ROOT, "%s:%d: %s", name, number, refusal.getMessage()), refusal);
        }
    }

    /** Returns the count of a leak, or 0. */
    long countOf(String fingerprint) {
        BaselineEntry entry = entries.get(fingerprint);
        return entry == null ? 0 : entry.count();
    }

    /** Returns whether it has the leaks of all of these survivors, within their counts. */
    public boolean covers(Collection<BufferGeneration> survivors) {
        Map<Fingerprint, Long> counts =
                survivors.stream().collect(Collectors.groupingBy(Fingerprint::of, Collectors.counting()));
        return counts.entrySet().stream()
                .allMatch(found -> countOf(found.getKey().abbreviated(BaselineEntry.DIGITS)) >= found.getValue());
    }

    /** Returns this baseline with all entries of another one; the larger count wins. */
    public Baseline and(Baseline more) {
        List<BaselineEntry> all = new ArrayList<>(entries.values());
        all.addAll(more.entries.values());
        return of(all);
    }

    /**
     * Returns this baseline without leaks that a complete run did not find, and with lower counts where it found fewer
     * buffers.
     */
    public Baseline shrunkTo(Baseline found) {
        return of(entries.values().stream()
                .filter(known -> found.countOf(known.fingerprint()) > 0)
                .map(known -> known.withCount(Math.min(known.count(), found.countOf(known.fingerprint()))))
                .toList());
    }

    /** Returns the text of the file: sorted, and the same for the same leaks. */
    public String toText() {
        return HEADER + entries.values().stream().map(entry -> entry + "\n").collect(Collectors.joining());
    }
}
