package dev.meshguard.verdict.internal;

import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferKind;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.Quantities;
import dev.meshguard.event.SourceDescription;
import dev.meshguard.event.WitnessSnapshot;
import dev.meshguard.event.WitnessSnapshot.AddressState;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.Anomaly;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.history.CountingPolicy;
import dev.meshguard.history.GenerationSums;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.Diagnosis;
import dev.meshguard.verdict.Evidence;
import dev.meshguard.verdict.InconclusiveReason;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verdict.Overwrite;
import dev.meshguard.verdict.Survivor;
import dev.meshguard.verdict.SurvivorStatus;
import dev.meshguard.verdict.expectation.Expectation;
import dev.meshguard.verdict.expectation.ExpectationResult;
import dev.meshguard.verdict.expectation.ExpectationResult.Kind;
import dev.meshguard.verdict.expectation.ExpectedBuffers;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/** Builds the verdict on one history. */
public final class VerdictBuilder {

    /** The rules in the order of precedence of their causes. */
    private static final List<Rule> RULES = List.of(
            new ProcessDiedRule(),
            new LateRule(),
            new ReportedTwiceRule(),
            new FreeUnreportedRule(),
            new CircularBufferUnreportedRule(),
            new CachedRule(),
            new SystemBufferRule(),
            new StaticInitializerRule(),
            new FreedOnOtherDevicesRule(),
            new KeptAfterReleaseRule(),
            new HeldRule(),
            new LostRule(),
            new UnexplainedRule());

    /** The rules that conclude nothing from the frees of other buffers, for sources that infer them. */
    private static final List<Rule> RULES_OF_SNAPSHOTS = RULES.stream()
            .filter(rule -> !(rule instanceof LateRule)
                    && !(rule instanceof ReportedTwiceRule)
                    && !(rule instanceof FreedOnOtherDevicesRule))
            .toList();

    private final AllocationHistory history;
    private final List<Rule> rules;
    private final List<BufferGeneration> remaining;
    /** Freed, but not in time. */
    private final Map<BufferGeneration, Diagnosis> freedLate;

    private final List<ExpectationMatcher> matchers;
    private final ExcludedHistories excluded;
    private final SiblingIndex siblings;
    private final LateReports lateReports;
    private final BareReports bareReports;
    private final InconclusiveReasons unheard;
    /** Found while the snapshots are searched for unreported memory. */
    private final List<Anomaly> neverReported = new ArrayList<>();

    /** Prepares the verdict on a history. */
    public VerdictBuilder(AllocationHistory whole, ExpectedBuffers expected, List<ExcludedFindings> told) {
        this.history = whole.asOfCheck();
        this.rules = whole.sources().stream().anyMatch(SourceDescription::infersFrees) ? RULES_OF_SNAPSHOTS : RULES;
        this.remaining = history.live();
        this.excluded = new ExcludedHistories(told);
        this.matchers = new ArrayList<>(expected.entries().size());
        expected.entries().forEach(entry -> this.matchers.add(new ExpectationMatcher(entry, history)));
        this.siblings = new SiblingIndex(history, whole);
        this.freedLate = freedLate();
        this.lateReports = remaining.isEmpty() ? LateReports.none() : new LateReports(history);
        this.bareReports = new BareReports(history, remaining);
        this.unheard = new InconclusiveReasons(history);
    }

    /** Returns the verdict. */
    public LeakVerdict verdict() {
        List<Survivor> survivors = survivors();
        LeakVerdict.Sum sum = sum(survivors);
        List<InconclusiveReason> reasons = inconclusiveReasons(sum, survivors);
        List<Anomaly> anomalies = new ArrayList<>(history.anomalies());
        anomalies.addAll(neverReported);
        if (!excluded.isEmpty()) {
            anomalies.removeIf(excluded::covers);
        }
        List<Overwrite> overwrites = overwrites(survivors);
        List<ExpectationResult> expectations = new ArrayList<>(matchers.size());
        matchers.forEach(matcher -> expectations.add(matcher.result()));
        expectations.addAll(excluded.results());
        return new LeakVerdict(
                history,
                outcome(survivors, reasons, anomalies, expectations, overwrites),
                survivors,
                survivors.isEmpty()
                        ? List.of()
                        : new SurvivorGrouping(history, siblings, freedLate.keySet()).of(survivors),
                sum,
                totals(),
                PhaseUsageBuilder.of(history),
                anomalies,
                overwrites,
                expectations,
                reasons);
    }

