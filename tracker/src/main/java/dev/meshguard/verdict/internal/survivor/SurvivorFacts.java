package dev.meshguard.verdict.internal.survivor;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferKind;
import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.References;
import dev.meshguard.event.SourceDescription;
import dev.meshguard.event.SourceVocabulary;
import dev.meshguard.event.WitnessSnapshot;
import dev.meshguard.event.WitnessSnapshot.AddressState;
import dev.meshguard.event.WitnessSnapshot.Moment;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.Anomaly;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.history.BufferGeneration.Report;
import dev.meshguard.text.Quantities;
import dev.meshguard.verdict.Evidence;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The facts that a history contains about one survivor; rules read them.
 *
 * @param buffer the survivor
 * @param index finds other buffers, reports and anomalies of the history
 */
public record SurvivorFacts(BufferGeneration buffer, HistoryIndex index) {

    /** A witness knows nothing about circular buffers: what it says about their address is about another buffer. */
    private static final Evidence OUTSIDE_ALLOCATOR = Evidence.of(
            "circular buffers lie outside the allocator: they remain until their program or its workload is closed");

    /** Returns the history as of the check. */
    public AllocationHistory history() {
        return index.history();
    }

    // Reports

    /**
     * Returns the reports whose memory may still be allocated. An allocator that reuses an address had freed it before, so of several
     * requests to one mesh only the last may hold it.
     */
    public List<Report> remaining() {
        List<Report> open = buffer.reportsRemaining();
        List<Report> last = open.size() == 1
                ? open
                : open.stream().filter(report -> !isReusedAfter(report)).toList();
        return last.isEmpty() ? open : last;
    }

    private boolean isReusedAfter(Report report) {
        return isBufferOfMesh(report) && buffer.reports().stream().anyMatch(later -> isReuse(later, report));
    }

    @SuppressWarnings("ReferenceEquality") // Requests are compared by identity.
    private boolean isReuse(Report later, Report earlier) {
        return later.request() != earlier.request()
                && later.allocatedAt() > earlier.allocatedAt()
                && later.ownership() == earlier.ownership()
                && later.details().mesh().equals(earlier.details().mesh())
                && isBufferOfMesh(later);
    }

    /**
     * A mesh and each of its devices have an allocator: memory on several devices belongs to the mesh's, memory on one
     * may belong to either.
     */
    private boolean isBufferOfMesh(Report report) {
        return report.details().mesh().isPresent()
                && report.details().kind() == BufferKind.BUFFER
                && history().buffersOf(report.request()).stream()
                        .anyMatch(sibling -> sibling.device() != buffer.device());
    }

    /** Returns whether all remaining reports fit; a buffer must not hide behind another one at its address. */
    public boolean allRemaining(Predicate<AllocationDetails> fit) {
        return remaining().stream().allMatch(report -> fit.test(report.details()));
    }

    /**
     * Returns how many requests with an open report the code under test has to free: not those of the runtime, nor
     * those whose owner ended. A request of which nothing is known counts.
     */
    public long requestsToFree() {
        return openRequests()
                .filter(request -> request.details().lifetime() == BufferLifetime.USER)
                .filter(request -> request.details()
                        .owner()
                        .filter(owner -> history().endOf(owner).isPresent())
                        .isEmpty())
                .count();
    }

    /** Returns the search results for the handles of the requests that still have an open report. */
    public List<HistoryEvent.HandleTraced> traces() {
        return openRequests()
                .flatMap(request -> history().reachabilityOf(request).stream())
                .toList();
    }

    /** Returns the references to the memory, if there was any besides that of the allocation. */
    public Optional<References> sharedReferences() {
        return references().map(HistoryEvent.ReferencesCounted::references).filter(counted -> counted.retains() > 0);
    }

    private Optional<HistoryEvent.ReferencesCounted> references() {
        return openRequests()
                .flatMap(request -> history().referencesTo(request).stream())
                .findFirst();
    }

    private Stream<MemoryRequest> openRequests() {
        return remaining().stream().map(Report::request).distinct();
    }

    /** Returns the words of the source that reported the buffer. */
    public SourceVocabulary vocabulary() {
        return history().vocabularyOf(buffer.request());
    }

    // Snapshots

