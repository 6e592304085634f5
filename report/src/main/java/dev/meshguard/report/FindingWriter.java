package dev.meshguard.report;

import dev.meshguard.event.Owner;
import dev.meshguard.event.Quantities;
import dev.meshguard.event.SourceVocabulary;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.report.VerdictReport.Fact;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Survivor;
import dev.meshguard.verdict.SurvivorGroup;
import dev.meshguard.verdict.SurvivorStatus;
import dev.meshguard.verdict.baseline.ShortFingerprints;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** Writes findings as sentences: what survived, where it was allocated, why it survived, and how to fix it. */
final class FindingWriter {

    /** Stands for the line of an allocation without an origin. */
    static final String UNKNOWN_SITE = "an unknown place (no origin was captured)";

    private static final int MAX_NAMED = 3;
    private static final int MAX_EVIDENCE = 3;
    private static final int MAX_CONTEXT = 2;
    private static final int MAX_CONSEQUENCES = 3;
    private static final int MAX_FINGERPRINTS = 8;

    private final LeakVerdict verdict;
    private final AllocationHistory history;
    private final ShortFingerprints fingerprints;
    private final CallerLines callers;
    private final Optional<LogLines> log;
    private final MemoryNames names;
    private final boolean isWithoutOrigins;

    /**
     * Creates a writer of the findings of a verdict.
     *
     * @param fingerprints the format of their fingerprints
     * @param callers the callers beside the line of an allocation
     * @param log the lines of the log from which the history was read, if it was
     */
    FindingWriter(LeakVerdict verdict, ShortFingerprints fingerprints, CallerLines callers, Optional<LogLines> log) {
        this.verdict = verdict;
        this.history = verdict.history();
        this.fingerprints = fingerprints;
        this.callers = callers;
        this.log = log;
        this.names = new MemoryNames(history);
        this.isWithoutOrigins = isWithoutOrigins(verdict);
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

    List<Fact> facts(SurvivorFinding finding) {
        List<Fact> facts = new ArrayList<>();
        logLines(finding)
                .ifPresent(lines -> facts.add(
                        new Fact(Fact.WHERE, lines + (isWithoutOrigins ? "; this protocol sends no code lines" : ""))));
        facts.add(new Fact(Fact.WHY, why(finding)));
        freedAt(finding).ifPresent(line -> facts.add(new Fact(Fact.FREED, "at " + line)));
        fix(finding).ifPresent(fix -> facts.add(new Fact(Fact.FIX, fix)));
        facts.add(new Fact(Fact.SEEN, circumstances(finding)));
        if (finding.parts().size() == 1) {
            SurvivorGroup only = finding.first();
            Stream.concat(
                            only.evidence().stream().limit(MAX_EVIDENCE).skip(1),
                            only.circumstances().stream().limit(MAX_CONTEXT))
                    .forEach(evidence -> facts.add(new Fact(Fact.SEEN, evidence.text())));
        }
        consequences(finding).forEach(line -> facts.add(new Fact(Fact.WITH, line)));
        baselineNote(finding).ifPresent(note -> facts.add(new Fact(Fact.NOTE, note)));
        return facts;
    }

    Optional<String> fix(SurvivorFinding finding) {
        return verdict.remedyOf(finding.first());
    }

    // What

    /** The headline names the bytes of the only finding of a section. */
    String title(SurvivorFinding finding, boolean isOneOfSeveral) {
        String bytes =
                isOneOfSeveral && isOfOneSize(finding) && finding.survivors().count() > 1
                        ? Quantities.shortSize(finding.ownBytes()) + ": "
                        : "";
        SurvivorGroup first = finding.first();
        return names.memory(first) + "  " + bytes + amount(finding) + onDevices(finding) + addresses(finding)
                + allocators(finding)
                + first.label()
                        .map(label -> ", label " + Quantities.quoted(label))
                        .orElse("")
                + owners(finding.survivors().toList())
                + consequencesInTitle(finding);
    }

    private static boolean isOfOneSize(SurvivorFinding finding) {
        return finding.groups().map(SurvivorGroup::size).distinct().count() == 1;
    }

    /** The headline counts what disappears with a finding, so its title does, too. */
    private String consequencesInTitle(SurvivorFinding finding) {
        long buffers = finding.buffers() - finding.survivors().count();
        return buffers == 0
                ? ""
                : ", and " + Quantities.count(buffers, names.of(finding.first()).unit()) + " ("
                        + Quantities.shortSize(bytesOf(consequencesOf(finding))) + ") with "
                        + (finding.survivors().limit(2).count() == 1 ? "it" : "them");
    }

    private static List<SurvivorGroup> consequencesOf(SurvivorFinding finding) {
        return finding.groups().flatMap(group -> group.consequences().stream()).toList();
    }

    private static long bytesOf(List<SurvivorGroup> groups) {
        return groups.stream().mapToLong(SurvivorGroup::totalBytes).reduce(0, Quantities::saturatedSum);
    }

    /** A reader searches a log by the exact size, but reads a rounded one where a line of code is known. */
    private String amount(SurvivorFinding finding) {
        Function<Long, String> size = finding.site().isPresent() ? Quantities::shortSize : Quantities::size;
        long survivors = finding.survivors().count();
        if (finding.survivors().allMatch(survivor -> survivor.buffer().isOfUnknownSize())) {
            return names.of(finding.first()).count(survivors);
        }
        if (survivors == 1) {
            return size.apply(finding.first().size());
        }
        return isOfOneSize(finding)
                ? survivors + " x " + size.apply(finding.first().size())
                : Quantities.shortSize(finding.ownBytes()) + ": "
                        + names.of(finding.first()).count(survivors);
    }

    private String onDevices(SurvivorFinding finding) {
        if (isOutsideDevices(finding)) {
            return "";
        }
        Map<Integer, Long> counts = finding.survivors()
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

    private boolean isOutsideDevices(SurvivorFinding finding) {
        return finding.survivors().noneMatch(survivor -> names.hasDevice(survivor.buffer()));
    }

    /** An address leads to a buffer only where no line of code does. */
    private String addresses(SurvivorFinding finding) {
        if (finding.site().isPresent() || isOutsideDevices(finding)) {
            return "";
        }
        TreeSet<Long> addresses = new TreeSet<>();
        finding.survivors().forEach(survivor -> addresses.add(survivor.buffer().address()));
        return " at "
                + TruncatedText.list(addresses.stream().map(Quantities::address).toList(), MAX_NAMED, ", ");
    }

    /** If meshes share a device, the device alone does not identify the allocator. */
    private String allocators(SurvivorFinding finding) {
        TreeSet<Integer> allocators = new TreeSet<>();
        finding.survivors().forEach(survivor -> survivor.buffer().mesh().ifPresent(allocators::add));
        return allocators.isEmpty() || !history.meshesSharedADevice()
                ? ""
                : ", allocated by " + names.meshes(allocators);
    }

    private static String owners(List<Survivor> survivors) {
        Set<String> owners = new LinkedHashSet<>();
        survivors.forEach(survivor -> survivor.buffer()
                .reports()
                .forEach(report ->
                        report.request().details().owner().map(Owner::toString).ifPresent(owners::add)));
        return owners.isEmpty() ? "" : ", owned by " + TruncatedText.list(owners, MAX_NAMED, ", ");
    }

    // Where

    /** If no origin is known at all, one note replaces a line for each finding. */
    List<String> sites(SurvivorFinding finding) {
        Optional<StackTraceElement> site = finding.site();
        if (site.isEmpty()) {
            return isWithoutOrigins || logLines(finding).isPresent() ? List.of() : List.of(UNKNOWN_SITE);
        }
        List<String> sites = new ArrayList<>();
        sites.add(site.get().toString());
        List<CallerLines.Caller> all = callers.of(finding);
        all.stream()
                .limit(MAX_NAMED)
                .map(caller -> caller.frame()
                        + (all.size() == 1
                                ? ""
                                : "   " + names.of(finding.first()).count(caller.buffers())))
                .forEach(sites::add);
        return sites;
    }

    private Optional<String> logLines(SurvivorFinding finding) {
        return finding.site().isPresent() ? Optional.empty() : log.flatMap(lines -> lines.of(finding));
    }

    private static Optional<String> freedAt(SurvivorFinding finding) {
        return finding.first().first().buffer().reports().stream()
                .filter(unused -> finding.status() == SurvivorStatus.FREED_LATE)
                .flatMap(report -> report.release().stream())
                .flatMap(release -> release.origin().stream())
                .flatMap(origin -> origin.site().stream())
                .map(StackTraceElement::toString)
                .findFirst();
    }

    // Why

    private static String why(SurvivorFinding finding) {
        String cause = finding.status() == SurvivorStatus.UNDECIDED
                ? "undecided"
                : finding.cause().name();
        return cause + ": "
                + SimilarTexts.merged(finding.survivors()
                        .map(survivor -> survivor.diagnosis().evidence().get(0).text())
                        .toList());
    }

    private String circumstances(SurvivorFinding finding) {
        long[] allocatedAt = finding.survivors()
                .mapToLong(survivor -> survivor.reports().get(0).allocatedAt())
                .toArray();
        return "allocated in "
                + history.phaseAt(Arrays.stream(allocatedAt).min().orElseThrow()) + " ("
                + events(Arrays.stream(allocatedAt)) + ")";
    }

    /** Returns {@code event #7}, or {@code events #7 to #9}. */
    static String events(LongStream numbers) {
        LongSummaryStatistics range = numbers.summaryStatistics();
        return range.getMin() == range.getMax()
                ? "event #" + range.getMin()
                : "events #" + range.getMin() + " to #" + range.getMax();
    }

    /** Buffers that are freed with those of the finding have one line for each sort: they need no fix of their own. */
    private List<String> consequences(SurvivorFinding finding) {
        Map<Object, List<SurvivorGroup>> sorts = consequencesOf(finding).stream()
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
        return names.memory(groups.get(0)) + "  "
                + (survivors.size() == 1
                        ? size
                        : survivors.size() + " x " + size + " (" + Quantities.shortSize(bytesOf(groups)) + ")")
                + DeviceNames.on(survivors.stream().map(Survivor::buffer).filter(names::hasDevice))
                + owners(survivors);
    }

    private Optional<String> baselineNote(SurvivorFinding finding) {
        List<String> notes = finding.parts().stream()
                .filter(part -> part.baseline().isPresent())
                .map(part -> "fingerprint " + fingerprints.of(part.fingerprint()) + " · "
                        + part.baseline().orElseThrow())
                .distinct()
                .toList();
        return notes.isEmpty() ? Optional.empty() : Optional.of(TruncatedText.list(notes, MAX_FINGERPRINTS, ", "));
    }
}
