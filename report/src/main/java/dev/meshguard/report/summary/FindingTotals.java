package dev.meshguard.report.summary;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.Origin;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.verdict.Overwrite;
import dev.meshguard.verdict.SurvivorGroup;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The findings of a run with one cause and one line of code; those with the most bytes come first.
 *
 * @param key the properties that they share
 * @param types the types of their memory
 * @param totals their counts and bytes
 * @param lines the lines at which a reader begins, each with its part of the totals: the callers if a helper allocated,
 *     otherwise the line of the allocation; empty if it is unknown
 * @param checks the checks that found them, by name, each with its page if it has one
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record FindingTotals(
        Key key,
        Set<BufferType> types,
        LeakTotals totals,
        Map<StackTraceElement, LeakTotals> lines,
        SortedMap<String, Optional<String>> checks)
        implements Comparable<FindingTotals> {

    private static final Comparator<FindingTotals> ORDER = Comparator.comparing(
                    (FindingTotals finding) -> finding.totals().bytes())
            .reversed()
            .thenComparing(finding -> finding.key().toString());

    /**
     * The properties that findings of one line of a summary share.
     *
     * @param cause why the buffers survived, or what overwrote them
     * @param status how they count, as words: {@code leaked}, {@code freed late}, {@code overwritten}
     * @param site the line that allocated them, if it was captured
     * @param baseline the comparison with the known leaks, if there is a baseline
     */
    public record Key(String cause, String status, Optional<StackTraceElement> site, Optional<String> baseline) {

        private static Optional<StackTraceElement> siteOf(Optional<Origin> origin) {
            return origin.map(known -> known.frames().get(0));
        }
    }

    /** Creates totals with their own copies. */
    public FindingTotals {
        types = Collections.unmodifiableSet(EnumSet.copyOf(types));
        lines = Collections.unmodifiableMap(new LinkedHashMap<>(lines));
        checks = Collections.unmodifiableSortedMap(new TreeMap<>(checks));
    }

    /**
     * Returns the totals of one finding.
     *
     * @param line the line at which a reader begins, if it is known
     * @param baseline the comparison with the known leaks, if there is a baseline
     * @param check the name of the check that found it
     * @param page the page of the check, if it has one
     */
    public static FindingTotals of(
            SurvivorGroup group,
            Optional<StackTraceElement> line,
            Optional<String> baseline,
            String check,
            Optional<String> page) {
        Map<StackTraceElement, LeakTotals> lines = new HashMap<>();
        line.ifPresent(frame -> lines.put(frame, LeakTotals.of(group)));
        return new FindingTotals(
                new Key(group.cause().name(), group.status().description(), Key.siteOf(group.origin()), baseline),
                EnumSet.of(group.type()),
                LeakTotals.of(group),
                lines,
                new TreeMap<>(Map.of(check, page)));
    }

    /**
     * Returns the totals of one buffer that lost its data.
     *
     * @param check the name of the check that found it
     * @param page the page of the check, if it has one
     */
    public static FindingTotals of(Overwrite overwrite, String check, Optional<String> page) {
        BufferGeneration buffer = overwrite.buffer();
        Optional<StackTraceElement> site = Key.siteOf(buffer.request().origin());
        LeakTotals totals = new LeakTotals(1, 1, buffer.size());
        return new FindingTotals(
                new Key(overwrite.kind().name(), "overwritten", site, Optional.empty()),
                EnumSet.of(buffer.type()),
                totals,
                site.map(line -> Map.of(line, totals)).orElse(Map.of()),
                new TreeMap<>(Map.of(check, page)));
    }

    @Override
    public int compareTo(FindingTotals other) {
        return ORDER.compare(this, other);
    }
}
