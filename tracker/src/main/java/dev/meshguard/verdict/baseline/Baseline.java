package dev.meshguard.verdict.baseline;

import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.SurvivorGroup;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The leaks that are known: a ratchet that only turns one way.
 *
 * <p>A leak that is in it is reported and fails nothing, a new one fails, and so does more of a known one than its count, which is the
 * most buffers that one check may find. What was fixed is taken out, and then fails if it comes back.
 *
 * <p>Made for version control: a line a leak, sorted by fingerprint, without dates, machine names, line numbers or addresses, so two
 * people who fix two leaks change two lines.
 *
 * <p>Immutable.
 *
 * @param entries the known leaks by fingerprint
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record Baseline(Map<String, BaselineEntry> entries) {

    /** Whatever else is in the file, whoever opens it learns what it is and how it is changed. */
    private static final String HEADER = """
            # Leaks that are known: fingerprint, most buffers in one check, type, size class, place.
            # Change with -Dmeshguard.baseline.update=shrink (fixed ones go) or =accept (new ones come).
            """;

    /** Creates a baseline with its own copy of the entries, sorted. */
    public Baseline {
        entries = Collections.unmodifiableMap(new TreeMap<>(entries));
    }

    /** Returns the baseline in which nothing is known. */
    public static Baseline empty() {
        return new Baseline(Map.of());
    }

    /** Returns a baseline of the given entries; of two for one leak the larger count is kept. */
    public static Baseline of(Collection<BaselineEntry> entries) {
        Map<String, BaselineEntry> byFingerprint = new TreeMap<>();
        entries.forEach(entry -> byFingerprint.merge(entry.fingerprint(), entry, Baseline::larger));
        return new Baseline(byFingerprint);
    }

    /**
     * Returns what a verdict would have to find in its baseline: its leaked, late and misreported survivors, counted by fingerprint.
     */
    public static Baseline of(LeakVerdict verdict) {
        Map<String, BaselineEntry> found = new TreeMap<>();
        for (SurvivorGroup group : verdict.groups()) {
            if (isFinding(group)) {
                BaselineEntry entry = BaselineEntry.of(
                        Fingerprint.of(group), group.survivors().size());
                found.merge(entry.fingerprint(), entry, (one, other) -> one.withCount(one.count() + other.count()));
            }
        }
        return new Baseline(found);
    }

    static boolean isFinding(SurvivorGroup group) {
        return switch (group.status()) {
            case LEAKED, FREED_LATE, MISREPORTED -> true;
            case EXPECTED, UNDECIDED -> false;
        };
    }

    private static BaselineEntry larger(BaselineEntry one, BaselineEntry other) {
        return one.count() >= other.count() ? one : other;
    }

    /**
     * Reads the text of a file.
     *
     * @param name how the file is called in messages
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

    /** Returns the entry for a leak. */
    public Optional<BaselineEntry> entry(Fingerprint fingerprint) {
        return Optional.ofNullable(entries.get(fingerprint.abbreviated(BaselineEntry.DIGITS)));
    }

    /** Returns this baseline with everything that another one knows; of two counts the larger one. */
    public Baseline and(Baseline more) {
        List<BaselineEntry> all = new ArrayList<>(entries.values());
        all.addAll(more.entries.values());
        return of(all);
    }

    /** Returns this baseline without what was not found in a whole run, and with lower counts where less was. */
    public Baseline shrunkTo(Baseline found) {
        List<BaselineEntry> left = new ArrayList<>();
        for (BaselineEntry known : entries.values()) {
            BaselineEntry still = found.entries.get(known.fingerprint());
            if (still != null) {
                left.add(known.withCount(Math.min(known.count(), still.count())));
            }
        }
        return of(left);
    }

    /** Returns the file: sorted, the same for the same leaks. */
    public String toText() {
        return HEADER + entries.values().stream().map(entry -> entry + "\n").collect(Collectors.joining());
    }
}