    private Map<BufferGeneration, Diagnosis> freedLate() {
        Map<BufferGeneration, Diagnosis> late = new LinkedHashMap<>();
        for (BufferGeneration generation : history.freedAfterClose()) {
            LateRule.ofEnded(new SurvivorContext(generation, history, siblings))
                    .ifPresent(diagnosis -> late.put(generation, diagnosis));
        }
        return late;
    }

    /** Assigns survivors to expectations: leaks first, then late frees, then misreported buffers. */
    private List<Survivor> survivors() {
        if (remaining.isEmpty() && freedLate.isEmpty()) {
            return List.of();
        }
        Map<BufferGeneration, Diagnosis> diagnoses = new LinkedHashMap<>(freedLate);
        remaining.forEach(buffer -> diagnoses.put(buffer, diagnose(buffer)));
        Map<BufferGeneration, Survivor> survivors = new HashMap<>();
        for (int rank = 0; rank < 3; rank++) {
            for (Map.Entry<BufferGeneration, Diagnosis> one : diagnoses.entrySet()) {
                if (rank(one.getValue().status()) == rank) {
                    survivors.put(one.getKey(), judge(one.getKey(), one.getValue()));
                }
            }
        }
        return survivors.values().stream()
                .sorted(Comparator.comparingLong(survivor -> survivor.buffer().allocatedAt()))
                .toList();
    }

    private static int rank(SurvivorStatus status) {
        return switch (status) {
            case LEAKED, UNDECIDED, EXPECTED -> 0;
            case FREED_LATE -> 1;
            case MISREPORTED -> 2;
        };
    }

    private Survivor judge(BufferGeneration buffer, Diagnosis diagnosis) {
        if (excluded.isEmpty() && matchers.isEmpty()) {
            return new Survivor(buffer, diagnosis, Optional.empty());
        }
        Optional<Expectation> before = excluded.admit(buffer);
        if (before.isPresent()) {
            return new Survivor(buffer, diagnosis, before);
        }
        List<ExpectationMatcher> fitting = matchers.stream()
                .filter(matcher -> matcher.permitsSurvival(buffer))
                .toList();
        Optional<Expectation> expectation = fitting.stream()
                .filter(matcher -> matcher.tryMatch(buffer))
                .findFirst()
                .map(ExpectationMatcher::expectation);
        return new Survivor(
                buffer, expectation.isPresent() ? diagnosis : withoutPermission(diagnosis, fitting), expectation);
    }

    /** Assigns overwritten buffers to expectations, the oldest first. */
    private List<Overwrite> overwrites(List<Survivor> survivors) {
        List<Overwrite> found = OverwriteSearch.in(history, survivors);
        if (found.isEmpty() || (excluded.isEmpty() && matchers.isEmpty())) {
            return found;
        }
        return found.stream()
                .filter(overwrite -> !excluded.covers(overwrite))
                .map(this::judged)
                .toList();
    }

    private Overwrite judged(Overwrite overwrite) {
        return matchers.stream()
                .filter(matcher -> concerns(matcher, overwrite))
                .filter(matcher -> matcher.tryMatch(overwrite.buffer()))
                .findFirst()
                .map(matcher -> overwrite.expectedBy(matcher.expectation()))
                .orElse(overwrite);
    }

    /** Of two allocators that hold the same memory, each may lose its data. */
    private boolean concerns(ExpectationMatcher matcher, Overwrite overwrite) {
        return matcher.permitsOverwriting(overwrite.buffer())
                || (overwrite.kind() == Overwrite.Kind.BY_OTHER_ALLOCATOR
                        && overwrite.writer().stream()
                                .flatMap(writer -> history.buffersOf(writer.request()).stream())
                                .anyMatch(matcher::permitsOverwriting));
    }

