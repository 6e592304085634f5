package dev.meshguard.tracker.history;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.MemoryTotals;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Owner;
import dev.meshguard.event.Phase;
import dev.meshguard.event.WitnessSnapshot;
import dev.meshguard.tracker.AllocationContext;
import dev.meshguard.tracker.AllocationRequest;
import dev.meshguard.tracker.MemorySnapshot;
import dev.meshguard.tracker.internal.DeviceRecorder;
import dev.meshguard.tracker.internal.PendingEvent;
import dev.meshguard.tracker.internal.Snapshots;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.ObjIntConsumer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.jspecify.annotations.Nullable;

/**
 * What a tracker had recorded at one moment.
 *
 * <p>The events are numbered from 1 in the order of the requests they belong to; where requests of several devices have
 * no order of their own, in that of phase and device. From the same reports comes the same history, number for number.
 *
 * <p>Immutable and safe for use by several threads. Taking a history is cheap; its events are put in order when they
 * are first asked for.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class AllocationHistory {

    private final EventStore store;
    private final @Nullable AllocationContext context;
    private @Nullable List<DeviceSums> sums;
    /** The generations that are not settled, and all that is known without the others. */
    private @Nullable GenerationBuilder replay;

    private @Nullable GenerationBuilder settledReplay;
    private @Nullable List<BufferGeneration> generations;
    private @Nullable GenerationSums generationSums;

    private AllocationHistory(EventStore store, @Nullable AllocationContext tenant) {
        this.store = store;
        this.context = tenant;
    }

    /** Made by the tracker; ask it for its history. */
    @API(status = Status.INTERNAL)
    public static AllocationHistory recorded(
            List<PendingEvent> markers, List<DeviceRecorder.Recording> recordings, boolean flatAddresses) {
        return new AllocationHistory(new EventStore.Recorded(markers, recordings, flatAddresses), null);
    }

    /**
     * Made by whoever reads a history that was written down.
     *
     * @param events the events; their numbers grow, and where some are missing they skip
     * @param sums what was kept of each device, ascending
     * @param flatAddresses whether sizes say how far a buffer reaches from its address
     * @param complete whether every event was kept
     */
    @API(status = Status.INTERNAL)
    public static AllocationHistory restored(
            List<HistoryEvent> events, List<DeviceSums> sums, boolean flatAddresses, boolean complete) {
        return new AllocationHistory(new EventStore.Restored(events, sums, flatAddresses, complete), null);
    }

    /**
     * Made by whoever reads a log; addresses are those of memory that is spread over banks.
     *
     * @param events every event; nobody changes it any more
     */
    @API(status = Status.INTERNAL)
    public static AllocationHistory read(LogEvents events) {
        return new AllocationHistory(new LogEventStore(events), null);
    }

    /**
     * Returns what was known when the last recorded check was made, if anything happened after it; else this history.
     *
     * <p>What was found out about handles, and that reports are missing, counts whenever it came to light. A history without a past is returned as it is.
     */
    public AllocationHistory asOfCheck() {
        Optional<HistoryEvent.Checked> last = check();
        if (last.isEmpty() || !isComplete()) {
            return this;
        }
        EventStore known = store.asOf(last.get().number());
        return known == store ? this : new AllocationHistory(known, context);
    }

    /**
     * Returns the part that has to do with one of those who share the tracker: what it took, what became of that, and its frees that
     * found nothing. Events keep their numbers.
     *
     * <p>To be taken when the tenant's time is over: what is left then was left by it, whether its mesh goes on or not. So no mesh of
     * this part is {@linkplain #openMeshes() open}. What the mesh keeps for everybody (memory of the runtime, programs in a cache) is
     * no part of it. The part of a history without a past is empty.
     */
    public AllocationHistory partOf(AllocationContext someone) {
        List<HistoryEvent> part = isComplete() ? new ContextFilter(this, someone).events() : List.of();
        return new AllocationHistory(EventStore.counted(part, hasFlatAddresses()), someone);
    }

    /** Returns whose part of a history this is, if it is a part. */
    public Optional<AllocationContext> context() {
        return Optional.ofNullable(context);
    }

    /** Returns every event, oldest first. */
    public List<HistoryEvent> events() {
        return store.events();
    }

    /** Returns the events of one kind, oldest first. */
    public <E extends HistoryEvent> List<E> events(Class<E> kind) {
        return store.events(kind);
    }

    /** Returns the event of the given number, if there is one. */
    public Optional<HistoryEvent> event(long number) {
        List<HistoryEvent> all = events();
        int low = 0;
        int high = (int) Math.min(Math.max(number, 0), all.size()) - 1;
        // Nothing is missing from most histories, so most events stand where their numbers say; none stands behind
        // that.
        int middle = high;
        while (low <= high) {
            long found = all.get(middle).number();
            if (found == number) {
                return Optional.of(all.get(middle));
            }
            if (found < number) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
            middle = (low + high) >>> 1;
        }
        return Optional.empty();
    }

    /** Returns every life of every address, in the order of birth. */
    public synchronized List<BufferGeneration> generations() {
        List<BufferGeneration> known = generations;
        if (known == null) {
            List<BufferGeneration> unsettled = replay().generations;
            List<BufferGeneration> settled = settledReplay().generations;
            known = settled.isEmpty()
                    ? Collections.unmodifiableList(unsettled)
                    : Stream.concat(unsettled.stream(), settled.stream())
                            .sorted(Comparator.comparingLong(BufferGeneration::allocatedAt))
                            .toList();
            generations = known;
        }
        return known;
    }

    /** Returns the generations of which an allocation or a free has details of a kind, in the order of birth. */
    @API(status = Status.INTERNAL)
    public List<BufferGeneration> generationsWith(Predicate<AllocationDetails> isOfKind) {
        List<BufferGeneration> all =
                store.settledDetails().stream().anyMatch(isOfKind) ? generations() : replay().generations;
        List<BufferGeneration> found = new ArrayList<>();
        for (BufferGeneration generation : all) {
            if (generation.reports().stream()
                    .anyMatch(report -> isOfKind.test(report.request().details())
                            || report.release()
                                    .map(AllocationRequest::details)
                                    .filter(isOfKind)
                                    .isPresent())) {
                found.add(generation);
            }
        }
        return found;
    }

    /** Passes on how each generation changes what is allocated when it begins and when it ends, in the order of the events. */
    @API(status = Status.INTERNAL)
    public void eachUsageChange(Consumer<UsageChange> consumer) {
        ArrayDeque<UsageChange> unsettled = changes(replay().generations);
        store.eachSettledChange(change -> {
            passOnThoseBefore(change.event(), unsettled, consumer);
            consumer.accept(change);
        });
        passOnThoseBefore(Long.MAX_VALUE, unsettled, consumer);
    }

    private static ArrayDeque<UsageChange> changes(List<BufferGeneration> generations) {
        List<UsageChange> changes = new ArrayList<>(generations.size() * 2);
        for (BufferGeneration generation : generations) {
            changes.add(UsageChange.begins(generation));
            generation.freedAt().ifPresent(event -> changes.add(UsageChange.ends(generation, event)));
        }
        changes.sort(Comparator.comparingLong(UsageChange::event));
        return new ArrayDeque<>(changes);
    }

    private static void passOnThoseBefore(long event, ArrayDeque<UsageChange> changes, Consumer<UsageChange> consumer) {
        UsageChange next = changes.peek();
        while (next != null && next.event() < event) {
            consumer.accept(changes.remove());
            next = changes.peek();
        }
    }

    /** Returns what the generations add up to, in all and phase by phase. */
    @API(status = Status.INTERNAL)
    public synchronized GenerationSums generationSums() {
        GenerationSums known = generationSums;
        if (known == null) {
            known = GenerationSums.of(this);
            generationSums = known;
        }
        return known;
    }

    /** Returns the lives that have not ended, in the order of birth. */
    public List<BufferGeneration> live() {
        return liveAt(Long.MAX_VALUE);
    }

    /** Returns the lives that had begun and not ended when the last check was made, in the order of birth. */
    @API(status = Status.INTERNAL)
    public List<BufferGeneration> liveAtCheck() {
        return liveAt(check().map(HistoryEvent::number).orElse(Long.MAX_VALUE));
    }

    /** Returns the lives that had begun and not ended when the source stopped reporting, in the order of birth. */
    @API(status = Status.INTERNAL)
    public List<BufferGeneration> liveAt(HistoryEvent.TrackingStopped gap) {
        return liveAt(gap.number());
    }

    /** What is live at such a moment is not settled. */
    private List<BufferGeneration> liveAt(long event) {
        List<BufferGeneration> live = new ArrayList<>();
        for (BufferGeneration life : replay().generations) {
            if (life.allocatedAt() < event && life.freedAt().orElse(Long.MAX_VALUE) >= event) {
                live.add(life);
            }
        }
        return Collections.unmodifiableList(live);
    }

    /** Returns the lives that ended when the close of their allocator had begun, in the order of birth. */
    @API(status = Status.INTERNAL)
    public List<BufferGeneration> freedAfterClose() {
        List<BufferGeneration> late = new ArrayList<>();
        // What is allocated when its device is closed is not settled.
        for (BufferGeneration life : replay().generations) {
            if (life.freedAt().orElse(-1) >= replay().closeOf(life)) {
                late.add(life);
            }
        }
        return Collections.unmodifiableList(late);
    }

    /** Returns the reports that do not fit what was known when they came, oldest first. */
    public List<Anomaly> anomalies() {
        return Collections.unmodifiableList(replay().anomalies);
    }

    /**
     * Returns what the reports add up to under the given policy.
     *
     * @throws IllegalStateException if the policy is {@link CountingPolicy#OWNED_ONLY} and a report does not say whether
     *     its buffer owns its memory, or if the events that were to be read were not kept
     */
    public PolicyLedger ledger(CountingPolicy policy) {
        requireComplete(policy);
        return PolicyLedger.read(events(), policy);
    }

    /**
     * Reads the history once under the given policy, and shows the books at several moments; for what compares many.
     *
     * @param moments the numbers of the events before which the books are shown, ascending
     * @param atMoment is given the books, to be read at once, and the place of the moment
     * @throws IllegalStateException as {@link #ledger(CountingPolicy)} does
     */
    @API(status = Status.INTERNAL)
    public void ledger(CountingPolicy policy, long[] moments, ObjIntConsumer<PolicyLedger> atMoment) {
        requireComplete(policy);
        PolicyLedger.read(events(), policy, moments, atMoment);
    }

    /** Returns the devices on which anything was reported, ascending. */
    public List<Integer> devices() {
        List<Integer> all = new ArrayList<>(sums().size());
        sums().forEach(one -> all.add(one.device()));
        return Collections.unmodifiableList(all);
    }

    /** Returns the sums of one type on one device as the tracker kept them. */
    public MemoryTotals totals(int device, BufferType type) {
        return sumsOf(device).map(found -> found.of(type)).orElse(MemoryTotals.NOTHING);
    }

    /** Returns the sums of one type and lifetime on one device as the tracker kept them. */
    public MemoryTotals totals(int device, BufferType type, BufferLifetime lifetime) {
        return sumsOf(device)
                .map(found -> found.of(type, Optional.of(lifetime)))
                .orElse(MemoryTotals.NOTHING);
    }

    /** Returns what was kept of each device besides events, ascending; for whoever writes the history down. */
    @API(status = Status.INTERNAL)
    public synchronized List<DeviceSums> sums() {
        if (sums == null) {
            sums = store.sums();
        }
        return sums;
    }

    /** Returns what was allocated when the history was taken, by device, type and lifetime. */
    public MemorySnapshot snapshot() {
        return Snapshots.of(devices(), this::totals);
    }

    /**
     * Returns the number of entries that the tracker's ledger held, an independent count of the addresses of {@link #live()}.
     *
     * <p>The ledger counts references to addresses, as {@link CountingPolicy#REFERENCE_COUNTED} does, and knows neither meshes
     * nor lives of devices: two buffers that meshes lent at one address are one entry.
     */
    public long ledgerEntries() {
        long entries = 0;
        for (DeviceSums one : sums()) {
            entries += one.ledgerEntries();
        }
        return entries;
    }

    /** Returns how many frees found nothing to free; where every event was kept, {@link #anomalies()} has each. */
    public long freesOfNothing() {
        return sums().stream().mapToLong(DeviceSums::freesOfNothing).sum();
    }

    /** Returns whether every event was kept; if not, only live buffers and sums are known. */
    public boolean isComplete() {
        return store.isComplete();
    }

    /** Returns whether sizes say how far a buffer reaches from its address, as in memory that is not spread over banks. */
    public boolean hasFlatAddresses() {
        return store.hasFlatAddresses();
    }

    /** Returns every mesh that was opened, in order; a number that comes back is another mesh. */
    public Collection<MeshDescription> meshes() {
        return descriptions(replay().meshes.all());
    }

    /** Returns the meshes that were opened and not closed, in order; none in the {@linkplain #partOf part} of one whose time is over. */
    public Collection<MeshDescription> openMeshes() {
        return context == null ? descriptions(replay().meshes.open()) : List.of();
    }

    /**
     * Returns a mesh that is still open and may give the buffer back: the one that lent it, or where the reports do not say
     * which that was, any over its device in its present life.
     */
    public Optional<MeshDescription> openMeshOf(BufferGeneration buffer) {
        if (context != null) {
            return Optional.empty();
        }
        MeshOpenPeriod lender = buffer.allocatedBy();
        if (buffer.mesh().isPresent() && lender != null && lender.isAnnounced()) {
            return lender.isOpen() ? lender.description() : Optional.empty();
        }
        boolean isOfPresentLife = buffer.openPeriod() == openPeriodAt(buffer.device(), Long.MAX_VALUE);
        return replay().meshes.open().stream()
                .filter(mesh -> isOfPresentLife && mesh.liesOver(buffer.device()))
                .findFirst()
                .flatMap(MeshOpenPeriod::description);
    }

    /**
     * Returns the number of the event at which the close of the allocator that holds the buffer began, if it began.
     *
     * <p>The allocator of a mesh goes when the mesh closes, or when the close of another mesh closes its devices. The allocator that a
     * device has for itself goes with the last mesh over it. Where the reports do not say which of the two holds a buffer, the device's
     * counts.
     */
    public OptionalLong closeOf(BufferGeneration buffer) {
        long began = replay().closeOf(buffer);
        return began == Long.MAX_VALUE ? OptionalLong.empty() : OptionalLong.of(began);
    }

    /**
     * Returns whether two meshes were ever open over one device at a time: a mesh and a submesh of it, or two root meshes.
     * Each then has an allocator of its own, and what is said of one has to say of which.
     */
    public boolean meshesSharedADevice() {
        return replay().meshes.sharedADevice();
    }

    /**
     * Returns the openings of devices that were open already, where what the meshes reported cannot be told apart: some
     * buffer on the device does not say which mesh lent it, or both meshes go by one number.
     */
    public List<HistoryEvent.DeviceOpened> openedWhileOpen() {
        return Collections.unmodifiableList(replay().openedWhileOpen);
    }

    /** Returns the beginnings of phases, in order. */
    public List<HistoryEvent.PhaseBegan> phases() {
        return Collections.unmodifiableList(replay().phases);
    }

    /** Returns the phase in which the event of the given number happened. */
    public Phase phaseAt(long number) {
        List<HistoryEvent.PhaseBegan> phases = replay().phases;
        int low = 0;
        int high = phases.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (phases.get(middle).number() > number) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low == 0 ? Phase.START : phases.get(low - 1).phase();
    }

    /** Returns in which life a device was when the event of the given number happened, from 1. */
    public int openPeriodAt(int device, long number) {
        return replay().openPeriodAt(device, number);
    }

    /** Returns what the source said it could not report. */
    public List<HistoryEvent.ReportsLost> lostReports() {
        return Collections.unmodifiableList(replay().losses);
    }

    /** Returns every reading of a witness, oldest first. */
    public List<HistoryEvent.Witnessed> readings() {
        return replay().readings.events();
    }

    /**
     * Returns the reading that can stateOf for a buffer: the first one of the given moment after the latest report of it
     * that is still open that covers its memory, in the same life of its device.
     *
     * <p>Where its {@linkplain BufferGeneration#mesh() mesh} is known, only a reading of that opening of that mesh can. Where it is
     * not, and several meshes were open over the device when it was reported, a reading of any of them since its first report
     * that calls it taken speaks for it, and one that calls it free only if all of them do.
     */
    public Optional<HistoryEvent.Witnessed> readingFor(BufferGeneration buffer, WitnessSnapshot.Moment moment) {
        boolean doubted = !openedWhileOpen().isEmpty()
                && openedWhileOpen().stream().anyMatch(opening -> opening.device() == buffer.device());
        return replay().readings.readingFor(buffer, moment, doubted);
    }

    /**
     * Returns whether a report of the buffer was open when a witness was read, and what was read is the allocator that lent
     * it, as far as the report says which did.
     */
    public boolean explains(BufferGeneration buffer, HistoryEvent.Witnessed reading) {
        return replay().readings.explains(buffer, reading);
    }

    /**
     * Returns the lives that the given request began or took part in, in the order of its reports; none for a request
     * that nothing tells from others.
     */
    public List<BufferGeneration> buffersOf(AllocationRequest request) {
        if (request.isAnonymous()) {
            return List.of();
        }
        List<BufferGeneration> found = replay().byRequest.get(request);
        if (found == null) {
            found = settledReplay().byRequest.get(request);
        }
        return found == null ? List.of() : Collections.unmodifiableList(found);
    }

    /**
     * Returns the number of the event at which the owner ended, if it did.
     *
     * <p>Nothing for a name under which buffers were allocated in more lives of their devices than there were ends: then
     * it is not known which of its bearers is over.
     */
    public OptionalLong endOf(Owner owner) {
        GenerationBuilder.OwnerFate fate = replay().owners.get(owner);
        return fate == null || fate.ends < fate.bearers() ? OptionalLong.empty() : fate.endedAt;
    }

    /** Returns since when a cache keeps the owner, if one does or did. */
    public Optional<HistoryEvent.OwnerCached> cachingOf(Owner owner) {
        GenerationBuilder.OwnerFate fate = replay().owners.get(owner);
        return fate == null ? Optional.empty() : Optional.ofNullable(fate.cached);
    }

    /** Returns what was found out about the handle of a request, if anybody looked. */
    public Optional<HistoryEvent.HandleTraced> reachabilityOf(AllocationRequest request) {
        return request.isAnonymous()
                ? Optional.empty()
                : Optional.ofNullable(replay().traced.get(request));
    }

    /** Returns whether anything that could report was ever connected, as far as the events show. */
    public boolean hasSource() {
        return replay().hasSource || !sums().isEmpty() || !isComplete();
    }

    /** Returns the stretches in which the source heard of nothing, oldest first. */
    public List<HistoryEvent.TrackingStopped> gaps() {
        return Collections.unmodifiableList(replay().gaps);
    }

    /** Returns the canaries that were announced and did not arrive, or not their free; each says which. */
    public List<MissingCanary> missingCanaries() {
        return replay().canaries.missing();
    }

    /** Returns the last check that was made, if any was recorded. */
    public Optional<HistoryEvent.Checked> check() {
        return Optional.ofNullable(replay().check);
    }

    /** Returns the end of a process that reported, if it ended before the history was taken. */
    public Optional<HistoryEvent.ProcessDied> deathOf(long processId) {
        return Optional.ofNullable(replay().deaths.get(processId));
    }

    private void requireComplete(CountingPolicy policy) {
        if (!isComplete()) {
            throw new IllegalStateException("Cannot read this history as " + policy
                    + ": its tracker kept live buffers and totals only. Record with Retention.ALL, or ask for totals(…),"
                    + " which are those of REFERENCE_COUNTED.");
        }
    }

    private static Collection<MeshDescription> descriptions(List<MeshOpenPeriod> meshes) {
        List<MeshDescription> all = new ArrayList<>(meshes.size());
        meshes.forEach(mesh -> mesh.description().ifPresent(all::add));
        return Collections.unmodifiableList(all);
    }

    private Optional<DeviceSums> sumsOf(int device) {
        return sums().stream().filter(one -> one.device() == device).findFirst();
    }

    private synchronized GenerationBuilder replay() {
        if (replay == null) {
            replay = new GenerationBuilder(store.unsettled(), hasFlatAddresses());
        }
        return replay;
    }

    private synchronized GenerationBuilder settledReplay() {
        if (settledReplay == null) {
            settledReplay = new GenerationBuilder(store.settled(), hasFlatAddresses());
        }
        return settledReplay;
    }
}
