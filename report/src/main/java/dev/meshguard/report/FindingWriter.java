package dev.meshguard.report;

import dev.meshguard.event.Owner;
import dev.meshguard.event.Quantities;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.history.BufferGeneration.Report;
import dev.meshguard.report.VerdictReport.Fact;
import dev.meshguard.report.VerdictReport.Finding;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Survivor;
import dev.meshguard.verdict.SurvivorGroup;
import dev.meshguard.verdict.SurvivorStatus;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Writes findings as sentences: what survived, where it was allocated, why it survived, and how to fix it. */
final class FindingWriter {

    private static final int MAX_NAMED = 3;
    private static final int MAX_EVIDENCE = 3;
    private static final int MAX_CONTEXT = 2;
    private static final int MAX_CONSEQUENCES = 3;
    private static final int MAX_FINGERPRINTS = 8;

    private final LeakVerdict verdict;
    private final AllocationHistory history;
    private final MeshNames meshes;
    private final CallerLines callers;
    private final MemoryNames names;
    private final Function<SurvivorGroup, Optional<String>> baselineNote;
    private final boolean isWithoutOrigins;
    private final Optional<LogLines> log;

    /**
     * Creates a writer of the findings of a verdict.
     *
     * @param isWithoutOrigins whether no line is known at all, so that findings need not mention it
     * @param log the lines of the log from which the history was read, if it was
     * @param baselineNote the fingerprint of a group and what the baseline knows of it, if there is a baseline
     */
    FindingWriter(
            LeakVerdict verdict,
            CallerLines callers,
            boolean isWithoutOrigins,
            Optional<LogLines> log,
            Function<SurvivorGroup, Optional<String>> baselineNote) {
        this.verdict = verdict;
        this.history = verdict.history();
        this.meshes = new MeshNames(history);
        this.callers = callers;
        this.names = new MemoryNames(verdict);
        this.isWithoutOrigins = isWithoutOrigins;
        this.log = log;
        this.baselineNote = baselineNote;
    }

    /** Returns the only finding of a section in words; the headline names its bytes. */
    Finding onlyFinding(FindingGroups finding) {
        return finding(finding, "");
    }

    /** Returns one of several findings of a section in words. */
    Finding findingOfSeveral(FindingGroups finding) {
        boolean isOneSize =
                finding.groups().stream().map(SurvivorGroup::size).distinct().count() == 1;
        return finding(
                finding,
                isOneSize && finding.survivors().limit(2).count() > 1
                        ? Quantities.shortSize(finding.bytes()) + ": "
                        : "");
    }

    private Finding finding(FindingGroups finding, String bytes) {
        return new Finding(
                title(finding, bytes), sites(finding), facts(finding), finding.buffers(), finding.totalBytes());
    }

    private List<Fact> facts(FindingGroups finding) {
        List<Fact> facts = new ArrayList<>();
        logLines(finding)
                .ifPresent(lines -> facts.add(
                        new Fact(Fact.WHERE, lines + (isWithoutOrigins ? "; this protocol sends no code lines" : ""))));
        facts.add(new Fact(Fact.WHY, why(finding)));
        freedAt(finding).ifPresent(line -> facts.add(new Fact(Fact.FREED, "at " + line)));
        if (finding.first().status() != SurvivorStatus.UNDECIDED) {
            facts.add(new Fact(Fact.FIX, verdict.remedyOf(finding.first())));
        }
        facts.add(new Fact(Fact.SEEN, circumstances(finding)));
        if (finding.groups().size() == 1) {
            SurvivorGroup only = finding.first();
            only.evidence().stream()
                    .skip(1)
                    .limit(MAX_EVIDENCE - 1L)
                    .forEach(evidence -> facts.add(new Fact(Fact.SEEN, evidence.text())));
            only.context().stream()
                    .limit(MAX_CONTEXT)
                    .forEach(evidence -> facts.add(new Fact(Fact.SEEN, evidence.text())));
        }
        consequences(finding).forEach(line -> facts.add(new Fact(Fact.WITH, line)));
        baselineNote(finding).ifPresent(note -> facts.add(new Fact(Fact.NOTE, note)));
        return facts;
    }

    // What

