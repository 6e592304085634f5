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
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
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
     * @param survivors the survivors that no earlier verdict reported, oldest first
     */
    static List<InconclusiveReason> of(
            AllocationHistory history,
            List<Survivor> survivors,
            List<UnreportedMemory> unreported,
            LeakVerdict.Sum sum) {
        InconclusiveReasons reasons = new InconclusiveReasons(history, survivors);
        List<InconclusiveReason> all = new ArrayList<>(reasons.openMeshes());
        Stream.of(reasons.nothingAttached(), reasons.outOfOrder(), reasons.trackingOff())
                .flatMap(Optional::stream)
                .forEach(all::add);
        all.addAll(reasons.lostReports());
        Stream.of(reasons.openedTwice(), reasons.reportedTooLate(), reasons.reportsFitBoth())
                .flatMap(Optional::stream)
                .forEach(all::add);
        unreported.stream()
                .flatMap(memory -> reasons.unreported(memory).stream())
                .forEach(all::add);
        reasons.countsDisagree(sum).ifPresent(all::add);
        return all;
    }

    /** Returns the survivors that are undecided for one kind of reason, as far as the history shows. */
    private List<Survivor> undecidedBecause(Kind kind) {
        return survivors.stream()
                .filter(survivor ->
                        survivor.diagnosis().doubt().filter(kind::equals).isPresent())
                .toList();
    }

    // Sources and meshes

    private List<InconclusiveReason> openMeshes() {
        return history.openMeshes().stream()
                .filter(mesh -> !isOfTheDead(mesh))
                .map(mesh -> InconclusiveReason.of(
                        Kind.MESH_OPEN,
                        String.format(
                                Locale.ROOT,
                                "Mesh %d (%s) is still open%s, so its buffers may still be freed. Close it before the check.",
                                mesh.id(),
                                mesh.description(),
                                isWithoutParent(mesh)
                                        ? " although mesh " + mesh.parent().getAsInt() + " is closed"
                                        : "")))
                .toList();
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

    private Optional<InconclusiveReason> nothingAttached() {
        return history.hasSource()
                ? Optional.empty()
                : Optional.of(
                        InconclusiveReason.of(
                                Kind.NOTHING_ATTACHED,
                                "Nothing was ever connected to the tracker: no mesh, no device and no buffer was reported to it. Report to"
                                        + " it, or call sourceAttached(…) if a source is connected that has nothing to report."));
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
        return Optional.of(InconclusiveReason.of(Kind.DEVICE_OPENED_TWICE, words, numbers(openings)));
    }

    // Missing reports

    /** Returns one reason for each cause of losses, because a source that loses reports loses many for the same one. */
    private List<InconclusiveReason> lostReports() {
        Map<String, List<HistoryEvent.ReportsLost>> byReason = new LinkedHashMap<>();
        for (HistoryEvent.ReportsLost lost : history.lostReports()) {
            byReason.computeIfAbsent(lost.reason(), unused -> new ArrayList<>()).add(lost);
        }
        return byReason.values().stream().map(InconclusiveReasons::lost).toList();
    }

    private static InconclusiveReason lost(List<HistoryEvent.ReportsLost> losses) {
        boolean counted = losses.stream().allMatch(lost -> lost.count() >= 0);
        long count = losses.stream().mapToLong(HistoryEvent.ReportsLost::count).sum();
        HistoryEvent.ReportsLost first = losses.get(0);
        String words = String.format(
                Locale.ROOT,
                "%s (%sevent #%d: %s).",
                counted
                        ? count + (count == 1 ? " report is" : " reports are") + " missing"
                        : "An unknown number of reports is missing",
                losses.size() == 1 ? "" : "first at ",
                first.number(),
                first.reason());
        return InconclusiveReason.of(Kind.REPORTS_LOST, words, numbers(losses));
    }

    private static long[] numbers(List<? extends HistoryEvent> events) {
        return events.stream().mapToLong(HistoryEvent::number).toArray();
    }

    /** Names the first relevant gap. */
    private Optional<InconclusiveReason> trackingOff() {
        if (history.gaps().isEmpty()) {
            return Optional.empty();
        }
        Set<HistoryEvent.TrackingStopped> decisive = new HashSet<>();
        undecidedBecause(Kind.TRACKING_OFF).stream()
                .filter(survivor -> survivor.status() == SurvivorStatus.UNDECIDED)
                .forEach(survivor ->
                        LeakDiagnosis.gapAfter(survivor.buffer(), history).ifPresent(decisive::add));
        TrackingGaps gaps = new TrackingGaps(history);
        return history.gaps().stream()
                .filter(gap -> decisive.contains(gap) || gaps.mayHideMemory(gap))
                .findFirst()
                .map(gap -> InconclusiveReason.of(Kind.TRACKING_OFF, description(gap), gap.number()));
    }

    private String description(HistoryEvent.TrackingStopped gap) {
        long waiting = history.live().stream()
                .filter(buffer -> buffer.allocatedAt() < gap.number())
                .count();
        if (!history.resumesAfter(gap)) {
            return String.format(
                    Locale.ROOT,
                    "Tracking ended at event #%d (%s), so it is not known %s.",
                    gap.number(),
                    gap.reason(),
                    waiting == 0
                            ? "what was allocated later"
                            : "whether " + history.vocabulary().count(waiting) + (waiting == 1 ? " was" : " were")
                                    + " freed later");
        }
        return String.format(
                Locale.ROOT,
                "Tracking was off from event #%d on (%s), so what was allocated and freed meanwhile is not known%s.",
                gap.number(),
                gap.reason(),
                waiting == 0
                        ? ""
                        : ", nor what became of " + history.vocabulary().count(waiting) + " from before");
    }

    /** A witness lists memory that no report mentions: then a report is missing, whatever the other findings are. */
    private Optional<InconclusiveReason> unreported(UnreportedMemory memory) {
        if (memory.held().isEmpty()) {
            return Optional.empty();
        }
        HistoryEvent.Witnessed event = memory.snapshot();
        MemoryAddress first = memory.held().get(0);
        boolean oneOfSeveral = history.meshesSharedADevice();
        String ofMesh = oneOfSeveral ? " of mesh " + event.snapshot().mesh() : "";
        String words = String.format(
                Locale.ROOT,
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
        return Optional.of(InconclusiveReason.of(Kind.MEMORY_UNREPORTED, words, event.number()));
    }

    // Reports that leave survivors undecided

    private Optional<InconclusiveReason> outOfOrder() {
        List<Survivor> doubtful = undecidedBecause(Kind.OUT_OF_ORDER);
        if (doubtful.isEmpty()) {
            return Optional.empty();
        }
        BufferGeneration first = doubtful.get(0).buffer();
        String words = String.format(
                Locale.ROOT,
                "%s freed before %s reported, the first %s, so reports are out of order and what became of the memory is not"
                        + " known.",
                were(doubtful),
                doubtful.size() == 1 ? "it was" : "they were",
                first);
        return Optional.of(InconclusiveReason.of(Kind.OUT_OF_ORDER, words, first.allocatedAt()));
    }

    private Optional<InconclusiveReason> reportedTooLate() {
        List<Survivor> doubtful = undecidedBecause(Kind.REPORTED_TOO_LATE);
        if (doubtful.isEmpty()) {
            return Optional.empty();
        }
        BufferGeneration first = doubtful.get(0).buffer();
        List<Long> endAndReport = doubtful.get(0).diagnosis().evidence().get(0).events();
        String words = String.format(
                Locale.ROOT,
                "%s reported too late to be true, the first (%s %s, event #%d) after %s,"
                        + " so what became of the memory is not known.",
                were(doubtful),
                first.type(),
                Quantities.place(first.device(), first.address()),
                endAndReport.get(1),
                LateReportRule.description(history.event(endAndReport.get(0)).orElseThrow()));
        return Optional.of(InconclusiveReason.of(Kind.REPORTED_TOO_LATE, words, endAndReport.get(1)));
    }

    private static String were(List<Survivor> buffers) {
        return Quantities.count(buffers.size(), "buffer") + (buffers.size() == 1 ? " was" : " were");
    }

    private Optional<InconclusiveReason> reportsFitBoth() {
        List<Survivor> doubtful = undecidedBecause(Kind.REPORTS_FIT_BOTH);
        if (doubtful.isEmpty()) {
            return Optional.empty();
        }
        Survivor first = doubtful.get(0);
        boolean isAllocatorNamed =
                doubtful.stream().allMatch(one -> one.buffer().allocator().isPresent());
        String words = String.format(
                Locale.ROOT,
                "The reports of %s fit a leak as well as freed memory; the first is %s. A reading of the allocators when the"
                        + " close begins would decide it%s.",
                Quantities.count(doubtful.size(), "buffer"),
                first.buffer(),
                isAllocatorNamed ? "" : ", or a source that names the owner and the kind of each buffer");
        return Optional.of(new InconclusiveReason(
                Kind.REPORTS_FIT_BOTH,
                words,
                first.diagnosis().evidence().get(0).events()));
    }

    // Counts

    /** The meaning of an entry of the ledger. */
    private record Entry(
            MemoryAddress address, OptionalInt mesh, Optional<AllocatorId> allocator, boolean isCircularBuffer) {}

    private Optional<InconclusiveReason> countsDisagree(LeakVerdict.Sum sum) {
        if (sum.addsUp() && ledgerAgrees()) {
            return Optional.empty();
        }
        String words = String.format(
                Locale.ROOT,
                "The tracker's own counts disagree: %d allocated, %d freed, %d live, %d in the ledger.",
                sum.allocated(),
                sum.freed(),
                sum.live(),
                history.ledgerEntries());
        return Optional.of(InconclusiveReason.of(Kind.COUNTS_DISAGREE, words));
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
