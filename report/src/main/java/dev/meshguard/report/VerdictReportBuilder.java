package dev.meshguard.report;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.Quantities;
import dev.meshguard.event.SourceVocabulary;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.Anomaly;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.report.VerdictReport.ExpectationSnippet;
import dev.meshguard.report.VerdictReport.Fact;
import dev.meshguard.report.VerdictReport.Finding;
import dev.meshguard.report.VerdictReport.Section;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.SurvivorGroup;
import dev.meshguard.verdict.SurvivorStatus;
import dev.meshguard.verdict.baseline.BaselineComparison;
import dev.meshguard.verdict.baseline.Fingerprint;
import dev.meshguard.verdict.baseline.ShortFingerprints;
import dev.meshguard.verdict.expectation.Expectation;
import dev.meshguard.verdict.expectation.ExpectationResult;
import dev.meshguard.verdict.expectation.ExpectationResult.Deadline;
import dev.meshguard.verdict.expectation.ExpectationResult.Kind;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Builds the {@link VerdictReport} of a verdict: headlines, findings and notes as sentences. */
final class VerdictReportBuilder {

    private static final int MAX_UNDECIDED = 2;
    private static final int MAX_ANOMALIES = 5;
    private static final int MAX_UNMATCHED = 2;

    private final LeakVerdict verdict;
    private final AllocationHistory history;
    private final MeshNames meshes;
    private final MemoryNames names;
    /** The baseline status of each group; the groups of one verdict are compared by identity. */
    private final IdentityHashMap<SurvivorGroup, String> fingerprints = new IdentityHashMap<>();

    /** Buffers with a more detailed line than that they were freed. */
    private final Set<BufferGeneration> freedLate = Collections.newSetFromMap(new IdentityHashMap<>());

    private final Set<SurvivorGroup> known = Collections.newSetFromMap(new IdentityHashMap<>());

    /** Whether the reports came from another program that sends no lines of code, for example from the log of a server. */
    private final boolean isWithoutOrigins;

    private final CallerLines callers;
    private final Headlines headlines;
    private final FindingWriter writer;

    private final boolean hasLog;

    VerdictReportBuilder(
            LeakVerdict verdict,
            Optional<BaselineComparison> comparison,
            Optional<String> testClass,
            Optional<LogLines> log) {
        this.hasLog = log.isPresent();
        this.verdict = verdict;
        comparison.ifPresent(this::compare);
        this.history = verdict.history();
        this.meshes = new MeshNames(history);
        this.names = new MemoryNames(verdict);
        this.isWithoutOrigins = verdict.vocabulary().equals(SourceVocabulary.PROGRAM)
                && verdict.survivors().stream()
                        .noneMatch(survivor -> survivor.buffer().origin().isPresent());
        this.callers = new CallerLines(verdict.groups(), testClass);
        this.headlines = new Headlines(verdict, callers, log);
        this.writer = new FindingWriter(
                verdict, callers, isWithoutOrigins, log, group -> Optional.ofNullable(fingerprints.get(group)));
        verdict.survivors(survivor ->
                        survivor.cause() == Cause.LATE || !survivor.buffer().isLive())
                .forEach(survivor -> freedLate.add(survivor.buffer()));
    }