    private String title(FindingGroups finding, String bytes) {
        SurvivorGroup first = finding.first();
        return names.memory(first) + "  " + bytes + amount(finding) + onDevices(finding) + addresses(finding)
                + lenders(finding)
                + first.label()
                        .map(label -> ", label " + Quantities.quoted(label))
                        .orElse("")
                + owners(finding.survivors().toList())
                + withIt(finding);
    }

    /** The headline counts what disappears with a finding, so its title does, too. */
    private String withIt(FindingGroups finding) {
        long buffers = finding.buffers() - finding.survivors().count();
        return buffers == 0
                ? ""
                : ", and " + Quantities.count(buffers, names.of(finding.first()).unit()) + " ("
                        + Quantities.shortSize(bytesOf(consequencesOf(finding))) + ") with "
                        + (finding.survivors().limit(2).count() == 1 ? "it" : "them");
    }

    private static List<SurvivorGroup> consequencesOf(FindingGroups finding) {
        return finding.groups().stream()
                .flatMap(group -> group.consequences().stream())
                .toList();
    }

    private static long bytesOf(List<SurvivorGroup> groups) {
        return groups.stream().mapToLong(SurvivorGroup::totalBytes).reduce(0, Quantities::saturatedSum);
    }

    /** A reader searches a log by the exact size, but reads a rounded one where a line of code is known. */
    private String amount(FindingGroups finding) {
        Function<Long, String> size = finding.site().isPresent() ? Quantities::shortSize : Quantities::size;
        long survivors = finding.survivors().count();
        Set<Long> sizes = new TreeSet<>();
        finding.groups().forEach(group -> sizes.add(group.size()));
        if (finding.survivors().allMatch(survivor -> survivor.buffer().isOfUnknownSize())) {
            return names.of(finding.first()).count(survivors);
        }
        if (survivors == 1) {
            return size.apply(finding.first().size());
        }
        return sizes.size() == 1
                ? String.format(
                        Locale.ROOT,
                        "%d x %s",
                        survivors,
                        size.apply(finding.first().size()))
                : Quantities.shortSize(finding.bytes()) + ": "
                        + names.of(finding.first()).count(survivors);
    }

    private String onDevices(FindingGroups finding) {
        if (isOutsideDevices(finding)) {
            return "";
        }
        Map<Integer, Long> counts = finding.survivorsByDevice();
        String names = DeviceNames.of(List.copyOf(counts.keySet()));
        Set<Long> distinct = new TreeSet<>(counts.values());
        long each = counts.values().iterator().next();
        if (counts.size() == 1) {
            return " on " + names;
        }
        if (distinct.size() > 1) {
            return " on " + names + ", unevenly";
        }
        return (each == 1 ? ", one" : ", " + each) + " on each of " + names;
    }

    private boolean isOutsideDevices(FindingGroups finding) {
        return finding.survivors().noneMatch(survivor -> names.hasDevice(survivor.buffer()));
    }

    /** An address leads to a buffer only where no line of code does. */
    private String addresses(FindingGroups finding) {
        if (finding.site().isPresent() || isOutsideDevices(finding)) {
            return "";
        }
        TreeSet<Long> addresses = new TreeSet<>();
        finding.survivors().forEach(survivor -> addresses.add(survivor.buffer().address()));
        return " at " + named(addresses.stream().map(Quantities::address).toList());
    }

    /** If meshes share a device, the device alone does not identify the allocator. */
    private String lenders(FindingGroups finding) {
        TreeSet<Integer> lenders = new TreeSet<>();
        finding.survivors().forEach(survivor -> survivor.buffer().mesh().ifPresent(lenders::add));
        return lenders.isEmpty() || !history.meshesSharedADevice() ? "" : ", allocated by " + meshes.of(lenders);
    }

    private static String owners(List<Survivor> survivors) {
        Set<String> owners = new LinkedHashSet<>();
        survivors.forEach(survivor -> survivor.buffer()
                .reports()
                .forEach(report ->
                        report.request().details().owner().map(Owner::toString).ifPresent(owners::add)));
        return owners.isEmpty() ? "" : ", owned by " + named(List.copyOf(owners));
    }

    private static String named(List<String> all) {
        String named = all.stream().limit(MAX_NAMED).collect(Collectors.joining(", "));
        int more = all.size() - MAX_NAMED;
        return more > 0 ? named + " and " + more + " more" : named;
    }