    /** Returns whether a number is that of the parent of its mesh, or of a submesh of it. */
    boolean isOfRelatedMesh(OptionalInt other) {
        return other.isPresent()
                && buffer.mesh().isPresent()
                && (isParent(buffer.mesh(), other.getAsInt())
                        || isParent(other, buffer.mesh().getAsInt()));
    }

    private boolean isParent(OptionalInt parent, int of) {
        return index.meshes(of).stream().anyMatch(mesh -> mesh.parent().equals(parent));
    }

    /**
     * Returns the moment by which the memory had to be freed: for the runtime the reset of the allocators, for other
     * code the close. If a buffer of the runtime may share the address, only the reset is late enough to decide.
     */
    public Moment checkMoment() {
        return remaining().stream().anyMatch(report -> report.details().lifetime() == BufferLifetime.SYSTEM)
                ? Moment.BEFORE_WIPE
                : Moment.CLOSE_BEGUN;
    }

    /** Returns the snapshot of the moment when the memory had to be freed, if it covers the buffer. */
    public Optional<HistoryEvent.Witnessed> snapshot() {
        return snapshot(checkMoment());
    }

    /** Returns the snapshot at a moment of this open period of the device that covers the buffer. */
    public Optional<HistoryEvent.Witnessed> snapshot(Moment moment) {
        return history().snapshotFor(buffer, moment);
    }

    /** Returns the state of the address when the memory had to be freed. */
    public AddressState addressState() {
        return addressState(checkMoment());
    }

    /**
     * Returns the state of the address in the witness's snapshot at a moment of this open period of the device, or of
     * the devices that its mesh covers.
     */
    public AddressState addressState(Moment moment) {
        if (reservedAgainAt().isPresent()) {
            return AddressState.FREE;
        }
        return snapshot(moment).map(event -> history().stateOf(buffer, event)).orElse(AddressState.UNKNOWN);
    }

    /** Returns whether a witness that covers all remaining reports listed the memory as free in time. */
    public boolean isProvedFree() {
        return allRemaining(details -> details.kind() == BufferKind.BUFFER) && addressState() == AddressState.FREE;
    }

    /** Returns the number of the event that proves that the memory was freed in time, if there is one. */
    OptionalLong provedFreeAt() {
        OptionalLong again = reservedAgainAt();
        return again.isPresent() || !isProvedFree()
                ? again
                : OptionalLong.of(snapshot().orElseThrow().number());
    }

    /**
     * Returns the event by which the allocator reserved the address for another request while this one was in the
     * ledger. The memory had been freed before. A late report proves nothing, nor does one of an earlier request, or one of a buffer
     * that was freed if the memory is still allocated: the reports of this device are out of order.
     */
    public OptionalLong reservedAgainAt() {
        OptionalLong again = buffer.reservedAgainAt();
        boolean isLate = again.isPresent()
                && (isListedAloneAfter(again.getAsLong())
                        || generationsAtAddress().stream()
                                .filter(other -> other.allocatedAt() == again.getAsLong())
                                .anyMatch(other -> firstReportOf(other) < firstReportOf(buffer)
                                        || LeakDiagnosis.overtakenBy(new SurvivorFacts(other, index))
                                                .isPresent()));
        return isLate ? OptionalLong.empty() : again;
    }

    private boolean isListedAloneAfter(long event) {
        return snapshot().filter(listed -> listed.number() > event).isPresent() && isListedAlone(checkMoment());
    }

    /** Returns the number of the first report of the request of a generation, on any device. */
    private long firstReportOf(BufferGeneration generation) {
        return history().buffersOf(generation.request()).stream()
                .mapToLong(BufferGeneration::allocatedAt)
                .min()
                .orElse(generation.allocatedAt());
    }

    /** Returns whether a snapshot lists its address as allocated and only this buffer can have been at it. */
    public boolean isListedAlone(Moment moment) {
        return snapshot(moment)
                .filter(event -> history().stateOf(buffer, event) == AddressState.ALLOCATED)
                .filter(event -> generationsAtAddress().stream()
                        .noneMatch(other -> other != buffer
                                && other.hasSameAddressAs(buffer)
                                && history().explains(other, event)))
                .isPresent();
    }

    /** Returns the snapshot of the moment when the memory had to be freed as evidence, if it covers the address. */
    public Optional<Evidence> snapshotEvidence() {
        return snapshotEvidence(checkMoment());
    }