    /**
     * A survivor that an entry means but does not permit has leaked, also if it would be expected without the entry.
     */
    private static Diagnosis withoutPermission(Diagnosis diagnosis, List<ExpectationMatcher> fitting) {
        List<Evidence> evidence = new ArrayList<>(diagnosis.evidence());
        fitting.forEach(matcher -> matcher.end().ifPresent(evidence::add));
        boolean wouldBeExpected = !fitting.isEmpty() && diagnosis.status() == SurvivorStatus.EXPECTED;
        if (wouldBeExpected && evidence.size() == diagnosis.evidence().size()) {
            evidence.add(Evidence.of("more of them survived than the expectations allow"));
        }
        return new Diagnosis(diagnosis.cause(), wouldBeExpected ? SurvivorStatus.LEAKED : diagnosis.status(), evidence);
    }

    private Diagnosis diagnose(BufferGeneration buffer) {
        SurvivorContext survivor = new SurvivorContext(buffer, history, siblings);
        Optional<MeshDescription> open = history.openMeshOf(buffer);
        if (open.isPresent() && new ProcessDiedRule().examine(survivor).isEmpty()) {
            return Diagnosis.of(
                    Cause.UNEXPLAINED,
                    SurvivorStatus.UNDECIDED,
                    Evidence.of("mesh " + open.get().id() + " is still open, so it may still be freed"));
        }
        Optional<Diagnosis> late = lateReports.diagnose(buffer);
        if (late.isPresent()) {
            return late.get();
        }
        Optional<Diagnosis> undecided = bareReports.diagnose(survivor);
        if (undecided.isPresent()) {
            return undecided.get();
        }
        for (Rule rule : rules) {
            Optional<Diagnosis> found = rule.examine(survivor);
            if (found.isPresent()) {
                return unheard.weighed(found.get(), survivor);
            }
        }
        throw new IllegalStateException("The last rule passed on " + buffer);
    }

    private LeakVerdict.Sum sum(List<Survivor> survivors) {
        long allocated = everAllocated();
        return new LeakVerdict.Sum(
                allocated,
                allocated - remaining.size() - freedLate.size(),
                count(survivors, SurvivorStatus.FREED_LATE),
                count(survivors, SurvivorStatus.LEAKED),
                count(survivors, SurvivorStatus.MISREPORTED),
                count(survivors, SurvivorStatus.EXPECTED),
                count(survivors, SurvivorStatus.UNDECIDED));
    }

    private long everAllocated() {
        long buffers = 0;
        for (GenerationSums.Total total : history.generationSums().totals()) {
            buffers += total.allocated().buffers();
        }
        return buffers;
    }

    private static long count(List<Survivor> survivors, SurvivorStatus status) {
        long count = 0;
        for (Survivor survivor : survivors) {
            count += survivor.status() == status ? 1 : 0;
        }
        return count;
    }

    private static Outcome outcomeOf(List<Survivor> survivors) {
        Outcome worst = Outcome.LEAK_FREE;
        for (Survivor survivor : survivors) {
            worst = worst.orWorse(survivor.status().outcome());
        }
        return worst;
    }

    private static Outcome outcome(
            List<Survivor> survivors,
            List<InconclusiveReason> reasons,
            List<Anomaly> anomalies,
            List<ExpectationResult> expectations,
            List<Overwrite> overwrites) {
        Outcome worst = outcomeOf(survivors);
        for (Overwrite overwrite : overwrites) {
            worst = worst.orWorse(overwrite.isExpected() ? Outcome.EXPECTED_ONLY : Outcome.OVERWRITTEN);
        }
        for (ExpectationResult result : expectations) {
            worst = result.kind() == Kind.UNDER_ITS_BOUND ? worst.orWorse(Outcome.STALE_EXPECTATION) : worst;
        }
        for (Anomaly anomaly : anomalies) {
            worst = anomaly.kind().unbalancesLedger() ? worst.orWorse(Outcome.MISREPORTED) : worst;
        }
        return reasons.isEmpty() ? worst : worst.orWorse(Outcome.INCONCLUSIVE);
    }

