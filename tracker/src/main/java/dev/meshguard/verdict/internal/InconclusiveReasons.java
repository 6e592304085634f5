package dev.meshguard.verdict.internal;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.SourceDescription;
import dev.meshguard.event.WitnessSnapshot.Moment;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.text.InvariantText;
import dev.meshguard.text.Quantities;
import dev.meshguard.verdict.InconclusiveReason;
import dev.meshguard.verdict.InconclusiveReason.Kind;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Survivor;
import dev.meshguard.verdict.SurvivorStatus;
import dev.meshguard.verdict.internal.rule.LateReportRule;
import dev.meshguard.verdict.internal.survivor.LeakDiagnosis;
import dev.meshguard.verdict.internal.survivor.MemoryAddress;
import dev.meshguard.verdict.internal.survivor.Phrases;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;

/** Finds every reason why a check cannot decide, and writes each as a sentence. */
final class InconclusiveReasons {

    private final AllocationHistory history;
    private final List<Survivor> survivors;
    private final Set<SourceDescription> unrequested;
    private final List<InconclusiveReason> reasons = new ArrayList<>();

    /**
     * Prepares the search.
     *
     * @param survivors the survivors that no earlier verdict reported; of those with one status the oldest is first
     * @param unrequested the sources whose announcement does not connect the tracker
     */
    InconclusiveReasons(AllocationHistory history, List<Survivor> survivors, Set<SourceDescription> unrequested) {
        this.history = history;
        this.survivors = survivors;
        this.unrequested = unrequested;
    }

    /** Returns the reasons, in the order of this list. */
    List<InconclusiveReason> of(List<UnreportedMemory> unreported, LeakVerdict.Sum sum) {
        openMeshes();
        nothingAttached();
        outOfOrder();
        trackingOff();
        lostReports();
        openedTwice();
        reportedTooLate();
        reportsFitBoth();
        unreported.forEach(this::unreported);
        countsDisagree(sum);
        return reasons;
    }

    private void add(Kind kind, List<Long> events, String format, Object... values) {
        reasons.add(new InconclusiveReason(kind, InvariantText.of(format, values), events));
    }

    private static List<Long> numbers(List<? extends HistoryEvent> events) {
        return events.stream().map(HistoryEvent::number).toList();
    }

    // Sources and meshes

    private void openMeshes() {
        for (MeshDescription mesh : history.openMeshes()) {
            if (!areProcessesDead(mesh)) {
                add(
                        Kind.MESH_OPEN,
                        List.of(),
                        "Mesh %d (%s) is still open%s, so its buffers may still be freed. Close it before the check.",
                        mesh.id(),
                        mesh.description(),
                        isWithoutParent(mesh)
                                ? " although mesh " + mesh.parent().getAsInt() + " is closed"
                                : "");
            }
        }
    }

    /**
     * Returns whether every process that reported on a mesh has exited, so that none will close it or free its buffers.
     */
    private boolean areProcessesDead(MeshDescription mesh) {
        // Few histories have such a process; for the others no freed buffer becomes an object.
        if (history.events(HistoryEvent.ProcessDied.class).isEmpty()) {
            return false;
        }
        List<OptionalLong> processes = history.generations().stream()
                .filter(buffer -> mesh.devices().contains(buffer.device()))
                .flatMap(buffer -> buffer.reports().stream())
                .map(report -> report.details().processId())
                .distinct()
                .toList();
        return !processes.isEmpty()
                && processes.stream()
                        .allMatch(process -> process.isPresent()
                                && history.deathOf(process.getAsLong()).isPresent());
    }

    /** A submesh outlives its mesh: the close of that one reset its own allocator only. */
    private boolean isWithoutParent(MeshDescription mesh) {
        return isAmong(history.meshes(), mesh.parent()) && !isAmong(history.openMeshes(), mesh.parent());
    }

    private static boolean isAmong(Collection<MeshDescription> meshes, OptionalInt id) {
        return meshes.stream().anyMatch(mesh -> OptionalInt.of(mesh.id()).equals(id));
    }

    private void nothingAttached() {
        if (!history.hasSource(unrequested)) {
            add(
                    Kind.NOTHING_ATTACHED,
                    List.of(),
                    "Nothing was ever connected to the tracker: no mesh, no device and no buffer was reported to it. Report to"
                            + " it, or call sourceAttached(…) if a source is connected that has nothing to report.");
        }
    }

    /** Neither an address nor a snapshot of it can be attributed to one of two meshes on the same device. */
    private void openedTwice() {
        List<HistoryEvent.DeviceOpened> openings = history.openedWhileOpen();
        if (openings.isEmpty()) {
            return;
        }
        HistoryEvent.DeviceOpened first = openings.get(0);
        long others = openings.stream()
                        .map(HistoryEvent.DeviceOpened::device)
                        .distinct()
                        .count()
                - 1;
        add(
                Kind.DEVICE_OPENED_TWICE,
                numbers(openings),
                "Device %d was opened again (event #%d) while it was open%s, so the reports of the two meshes cannot be kept"
                        + " apart. Open them through one Ttnn, or close the first one before.",
                first.device(),
                first.number(),
                others == 0 ? "" : ", and so " + (others == 1 ? "was 1 other" : "were " + others + " others"));
    }

    // Missing reports

