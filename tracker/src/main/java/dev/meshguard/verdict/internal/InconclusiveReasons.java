package dev.meshguard.verdict.internal;

import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferKind;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Quantities;
import dev.meshguard.event.WitnessSnapshot.Moment;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.history.CountingPolicy;
import dev.meshguard.verdict.InconclusiveReason;
import dev.meshguard.verdict.InconclusiveReason.Kind;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Survivor;
import dev.meshguard.verdict.SurvivorStatus;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** All reasons for an inconclusive verdict, each a sentence with its remedy. */
final class InconclusiveReasons {

    private final AllocationHistory history;
    private final List<Survivor> survivors;

    private InconclusiveReasons(AllocationHistory history, List<Survivor> survivors) {
        this.history = history;
        this.survivors = survivors;
    }

    /**
     * Returns the reasons.
     *
     * @param survivors the survivors that no earlier verdict reported; of those with one status the oldest is first
     */
    static List<InconclusiveReason> of(
            AllocationHistory history,
            List<Survivor> survivors,
            List<UnreportedMemory> unreported,
            LeakVerdict.Sum sum) {
        InconclusiveReasons reasons = new InconclusiveReasons(history, survivors);
        return Stream.of(
                        reasons.openMeshes(),
                        reasons.nothingAttached(),
                        reasons.undecided(Kind.OUT_OF_ORDER, InconclusiveReasons::outOfOrder),
                        reasons.trackingOff(),
                        reasons.lostReports(),
                        reasons.openedTwice(),
                        reasons.undecided(Kind.REPORTED_TOO_LATE, reasons::reportedTooLate),
                        reasons.undecided(Kind.REPORTS_FIT_BOTH, InconclusiveReasons::reportsFitBoth),
                        unreported.stream()
                                .filter(memory -> !memory.held().isEmpty())
                                .map(reasons::unreported),
                        reasons.countsDisagree(sum))
                .flatMap(Function.identity())
                .toList();
    }

    private static InconclusiveReason reason(Kind kind, long[] events, String format, Object... values) {
        return InconclusiveReason.of(kind, String.format(Locale.ROOT, format, values), events);
    }

    private static long[] numbers(List<? extends HistoryEvent> events) {
        return events.stream().mapToLong(HistoryEvent::number).toArray();
    }

    // Sources and meshes

    private Stream<InconclusiveReason> openMeshes() {
        return history.openMeshes().stream()
                .filter(mesh -> !areProcessesDead(mesh))
                .map(mesh -> reason(
                        Kind.MESH_OPEN,
                        new long[0],
                        "Mesh %d (%s) is still open%s, so its buffers may still be freed. Close it before the check.",
                        mesh.id(),
                        mesh.description(),
                        isWithoutParent(mesh)
                                ? " although mesh " + mesh.parent().getAsInt() + " is closed"
                                : ""));
    }

