package dev.meshguard.report;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.Quantities;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.Survivor;
import dev.meshguard.verdict.SurvivorGroup;
import dev.meshguard.verdict.SurvivorStatus;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The groups of survivors that a reader sees as one finding: those of one line of code, label, type of memory and cause.
 *
 * <p>A cache may leave buffers of twenty sizes from one line. The verdict and the baseline keep twenty groups, because a new
 * size is a new leak. A text or a page shows one finding. Groups whose line is unknown stay findings of their own, because
 * nothing shows that they belong together.
 *
 * <p>Immutable.
 *
 * @param groups the groups, oldest first; at least one
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record FindingGroups(List<SurvivorGroup> groups) {

    private static final Comparator<FindingGroups> LARGEST_FIRST =
            Comparator.comparingLong(FindingGroups::totalBytes).reversed();

    private record Key(
            StackTraceElement line,
            Optional<String> label,
            BufferType type,
            Optional<String> source,
            boolean hasDevice,
            Cause cause,
            SurvivorStatus status) {}

    /** Creates a finding with its own copy of the groups. */
    public FindingGroups {
        groups = List.copyOf(groups);
        if (groups.isEmpty()) {
            throw new IllegalArgumentException("A finding has at least one group of survivors: none was given");
        }
    }

    /**
     * Returns the findings of groups, the one with the most bytes first; of equal ones the one whose first group came
     * first.
     */
    public static List<FindingGroups> of(List<SurvivorGroup> groups) {
        Map<Object, List<SurvivorGroup>> folded = new LinkedHashMap<>();
        for (SurvivorGroup group : groups) {
            folded.computeIfAbsent(keyOf(group), unused -> new ArrayList<>()).add(group);
        }
        return folded.values().stream()
                .map(FindingGroups::new)
                .sorted(LARGEST_FIRST)
                .toList();
    }

    /**
     * Returns the findings of groups, new ones before known ones: a new leak must be visible among hundreds of known
     * ones, and a finding is either new or known.
     *
     * @param isKnown whether a baseline knows a group
     */
    public static List<FindingGroups> of(List<SurvivorGroup> groups, Predicate<SurvivorGroup> isKnown) {
        List<FindingGroups> findings =
                new ArrayList<>(of(groups.stream().filter(isKnown.negate()).toList()));
        findings.addAll(of(groups.stream().filter(isKnown).toList()));
        return findings;
    }

    /**
     * Returns the finding with the most bytes, consequences included; of equal ones the first. New findings precede known
     * ones in a list, however small they are, so the first finding is not always the largest.
     *
     * @param findings the findings; at least one
     */
    public static FindingGroups largestOf(List<FindingGroups> findings) {
        return Collections.max(findings, Comparator.comparingLong(FindingGroups::totalBytes));
    }

    private static Object keyOf(SurvivorGroup group) {
        return group.origin()
                .flatMap(origin -> origin.site())
                .map(line -> (Object) new Key(
                        line,
                        group.label(),
                        group.type(),
                        group.first().buffer().request().details().source(),
                        group.first().buffer().hasDevice(),
                        group.cause(),
                        group.status()))
                .orElseGet(Object::new);
    }

    /** Returns the oldest group. */
    public SurvivorGroup first() {
        return groups.get(0);
    }

    /** Returns the line of code that allocated the buffers, if it is known. */
    public Optional<StackTraceElement> site() {
        return first().origin().flatMap(origin -> origin.site());
    }

    /** Returns the number of survivors, consequences included. */
    public long buffers() {
        return groups.stream().mapToLong(SurvivorGroup::buffers).sum();
    }

    /** Returns the bytes of all survivors, consequences included, at most {@link Long#MAX_VALUE}. */
    public long totalBytes() {
        return groups.stream().mapToLong(SurvivorGroup::totalBytes).reduce(0, Quantities::saturatedSum);
    }

    /** Returns the bytes of the survivors without consequences, at most {@link Long#MAX_VALUE}. */
    public long bytes() {
        return groups.stream().mapToLong(SurvivorGroup::bytes).reduce(0, Quantities::saturatedSum);
    }

    /** Returns the survivors without consequences. */
    public Stream<Survivor> survivors() {
        return groups.stream().flatMap(group -> group.survivors().stream());
    }

    /** Returns the number of survivors of each device that has any, in the order of the devices. */
    public Map<Integer, Long> survivorsByDevice() {
        Map<Integer, Long> counts = new TreeMap<>();
        survivors().forEach(survivor -> counts.merge(survivor.buffer().device(), 1L, Long::sum));
        return counts;
    }

    /** Returns the bytes of all survivors of several findings, consequences included, at most {@link Long#MAX_VALUE}. */
    static long sumOfBytes(List<FindingGroups> findings) {
        return findings.stream().mapToLong(FindingGroups::totalBytes).reduce(0, Quantities::saturatedSum);
    }
}