    /** Adds one reason for each cause of losses, because a source that loses reports loses many for the same one. */
    private void lostReports() {
        Map<String, List<HistoryEvent.ReportsLost>> byCause = new LinkedHashMap<>();
        for (HistoryEvent.ReportsLost lost : history.lostReports()) {
            byCause.computeIfAbsent(lost.reason(), unused -> new ArrayList<>()).add(lost);
        }
        byCause.forEach((cause, losses) -> {
            boolean isCounted = losses.stream().allMatch(lost -> lost.count() >= 0);
            long count =
                    losses.stream().mapToLong(HistoryEvent.ReportsLost::count).sum();
            add(
                    Kind.REPORTS_LOST,
                    numbers(losses),
                    "%s missing (%sevent #%d: %s).",
                    isCounted
                            ? count + (count == 1 ? " report is" : " reports are")
                            : "An unknown number of reports is",
                    losses.size() == 1 ? "" : "first at ",
                    losses.get(0).number(),
                    cause);
        });
    }

    /** Names the first relevant gap. */
    private void trackingOff() {
        if (history.gaps().isEmpty()) {
            return;
        }
        Set<HistoryEvent.TrackingStopped> decisive = undecided(Kind.TRACKING_OFF).stream()
                .filter(survivor -> survivor.status() == SurvivorStatus.UNDECIDED)
                .flatMap(survivor -> LeakDiagnosis.gapAfter(survivor.buffer(), history).stream())
                .collect(Collectors.toSet());
        TrackingGaps gaps = new TrackingGaps(history);
        history.gaps().stream()
                .filter(gap -> decisive.contains(gap) || gaps.mayHideMemory(gap))
                .findFirst()
                .ifPresent(gap -> add(
                        Kind.TRACKING_OFF,
                        List.of(gap.number()),
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
    private void unreported(UnreportedMemory memory) {
        if (memory.held().isEmpty()) {
            return;
        }
        HistoryEvent.Witnessed event = memory.snapshot();
        MemoryAddress first = memory.held().get(0);
        boolean oneOfSeveral = history.meshesSharedADevice();
        String ofMesh = oneOfSeveral ? " of mesh " + event.snapshot().mesh() : "";
        add(
                Kind.MEMORY_UNREPORTED,
                List.of(event.number()),
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

    private List<Survivor> undecided(Kind kind) {
        return survivors.isEmpty()
                ? survivors
                : survivors.stream()
                        .filter(survivor -> survivor.diagnosis().reason().equals(Optional.of(kind)))
                        .toList();
    }

    private void outOfOrder() {
        List<Survivor> undecided = undecided(Kind.OUT_OF_ORDER);
        if (!undecided.isEmpty()) {
            BufferGeneration first = undecided.get(0).buffer();
            add(
                    Kind.OUT_OF_ORDER,
                    List.of(first.allocatedAt()),
                    "%s freed before %s reported, the first %s, so reports are out of order and what became of the memory is not"
                            + " known.",
                    were(undecided),
                    undecided.size() == 1 ? "it was" : "they were",
                    first);
        }
    }

    private void reportedTooLate() {
        List<Survivor> undecided = undecided(Kind.REPORTED_TOO_LATE);
        if (!undecided.isEmpty()) {
            BufferGeneration first = undecided.get(0).buffer();
            List<Long> endAndReport = eventsOfFirst(undecided);
            add(
                    Kind.REPORTED_TOO_LATE,
                    endAndReport.subList(1, 2),
                    "%s reported too late to be true, the first (%s %s, event #%d) after %s, so what became of the memory is not"
                            + " known.",
                    were(undecided),
                    first.type(),
                    HistoryEvent.addressOn(first.device(), first.address()),
                    endAndReport.get(1),
                    LateReportRule.description(
                            history.event(endAndReport.get(0)).orElseThrow()));
        }
    }

    private void reportsFitBoth() {
        List<Survivor> undecided = undecided(Kind.REPORTS_FIT_BOTH);
        if (!undecided.isEmpty()) {
            boolean isMeshOrAllocatorNamed = undecided.stream()
                    .map(Survivor::buffer)
                    .allMatch(buffer ->
                            buffer.mesh().isPresent() || buffer.allocator().isPresent());
            add(
                    Kind.REPORTS_FIT_BOTH,
                    eventsOfFirst(undecided),
                    "The reports of %s fit a leak as well as freed memory; the first is %s. A reading of the allocators when the"
                            + " close begins would decide it%s.",
                    Quantities.count(undecided.size(), "buffer"),
                    undecided.get(0).buffer(),
                    isMeshOrAllocatorNamed ? "" : ", or a source that names the owner and the kind of each buffer");
        }
    }

    private static String were(List<Survivor> buffers) {
        return Quantities.count(buffers.size(), "buffer") + (buffers.size() == 1 ? " was" : " were");
    }

    private static List<Long> eventsOfFirst(List<Survivor> undecided) {
        return undecided.get(0).diagnosis().evidence().get(0).events();
    }

    // Counts

    private void countsDisagree(LeakVerdict.Sum sum) {
        if (!history.ledgerAgrees()) {
            add(
                    Kind.COUNTS_DISAGREE,
                    List.of(),
                    "The tracker's own counts disagree: %d allocated, %d freed, %d live, %d in the ledger.",
                    sum.allocated(),
                    sum.freed(),
                    sum.live(),
                    history.ledgerEntries());
        }
    }
}