    private List<InconclusiveReason> inconclusiveReasons(LeakVerdict.Sum sum, List<Survivor> survivors) {
        List<InconclusiveReason> reasons = new ArrayList<>();
        for (MeshDescription mesh : history.openMeshes()) {
            if (isOfTheDead(mesh)) {
                continue;
            }
            reasons.add(InconclusiveReason.of(
                    InconclusiveReason.Kind.MESH_OPEN,
                    String.format(
                            Locale.ROOT,
                            "Mesh %d (%s) is still open%s, so its buffers may still be freed. Close it before the check.",
                            mesh.id(),
                            mesh.description(),
                            isWithoutParent(mesh)
                                    ? " although mesh " + mesh.parent().getAsInt() + " is closed"
                                    : "")));
        }
        reasons.addAll(unheard.found(survivors));
        reasons.addAll(lostReports());
        if (!history.openedWhileOpen().isEmpty()) {
            openedTwice().ifPresent(reasons::add);
        }
        if (!remaining.isEmpty()) {
            lateReports.inconclusiveReason(remaining).ifPresent(reasons::add);
        }
        bareReports.inconclusiveReason().ifPresent(reasons::add);
        for (HistoryEvent.Witnessed reading : history.witnessSnapshots()) {
            if (!reading.snapshot().isEmpty()) {
                unreported(reading).ifPresent(reasons::add);
            }
        }
        if (!sum.addsUp() || !ledgerAgrees()) {
            reasons.add(InconclusiveReason.of(
                    InconclusiveReason.Kind.COUNTS_DISAGREE,
                    String.format(
                            Locale.ROOT,
                            "The tracker's own counts disagree: %d allocated, %d freed, %d live, %d in the ledger.",
                            sum.allocated(),
                            sum.freed(),
                            sum.live(),
                            history.ledgerEntries())));
        }
        return reasons;
    }

    /**
     * Returns whether every process that reported on a mesh has exited, so that none will close it or free its buffers.
     */
    private boolean isOfTheDead(MeshDescription mesh) {
        List<MemoryRequest> requests = history.generations().stream()
                .filter(buffer -> mesh.devices().contains(buffer.device()))
                .flatMap(buffer -> buffer.reports().stream())
                .map(BufferGeneration.Report::request)
                .toList();
        return !requests.isEmpty()
                && requests.stream()
                        .map(request -> request.details().processId())
                        .allMatch(process -> process.isPresent()
                                && history.deathOf(process.getAsLong()).isPresent());
    }

    /** A submesh outlives its mesh: the close of that one reset its own allocator only. */
    private boolean isWithoutParent(MeshDescription mesh) {
        return mesh.parent().isPresent()
                && isAmong(history.meshes(), mesh.parent().getAsInt())
                && !isAmong(history.openMeshes(), mesh.parent().getAsInt());
    }

    private static boolean isAmong(Collection<MeshDescription> meshes, int id) {
        return meshes.stream().anyMatch(mesh -> mesh.id() == id);
    }

    /** Reports one line per reason, because a source that loses reports loses many for the same one. */
    private List<InconclusiveReason> lostReports() {
        if (history.lostReports().isEmpty()) {
            return List.of();
        }
        Map<String, List<HistoryEvent.ReportsLost>> byReason = new LinkedHashMap<>();
        for (HistoryEvent.ReportsLost lost : history.lostReports()) {
            byReason.computeIfAbsent(lost.reason(), unused -> new ArrayList<>()).add(lost);
        }
        return byReason.values().stream()
                .map(VerdictBuilder::inconclusiveReason)
                .toList();
    }

    private static InconclusiveReason inconclusiveReason(List<HistoryEvent.ReportsLost> losses) {
        boolean counted = losses.stream().allMatch(lost -> lost.count() >= 0);
        long count = losses.stream().mapToLong(HistoryEvent.ReportsLost::count).sum();
        HistoryEvent.ReportsLost first = losses.get(0);
        return InconclusiveReason.of(
                InconclusiveReason.Kind.REPORTS_LOST,
                String.format(
                        Locale.ROOT,
                        "%s (%sevent #%d: %s).",
                        counted
                                ? count + (count == 1 ? " report is" : " reports are") + " missing"
                                : "An unknown number of reports is missing",
                        losses.size() == 1 ? "" : "first at ",
                        first.number(),
                        first.reason()),
                losses.stream().mapToLong(HistoryEvent::number).toArray());
    }

