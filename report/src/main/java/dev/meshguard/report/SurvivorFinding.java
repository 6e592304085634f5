package dev.meshguard.report;

import dev.meshguard.event.Owner;
import dev.meshguard.event.SourceVocabulary;
import dev.meshguard.event.shortage.OwnerNames;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.report.Finding.Fact;
import dev.meshguard.report.internal.DeviceNames;
import dev.meshguard.report.internal.SimilarTexts;
import dev.meshguard.text.FrameName;
import dev.meshguard.text.Quantities;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Survivor;
import dev.meshguard.verdict.SurvivorGroup;
import dev.meshguard.verdict.SurvivorStatus;
import dev.meshguard.verdict.baseline.Baseline;
import dev.meshguard.verdict.baseline.Fingerprint;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
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

    /** Stands for the line of an allocation without an origin. */
    static final String UNKNOWN_SITE = "an unknown place (no origin was captured)";

    private static final int MAX_NAMED = 3;
    private static final int MAX_EVIDENCE = 3;
    private static final int MAX_CONTEXT = 2;
    private static final int MAX_CONSEQUENCES = 3;
    private static final int MAX_FINGERPRINTS = 8;

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

    /**
     * The parts of a report that all findings of one verdict use.
     *
     * @param digits how many digits of each fingerprint are printed
     * @param callers the callers beside the line of an allocation
     * @param log the lines of the log from which the history was read, if it was
     * @param names the names of their memory
     * @param isWithoutOrigins the result of {@link #isWithoutOrigins(LeakVerdict)}
     */
    private record Context(
            LeakVerdict verdict,
            int digits,
            CallerLines callers,
            Optional<LogLines> log,
            MemoryNames names,
            boolean isWithoutOrigins) {}

    private final List<Part> parts;
    private final Context context;
    private final boolean isOneOfSeveral;

    private SurvivorFinding(List<Part> parts, Context context, boolean isOneOfSeveral) {
        this.parts = List.copyOf(parts);
        this.context = context;
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
        Context context = new Context(
                verdict,
                Fingerprint.digitsOf(parts.stream().map(Part::fingerprint).toList()),
                callers,
                log,
                new MemoryNames(verdict.history()),
                isWithoutOrigins(verdict));
        Map<Object, List<Part>> folded = new LinkedHashMap<>();
        parts.forEach(part -> folded.computeIfAbsent(keyOf(part, verdict), unused -> new ArrayList<>())
                .add(part));
        Map<SurvivorStatus, Long> counts = folded.values().stream()
                .collect(Collectors.groupingBy(part -> part.get(0).group().status(), Collectors.counting()));
        return folded.values().stream()
                .map(one -> new SurvivorFinding(
                        one, context, counts.getOrDefault(one.get(0).group().status(), 1L) > 1))
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

    /**
     * Returns whether the reports came from another program that sends no lines of code, for example from the log of a server. Then
     * findings need not mention that no line is known.
     */
    static boolean isWithoutOrigins(LeakVerdict verdict) {
        return verdict.vocabulary().equals(SourceVocabulary.PROGRAM)
                && verdict.survivors().stream()
                        .noneMatch(survivor -> survivor.buffer().origin().isPresent());
    }

    /** Returns what the parts of one finding share. */
    private static Object keyOf(Part part, LeakVerdict verdict) {
        SurvivorGroup group = part.group();
        BufferGeneration buffer = group.first().buffer();
        return siteOf(group)
                .<Object>map(line -> List.of(
                        line,
                        group.label(),
                        group.type(),
                        buffer.request().details().source(),
                        buffer.hasDevice(),
                        retainOf(group, verdict),
                        group.cause(),
                        group.status(),
                        part.isKnown()))
                .orElseGet(Object::new);
    }

    private static Optional<StackTraceElement> siteOf(SurvivorGroup group) {
        return group.origin().flatMap(origin -> origin.site());
    }

    private static Optional<StackTraceElement> retainOf(SurvivorGroup group, LeakVerdict verdict) {
        return verdict.history().retainOf(group.first().buffer().request()).flatMap(origin -> origin.site());
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
    public Optional<String> fix() {
        return context.verdict().fixOf(first());
    }

    @Override
    public List<Fact> facts() {
        List<Fact> facts = new ArrayList<>();
        logLines()
                .ifPresent(lines -> facts.add(new Fact(
                        Fact.WHERE,
                        lines + (context.isWithoutOrigins() ? "; this protocol sends no code lines" : ""))));
        facts.add(new Fact(Fact.WHY, why()));
        freedAt().ifPresent(line -> facts.add(new Fact(Fact.FREED, "at " + line)));
        fix().ifPresent(fix -> facts.add(new Fact(Fact.FIX, fix)));
        facts.add(new Fact(Fact.SEEN, circumstances()));
        if (parts().size() == 1) {
            SurvivorGroup only = first();
            Stream.concat(
                            only.evidence().stream().limit(MAX_EVIDENCE).skip(1),
                            only.circumstances().stream().limit(MAX_CONTEXT))
                    .forEach(evidence -> facts.add(new Fact(Fact.SEEN, evidence.text())));
        }
        consequences().forEach(line -> facts.add(new Fact(Fact.WITH, line)));
        baselineNote().ifPresent(note -> facts.add(new Fact(Fact.NOTE, note)));
        return facts;
    }

    // What

    /** The headline names the bytes of the only finding of a section. */
    @Override
    public String title() {
        boolean hasSize = survivors().noneMatch(survivor -> survivor.buffer().isOfUnknownSize());
        String bytes = isOneOfSeveral && hasSize && isOfOneSize() && survivors().count() > 1
                ? Quantities.shortSize(ownBytes()) + ": "
                : "";
        SurvivorGroup first = first();
        boolean areObjects = words().isOfObjects();
        return (areObjects ? "" : context.names().memory(first) + "  ")
                + bytes
                + amount()
                + onDevices()
                + addresses()
                + allocators()
                + first.label()
                        .filter(unused -> !areObjects)
                        .map(label -> ", label " + Quantities.quoted(label))
                        .orElse("")
                + owners(survivors().toList())
                + consequencesInTitle();
    }

    private SourceVocabulary words() {
        return context.names().of(first());
    }

    private boolean isOfOneSize() {
        return groups().map(SurvivorGroup::size).distinct().count() == 1;
    }

    /** The headline counts what disappears with a finding, so its title does, too. */
    private String consequencesInTitle() {
        long buffers = buffers() - survivors().count();
        if (buffers == 0) {
            return "";
        }
        List<SurvivorGroup> groups = consequenceGroups();
        String what = context.names()
                .objects(groups)
                .orElseGet(() ->
                        Quantities.count(buffers, words().unit()) + " (" + Quantities.shortSize(bytesOf(groups)) + ")");
        return ", and " + what + " with " + (survivors().limit(2).count() == 1 ? "it" : "them");
    }

    private List<SurvivorGroup> consequenceGroups() {
        return groups().flatMap(group -> group.consequences().stream()).toList();
    }

    private static long bytesOf(List<SurvivorGroup> groups) {
        return groups.stream().mapToLong(SurvivorGroup::totalBytes).reduce(0, Quantities::saturatedSum);
    }

    /** A reader searches a log by the exact size, but reads a rounded one where a line of code is known. */
    private String amount() {
        Function<Long, String> size = site().isPresent() ? Quantities::shortSize : Quantities::size;
        long survivors = survivors().count();
        if (survivors().allMatch(survivor -> survivor.buffer().isOfUnknownSize())) {
            return words().count(survivors);
        }
        if (survivors == 1) {
            return size.apply(first().size());
        }
        return isOfOneSize()
                ? survivors + " x " + size.apply(first().size())
                : Quantities.shortSize(ownBytes()) + ": " + words().count(survivors);
    }

    private String onDevices() {
        if (isOutsideDevices()) {
            return "";
        }
        Map<Integer, Long> counts = survivors()
                .collect(Collectors.groupingBy(
                        survivor -> survivor.buffer().device(), TreeMap::new, Collectors.counting()));
        String devices = DeviceNames.of(List.copyOf(counts.keySet()));
        if (counts.size() == 1) {
            return " on " + devices;
        }
        Set<Long> each = Set.copyOf(counts.values());
        if (each.size() > 1) {
            return " on " + devices + ", unevenly";
        }
        return (each.equals(Set.of(1L)) ? ", one" : ", " + each.iterator().next()) + " on each of " + devices;
    }

    private boolean isOutsideDevices() {
        return survivors().noneMatch(survivor -> context.names().hasDevice(survivor.buffer()));
    }

    /** An address leads to a buffer only where no line of code does. */
    private String addresses() {
        if (site().isPresent() || isOutsideDevices()) {
            return "";
        }
        TreeSet<Long> addresses = new TreeSet<>();
        survivors().forEach(survivor -> addresses.add(survivor.buffer().address()));
        return " at "
                + TruncatedText.list(addresses.stream().map(Quantities::address).toList(), MAX_NAMED, ", ");
    }

    /** If meshes share a device, the device alone does not identify the allocator. */
    private String allocators() {
        TreeSet<Integer> allocators = new TreeSet<>();
        survivors().forEach(survivor -> survivor.buffer().mesh().ifPresent(allocators::add));
        return allocators.isEmpty() || !context.verdict().history().meshesSharedADevice()
                ? ""
                : ", allocated by " + context.names().meshes(allocators);
    }

    private static String owners(List<Survivor> survivors) {
        List<Owner> owners = survivors.stream()
                .flatMap(survivor -> survivor.buffer().reports().stream())
                .flatMap(report -> report.details().owner().stream())
                .toList();
        return owners.isEmpty() ? "" : ", owned by " + TruncatedText.list(OwnerNames.of(owners), MAX_NAMED, ", ");
    }

    // Where

    /** If no origin is known at all, one note replaces a line for each finding. */
    @Override
    public List<String> sites() {
        Optional<StackTraceElement> site = site();
        if (site.isEmpty()) {
            return context.isWithoutOrigins() || logLines().isPresent() ? List.of() : List.of(UNKNOWN_SITE);
        }
        if (retain().isPresent()) {
            return List.of(retain().get() + "   retained; no release is known that answers it");
        }
        List<String> sites = new ArrayList<>();
        sites.add(site.get().toString());
        List<CallerLines.Caller> all = context.callers().of(this);
        all.stream()
                .limit(MAX_NAMED)
                .map(caller -> caller.frame() + (all.size() == 1 ? "" : "   " + words().count(caller.buffers())))
                .forEach(sites::add);
        return sites;
    }

    /**
     * Returns {@code KvCacheTest.java:41}: of the retain, of the line that allocated, or of the caller if only that tells findings
     * apart.
     */
    Optional<String> fileLine() {
        return retain().or(() -> context.callers().distinguishing(this).stream()
                        .map(CallerLines.Caller::frame)
                        .findFirst())
                .or(this::site)
                .flatMap(FrameName::fileLine);
    }

    /** Returns the line of a retain that explains more than that of the allocation, if there is one. */
    Optional<StackTraceElement> retain() {
        return retainOf(first(), context.verdict());
    }

    /** Returns {@code server.log:18}, if no line of code is known. */
    Optional<String> lineOfLog() {
        return site().isPresent() ? Optional.empty() : context.log().flatMap(lines -> lines.firstOf(survivors()));
    }

    private Optional<String> logLines() {
        return site().isPresent() ? Optional.empty() : context.log().flatMap(lines -> lines.of(survivors()));
    }

    private Optional<String> freedAt() {
        return first().first().buffer().reports().stream()
                .filter(unused -> status() == SurvivorStatus.FREED_LATE)
                .flatMap(report -> report.release().stream())
                .flatMap(release -> release.origin().stream())
                .flatMap(origin -> origin.site().stream())
                .map(StackTraceElement::toString)
                .findFirst();
    }

    // Why

    private String why() {
        String cause = status() == SurvivorStatus.UNDECIDED ? "undecided" : cause().name();
        return cause + ": "
                + SimilarTexts.merged(survivors()
                        .map(survivor -> survivor.diagnosis().evidence().get(0).text())
                        .toList());
    }

    private String circumstances() {
        List<Long> allocatedAt = survivors()
                .map(survivor -> survivor.reports().get(0).allocatedAt())
                .sorted()
                .toList();
        return words().allocated() + " " + context.verdict().history().phasesAt(allocatedAt) + " ("
                + events(allocatedAt.stream().mapToLong(Long::longValue)) + ")"
                + site().filter(unused -> retain().isPresent())
                        .map(line -> " at " + line)
                        .orElse("");
    }

    /** Returns {@code event #7}, or {@code events #7 to #9}. */
    static String events(LongStream numbers) {
        LongSummaryStatistics range = numbers.summaryStatistics();
        return range.getMin() == range.getMax()
                ? "event #" + range.getMin()
                : "events #" + range.getMin() + " to #" + range.getMax();
    }

    /** Buffers that are freed with those of the finding have one line for each sort: they need no fix of their own. */
    private List<String> consequences() {
        if (words().isOfObjects()) {
            return List.of();
        }
        Map<Object, List<SurvivorGroup>> sorts = consequenceGroups().stream()
                .collect(Collectors.groupingBy(
                        group -> List.of(group.type(), group.size()), LinkedHashMap::new, Collectors.toList()));
        List<String> lines = new ArrayList<>();
        sorts.values().stream().limit(MAX_CONSEQUENCES).map(this::consequence).forEach(lines::add);
        int more = sorts.size() - lines.size();
        if (more > 0) {
            List<SurvivorGroup> others = sorts.values().stream()
                    .skip(MAX_CONSEQUENCES)
                    .flatMap(List::stream)
                    .toList();
            long buffers = others.stream().mapToLong(SurvivorGroup::buffers).sum();
            lines.add(Quantities.count(buffers, "more buffer") + " (" + Quantities.shortSize(bytesOf(others)) + ") of "
                    + Quantities.count(more, "other sort"));
        }
        return lines;
    }

    private String consequence(List<SurvivorGroup> groups) {
        String size = Quantities.shortSize(groups.get(0).size());
        List<Survivor> survivors =
                groups.stream().flatMap(group -> group.survivors().stream()).toList();
        return context.names().memory(groups.get(0)) + "  "
                + (survivors.size() == 1
                        ? size
                        : survivors.size() + " x " + size + " (" + Quantities.shortSize(bytesOf(groups)) + ")")
                + DeviceNames.on(survivors.stream().map(Survivor::buffer).filter(context.names()::hasDevice))
                + owners(survivors);
    }

    private Optional<String> baselineNote() {
        List<String> notes = parts().stream()
                .filter(part -> part.baseline().isPresent())
                .map(part -> "fingerprint " + part.fingerprint().abbreviated(context.digits()) + " · "
                        + part.baseline().orElseThrow())
                .distinct()
                .toList();
        return notes.isEmpty() ? Optional.empty() : Optional.of(TruncatedText.list(notes, MAX_FINGERPRINTS, ", "));
    }
}