    /** Returns the witness's snapshot as evidence, if it covers the address. */
    public Optional<Evidence> snapshotEvidence(Moment moment) {
        OptionalLong again = reservedAgainAt();
        if (again.isPresent()) {
            return Optional.of(Evidence.formatted(
                    "its allocator reserved the address for another request at event #%d, so it was freed before that",
                    again.getAsLong()));
        }
        String when = switch (moment) {
            case CLOSE_BEGUN -> "when close began";
            case BEFORE_WIPE -> "before the allocators were wiped";
            case AFTER_WIPE -> "after the allocators were wiped";
        };
        return snapshot(moment)
                .map(event -> Evidence.formatted(
                        "%s reported %s as %s %s (event #%d)",
                        allocatorOf(event.snapshot()),
                        Quantities.address(buffer.address()),
                        history().stateOf(buffer, event) == AddressState.ALLOCATED ? "allocated" : "free",
                        when,
                        event.number()));
    }

    private String allocatorOf(WitnessSnapshot snapshot) {
        return Phrases.allocatorOf(snapshot, buffer.device())
                .orElse(history().meshesSharedADevice() ? "the allocator of mesh " + snapshot.mesh() : "the allocator");
    }

    // Frees

    /** Returns whether a source only infers frees from snapshots, so that nothing follows from the frees of others. */
    public boolean freesAreInferred() {
        return history().sources().stream().anyMatch(SourceDescription::infersFrees);
    }

    /** Returns the event that freed a report, if one did. */
    public Optional<HistoryEvent.Freed> freeOf(Report report) {
        return report.isOpen()
                ? Optional.empty()
                : history().event(report.freedAt().getAsLong()).map(HistoryEvent.Freed.class::cast);
    }

    /** Returns the free that the runtime ignored because the device was closed, if the code under test tried one. */
    public Optional<HistoryEvent.FreeIgnored> freeAfterClose() {
        List<HistoryEvent.FreeIgnored> frees = anomalies(Anomaly.Kind.FREE_AFTER_CLOSE)
                .map(anomaly -> (HistoryEvent.FreeIgnored) anomaly.event())
                .filter(this::isAfterLastReport)
                .toList();
        return frees.size() < handlesToRelease()
                ? Optional.empty()
                : frees.stream().findFirst();
    }

    /**
     * A handle represents the reports of one request; if several are open, each needs a handle of its own. Each anonymous
     * report counts as a request.
     */
    private long handlesToRelease() {
        return remaining().stream()
                .<Object>map(report -> report.request().isAnonymous() ? report : report.request())
                .distinct()
                .count();
    }

    /** Returns the last free that freed nothing, because another handle shares the buffer or because it failed, if there was one. */
    public Optional<HistoryEvent.FreeIgnored> freeInVain() {
        return index.freesInVainAt(MemoryAddress.of(buffer)).stream()
                .filter(ignored -> AllocatorId.mayBeOne(ignored.details().allocator(), buffer.allocator()))
                .filter(this::isAfterLastReport)
                .reduce((earlier, later) -> later);
    }

    private boolean isAfterLastReport(HistoryEvent event) {
        return event.number() > buffer.lastOpenReportAt().orElse(0);
    }

    // Other buffers

    /** Returns the buffers of the same request, or, if it touched one device only, those of the same line of code. */
    public SiblingCounts siblings() {
        return index.siblingsOf(buffer);
    }

    /** Returns every generation of its address, in the order of allocation. */
    List<BufferGeneration> generationsAtAddress() {
        return index.generationsAt(MemoryAddress.of(buffer));
    }

    /** Returns the frees that found nothing at its address on a device, oldest first. */
    public List<Anomaly> strayFreesOn(int device) {
        return index.strayFreesAt(new MemoryAddress(device, buffer.type(), buffer.address()));
    }

    /** Returns its anomalies that are of a kind. */
    public Stream<Anomaly> anomalies(Anomaly.Kind kind) {
        return index.anomaliesOf(buffer).stream().filter(anomaly -> anomaly.kind() == kind);
    }

    /** Returns the same generation in the whole history, if there are events after the check. */
    public Optional<SurvivorFacts> later() {
        return index.later(buffer);
    }

    // Facts for a reader

