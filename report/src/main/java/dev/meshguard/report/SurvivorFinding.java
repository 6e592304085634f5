package dev.meshguard.report;

import dev.meshguard.event.Quantities;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.report.VerdictReport.Fact;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Survivor;
import dev.meshguard.verdict.SurvivorGroup;
import dev.meshguard.verdict.SurvivorStatus;
import dev.meshguard.verdict.baseline.Baseline;
import dev.meshguard.verdict.baseline.Fingerprint;
import dev.meshguard.verdict.baseline.ShortFingerprints;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Survivors that a reader sees as one problem: those of one line of code, label, type of memory, cause and status.
 *
 * <p>A cache may leave buffers of twenty sizes from one line. The verdict and the baseline keep twenty groups, because a new
 * size is a new leak. A reader sees one finding with twenty parts. Groups whose line is unknown stay findings of their own,
 * because nothing shows that they belong together. A finding is either new or known: known sizes and new ones of one line are
 * two findings.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class SurvivorFinding implements Finding {

    /** Circular buffers lie outside the allocators, so nobody else misses their memory. */
    private static final Comparator<SurvivorFinding> SIZE =
            Comparator.comparingLong(SurvivorFinding::allocatorBytes).thenComparing(SurvivorFinding::bytes);

    /** A new leak must be visible among hundreds of known ones. */
    private static final Comparator<SurvivorFinding> ORDER = Comparator.comparing(SurvivorFinding::status)
            .thenComparing(SurvivorFinding::isKnown)
            .thenComparing(SIZE.reversed());

    /**
     * The survivors of one size in a finding, with what identifies them in other runs.
     *
     * @param group the survivors
     * @param fingerprint their fingerprint
     * @param baseline the comparison with the baseline in words; empty without a baseline and for what no baseline covers
     * @param consequences the parts that disappear with this one
     */
    public record Part(
            SurvivorGroup group, Fingerprint fingerprint, Optional<String> baseline, List<Part> consequences) {

        private static Part of(SurvivorGroup group, Optional<Baseline> known, Baseline found) {
            Fingerprint fingerprint = Fingerprint.of(group);
            return new Part(
                    group,
                    fingerprint,
                    known.flatMap(baseline -> baseline.description(group, fingerprint, found)),
                    group.consequences().stream()
                            .map(consequence -> of(consequence, known, found))
                            .toList());
        }

        /** Returns whether a baseline knows all of them. */
        public boolean isKnown() {
            return baseline.equals(Optional.of(Baseline.KNOWN));
        }
    }

    private final List<Part> parts;
    private final FindingWriter writer;
    private final boolean isOneOfSeveral;

    private SurvivorFinding(List<Part> parts, FindingWriter writer, boolean isOneOfSeveral) {
        this.parts = List.copyOf(parts);
        this.writer = writer;
        this.isOneOfSeveral = isOneOfSeveral;
    }

    /**
     * Returns the findings of a verdict: the worst status first, in it new findings before known ones, and of these the one
     * first of which allocators hold the most bytes. Of equal ones the oldest is first.
     *
     * @param known the known leaks, if there is a baseline
     */
    public static List<SurvivorFinding> of(LeakVerdict verdict, Optional<Baseline> known) {
        return of(verdict, known, new CallerLines(verdict.groups(), Optional.empty()), Optional.empty());
    }

    /**
     * Returns the same findings.
     *
     * @param callers the callers that sentences name
     * @param log the lines of the log from which the history was read, if it was
     */
    static List<SurvivorFinding> of(
            LeakVerdict verdict, Optional<Baseline> known, CallerLines callers, Optional<LogLines> log) {
        if (verdict.groups().isEmpty()) {
            return List.of();
        }
        Baseline found = known.isPresent() ? Baseline.of(verdict) : Baseline.empty();
        List<Part> parts = verdict.groups().stream()
                .map(group -> Part.of(group, known, found))
                .toList();
        FindingWriter writer = new FindingWriter(
                verdict,
                ShortFingerprints.of(parts.stream().map(Part::fingerprint).toList()),
                callers,
                log);
        Map<Object, List<Part>> folded = new LinkedHashMap<>();
        parts.forEach(part ->
                folded.computeIfAbsent(keyOf(part), unused -> new ArrayList<>()).add(part));
        Map<SurvivorStatus, Long> counts = folded.values().stream()
                .collect(Collectors.groupingBy(part -> part.get(0).group().status(), Collectors.counting()));
        return folded.values().stream()
                .map(one -> new SurvivorFinding(
                        one, writer, counts.getOrDefault(one.get(0).group().status(), 1L) > 1))
                .sorted(ORDER)
                .toList();
    }

    /**
     * Returns the finding of which allocators hold the most bytes, consequences included; of equal ones the first. New findings
     * precede known ones in a list, however small they are, so the first finding is not always the largest.
     *
     * @param findings the findings; at least one
     */
    public static SurvivorFinding largestOf(List<SurvivorFinding> findings) {
        return Collections.max(findings, SIZE);
    }

    /** Returns what the parts of one finding share. */
    private static Object keyOf(Part part) {
        SurvivorGroup group = part.group();
        BufferGeneration buffer = group.first().buffer();
        return siteOf(group)
                .<Object>map(line -> List.of(
                        line,
                        group.label(),
                        group.type(),
                        buffer.request().details().source(),
                        buffer.hasDevice(),
                        group.cause(),
                        group.status(),
                        part.isKnown()))
                .orElseGet(Object::new);
    }

    private static Optional<StackTraceElement> siteOf(SurvivorGroup group) {
        return group.origin().flatMap(origin -> origin.site());
    }

    /** Returns the parts, oldest first; at least one. */
    public List<Part> parts() {
        return parts;
    }

    /** Returns the survivors of each part, without consequences. */
    Stream<SurvivorGroup> groups() {
        return parts.stream().map(Part::group);
    }

    /** Returns the survivors of the oldest part. */
    public SurvivorGroup first() {
        return parts.get(0).group();
    }

    /** Returns why the buffers survived. */
    public Cause cause() {
        return first().cause();
    }

    /** Returns how they count. */
    public SurvivorStatus status() {
        return first().status();
    }

    /** Returns whether a baseline knows all of them. */
    public boolean isKnown() {
        return parts.get(0).isKnown();
    }

    /** Returns the line of code that allocated the buffers, if it is known. */
    public Optional<StackTraceElement> site() {
        return siteOf(first());
    }

    @Override
    public long buffers() {
        return groups().mapToLong(SurvivorGroup::buffers).sum();
    }

    @Override
    public long bytes() {
        return sum(SurvivorGroup::totalBytes);
    }

    /**
     * Returns the bytes that allocators still hold, at most {@link Long#MAX_VALUE}. Circular buffers lie outside the allocators, and
     * misreported memory was freed.
     */
    public long allocatorBytes() {
        return sum(SurvivorGroup::allocatorBytes);
    }

    /** Returns the bytes of the survivors without consequences, at most {@link Long#MAX_VALUE}. */
    long ownBytes() {
        return sum(SurvivorGroup::bytes);
    }

    private long sum(ToLongFunction<SurvivorGroup> bytes) {
        return groups().mapToLong(bytes).reduce(0, Quantities::saturatedSum);
    }

    /** Returns the survivors without consequences. */
    public Stream<Survivor> survivors() {
        return groups().flatMap(group -> group.survivors().stream());
    }

    @Override
    public String title() {
        return writer.title(this, isOneOfSeveral);
    }

    @Override
    public List<String> sites() {
        return writer.sites(this);
    }

    @Override
    public Optional<String> fix() {
        return writer.fix(this);
    }

    @Override
    public List<Fact> facts() {
        return writer.facts(this);
    }
}