    // Where

    /** If no origin is known at all, one note replaces a line for each finding. */
    private List<String> sites(FindingGroups finding) {
        Optional<StackTraceElement> site = finding.site();
        if (site.isEmpty()) {
            return isWithoutOrigins || logLines(finding).isPresent()
                    ? List.of()
                    : List.of("an unknown place (no origin was captured)");
        }
        List<String> sites = new ArrayList<>();
        sites.add(site.get().toString());
        List<CallerLines.Caller> all = callers.of(finding);
        all.stream()
                .limit(MAX_NAMED)
                .map(caller -> all.size() == 1
                        ? caller.frame().toString()
                        : caller.frame() + "   " + names.of(finding.first()).count(caller.buffers()))
                .forEach(sites::add);
        return sites;
    }

    private Optional<String> logLines(FindingGroups finding) {
        return finding.site().isPresent() ? Optional.empty() : log.flatMap(lines -> lines.of(finding));
    }

    private static Optional<String> freedAt(FindingGroups finding) {
        if (finding.first().status() != SurvivorStatus.FREED_LATE) {
            return Optional.empty();
        }
        return finding.first().first().buffer().reports().stream()
                .map(Report::release)
                .flatMap(Optional::stream)
                .flatMap(release -> release.origin().stream())
                .flatMap(origin -> origin.site().stream())
                .findFirst()
                .map(StackTraceElement::toString);
    }

    // Why

    private static String why(FindingGroups finding) {
        List<String> decisive = finding.survivors()
                .map(survivor -> survivor.diagnosis().evidence().get(0).text())
                .toList();
        String cause = finding.first().status() == SurvivorStatus.UNDECIDED
                ? "undecided"
                : finding.first().cause().name();
        return cause + ": " + SimilarTexts.merged(decisive);
    }

    private String circumstances(FindingGroups finding) {
        long[] events = finding.survivors()
                .mapToLong(survivor -> survivor.reports().get(0).allocatedAt())
                .sorted()
                .toArray();
        String when = events.length == 1
                ? "event #" + events[0]
                : "events #" + events[0] + " to #" + events[events.length - 1];
        return String.format(Locale.ROOT, "allocated in %s (%s)", history.phaseAt(events[0]), when);
    }

    /** Buffers that are freed with those of the finding have one line for each sort: they need no fix of their own. */
    private List<String> consequences(FindingGroups finding) {
        record Sort(Object type, long size) {}
        Map<Sort, List<SurvivorGroup>> sorts = new LinkedHashMap<>();
        consequencesOf(finding)
                .forEach(group -> sorts.computeIfAbsent(
                                new Sort(group.type(), group.size()), unused -> new ArrayList<>())
                        .add(group));
        List<String> lines = new ArrayList<>();
        sorts.entrySet().stream()
                .limit(MAX_CONSEQUENCES)
                .forEach(sort -> lines.add(consequence(sort.getKey().size(), sort.getValue())));
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

    private String consequence(long size, List<SurvivorGroup> groups) {
        List<Survivor> survivors =
                groups.stream().flatMap(group -> group.survivors().stream()).toList();
        List<Integer> on = survivors.stream()
                .map(Survivor::buffer)
                .filter(names::hasDevice)
                .map(BufferGeneration::device)
                .distinct()
                .sorted()
                .toList();
        return String.format(
                Locale.ROOT,
                "%s  %s%s%s",
                names.memory(groups.get(0)),
                survivors.size() == 1
                        ? Quantities.shortSize(size)
                        : survivors.size() + " x " + Quantities.shortSize(size) + " ("
                                + Quantities.shortSize(bytesOf(groups)) + ")",
                on.isEmpty() ? "" : " on " + DeviceNames.of(on),
                owners(survivors));
    }

    private Optional<String> baselineNote(FindingGroups finding) {
        List<String> notes = finding.groups().stream()
                .map(baselineNote)
                .flatMap(Optional::stream)
                .distinct()
                .toList();
        if (notes.isEmpty()) {
            return Optional.empty();
        }
        int more = notes.size() - MAX_FINGERPRINTS;
        return Optional.of(notes.stream().limit(MAX_FINGERPRINTS).collect(Collectors.joining(", "))
                + (more > 0 ? " and " + more + " more" : ""));
    }
}