    /**
     * Returns further facts about a buffer that was not freed: the witness, ignored frees, other buffers at the
     * address.
     */
    public List<Evidence> circumstances() {
        List<Evidence> evidence = new ArrayList<>();
        boolean isOutside = allRemaining(details -> details.kind() == BufferKind.CIRCULAR_BUFFER);
        (isOutside ? Optional.of(OUTSIDE_ALLOCATOR) : snapshotEvidence()).ifPresent(evidence::add);
        evidence.addAll(RepeatedReportEvidence.of(this));
        freeInVain().map(this::inVain).ifPresent(evidence::add);
        references().stream().flatMap(SurvivorFacts::uses).forEach(evidence::add);
        unseenUses().ifPresent(evidence::add);
        otherOpenReports().ifPresent(evidence::add);
        cleanupOfSubDevices().ifPresent(evidence::add);
        return evidence;
    }

    /** Returns the numbers of references, and the last use that code recorded, unless a retain explains more. */
    private static Stream<Evidence> uses(HistoryEvent.ReferencesCounted counted) {
        References references = counted.references();
        Optional<Evidence> numbers = references.retains() == 0
                ? Optional.empty()
                : Optional.of(Evidence.formatted(
                        "%s%s%s (event #%d)",
                        references,
                        references.retained().map(use -> "; retained at " + use).orElse(""),
                        references.released().map(use -> "; released at " + use).orElse(""),
                        counted.number()));
        Optional<Evidence> touched = references
                .touched()
                .filter(use -> references.retained().isEmpty())
                .map(use -> Evidence.formatted("last touched at %s (event #%d)", use, counted.number()));
        return Stream.of(numbers, touched).flatMap(Optional::stream);
    }

    /** Returns what the source does not see, unless the path to the handle explains more. */
    private Optional<Evidence> unseenUses() {
        boolean isNamed =
                traces().stream().anyMatch(trace -> !trace.reachability().path().isEmpty());
        return isNamed || references().isPresent()
                ? Optional.empty()
                : history().unseenBySourceOf(buffer.request()).map(Evidence::of);
    }

    /**
     * Returns what the close of the mesh did with the sub-device manager whose allocator reserved the buffer. The close
     * destroys all managers: {@code close_impl} of {@code tt_metal/distributed/mesh_device.cpp}.
     */
    private Optional<Evidence> cleanupOfSubDevices() {
        return buffer.allocator()
                .filter(allocator -> allocator.kind() == AllocatorId.Kind.SUB_DEVICE)
                .flatMap(subDevice -> snapshot(Moment.AFTER_WIPE).map(event -> cleanup(subDevice, event)));
    }

    private Evidence cleanup(AllocatorId subDevice, HistoryEvent.Witnessed event) {
        boolean isFree = addressState(Moment.AFTER_WIPE) == AddressState.FREE;
        return Evidence.formatted(
                "sub-device manager %d was %s when the mesh closed: its allocator listed %s as %s afterwards (event #%d)",
                subDevice.manager(),
                isFree ? "cleaned up" : "not cleaned up",
                Quantities.address(buffer.address()),
                isFree ? "free" : "allocated",
                event.number());
    }

    /** It is unknown which of several requests at one address still holds it. */
    @SuppressWarnings("ReferenceEquality") // Requests are compared by identity.
    private Optional<Evidence> otherOpenReports() {
        List<Report> open = buffer.reportsRemaining();
        return open.stream()
                .filter(report -> report.request() != open.get(0).request())
                .reduce((earlier, later) -> later)
                .map(last -> Evidence.formatted(
                        "%d reports of that address are open, the last one of event #%d (%d B), at %s",
                        open.size(), last.allocatedAt(), last.size(), Phrases.callSite(last.request())));
    }

    /** Explains an ignored free to a reader who assumes that the buffer was freed. */
    private Evidence inVain(HistoryEvent.FreeIgnored ignored) {
        String site = Phrases.callSite(ignored.request());
        if (ignored.reason() != IgnoredFreeReason.FAILED) {
            return Evidence.formatted(
                    "a free of it was ignored (event #%d), because %s, at %s",
                    ignored.number(), ignored.reason().description(), site);
        }
        Optional<String> message = ignored.details().label();
        return Evidence.formatted(
                "%s failed at event #%d%s, at %s",
                vocabulary().isFreedByMethod()
                        ? vocabulary().free() + " of it"
                        : "a call that should " + vocabulary().free() + " it",
                ignored.number(),
                message.map(text -> " with " + text).orElse(""),
                site);
    }
}
