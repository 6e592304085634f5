package dev.meshguard.report;

import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.Anomaly;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.report.ExpectationSnippets.ExpectationSnippet;
import dev.meshguard.report.Finding.Fact;
import dev.meshguard.report.VerdictReport.Section;
import dev.meshguard.text.Quantities;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.Fixes;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Overwrite;
import dev.meshguard.verdict.SurvivorStatus;
import dev.meshguard.verdict.baseline.Baseline;
import dev.meshguard.verdict.expectation.Expectation;
import dev.meshguard.verdict.expectation.ExpectationResult;
import dev.meshguard.verdict.expectation.ExpectationResult.Deadline;
import dev.meshguard.verdict.expectation.ExpectationResult.Kind;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Builds the {@link VerdictReport} of a verdict: headlines, findings and notes as sentences. */
final class VerdictReportBuilder {

    private static final int MAX_UNDECIDED = 2;
    private static final int MAX_LISTED = 5;
    private static final int MAX_UNMATCHED = 2;
    private static final String PRESENT = "Expected and present: ";

    private final LeakVerdict verdict;
    private final AllocationHistory history;
    private final MemoryNames names;

    /** Buffers with a more detailed line than that they were freed. */
    private final Set<BufferGeneration> freedLate = Collections.newSetFromMap(new IdentityHashMap<>());

    private final List<SurvivorFinding> survivors;
    private final List<OverwriteFinding> overwrites;
    private final Headlines headlines;
    private final Optional<LogLines> log;

    VerdictReportBuilder(
            LeakVerdict verdict, Optional<Baseline> known, Optional<Class<?>> testClass, Optional<LogLines> log) {
        this.log = log;
        this.verdict = verdict;
        this.history = verdict.history();
        this.names = new MemoryNames(history);
        CallerLines callers = new CallerLines(verdict.groups(), testClass.map(Class::getName));
        this.survivors = SurvivorFinding.of(verdict, known, callers, log);
        this.overwrites = OverwriteFinding.in(verdict, names);
        this.headlines = new Headlines(verdict, names);
        verdict.survivors(survivor ->
                        survivor.cause() == Cause.LATE || !survivor.buffer().isLive())
                .forEach(survivor -> freedLate.add(survivor.buffer()));
    }