    /** Neither an address nor a snapshot of it can be attributed to one of two meshes on the same device. */
    private Optional<InconclusiveReason> openedTwice() {
        List<HistoryEvent.DeviceOpened> openings = history.openedWhileOpen();
        if (openings.isEmpty()) {
            return Optional.empty();
        }
        HistoryEvent.DeviceOpened first = openings.get(0);
        long devices = openings.stream()
                .map(HistoryEvent.DeviceOpened::device)
                .distinct()
                .count();
        String words = String.format(
                Locale.ROOT,
                "Device %d was opened again (event #%d) while it was open%s, so the reports of the two meshes cannot be kept"
                        + " apart. Open them through one Ttnn, or close the first one before.",
                first.device(),
                first.number(),
                devices == 1 ? "" : ", and so " + (devices == 2 ? "was 1 other" : "were " + (devices - 1) + " others"));
        return Optional.of(InconclusiveReason.of(
                InconclusiveReason.Kind.DEVICE_OPENED_TWICE,
                words,
                openings.stream().mapToLong(HistoryEvent::number).toArray()));
    }

    /** The meaning of an entry of the ledger. */
    private record Entry(
            MemoryAddress address, OptionalInt mesh, Optional<AllocatorId> allocator, boolean isCircularBuffer) {}

    /**
     * Compares the counts of ledger and generations.
     *
     * <p>The ledger counts references to addresses of allocators, and circular buffers separately. That differs from
     * the generations only where a report that names no allocator matches several.
     */
    private boolean ledgerAgrees() {
        Set<Entry> live = new HashSet<>();
        for (BufferGeneration buffer : remaining) {
            for (BufferGeneration.Report report : buffer.reportsRemaining()) {
                boolean isCircular = report.request().details().kind() == BufferKind.CIRCULAR_BUFFER;
                live.add(new Entry(
                        MemoryAddress.of(buffer),
                        isCircular ? OptionalInt.empty() : buffer.mesh(),
                        isCircular ? Optional.empty() : buffer.allocator(),
                        isCircular));
            }
        }
        return live.size() == history.ledgerEntries()
                || history.ledger(CountingPolicy.REFERENCE_COUNTED).entries() == history.ledgerEntries();
    }

    /**
     * Finds memory that the witness lists and no report mentions: then a report is missing, whatever the other findings
     * are. The part of a context lacks the reports of others.
     */
    private Optional<InconclusiveReason> unreported(HistoryEvent.Witnessed event) {
        WitnessSnapshot reading = event.snapshot();
        if (reading.moment() != WitnessSnapshot.Moment.CLOSE_BEGUN
                || history.context().isPresent()) {
            return Optional.empty();
        }
        List<MemoryAddress> unknown = new ArrayList<>();
        for (int device : reading.devices()) {
            for (BufferType type : BufferType.values()) {
                for (long address : reading.allocatedAddresses(device, type)) {
                    MemoryAddress place = new MemoryAddress(device, type, address);
                    if (!isReported(place, event)) {
                        sort(place, event, unknown);
                    }
                }
            }
        }
        return unknown.isEmpty()
                ? Optional.empty()
                : Optional.of(InconclusiveReason.of(
                        InconclusiveReason.Kind.MEMORY_UNREPORTED, description(unknown, event), event.number()));
    }

    private boolean isReported(MemoryAddress place, HistoryEvent.Witnessed event) {
        boolean joinsAllocators = event.snapshot().allocator().isEmpty();
        List<BufferGeneration> generations = siblings.generationsAt(place, event.number());
        // From the latest on, because the witness nearly always saw that one.
        for (int i = generations.size() - 1; i >= 0; i--) {
            BufferGeneration buffer = generations.get(i);
            if (history.explains(buffer, event) || (joinsAllocators && wasHeldByItsDevice(buffer, event))) {
                return true;
            }
        }
        return false;
    }