    VerdictReport report() {
        return new VerdictReport(
                verdict,
                sections(),
                notes(),
                Stream.of(SurvivorStatus.LEAKED, SurvivorStatus.UNDECIDED, SurvivorStatus.EXPECTED)
                        .flatMap(status -> SurvivorHistogram.of(verdict, status).stream())
                        .toList(),
                expectations(),
                expectationSnippet(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Caveat.of(verdict));
    }

    // Sections

    private List<Section> sections() {
        List<Section> sections = new ArrayList<>();
        List<FindingGroups> leaked = findings(SurvivorStatus.LEAKED);
        if (!leaked.isEmpty()) {
            sections.add(new Section(headlines.leak(leaked), List.of(), written(leaked)));
        }
        if (!verdict.inconclusiveReasonTexts().isEmpty()) {
            List<FindingGroups> undecided = findings(SurvivorStatus.UNDECIDED);
            sections.add(new Section(
                    headlines.inconclusive(undecided),
                    verdict.inconclusiveReasonTexts().stream()
                            .map(reason -> new Fact(Fact.WHY, reason))
                            .toList(),
                    undecided(undecided)));
        }
        List<FindingGroups> late = findings(SurvivorStatus.FREED_LATE);
        if (!late.isEmpty()) {
            sections.add(new Section(headlines.freedLate(late), List.of(), written(late)));
        }
        List<FindingGroups> misreported = findings(SurvivorStatus.MISREPORTED);
        if (!misreported.isEmpty() || !verdict.unbalancingAnomalies().isEmpty()) {
            List<Finding> wrongReports = new ArrayList<>(written(misreported));
            wrongReports.addAll(unbalancing());
            sections.add(new Section(headlines.misreported(misreported), List.of(), wrongReports));
        }
        stale().ifPresent(sections::add);
        replays().ifPresent(sections::add);
        meshOverlaps().ifPresent(sections::add);
        if (sections.isEmpty()) {
            sections.add(new Section(headlines.clean(), List.of(), List.of()));
        }
        return sections;
    }

    /** A few buffers show which ones the missing reports affect. */
    private List<Finding> undecided(List<FindingGroups> undecided) {
        int shown = Math.min(MAX_UNDECIDED, undecided.size());
        List<Finding> findings = new ArrayList<>(written(undecided.subList(0, shown)));
        List<FindingGroups> others = undecided.subList(shown, undecided.size());
        long more = others.stream().mapToLong(FindingGroups::buffers).sum();
        long bytes = FindingGroups.sumOfBytes(others);
        if (more > 0) {
            findings.add(new Finding(
                    Quantities.count(more, "more " + verdict.vocabulary().unit()) + " (" + Quantities.shortSize(bytes)
                            + ") of which it is not known",
                    List.of(),
                    List.of(),
                    more,
                    bytes));
        }
        return findings;
    }

    // Findings

    private List<FindingGroups> findings(SurvivorStatus status) {
        return FindingGroups.of(verdict.groups(status), this::isKnown);
    }

    /** Returns the findings of a verdict that are expected. */
    static List<FindingGroups> expected(LeakVerdict verdict) {
        return FindingGroups.of(verdict.groups(SurvivorStatus.EXPECTED));
    }

    private List<Finding> written(List<FindingGroups> findings) {
        return new FindingList(findings, findings.size() == 1 ? writer::onlyFinding : writer::findingOfSeveral);
    }

    private boolean isKnown(SurvivorGroup group) {
        return known.contains(group);
    }

    private void compare(BaselineComparison comparison) {
        IdentityHashMap<SurvivorGroup, Fingerprint> found = new IdentityHashMap<>();
        verdict.groups().forEach(group -> found.put(group, Fingerprint.of(group)));
        ShortFingerprints shortest = ShortFingerprints.of(found.values());
        found.forEach((group, fingerprint) -> comparison
                .description(group, fingerprint)
                .ifPresent(words -> {
                    fingerprints.put(group, "fingerprint " + shortest.of(fingerprint) + " · " + words);
                    if (words.equals(BaselineComparison.KNOWN)) {
                        known.add(group);
                    }
                }));
    }

    /** A free without a buffer: the reporting line, and the earlier holder of the address. */
    private List<Finding> unbalancing() {
        List<Anomaly> anomalies = verdict.unbalancingAnomalies();
        List<Finding> findings = new ArrayList<>();
        for (Anomaly anomaly : anomalies.subList(0, Math.min(MAX_ANOMALIES, anomalies.size()))) {
            findings.add(new Finding(
                    String.format(
                            Locale.ROOT,
                            "%s: %s (event #%d)",
                            names.description(anomaly),
                            names.memory(anomaly),
                            anomaly.event().number()),
                    siteOf(anomaly).stream().toList(),
                    List.of(new Fact(Fact.WHY, holder(anomaly))),
                    0,
                    0));
        }
        int more = anomalies.size() - findings.size();
        if (more > 0) {
            boolean areFrees = anomalies.stream().allMatch(anomaly -> anomaly.event() instanceof HistoryEvent.Freed);
            findings.add(new Finding(
                    Quantities.count(
                                    more,
                                    areFrees ? "more " + verdict.vocabulary().free() : "more finding")
                            + " of that kind",
                    List.of(),
                    List.of(),
                    0,
                    0));
        }
        return findings;
    }

    private static Optional<String> siteOf(Anomaly anomaly) {
        return anomaly.event() instanceof HistoryEvent.Freed freed
                ? freed.request().origin().map(Object::toString)
                : Optional.empty();
    }

    private String holder(Anomaly anomaly) {
        if (anomaly.kind() == Anomaly.Kind.NEVER_REPORTED) {
            return "the allocator held it when close began, and no more before it was wiped";
        }
        if (anomaly.kind() == Anomaly.Kind.UNKNOWN_FREE
                && anomaly.generation().isPresent()
                && anomaly.event() instanceof HistoryEvent.Freed free) {
            return allocatedByAnother(free, anomaly.generation().get());
        }
        Optional<BufferGeneration> other = anomaly.generation().filter(BufferGeneration::isLive);
        if (other.isPresent()) {
            return String.format(
                    Locale.ROOT,
                    "the buffer there, %s, was reported at event #%d and is another one: it takes another extent of its bank",
                    Quantities.size(other.get().size()),
                    other.get().allocatedAt());
        }
        return anomaly.generation()
                .map(buffer -> String.format(
                        Locale.ROOT,
                        names.hasDevice(buffer)
                                ? "the buffer that was there, %s, was %s before, at event #%d%s"
                                : "it, %s, was %s before, at event #%d%s",
                        Quantities.size(buffer.size()),
                        names.of(buffer.request()).freed(),
                        buffer.freedAt().orElse(buffer.allocatedAt()),
                        buffer.isCollected() ? ", when its handle was collected" : ""))
                .orElse("no buffer was ever reported there" + namedBy(anomaly));
    }

    /** A source explains a free only if it has no more information: an address alone would lead nowhere. */
    private static String namedBy(Anomaly anomaly) {
        return anomaly.event() instanceof HistoryEvent.Freed free
                ? free.request()
                        .details()
                        .label()
                        .map(label -> "; the free was said to be of " + Quantities.quoted(label))
                        .orElse("")
                : "";
    }

    /** A mesh frees an address that it never allocated; another mesh has or had a buffer there. */
    private String allocatedByAnother(HistoryEvent.Freed free, BufferGeneration buffer) {
        return String.format(
                Locale.ROOT,
                "%s allocated no buffer there; the one there, %s, was allocated at event #%d by %s",
                meshes.of(
                        free.request().details().allocator(),
                        free.request().details().mesh(),
                        free.device()),
                Quantities.size(buffer.size()),
                buffer.allocatedAt(),
                meshes.of(buffer.allocator(), buffer.mesh(), buffer.device()));
    }

    /** The reported counts are right and nothing leaked, but on hardware a replay destroys data or reads what is not there. */
    private Optional<Section> replays() {
        List<ReplayFinding> replays = ReplayFinding.in(verdict);
        if (replays.isEmpty()) {
            return Optional.empty();
        }
        List<Finding> findings = new ArrayList<>();
        replays.stream().limit(MAX_ANOMALIES).forEach(replay -> findings.add(replay.finding()));
        int more = replays.size() - findings.size();
        if (more > 0) {
            findings.add(new Finding(
                    Quantities.count(more, "more finding") + " of that kind",
                    List.of(),
                    List.of(),
                    replays.stream()
                            .skip(MAX_ANOMALIES)
                            .mapToLong(ReplayFinding::buffers)
                            .sum(),
                    0));
        }
        return Optional.of(new Section(Headlines.overwritten(replays), List.of(), findings));
    }

    /** The reported counts are right and nothing leaked, but on hardware the data of one mesh is lost. */
    private Optional<Section> meshOverlaps() {
        List<MeshOverlap> overlaps = MeshOverlap.in(verdict);
        if (overlaps.isEmpty()) {
            return Optional.empty();
        }
        List<Finding> findings = new ArrayList<>();
        for (MeshOverlap overlap : overlaps.subList(0, Math.min(MAX_ANOMALIES, overlaps.size()))) {
            findings.add(new Finding(
                    overlap.title(meshes),
                    List.of(overlap.site()),
                    overlap.facts(meshes),
                    overlap.reports().size(),
                    0));
        }
        int more = overlaps.size() - findings.size();
        if (more > 0) {
            findings.add(new Finding(
                    Quantities.count(more, "more overlap") + " of that kind",
                    List.of(),
                    List.of(),
                    overlaps.stream()
                            .skip(MAX_ANOMALIES)
                            .mapToLong(overlap -> overlap.reports().size())
                            .sum(),
                    0));
        }
        long buffers =
                overlaps.stream().mapToLong(overlap -> overlap.reports().size()).sum();
        return Optional.of(new Section(
                Headlines.OVERLAP + "two "
                        + (overlaps.stream().allMatch(MeshOverlap::isOfTwoMeshes) ? "meshes" : "allocators")
                        + " held the same memory at a time, so each may have overwritten the other's data: "
                        + Quantities.count(buffers, "buffer"),
                List.of(new Fact(Fact.FIX, overlapRemedy(overlaps))),
                findings));
    }

    // Harmless anomalies and expected buffers

    private List<String> notes() {
        List<String> notes = new ArrayList<>();
        history.context()
                .ifPresent(context -> notes.add("checked at the end of " + context.name()
                        + (history.leavesMeshOpen() ? ", whose mesh stays open" : "")));
        if (isWithoutOrigins && !hasLog && !verdict.survivors().isEmpty()) {
            notes.add("No call site is named, because no origins were captured.");
        }
        for (Anomaly.Kind kind : Anomaly.Kind.values()) {
            List<Anomaly> ofKind = history.anomalies().stream()
                    .filter(anomaly -> anomaly.kind() == kind && !isFindingOfItsOwn(anomaly))
                    .toList();
            boolean isFinding = kind.unbalancesLedger() || kind == Anomaly.Kind.HELD_BY_TWO_ALLOCATORS;
            if (!ofKind.isEmpty() && !isFinding) {
                Anomaly first = ofKind.get(0);
                notes.add(String.format(
                        Locale.ROOT,
                        "%s, %s; the first at event #%d: %s",
                        kind.description(),
                        ofKind.size() == 1 ? "once" : ofKind.size() + " times",
                        first.event().number(),
                        names.memory(first)));
            }
        }
        UnsafeAllocations.noteOf(history).ifPresent(notes::add);
        notes.addAll(collected());
        notes.addAll(undated());
        notes.addAll(partlyCovered());
        history.events(HistoryEvent.SourceNoted.class).forEach(noted -> notes.add(noted.note()));
        return notes;
    }

    /** A free after the close that is a finding needs no additional note. */
    private boolean isFindingOfItsOwn(Anomaly anomaly) {
        return switch (anomaly.kind()) {
            case FREE_AFTER_CLOSE, FREE_REPORTED_AFTER_CLOSE ->
                anomaly.generation().filter(freedLate::contains).isPresent();
            default -> false;
        };
    }

    /** Memory that a source does not cover is never missing in its reports. */
    private List<String> partlyCovered() {
        return history.sources().stream()
                .flatMap(source -> source
                        .covers()
                        .map(covers -> String.format(
                                Locale.ROOT,
                                "the source %s covers %s; nothing else is reported through it",
                                source.name(),
                                covers))
                        .stream())
                .distinct()
                .toList();
    }

    private List<String> undated() {
        return verdict.expectations().stream()
                .filter(result -> result.deadline() == Deadline.UNKNOWN && !result.neverMatched())
                .map(result -> String.format(
                        Locale.ROOT,
                        "the history does not contain the day of the check, so an entry until %s was applied (%s)",
                        result.expectation().until().orElseThrow(),
                        result.expectation()))
                .toList();
    }

    /** A result that is clean only because the collector ran in time needs a note. */
    private List<String> collected() {
        List<BufferGeneration> freed = history.generationsWith(AllocationDetails::handleCollected).stream()
                .filter(buffer -> buffer.isCollected() && !freedLate.contains(buffer))
                .toList();
        if (freed.isEmpty()) {
            return List.of();
        }
        BufferGeneration first = freed.get(0);
        return List.of(String.format(
                Locale.ROOT,
                "%s %s freed when %s collected; the first at event #%d: %s",
                names.count(freed.size()),
                freed.size() == 1 ? "was" : "were",
                freed.size() == 1 ? "its handle was" : "their handles were",
                first.freedAt().orElseThrow(),
                names.memory(first)));
    }

    private List<String> expectations() {
        List<String> lines = new ArrayList<>();
        for (ExpectationResult result : resultsOf(Kind.EXPIRED)) {
            lines.add(String.format(
                    Locale.ROOT,
                    "Expired on %s: %s would have been expected (%s)",
                    result.expectation().until().orElseThrow(),
                    names.count(result.rejectedBuffers()),
                    result.expectation()));
        }
        List<ExpectationResult> present = verdict.expectations().stream()
                .filter(result -> !result.neverMatched() && result.kind() != Kind.EXPIRED)
                .toList();
        for (ExpectationResult result : present) {
            lines.add(String.format(
                            Locale.ROOT,
                            "Expected and present: %s, %s (%s)",
                            names.count(result.matchedBuffers()),
                            Quantities.size(result.matchedBytes()),
                            result.expectation())
                    + (result.rejectedBuffers() == 0
                            ? ""
                            : "; " + result.rejectedBuffers() + " more than that allows"));
        }
        long persistent = verdict.survivors(survivor -> survivor.status() == SurvivorStatus.EXPECTED
                        && survivor.expectation().isEmpty())
                .size();
        if (persistent > 0) {
            lines.add(String.format(
                    Locale.ROOT,
                    "Expected and present: %s of lifetime %s",
                    names.count(persistent),
                    BufferLifetime.PERSISTENT));
        }
        neverMatched().ifPresent(lines::add);
        return lines;
    }

    private List<ExpectationResult> resultsOf(Kind kind) {
        return verdict.expectations().stream()
                .filter(result -> result.kind() == kind)
                .toList();
    }

    /** One line for any size of file: in one test most entries of a common file match nothing. */
    private Optional<String> neverMatched() {
        List<ExpectationResult> unmatched = resultsOf(Kind.UNMATCHED);
        if (unmatched.isEmpty()) {
            return Optional.empty();
        }
        String named = unmatched.stream()
                .limit(MAX_UNMATCHED)
                .map(result -> result.expectation().toString())
                .collect(Collectors.joining("; "));
        int more = unmatched.size() - MAX_UNMATCHED;
        return Optional.of(String.format(
                Locale.ROOT,
                "Never matched: %d (%s%s)",
                unmatched.size(),
                named,
                more > 0 ? "; and " + more + " more" : ""));
    }

    /** Fewer buffers remain than expected: no leak, but the entry would hide a later one. */
    private Optional<Section> stale() {
        List<ExpectationResult> stale = verdict.staleExpectations();
        if (stale.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new Section(
                String.format(
                        Locale.ROOT,
                        "STALE  %s more than survived",
                        stale.size() == 1 ? "1 expectation promises" : stale.size() + " expectations promise"),
                List.of(),
                stale.stream().map(this::stale).toList()));
    }

    private Finding stale(ExpectationResult result) {
        Expectation entry = result.expectation();
        if (result.neverMatched()) {
            return new Finding(
                    "no survivor matches: " + entry,
                    List.of(),
                    List.of(new Fact(Fact.FIX, "If that is right, remove the entry, or it will hide the next leak.")),
                    0,
                    0);
        }
        Expectation lowered = entry.exactly(result.matchedBuffers());
        return new Finding(
                String.format(
                        Locale.ROOT,
                        "%s survived, %s: %s",
                        names.count(result.matchedBuffers()),
                        Quantities.size(result.matchedBytes()),
                        entry),
                List.of(),
                List.of(
                        new Fact(Fact.FIX, "If fewer are right, expect the survivors:"),
                        new Fact(Fact.FIX, ExpectationSnippets.annotation(lowered)),
                        new Fact(Fact.FIX, "as a line of a file: " + lowered.toText())),
                0,
                0);
    }

    private static String overlapRemedy(List<MeshOverlap> overlaps) {
        return overlaps.stream().allMatch(MeshOverlap::isOfTwoMeshes)
                ? "Free what one mesh holds on a device before another mesh over it allocates memory, or use one mesh only: each"
                        + " has an allocator of its own that knows nothing of the others'."
                : "Free what one allocator holds before another reserves memory there, or allocate on the mesh only: a mesh, a"
                        + " device and a sub-device have one each that knows nothing of the others.";
    }

    private Optional<ExpectationSnippet> expectationSnippet() {
        ExpectationSnippets snippets = ExpectationSnippets.of(verdict);
        Stream<SurvivorStatus> statuses = VerdictText.hasOnlyWrongReports(verdict)
                ? Stream.of(SurvivorStatus.MISREPORTED)
                : Stream.of(SurvivorStatus.LEAKED, SurvivorStatus.FREED_LATE);
        return statuses.flatMap(status -> findings(status).stream())
                .sorted(Comparator.comparing(finding -> isKnown(finding.first())))
                .map(snippets::narrowest)
                .flatMap(Optional::stream)
                .findFirst()
                .or(() -> verdict.survivors().isEmpty()
                        ? Stream.concat(
                                        ReplayFinding.in(verdict).stream().map(ReplayFinding::snippet),
                                        MeshOverlap.in(verdict).stream().map(MeshOverlap::snippet))
                                .findFirst()
                        : Optional.empty());
    }
}