    VerdictReport report() {
        return new VerdictReport(
                verdict,
                survivors,
                sections(),
                notes(),
                expectations(),
                expectationSnippet(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                false);
    }

    // Sections

    private List<Section> sections() {
        List<Section> sections = new ArrayList<>();
        List<SurvivorFinding> leaked = survivors(SurvivorStatus.LEAKED);
        if (!leaked.isEmpty()) {
            sections.add(new Section(headlines.leak(leaked), List.of(), List.copyOf(leaked)));
        }
        if (!verdict.inconclusiveReasons().isEmpty()) {
            List<SurvivorFinding> undecided = survivors(SurvivorStatus.UNDECIDED);
            sections.add(new Section(
                    headlines.inconclusive(undecided),
                    verdict.inconclusiveReasonTexts().stream()
                            .map(reason -> new Fact(Fact.WHY, reason))
                            .toList(),
                    undecided(undecided)));
        }
        List<SurvivorFinding> late = survivors(SurvivorStatus.FREED_LATE);
        if (!late.isEmpty()) {
            sections.add(new Section(headlines.freedLate(late), List.of(), List.copyOf(late)));
        }
        List<SurvivorFinding> misreported = survivors(SurvivorStatus.MISREPORTED);
        if (!misreported.isEmpty() || !verdict.unbalancingAnomalies().isEmpty()) {
            List<Finding> findings = new ArrayList<>(misreported);
            findings.addAll(wrongReports());
            sections.add(new Section(headlines.misreported(misreported), List.of(), findings));
        }
        stale().ifPresent(sections::add);
        List<OverwriteFinding> replays =
                overwrites.stream().filter(found -> !found.isOverlap()).toList();
        if (!replays.isEmpty()) {
            sections.add(new Section(Headlines.overwritten(replays), List.of(), listed(replays, "more finding")));
        }
        List<OverwriteFinding> overlaps =
                overwrites.stream().filter(OverwriteFinding::isOverlap).toList();
        if (!overlaps.isEmpty()) {
            sections.add(overlaps(overlaps));
        }
        if (sections.isEmpty()) {
            sections.add(new Section(headlines.clean(survivors(SurvivorStatus.EXPECTED)), List.of(), List.of()));
        }
        return sections;
    }

    private List<SurvivorFinding> survivors(SurvivorStatus status) {
        return survivors.stream().filter(finding -> finding.status() == status).toList();
    }

    /** A few buffers show which ones the missing reports affect. */
    private List<Finding> undecided(List<SurvivorFinding> undecided) {
        return listed(
                undecided,
                MAX_UNDECIDED,
                others -> Quantities.count(
                                Finding.buffersOf(others),
                                "more " + verdict.vocabulary().unit())
                        + (Finding.bytesOf(others) == 0
                                ? ""
                                : " (" + Quantities.shortSize(Finding.bytesOf(others)) + ")")
                        + " of which it is not known");
    }

    /** Returns nothing if the size of all is unknown. */
    private static String inBytes(long bytes) {
        return bytes == 0 ? "" : ", " + Quantities.size(bytes);
    }

    private static List<Finding> listed(List<? extends Finding> all, String other) {
        return listed(all, MAX_LISTED, others -> Quantities.count(others.size(), other) + " of that kind");
    }

    /** Returns the first findings of a kind, and one that counts the others. */
    private static <F extends Finding> List<Finding> listed(List<F> all, int most, Function<List<F>, String> title) {
        List<Finding> findings = new ArrayList<>(all.stream().limit(most).toList());
        List<F> others = all.stream().skip(most).toList();
        if (!others.isEmpty()) {
            findings.add(new SimpleFinding(
                    title.apply(others),
                    List.of(),
                    List.of(),
                    Finding.buffersOf(others),
                    Finding.bytesOf(others),
                    others.size()));
        }
        return findings;
    }

    private List<Finding> wrongReports() {
        List<AnomalyFinding> anomalies = verdict.unbalancingAnomalies().stream()
                .map(anomaly -> new AnomalyFinding(anomaly, names, log))
                .toList();
        boolean areFrees = anomalies.stream().allMatch(anomaly -> anomaly.free().isPresent());
        return listed(anomalies, areFrees ? "more " + verdict.vocabulary().free() : "more finding");
    }

    /** The reported counts are right and nothing leaked, but on hardware the data of one allocator is lost. */
    private static Section overlaps(List<OverwriteFinding> overlaps) {
        Optional<Overwrite> ofOtherAllocators = overlaps.stream()
                .map(OverwriteFinding::first)
                .filter(overlap -> !overlap.isOfTwoMeshes())
                .findFirst();
        return new Section(
                Headlines.overlap(overlaps, ofOtherAllocators.isEmpty()),
                List.of(new Fact(
                        Fact.FIX,
                        Fixes.of(ofOtherAllocators.orElse(overlaps.get(0).first())))),
                listed(overlaps, "more overlap"));
    }

    // Harmless anomalies and expected buffers

    private List<String> notes() {
        List<String> notes = new ArrayList<>();
        history.context()
                .ifPresent(context -> notes.add("checked at the end of " + context.name()
                        + (history.leavesMeshOpen() ? ", whose mesh stays open" : "")));
        if (SurvivorFinding.isWithoutOrigins(verdict)
                && log.isEmpty()
                && !verdict.survivors().isEmpty()) {
            notes.add("No call site is named, because no origins were captured.");
        }
        for (Anomaly.Kind kind : Anomaly.Kind.values()) {
            if (!kind.unbalancesLedger() && kind != Anomaly.Kind.HELD_BY_TWO_ALLOCATORS) {
                harmless(kind).ifPresent(notes::add);
            }
        }
        collected().ifPresent(notes::add);
        undated().forEach(notes::add);
        partlyCovered().forEach(notes::add);
        history.events(HistoryEvent.SourceNoted.class).forEach(noted -> notes.add(noted.note()));
        return notes;
    }

    private Optional<String> harmless(Anomaly.Kind kind) {
        List<Anomaly> anomalies = history.anomalies().stream()
                .filter(anomaly -> anomaly.kind() == kind && !isFindingOfItsOwn(anomaly))
                .toList();
        return anomalies.stream()
                .findFirst()
                .map(first -> kind.description() + ", "
                        + (anomalies.size() == 1 ? "once" : anomalies.size() + " times") + "; the first at event #"
                        + first.event().number() + ": " + names.memory(first));
    }

    /** A free after the close that is a finding needs no additional note. */
    private boolean isFindingOfItsOwn(Anomaly anomaly) {
        return switch (anomaly.kind()) {
            case FREE_AFTER_CLOSE, FREE_REPORTED_AFTER_CLOSE ->
                anomaly.generation().filter(freedLate::contains).isPresent();
            default -> false;
        };
    }

    /** A result that is clean only because the collector ran in time needs a note. */
    private Optional<String> collected() {
        List<BufferGeneration> freed = history.collectedBuffers().stream()
                .filter(buffer -> !freedLate.contains(buffer) && !buffer.isLeftToCollector())
                .toList();
        return freed.stream()
                .findFirst()
                .map(first -> names.count(freed.size())
                        + (freed.size() == 1 ? " was freed when its handle was" : " were freed when their handles were")
                        + " collected; the first at event #" + first.freedAt().orElseThrow() + ": "
                        + names.memory(first));
    }

    private Stream<String> undated() {
        return verdict.expectations().stream()
                .filter(result -> result.deadline() == Deadline.UNKNOWN && !result.neverMatched())
                .map(ExpectationResult::expectation)
                .map(entry -> "the history does not contain the day of the check, so an entry until "
                        + entry.until().orElseThrow() + " was applied (" + entry + ")");
    }

    /** Memory that a source does not cover is never missing in its reports. */
    private Stream<String> partlyCovered() {
        return history.sources().stream()
                .flatMap(source -> source.covers().stream()
                        .map(covers -> "the source " + source.name() + " covers " + covers
                                + "; nothing else is reported through it"))
                .distinct();
    }

    private List<String> expectations() {
        List<String> lines = new ArrayList<>();
        resultsOf(Kind.EXPIRED)
                .map(result -> "Expired on " + result.expectation().until().orElseThrow() + ": "
                        + names.count(result.rejectedBuffers()) + " would have been expected ("
                        + result.expectation() + ")")
                .forEach(lines::add);
        verdict.expectations().stream()
                .filter(result -> !result.neverMatched() && result.kind() != Kind.EXPIRED)
                .map(result -> PRESENT + names.count(result.matchedBuffers())
                        + inBytes(result.matchedBytes()) + " (" + result.expectation() + ")"
                        + (result.rejectedBuffers() == 0
                                ? ""
                                : "; " + result.rejectedBuffers() + " more than that allows"))
                .forEach(lines::add);
        long persistent = verdict.survivors(survivor -> survivor.status() == SurvivorStatus.EXPECTED
                        && survivor.expectation().isEmpty())
                .size();
        if (persistent > 0) {
            lines.add(PRESENT + names.count(persistent) + " of lifetime " + BufferLifetime.PERSISTENT);
        }
        neverMatched().ifPresent(lines::add);
        return lines;
    }

    private Stream<ExpectationResult> resultsOf(Kind kind) {
        return verdict.expectations().stream().filter(result -> result.kind() == kind);
    }

    /** One line for any size of file: in one test most entries of a common file match nothing. */
    private Optional<String> neverMatched() {
        List<ExpectationResult> unmatched = resultsOf(Kind.UNMATCHED).toList();
        if (unmatched.isEmpty()) {
            return Optional.empty();
        }
        String named = unmatched.stream()
                .limit(MAX_UNMATCHED)
                .map(result -> result.expectation().toString())
                .collect(Collectors.joining("; "));
        int more = unmatched.size() - MAX_UNMATCHED;
        return Optional.of("Never matched: " + unmatched.size() + " (" + named
                + (more > 0 ? "; and " + more + " more" : "") + ")");
    }

    /** Fewer buffers remain than expected: no leak, but the entry would hide a later one. */
    private Optional<Section> stale() {
        List<ExpectationResult> stale = verdict.staleExpectations();
        if (stale.isEmpty()) {
            return Optional.empty();
        }
        String promise = stale.size() == 1 ? "1 expectation promises" : stale.size() + " expectations promise";
        return Optional.of(new Section(
                "STALE  " + promise + " more than survived",
                List.of(),
                stale.stream().map(this::stale).toList()));
    }

    private Finding stale(ExpectationResult result) {
        Expectation entry = result.expectation();
        if (result.neverMatched()) {
            return SimpleFinding.of(
                    "no survivor matches: " + entry, new Fact(Fact.FIX, Fixes.OF_UNMATCHED_EXPECTATION));
        }
        ExpectationSnippet lowered = ExpectationSnippets.snippet(entry.exactly(result.matchedBuffers()));
        return SimpleFinding.of(
                names.count(result.matchedBuffers()) + " survived" + inBytes(result.matchedBytes()) + ": " + entry,
                new Fact(Fact.FIX, Fixes.OF_LOOSE_EXPECTATION),
                new Fact(Fact.FIX, lowered.annotation()),
                new Fact(Fact.FIX, "as a line of a file: " + lowered.line()));
    }

    private Optional<ExpectationSnippet> expectationSnippet() {
        ExpectationSnippets snippets = ExpectationSnippets.of(verdict);
        Stream<SurvivorStatus> statuses = VerdictText.hasOnlyWrongReports(verdict)
                ? Stream.of(SurvivorStatus.MISREPORTED)
                : Stream.of(SurvivorStatus.LEAKED, SurvivorStatus.FREED_LATE);
        return statuses.flatMap(status -> survivors(status).stream())
                .sorted(Comparator.comparing(SurvivorFinding::isKnown))
                .map(snippets::narrowest)
                .flatMap(Optional::stream)
                .findFirst()
                .or(() -> verdict.survivors().isEmpty()
                        ? overwrites.stream()
                                .min(Comparator.comparing(OverwriteFinding::isOverlap))
                                .map(OverwriteFinding::snippet)
                        : Optional.empty());
    }
}