    /**
     * Returns whether every process that reported on a mesh has exited, so that none will close it or free its buffers.
     */
    private boolean areProcessesDead(MeshDescription mesh) {
        // Few histories have such a process; for the others no freed buffer becomes an object.
        if (history.events(HistoryEvent.ProcessDied.class).isEmpty()) {
            return false;
        }
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

    private Stream<InconclusiveReason> nothingAttached() {
        return history.hasSource()
                ? Stream.of()
                : Stream.of(
                        InconclusiveReason.of(
                                Kind.NOTHING_ATTACHED,
                                "Nothing was ever connected to the tracker: no mesh, no device and no buffer was reported to it. Report to"
                                        + " it, or call sourceAttached(…) if a source is connected that has nothing to report."));
    }

    /** Neither an address nor a snapshot of it can be attributed to one of two meshes on the same device. */
    private Stream<InconclusiveReason> openedTwice() {
        List<HistoryEvent.DeviceOpened> openings = history.openedWhileOpen();
        long others = openings.stream()
                        .map(HistoryEvent.DeviceOpened::device)
                        .distinct()
                        .count()
                - 1;
        return openings.stream()
                .limit(1)
                .map(first -> reason(
                        Kind.DEVICE_OPENED_TWICE,
                        numbers(openings),
                        "Device %d was opened again (event #%d) while it was open%s, so the reports of the two meshes cannot be kept"
                                + " apart. Open them through one Ttnn, or close the first one before.",
                        first.device(),
                        first.number(),
                        others == 0 ? "" : ", and so " + (others == 1 ? "was 1 other" : "were " + others + " others")));
    }

    // Missing reports

    /** Returns one reason for each cause of losses, because a source that loses reports loses many for the same one. */
    private Stream<InconclusiveReason> lostReports() {
        Map<String, List<HistoryEvent.ReportsLost>> byReason = history.lostReports().stream()
                .collect(Collectors.groupingBy(
                        HistoryEvent.ReportsLost::reason, LinkedHashMap::new, Collectors.toList()));
        return byReason.values().stream().map(InconclusiveReasons::lost);
    }

    private static InconclusiveReason lost(List<HistoryEvent.ReportsLost> losses) {
        boolean counted = losses.stream().allMatch(lost -> lost.count() >= 0);
        long count = losses.stream().mapToLong(HistoryEvent.ReportsLost::count).sum();
        return reason(
                Kind.REPORTS_LOST,
                numbers(losses),
                "%s (%sevent #%d: %s).",
                counted
                        ? count + (count == 1 ? " report is" : " reports are") + " missing"
                        : "An unknown number of reports is missing",
                losses.size() == 1 ? "" : "first at ",
                losses.get(0).number(),
                losses.get(0).reason());
    }

    /** Names the first relevant gap. */
    private Stream<InconclusiveReason> trackingOff() {
        if (history.gaps().isEmpty()) {
            return Stream.of();
        }
        Set<HistoryEvent.TrackingStopped> decisive = survivors.stream()
                .filter(survivor -> survivor.status() == SurvivorStatus.UNDECIDED)
                .filter(survivor -> isUndecided(survivor, Kind.TRACKING_OFF))
                .flatMap(survivor -> LeakDiagnosis.gapAfter(survivor.buffer(), history).stream())
                .collect(Collectors.toSet());
        TrackingGaps gaps = new TrackingGaps(history);
        return history.gaps().stream()
                .filter(gap -> decisive.contains(gap) || gaps.mayHideMemory(gap))
                .limit(1)
                .map(gap -> reason(
                        Kind.TRACKING_OFF,
                        new long[] {gap.number()},
                        history.resumesAfter(gap)
                                ? "Tracking was off from event #%d on (%s), so what was allocated and freed meanwhile is not known%s."
                                : "Tracking ended at event #%d (%s), so it is not known %s.",
                        gap.number(),
                        gap.reason(),
                        whatIsUnknown(gap)));
    }

    private String whatIsUnknown(HistoryEvent.TrackingStopped gap) {
        long waiting = history.live().stream()
                .filter(buffer -> buffer.allocatedAt() < gap.number())
                .count();
        String buffers = history.vocabulary().count(waiting);
        if (history.resumesAfter(gap)) {
            return waiting == 0 ? "" : ", nor what became of " + buffers + " from before";
        }
        return waiting == 0
                ? "what was allocated later"
                : "whether " + buffers + (waiting == 1 ? " was" : " were") + " freed later";
    }

    /** A witness lists memory that no report mentions: then a report is missing, whatever the other findings are. */
    private InconclusiveReason unreported(UnreportedMemory memory) {
        HistoryEvent.Witnessed event = memory.snapshot();
        MemoryAddress first = memory.held().get(0);
        boolean oneOfSeveral = history.meshesSharedADevice();
        String ofMesh = oneOfSeveral ? " of mesh " + event.snapshot().mesh() : "";
        return reason(
                Kind.MEMORY_UNREPORTED,
                new long[] {event.number()},
                "%s (event #%d) %s held %s that the ledger does not, the first at %s %s on device %d.",
                event.snapshot().moment() == Moment.BEFORE_WIPE
                        ? "Before the allocators" + ofMesh + " were wiped"
                        : "When " + (oneOfSeveral ? "the close" : "close") + ofMesh + " began",
                event.number(),
                Phrases.allocatorOf(event.snapshot(), first.device())
                        .orElse(oneOfSeveral ? "its allocator" : "the allocator"),
                Quantities.count(memory.held().size(), "buffer"),
                first.type(),
                Quantities.address(first.address()),
                first.device());
    }

    // Reports that leave survivors undecided

    private Stream<InconclusiveReason> undecided(Kind kind, Function<List<Survivor>, InconclusiveReason> reason) {
        List<Survivor> undecided = survivors.stream()
                .filter(survivor -> isUndecided(survivor, kind))
                .toList();
        return undecided.isEmpty() ? Stream.of() : Stream.of(reason.apply(undecided));
    }

    private static boolean isUndecided(Survivor survivor, Kind kind) {
        return survivor.diagnosis().reason().filter(kind::equals).isPresent();
    }

    private static InconclusiveReason outOfOrder(List<Survivor> undecided) {
        BufferGeneration first = undecided.get(0).buffer();
        return reason(
                Kind.OUT_OF_ORDER,
                new long[] {first.allocatedAt()},
                "%s freed before %s reported, the first %s, so reports are out of order and what became of the memory is not"
                        + " known.",
                were(undecided),
                undecided.size() == 1 ? "it was" : "they were",
                first);
    }

    private InconclusiveReason reportedTooLate(List<Survivor> undecided) {
        BufferGeneration first = undecided.get(0).buffer();
        List<Long> endAndReport = undecided.get(0).diagnosis().evidence().get(0).events();
        return reason(
                Kind.REPORTED_TOO_LATE,
                new long[] {endAndReport.get(1)},
                "%s reported too late to be true, the first (%s %s, event #%d) after %s, so what became of the memory is not"
                        + " known.",
                were(undecided),
                first.type(),
                Quantities.place(first.device(), first.address()),
                endAndReport.get(1),
                LateReportRule.description(history.event(endAndReport.get(0)).orElseThrow()));
    }

    private static String were(List<Survivor> buffers) {
        return Quantities.count(buffers.size(), "buffer") + (buffers.size() == 1 ? " was" : " were");
    }

    private static InconclusiveReason reportsFitBoth(List<Survivor> undecided) {
        boolean isMeshOrAllocatorNamed = undecided.stream()
                .map(Survivor::buffer)
                .allMatch(buffer ->
                        buffer.mesh().isPresent() || buffer.allocator().isPresent());
        List<Long> events = undecided.get(0).diagnosis().evidence().get(0).events();
        return reason(
                Kind.REPORTS_FIT_BOTH,
                events.stream().mapToLong(Long::longValue).toArray(),
                "The reports of %s fit a leak as well as freed memory; the first is %s. A reading of the allocators when the"
                        + " close begins would decide it%s.",
                Quantities.count(undecided.size(), "buffer"),
                undecided.get(0).buffer(),
                isMeshOrAllocatorNamed ? "" : ", or a source that names the owner and the kind of each buffer");
    }

    // Counts

    /** The meaning of an entry of the ledger. */
    private record Entry(
            MemoryAddress address, OptionalInt mesh, Optional<AllocatorId> allocator, boolean isCircularBuffer) {}

    private Stream<InconclusiveReason> countsDisagree(LeakVerdict.Sum sum) {
        return sum.addsUp() && ledgerAgrees()
                ? Stream.of()
                : Stream.of(reason(
                        Kind.COUNTS_DISAGREE,
                        new long[0],
                        "The tracker's own counts disagree: %d allocated, %d freed, %d live, %d in the ledger.",
                        sum.allocated(),
                        sum.freed(),
                        sum.live(),
                        history.ledgerEntries()));
    }

    /**
     * Compares the counts of ledger and generations.
     *
     * <p>The ledger counts references to addresses of allocators, and circular buffers separately. That differs from
     * the generations only where a report that names no allocator matches several.
     */
    private boolean ledgerAgrees() {
        Set<Entry> live = new HashSet<>();
        for (BufferGeneration buffer : history.live()) {
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
}