    /**
     * The allocator of a device serves every mesh over it, so its memory is in every snapshot that joins allocators.
     */
    private static boolean wasHeldByItsDevice(BufferGeneration buffer, HistoryEvent.Witnessed event) {
        return buffer.reports().stream()
                .anyMatch(report -> report.ownership() == Ownership.OWNING
                        && report.request().details().kind() == BufferKind.BUFFER
                        && report.allocatedAt() < event.number()
                        && report.freedAt().orElse(Long.MAX_VALUE) > event.number());
    }

    /**
     * Decides whether unreported memory makes the verdict inconclusive. Memory that was freed before the reset does
     * not: it only was missing in the ledger. Nor does memory that was freed after the last snapshot that listed it.
     */
    private void sort(MemoryAddress place, HistoryEvent.Witnessed event, List<MemoryAddress> unknown) {
        Optional<HistoryEvent.Witnessed> beforeWipe = beforeWipe(place, event);
        boolean gone = beforeWipe
                .filter(later -> addressState(place, later) == AddressState.FREE)
                .isPresent();
        long lastHeld = gone ? event.number() : beforeWipe.orElse(event).number();
        boolean freed = siblings.strayFreesAt(place).stream()
                .anyMatch(stray -> stray.kind() == Anomaly.Kind.UNKNOWN_FREE
                        && stray.event().number() > lastHeld
                        && mayBeOf(event.snapshot(), stray));
        if (!gone && !freed) {
            unknown.add(place);
        } else if (!freed) {
            neverReported.add(new Anomaly(
                    Anomaly.Kind.NEVER_REPORTED,
                    event,
                    place.device(),
                    place.type(),
                    place.address(),
                    Optional.empty()));
        }
    }

    private static boolean mayBeOf(WitnessSnapshot reading, Anomaly stray) {
        return stray.event() instanceof HistoryEvent.Freed free
                && AllocatorId.mayBeOne(free.request().details().allocator(), reading.allocator());
    }

    private Optional<HistoryEvent.Witnessed> beforeWipe(MemoryAddress place, HistoryEvent.Witnessed event) {
        return history.witnessSnapshots().stream()
                .filter(later -> later.number() > event.number())
                .filter(later -> later.snapshot().moment() == WitnessSnapshot.Moment.BEFORE_WIPE)
                .filter(later -> later.snapshot().mesh() == event.snapshot().mesh())
                .filter(later ->
                        later.snapshot().allocator().equals(event.snapshot().allocator()))
                .filter(later -> addressState(place, later) != AddressState.UNKNOWN)
                .findFirst();
    }

    private static AddressState addressState(MemoryAddress place, HistoryEvent.Witnessed event) {
        return event.snapshot().stateOf(place.device(), place.type(), place.address());
    }

    private String description(List<MemoryAddress> unknown, HistoryEvent.Witnessed event) {
        MemoryAddress first = unknown.get(0);
        boolean oneOfSeveral = history.meshesSharedADevice();
        return String.format(
                Locale.ROOT,
                "When %s began (event #%d) %s held %d %s that the ledger does not, the first at %s %s"
                        + " on device %d.",
                oneOfSeveral ? "the close of mesh " + event.snapshot().mesh() : "close",
                event.number(),
                Phrases.allocatorOf(event.snapshot(), first.device())
                        .orElse(oneOfSeveral ? "its allocator" : "the allocator"),
                unknown.size(),
                unknown.size() == 1 ? "buffer" : "buffers",
                first.type(),
                Quantities.address(first.address()),
                first.device());
    }

    /**
     * User memory and the runtime's own are never added up. The ledger knows no open periods of devices: a remaining address
     * that is used again is one entry there.
     */
    private List<LeakVerdict.TypeTotal> totals() {
        List<LeakVerdict.TypeTotal> totals = new ArrayList<>();
        for (GenerationSums.Total total : history.generationSums().totals()) {
            totals.add(new LeakVerdict.TypeTotal(
                    total.type(),
                    total.lifetime(),
                    total.allocated().buffers(),
                    saturated(total.allocated().bytes()),
                    total.remaining().buffers(),
                    saturated(total.remaining().bytes())));
        }
        return totals;
    }

    /** The sums of a history wrap around above {@link Long#MAX_VALUE}, so that a free leads back below it. */
    private static long saturated(long wrapped) {
        return wrapped < 0 ? Long.MAX_VALUE : wrapped;
    }
}
