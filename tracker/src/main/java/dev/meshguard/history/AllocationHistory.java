package dev.meshguard.history;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.CacheKey;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Origin;
import dev.meshguard.event.Owner;
import dev.meshguard.event.Phase;
import dev.meshguard.event.References;
import dev.meshguard.event.RequestContext;
import dev.meshguard.event.SourceDescription;
import dev.meshguard.event.SourceVocabulary;
import dev.meshguard.event.WitnessSnapshot;
import dev.meshguard.history.internal.Ledger;
import dev.meshguard.text.Quantities;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.jspecify.annotations.Nullable;

/**
 * All events recorded up to one moment, by a tracker or in a file, and what follows from them: generations, anomalies, the ledger.
 *
 * <p>The events are numbered from 1 in the order in which they arrived. Only the reports between two other events are in the
 * order of their requests, then of their devices; those of one device never change their order. So threads that work on a
 * device each always give the same numbers.
 *
 * <p>Immutable and safe for use by several threads. Taking a history is cheap; each event is created when it is read.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class AllocationHistory {

    private static final int MAX_PHASES = 3;

    private final List<HistoryEvent> events;
    private final boolean hasFlatAddresses;
    private final @Nullable RequestContext context;
    /** The number of entries of the ledger that the tracker kept; empty if none was kept beside the events. */
    private final OptionalLong keptEntries;

    private @Nullable Ledger ledger;
    private @Nullable HistoryPass pass;
    private @Nullable List<BufferGeneration> generations;
    private @Nullable Owners owners;

    private AllocationHistory(
            List<HistoryEvent> events,
            OptionalLong keptEntries,
            boolean hasFlatAddresses,
            @Nullable RequestContext context) {
        this.events = Collections.unmodifiableList(events);
        this.keptEntries = keptEntries;
        this.hasFlatAddresses = hasFlatAddresses;
        this.context = context;
    }

    /**
     * Creates a history; use the {@code history()} of a tracker or a reader.
     *
     * @param events the events, which must not change any more; their numbers ascend, and missing events leave gaps
     * @param ledgerEntries the number of entries of the ledger that the tracker kept beside the events, if it is known
     * @param flatAddresses whether sizes determine how far a buffer reaches from its address
     */
    @API(status = Status.INTERNAL)
    public static AllocationHistory of(List<HistoryEvent> events, OptionalLong ledgerEntries, boolean flatAddresses) {
        return new AllocationHistory(events, ledgerEntries, flatAddresses, null);
    }

    /**
     * Returns the history as of the last recorded check if anything happened after it, else this history.
     *
     * <p>Findings about handles and missing reports count whenever they were made.
     */
    public AllocationHistory asOfCheck() {
        long check = check().map(HistoryEvent::number).orElse(Long.MAX_VALUE);
        // The check is nearly always among the last events.
        int last = events.size() - 1;
        while (last >= 0
                && events.get(last).number() > check
                && (isFinding(events.get(last)) || events.get(last) instanceof HistoryEvent.PhaseBegan)) {
            last--;
        }
        return last < 0 || events.get(last).number() <= check
                ? this
                : part(event -> event.number() <= check || isFinding(event), context);
    }

    /** Returns whether an event changes only what is known about the state. */
    private static boolean isFinding(HistoryEvent event) {
        return event instanceof HistoryEvent.HandleTraced
                || event instanceof HistoryEvent.ReferencesCounted
                || event instanceof HistoryEvent.ReportsLost;
    }

    /** Returns the history of some of the events. */
    private AllocationHistory part(Predicate<HistoryEvent> isSelected, @Nullable RequestContext ofContext) {
        return new AllocationHistory(
                events.stream().filter(isSelected).toList(), OptionalLong.empty(), hasFlatAddresses, ofContext);
    }

    /**
     * Returns the part that concerns one context of a shared tracker: its allocations, what became of them, and its
     * frees that found nothing. Events keep their numbers.
     *
     * <p>Take it when the context is closed: live buffers are then its survivors, even if the mesh stays open.
     * Therefore no mesh of this part is {@linkplain #openMeshes() open}. Memory that the mesh keeps for all contexts
     * (memory of the runtime, programs in a cache) is excluded.
     */
    public AllocationHistory partOf(RequestContext selected) {
        return part(new ContextFilter(this, selected), selected);
    }

    /**
     * Returns this history, which is the part of a context that was saved and read again, as such a part: no mesh of it is
     * {@linkplain #openMeshes() open}.
     */
    @API(status = Status.INTERNAL)
    public AllocationHistory asPartOf(RequestContext selected) {
        return new AllocationHistory(events, keptEntries, hasFlatAddresses, selected);
    }

    /** Returns this history as if some events had not been recorded; the ledger that was kept knows nothing of them. */
    @API(status = Status.INTERNAL)
    public AllocationHistory without(Predicate<HistoryEvent> withdrawn) {
        return new AllocationHistory(
                events.stream().filter(withdrawn.negate()).toList(), keptEntries, hasFlatAddresses, context);
    }

    /** Returns this history as if no check had been made. */
    @API(status = Status.INTERNAL)
    public AllocationHistory withoutChecks() {
        return part(event -> !(event instanceof HistoryEvent.Checked), context);
    }

    /** Returns the context, if this history is the part of one. */
    public Optional<RequestContext> context() {
        return Optional.ofNullable(context);
    }

    /** Returns every event, oldest first. */
    public List<HistoryEvent> events() {
        return events;
    }

    /** Returns the events of one kind, oldest first. */
    @SuppressWarnings("unchecked") // Each list has events of one class.
    public <E extends HistoryEvent> List<E> events(Class<E> kind) {
        if (kind == HistoryEvent.Allocated.class || kind == HistoryEvent.Freed.class) {
            return events().stream().filter(kind::isInstance).map(kind::cast).toList();
        }
        return Collections.unmodifiableList((List<E>) pass().otherEvents.getOrDefault(kind, List.of()));
    }

    private <E extends HistoryEvent> Optional<E> last(Class<E> kind) {
        List<E> all = events(kind);
        return all.isEmpty() ? Optional.empty() : Optional.of(all.get(all.size() - 1));
    }

    /** Returns the event of the given number, if there is one. */
    public Optional<HistoryEvent> event(long number) {
        int index = Generations.indexOf(events(), number);
        return index < 0 ? Optional.empty() : Optional.of(events().get(index));
    }

    /** Returns every generation of every address, in the order of allocation. */
    public synchronized List<BufferGeneration> generations() {
        List<BufferGeneration> known = generations;
        if (known == null) {
            known = Collections.unmodifiableList(pass().generations.all());
            generations = known;
        }
        return known;
    }

    /** Returns the generations of one address, in the order of allocation, without creating those of the others. */
    @API(status = Status.INTERNAL)
    public List<BufferGeneration> generationsAt(int device, BufferType type, long address) {
        return pass().generations.at(device, type, address);
    }

    /** Returns the generations with an allocation or a free whose request matches, in the order of allocation. */
    @API(status = Status.INTERNAL)
    public List<BufferGeneration> generationsWith(Predicate<MemoryRequest> condition) {
        return pass().generations.with(condition);
    }

    /** Returns the buffers that were freed when their handles were collected, in the order of allocation. */
    public List<BufferGeneration> collectedBuffers() {
        return pass().generations.kept().stream()
                .filter(BufferGeneration::isCollected)
                .toList();
    }

    /** Returns the number of {@link #generations()}, without creating them. */
    @API(status = Status.INTERNAL)
    public int allocatedBuffers() {
        return pass().generations.count();
    }

    /** Returns the live bytes and buffers after each event. */
    public Timeline timeline() {
        return timeline(Map.of());
    }

    /**
     * Returns the timeline with other ends of buffers that are live in it.
     *
     * <p>A buffer that ends before it is allocated is excluded.
     *
     * @param ends the number of the event that ended each of them
     */
    @API(status = Status.INTERNAL)
    public Timeline timeline(Map<BufferGeneration, Long> ends) {
        Generations all = pass().generations;
        return new Timeline(consumer -> all.forEachChange(ends, consumer));
    }

    /**
     * Returns the live generations, in the order of allocation. In the {@linkplain #partOf part} of a context, those of
     * other contexts are left out: the part has their reports only as evidence.
     */
    public List<BufferGeneration> live() {
        return liveAt(Long.MAX_VALUE);
    }

    /**
     * Returns the generations that were live at a check, or when the source stopped reporting, in the order of allocation.
     *
     * @param event the number of that event, or {@link Long#MAX_VALUE} for the end
     */
    @API(status = Status.INTERNAL)
    public List<BufferGeneration> liveAt(long event) {
        List<BufferGeneration> live = new ArrayList<>();
        for (BufferGeneration generation : pass().generations.kept()) {
            if (generation.allocatedAt() < event
                    && generation.freedAt().orElse(Long.MAX_VALUE) >= event
                    && !isOfAnotherContext(generation)) {
                live.add(generation);
            }
        }
        return Collections.unmodifiableList(live);
    }

    private boolean isOfAnotherContext(BufferGeneration generation) {
        return context != null
                && generation.reports().stream()
                        .noneMatch(report -> report.request()
                                .context()
                                .filter(context::equals)
                                .isPresent());
    }

    /** Returns the generations that ended after the close of their allocator had begun, in the order of allocation. */
    @API(status = Status.INTERNAL)
    public List<BufferGeneration> freedAfterClose() {
        return pass().generations.kept().stream()
                .filter(generation -> generation.freedAt().orElse(-1) >= pass().closeOf(generation))
                .toList();
    }

    /** Returns the reports that did not fit the earlier ones, oldest first. */
    public List<Anomaly> anomalies() {
        return Collections.unmodifiableList(pass().anomalies);
    }

    /**
     * Returns the sums of the reports under the given policy.
     *
     * @throws IllegalStateException if the policy is {@link CountingPolicy#OWNED_ONLY} and a report does not say
     *     whether its buffer owns its memory
     */
    public PolicyLedger ledger(CountingPolicy policy) {
        return PolicyLedger.of(this, policy);
    }

    /** Returns the sources that were connected, in this order; a source that was connected twice is there twice. */
    public List<SourceDescription> sources() {
        return events(HistoryEvent.SourceAttached.class).stream()
                .map(HistoryEvent.SourceAttached::source)
                .toList();
    }

    /**
     * Returns the words for reports of which the source is unknown: those of the only vocabulary, if no mesh is reported; common
     * ones, if no source reports devices; otherwise those of devices, without meshes if none is reported, as in a server's log.
     */
    public SourceVocabulary vocabulary() {
        return common(vocabularies());
    }

    /** Returns the words of the source that a request names; those of devices if it names none. */
    public SourceVocabulary vocabularyOf(MemoryRequest request) {
        return sourcesOf(request)
                .flatMap(source -> source.vocabulary().stream())
                .findFirst()
                .orElseGet(() -> common(vocabularies().filter(SourceVocabulary::hasDevices)));
    }

    /** Returns the sentence on what the source that a request names does not see, if there is one. */
    public Optional<String> unseenBySourceOf(MemoryRequest request) {
        return sourcesOf(request).flatMap(source -> source.unseen().stream()).findFirst();
    }

    private Stream<SourceDescription> sourcesOf(MemoryRequest request) {
        Optional<String> name = request.details().source();
        return sources().stream().filter(source -> name.equals(Optional.of(source.name())));
    }

    private Stream<SourceVocabulary> vocabularies() {
        return sources().stream().map(source -> source.vocabulary().orElse(SourceVocabulary.PROGRAM));
    }

    private SourceVocabulary common(Stream<SourceVocabulary> vocabularies) {
        Set<SourceVocabulary> all = vocabularies.collect(Collectors.toSet());
        if (all.isEmpty() || !meshes().isEmpty()) {
            return SourceVocabulary.MESH;
        }
        if (all.size() == 1) {
            return all.iterator().next();
        }
        return all.stream().anyMatch(SourceVocabulary::hasDevices)
                ? SourceVocabulary.PROGRAM
                : SourceVocabulary.of(all.stream()
                        .flatMap(words -> words.memory().stream())
                        .distinct()
                        .sorted()
                        .collect(Collectors.joining(", ")));
    }

    /** Returns the devices with any report, ascending. */
    public List<Integer> devices() {
        return pass().reportedDevices.stream().sorted().toList();
    }

    /** Returns the ledger into which the events are entered again; nothing more may be entered. */
    private synchronized Ledger ledger() {
        Ledger known = ledger;
        if (known == null) {
            known = new Ledger(CountingPolicy.REFERENCE_COUNTED);
            events.forEach(known::enter);
            ledger = known;
        }
        return known;
    }

    /** Returns the memory allocated when the history was taken, by device, type and lifetime. */
    public MemorySnapshot snapshot() {
        return MemorySnapshot.of(ledger());
    }

    /**
     * Returns the number of entries of the tracker's ledger, an independent count of the addresses of {@link #live()}.
     *
     * <p>The ledger counts references to addresses, as {@link CountingPolicy#REFERENCE_COUNTED} does, and knows no open
     * periods of devices. Two open allocators that reports name have an entry each at one address.
     */
    public long ledgerEntries() {
        return keptEntries.orElseGet(() -> ledger().entries());
    }

    /**
     * Returns whether the ledger that the tracker kept has the entries of one into which the events are entered again. They are
     * only entered if live buffers and entries differ in number. Buffers of closed allocators at one address are one entry.
     */
    @API(status = Status.INTERNAL)
    public boolean ledgerAgrees() {
        if (keptEntries.isEmpty()) {
            return true;
        }
        long live = live().stream()
                .map(buffer ->
                        closeOf(buffer).isEmpty() ? buffer : List.of(buffer.device(), buffer.type(), buffer.address()))
                .distinct()
                .count();
        return live == ledgerEntries() || ledger().entries() == ledgerEntries();
    }

    /**
     * Returns whether sizes determine how far a buffer reaches from its address, as in memory that is not spread over
     * banks.
     */
    public boolean hasFlatAddresses() {
        return hasFlatAddresses;
    }

    /** Returns every mesh that was opened, in order. A number that is used again is another mesh. */
    public Collection<MeshDescription> meshes() {
        return descriptions(pass().meshes.all());
    }

    /**
     * Returns the meshes that were opened and not closed, in order; none in the {@linkplain #partOf part} of a context.
     */
    public Collection<MeshDescription> openMeshes() {
        return context == null ? descriptions(pass().meshes.open()) : List.of();
    }

    /** Returns every open period of a mesh, in the order of the openings. */
    @API(status = Status.INTERNAL)
    public List<MeshOpenPeriod> meshPeriods() {
        return pass().meshes.all();
    }

    /** Returns whether a mesh was opened and not closed, also in the part of a context. */
    @API(status = Status.INTERNAL)
    public boolean leavesMeshOpen() {
        return !pass().meshes.open().isEmpty();
    }

    /**
     * Returns an open mesh that may still free the buffer.
     *
     * <p>This is the mesh that allocated it. If the reports do not name it, it is any mesh over its device in the
     * present open period.
     */
    public Optional<MeshDescription> openMeshOf(BufferGeneration buffer) {
        if (context != null) {
            return Optional.empty();
        }
        MeshOpenPeriod allocatingMesh = buffer.allocatedBy();
        if (buffer.mesh().isPresent() && allocatingMesh != null && allocatingMesh.isAnnounced()) {
            return allocatingMesh.isOpen() ? allocatingMesh.description() : Optional.empty();
        }
        boolean isOfPresentPeriod = buffer.openPeriod() == openPeriodAt(buffer.device(), Long.MAX_VALUE);
        return pass().meshes.open().stream()
                .filter(mesh -> isOfPresentPeriod && mesh.liesOver(buffer.device()))
                .findFirst()
                .flatMap(MeshOpenPeriod::description);
    }

    /**
     * Returns the number of the event at which the close of the buffer's allocator began, if it began.
     *
     * <p>The allocator of a mesh ends when the mesh closes, or when the close of another mesh closes its devices. A
     * device's own allocator ends with the last mesh over it. So does a buffer whose reports name no mesh.
     */
    public OptionalLong closeOf(BufferGeneration buffer) {
        long began = pass().closeOf(buffer);
        return began == Long.MAX_VALUE ? OptionalLong.empty() : OptionalLong.of(began);
    }

    /**
     * Returns whether two meshes were ever open over one device at a time: a mesh and a submesh of it, or two root
     * meshes.
     *
     * <p>Each then has an allocator of its own, and texts have to name the mesh.
     */
    public boolean meshesSharedADevice() {
        return pass().meshes.sharedADevice();
    }

    /**
     * Returns the openings of devices that were already open, where the reports of the meshes cannot be distinguished.
     *
     * <p>Some buffer on the device does not name its mesh, or both meshes use one number.
     */
    public List<HistoryEvent.DeviceOpened> openedWhileOpen() {
        return Collections.unmodifiableList(pass().openedWhileOpen);
    }

    /** Returns the beginnings of phases, in order. */
    public List<HistoryEvent.PhaseBegan> phases() {
        return List.copyOf(pass().phases.values());
    }

    /** Returns the phase in which the event of the given number happened. */
    public Phase phaseAt(long number) {
        return pass().generations.phaseAt(number);
    }

    /** Returns in which phases events happened: {@code in TEST}, or {@code 1 in SETUP, 2 in TEST}. */
    @API(status = Status.INTERNAL, since = "0.1")
    public String phasesAt(Collection<Long> numbers) {
        Map<Phase, Long> counts = numbers.stream()
                .collect(Collectors.groupingBy(this::phaseAt, LinkedHashMap::new, Collectors.counting()));
        if (counts.size() == 1) {
            return "in " + counts.keySet().iterator().next();
        }
        String named = counts.entrySet().stream()
                .limit(MAX_PHASES)
                .map(phase -> phase.getValue() + " in " + phase.getKey())
                .collect(Collectors.joining(", "));
        int more = counts.size() - MAX_PHASES;
        return named + (more > 0 ? " and others in " + Quantities.count(more, "more phase") : "");
    }

    /** Returns in which open period a device was when the event of the given number happened, from 1. */
    public int openPeriodAt(int device, long number) {
        return pass().devices.openPeriodsOf(device).at(number);
    }

    /** Returns the reports that the source could not deliver. */
    public List<HistoryEvent.ReportsLost> lostReports() {
        return events(HistoryEvent.ReportsLost.class);
    }

    /** Returns every snapshot of a witness, oldest first. */
    public List<HistoryEvent.Witnessed> witnessSnapshots() {
        return pass().snapshots.all();
    }

    /**
     * Returns the snapshot that is evidence for a buffer: the first one of the given moment after its latest open
     * report that covers its memory, in the same open period of its device.
     *
     * <p>If its {@linkplain BufferGeneration#mesh() mesh} is known, only a snapshot of that open period of that mesh
     * counts. If it is not, and several meshes were open over the device at the report, snapshots of any of them since
     * the first report count. One that lists the buffer as allocated is enough; it is free only if all list it as free.
     */
    public Optional<HistoryEvent.Witnessed> snapshotFor(BufferGeneration buffer, WitnessSnapshot.Moment moment) {
        boolean isInconclusive = openedWhileOpen().stream().anyMatch(opening -> opening.device() == buffer.device());
        return pass().snapshots.snapshotFor(buffer, moment, isInconclusive);
    }

    /** Returns the state of the address of a buffer in a snapshot. */
    @API(status = Status.INTERNAL)
    public WitnessSnapshot.AddressState stateOf(BufferGeneration buffer, HistoryEvent.Witnessed snapshot) {
        return WitnessSnapshots.stateOf(buffer, snapshot);
    }

    /**
     * Returns whether a report of the buffer was open when a snapshot was made of the allocator that reserved it, as
     * far as the report names the allocator.
     */
    public boolean explains(BufferGeneration buffer, HistoryEvent.Witnessed snapshot) {
        return pass().snapshots.explains(buffer, snapshot);
    }

    /**
     * Returns the generations with a report of the given request, in the order of its reports; none for an anonymous
     * request.
     */
    public List<BufferGeneration> buffersOf(MemoryRequest request) {
        if (request.isAnonymous()) {
            return List.of();
        }
        return pass().generations.of(request);
    }

    /**
     * Returns the number of the event at which the owner ended, if it did.
     *
     * <p>Empty for a name under which buffers were allocated in more open periods of their devices than there were
     * ends: then it is unknown which owner of that name ended.
     */
    public OptionalLong endOf(Owner owner) {
        return owners().endOf(owner);
    }

    /** Returns the event since which a cache keeps the owner, if one does or did. */
    public Optional<HistoryEvent.OwnerCached> cachingOf(Owner owner) {
        return owners().cachingOf(owner);
    }

    /** Returns whether a cache keeps the owner to the end. */
    @API(status = Status.INTERNAL)
    public boolean isCached(Owner owner) {
        return cachingOf(owner).isPresent() && endOf(owner).isEmpty();
    }

    /** Returns the key under which a cache keeps or kept an owner, if the source reported it. */
    public Optional<CacheKey> cacheKeyOf(Owner owner) {
        return cachingOf(owner).flatMap(HistoryEvent.OwnerCached::key);
    }

    private synchronized Owners owners() {
        if (owners == null) {
            owners = new Owners(this);
        }
        return owners;
    }

    /** Returns the search result for the handle of a request, if there was a search. */
    public Optional<HistoryEvent.HandleTraced> reachabilityOf(MemoryRequest request) {
        return request.isAnonymous()
                ? Optional.empty()
                : Optional.ofNullable(pass().traced.get(request));
    }

    /** Returns the last count of the references to the memory of a request, if its source counts them. */
    public Optional<HistoryEvent.ReferencesCounted> referencesTo(MemoryRequest request) {
        return request.isAnonymous()
                ? Optional.empty()
                : Optional.ofNullable(pass().counted.get(request));
    }

    /** Returns the line of the retain that explains why the memory of a request is still allocated, if one does. */
    public Optional<Origin> retainOf(MemoryRequest request) {
        return referencesTo(request)
                .flatMap(counted -> counted.references().retained())
                .map(References.Use::origin);
    }

    /**
     * Returns whether any source was ever connected, as far as the events show.
     *
     * @param unrequested the sources whose announcement alone shows nothing
     */
    public boolean hasSource(Set<SourceDescription> unrequested) {
        return events().stream()
                        .anyMatch(event -> !(event instanceof HistoryEvent.PhaseBegan
                                || event instanceof HistoryEvent.Checked
                                || (event instanceof HistoryEvent.SourceAttached attached
                                        && unrequested.contains(attached.source()))))
                || keptEntries.orElse(0) > 0;
    }

    /** Returns the periods in which the source did not report, oldest first. */
    public List<HistoryEvent.TrackingStopped> gaps() {
        return events(HistoryEvent.TrackingStopped.class);
    }

    /** Returns whether the source began to report again after a period in which it did not. */
    @API(status = Status.INTERNAL)
    public boolean resumesAfter(HistoryEvent.TrackingStopped gap) {
        return last(HistoryEvent.TrackingStarted.class)
                .filter(start -> start.number() > gap.number())
                .isPresent();
    }

    /** Returns the captures and replays of traces, what the captures recorded, and the reads of results, in order. */
    public List<HistoryEvent> traceEvents() {
        List<HistoryEvent> all = new ArrayList<>(events(HistoryEvent.CaptureBegan.class));
        all.addAll(events(HistoryEvent.ProgramCaptured.class));
        all.addAll(events(HistoryEvent.BufferCaptured.class));
        all.addAll(events(HistoryEvent.ResultCaptured.class));
        all.addAll(events(HistoryEvent.ResultRead.class));
        all.addAll(events(HistoryEvent.CaptureEnded.class));
        all.addAll(events(HistoryEvent.TraceReplayed.class));
        all.sort(Comparator.comparingLong(HistoryEvent::number));
        return Collections.unmodifiableList(all);
    }

    /** Returns the last recorded check, if any. */
    public Optional<HistoryEvent.Checked> check() {
        return last(HistoryEvent.Checked.class);
    }

    /** Returns the end of a process that reported, if it exited before the history was taken. */
    public Optional<HistoryEvent.ProcessDied> deathOf(long processId) {
        return events(HistoryEvent.ProcessDied.class).stream()
                .filter(died -> died.processId() == processId)
                .reduce((earlier, later) -> later);
    }

    private static Collection<MeshDescription> descriptions(List<MeshOpenPeriod> meshes) {
        return meshes.stream().flatMap(mesh -> mesh.description().stream()).toList();
    }

    /** Returns what one pass over the events found; it is made on first use. */
    private synchronized HistoryPass pass() {
        if (pass == null) {
            pass = new HistoryPass(events, hasFlatAddresses);
        }
        return pass;
    }
}
