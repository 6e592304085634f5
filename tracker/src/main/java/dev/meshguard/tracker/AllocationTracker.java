package dev.meshguard.tracker;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferKind;
import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.event.MemoryTotals;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Origin;
import dev.meshguard.event.Owner;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.Phase;
import dev.meshguard.event.Quantities;
import dev.meshguard.event.Reachability;
import dev.meshguard.event.WitnessSnapshot;
import dev.meshguard.tracker.history.AllocationHistory;
import dev.meshguard.tracker.history.HistoryEvent;
import dev.meshguard.tracker.internal.DeviceRecorder;
import dev.meshguard.tracker.internal.DeviceRecorder.Effect;
import dev.meshguard.tracker.internal.EventLog;
import dev.meshguard.tracker.internal.PendingEvent;
import dev.meshguard.tracker.internal.Snapshots;
import java.time.Instant;
import java.time.InstantSource;
import java.time.LocalDate;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntConsumer;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.jspecify.annotations.Nullable;

/**
 * Records what happens to every buffer.
 *
 * <p>The only mutable part between a source of reports and a verdict. Sources feed it, on any thread; whoever wants to
 * know takes a {@link #history()} or a {@link #snapshot()} at any moment.
 *
 * <pre>{@code
 * AllocationTracker tracker = AllocationTracker.create();
 * tracker.allocated(0, BufferType.DRAM, 0x1000, 4096);
 * tracker.freed(0, BufferType.DRAM, 0x1000);
 * }</pre>
 *
 * <h2>What it promises</h2>
 *
 * <p>It never throws for what the code under test did. A double free, a free of an address nobody knows, another size
 * at a live address are events of the history, to be judged later with both sides at hand. A report that cannot be
 * recorded at all (a device id below 0 or above {@value #MAX_DEVICE}) is counted as lost, which makes every
 * verdict inconclusive. It does no I/O unless logging at DEBUG or a {@link Watch} asks for it.
 *
 * <h2>How it is built, and what that costs</h2>
 *
 * <p>Each device has books of its own behind a lock of its own: a flat table of live entries, sums that are kept as
 * reports arrive, and a journal in primitive arrays. Threads that work on different devices share nothing they write
 * to, so they do not slow each other down. Events get their numbers when the history is read. The one expensive thing
 * is the caller's stack; it is taken once per {@linkplain #request request}, kept unresolved, and resolved only when
 * somebody reads it. Stacks of buffers that were freed are kept for the first {@value #STACKS_KEPT} requests, and
 * once as many live buffers or as many frees hold one, new ones are resolved and interned: {@code docs/performance.md}
 * has the numbers.
 *
 * <h2>Limits</h2>
 *
 * <p>Live totals are those of {@code REFERENCE_COUNTED}; other policies are computed from a history when asked for. What two
 * allocators reserve at one address at a time are two entries, whose bytes add up; reports that name no allocator, and what an
 * allocator left when its mesh or device was closed, match by address.
 * With {@link Retention#LIVE_AND_TOTALS} the past of what was freed is gone.
 *
 * <p>Safe for use by several threads.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class AllocationTracker implements AllocationListener {

    /** The largest device id that can be recorded. */
    static final int MAX_DEVICE = 65_535;

    private static final long SECONDS_OF_DAY = 24 * 60 * 60;

    /** Stands for the mesh of a canary that names none. */
    private static final int NO_MESH = -1;

    /** How many stacks of freed requests, and how many unresolved stacks of live ones, are kept. */
    static final int STACKS_KEPT = 16_384;

    private final OriginCapture capture;
    private final Retention retention;
    private final boolean flatAddresses;
    private final InstantSource clock;
    private final List<Watch> watches;
    private final EventLog log = new EventLog();

    private volatile @Nullable DeviceRecorder[] devices = new @Nullable DeviceRecorder[0];
    private final List<PendingEvent> markers = new ArrayList<>();

    /** Orders requests. With origins it grows by one a request; without, only markers move it. */
    private final AtomicLong ticket = new AtomicLong(1);

    /** Where the last marker stands: what is reported after it must not move before it. */
    private volatile long lastMarker = 1;

    /** The canaries that arrived last, of which more may follow. */
    private @Nullable CanaryRun canaries;

    private final Deque<Phase> phases = new ArrayDeque<>(List.of(Phase.START));
    /** The labels that each thread has open, the innermost last. */
    private final Map<Thread, List<ThreadLabel>> labels = new ConcurrentHashMap<>();

    private final AllocationContexts contexts = new AllocationContexts(this::marks);
    private final StackKeeper stacks = new StackKeeper();

    /** What sources remember that last as long as what they report to, by its class. */
    private final Map<Class<?>, Object> companions = new ConcurrentHashMap<>();

    private AllocationTracker(Builder builder) {
        this.capture = builder.capture;
        this.retention = builder.retention;
        this.flatAddresses = builder.flatAddresses;
        this.clock = builder.clock;
        this.watches = List.copyOf(builder.watches);
    }

    /** Creates a tracker that keeps all events and the origin of every request for memory. */
    public static AllocationTracker create() {
        return builder().build();
    }

    /** Starts a tracker with other options. */
    public static Builder builder() {
        return new Builder();
    }

    // Reporting

    /**
     * Reports a buffer of which nothing else is known; the short form for an adapter around a device binding.
     *
     * @param device the device id, 0 to {@value #MAX_DEVICE}
     * @param type the memory
     * @param address the first address, in bytes
     * @param size the size, in bytes
     */
    public void allocated(int device, BufferType type, long address, long size) {
        allocated(request(AllocationDetails.user()), device, type, address, size, Ownership.UNKNOWN);
    }

    /** Reports that the buffer at an address was freed; the short form for an adapter around a device binding. */
    public void freed(int device, BufferType type, long address) {
        freed(release(AllocationDetails.user()), device, type, address, Ownership.UNKNOWN);
    }

    @Override
    public AllocationRequest request(AllocationDetails details) {
        return requestFrom(details, null);
    }

    /**
     * Begins one request for memory that an adapter passes on; its origin is the line that called the adapter.
     *
     * <p>Otherwise every buffer would seem to come from the one line of the adapter that reports.
     *
     * @param details what is known of the request
     * @param adapter the class through which the code under test asks for memory; its nested classes belong to it
     */
    public AllocationRequest request(AllocationDetails details, Class<?> adapter) {
        return requestFrom(details, adapter);
    }

    /**
     * Begins a request that another process makes: the stack of the thread that hears of it is not its origin, and its number is its
     * place among all that is heard.
     *
     * <p>For sources of MeshGuard's own that are told by other processes.
     */
    @API(status = Status.INTERNAL, since = "0.1")
    public AllocationRequest requestOfProcess(AllocationDetails details) {
        return AllocationRequest.numbered(details, ticket.incrementAndGet(), null, null);
    }

    private AllocationRequest requestFrom(AllocationDetails details, @Nullable Class<?> adapter) {
        if (details.kind() == BufferKind.CANARY) {
            return AllocationRequest.of(details);
        }
        AllocationDetails complete = withLabelOfThread(details);
        if (capture == OriginCapture.NONE) {
            return withoutOrigin(complete);
        }
        return AllocationRequest.numbered(
                complete, ticket.incrementAndGet(), stacks.keep(CallStack.above(adapter)), contexts.current());
    }

    @Override
    public AllocationRequest release(AllocationDetails details) {
        if (details.kind() == BufferKind.CANARY) {
            return AllocationRequest.of(details);
        }
        if (capture == OriginCapture.NONE) {
            return withoutOrigin(details);
        }
        boolean withOrigin = capture == OriginCapture.ALLOCATIONS_AND_FREES && !details.handleCollected();
        return AllocationRequest.numbered(
                details,
                ticket.incrementAndGet(),
                withOrigin ? stacks.keepOfFree(new CallStack()) : null,
                contexts.current());
    }

    @Override
    public void allocated(
            AllocationRequest request, int device, BufferType type, long address, long size, Ownership ownership) {
        if (request.details().kind() == BufferKind.CANARY) {
            canaryArrived(request, device, false);
            return;
        }
        DeviceRecorder books = recorderOf(device);
        if (books == null) {
            deviceOutOfRange(device);
            return;
        }
        if (size < 0) {
            reportsLost(1, "the size of a " + type + " buffer on device " + device + " was reported as " + size);
            return;
        }
        Effect effect = books.allocated(ticketOf(request), orNull(request), type, address, size, ownership);
        if (effect != Effect.ENTERED) {
            request.context().ifPresent(AllocationContext::didWhatDoesNotFit);
            repeated(effect, request, device, type, address, size);
        }
        if (log.isOn()) {
            log.allocated(request, device, type, address, size, ownership, effect);
        }
        for (Watch watch : watches) {
            if (watch.fits(device, type, address, size)) {
                log.watched("allocated", request, device, type, address, size);
            }
        }
    }

    @Override
    public void freed(AllocationRequest release, int device, BufferType type, long address, Ownership ownership) {
        if (release.details().kind() == BufferKind.CANARY) {
            canaryArrived(release, device, true);
            return;
        }
        DeviceRecorder books = recorderOf(device);
        if (books == null) {
            deviceOutOfRange(device);
            return;
        }
        long watchedSize = watches.isEmpty() ? -1 : books.liveSize(release, type, address);
        Effect effect = books.freed(ticketOf(release), orNull(release), type, address, ownership);
        if (effect == Effect.NOTHING_TO_FREE) {
            addStack(release);
            release.context().ifPresent(AllocationContext::didWhatDoesNotFit);
            log.nothingToFree(device, type, address);
        }
        if (log.isOn()) {
            log.freed(release, device, type, address, ownership, effect);
        }
        for (Watch watch : watches) {
            if (watch.fits(device, type, address, watchedSize)) {
                addStack(release);
                log.watched("freed", release, device, type, address, watchedSize);
            }
        }
    }

    @Override
    public void freeIgnored(
            AllocationRequest release, int device, BufferType type, long address, IgnoredFreeReason reason) {
        DeviceRecorder books = recorderOf(device);
        if (books == null) {
            deviceOutOfRange(device);
            return;
        }
        addStack(release);
        release.context().ifPresent(AllocationContext::didWhatDoesNotFit);
        books.freeIgnored(ticketOf(release), release, type, address, reason);
        log.ignoredFree(device, type, address, reason);
        if (log.isOn()) {
            log.freeIgnored(release, device, type, address, reason);
        }
        for (Watch watch : watches) {
            if (watch.fits(device, type, address, -1)) {
                log.watched("free ignored: " + reason.description(), release, device, type, address, -1);
            }
        }
    }

    @Override
    public Scope phase(Phase phase) {
        Phase mine = new Phase(phase.name());
        synchronized (markers) {
            phases.push(mine);
            beginPhase(mine);
        }
        return () -> {
            synchronized (markers) {
                endPhase(mine);
            }
        };
    }

    /** Begins a phase with a name of the test's own. */
    public Scope phase(String name) {
        return phase(new Phase(name));
    }

    /** Returns the phase in which an event would be recorded now. */
    public Phase currentPhase() {
        synchronized (markers) {
            return phases.element();
        }
    }

    @Override
    public void ownerCached(Owner owner, String cache) {
        mark(number -> new HistoryEvent.OwnerCached(number, owner, cache));
        log.marked("owner cached", "owner", owner);
    }

    @Override
    public void ownerEnded(Owner owner) {
        mark(number -> new HistoryEvent.OwnerEnded(number, owner));
        log.marked("owner ended", "owner", owner);
    }

    @Override
    public void meshOpened(MeshDescription mesh) {
        Instant now = clock.instant();
        mark(number -> new HistoryEvent.MeshOpened(number, now, mesh));
        log.meshOpened(mesh);
    }

    @Override
    public void meshClosing(int mesh) {
        Instant now = clock.instant();
        mark(number -> new HistoryEvent.MeshClosing(number, now, mesh));
        log.marked("mesh closing", "mesh", mesh);
    }

    @Override
    public void meshClosed(int mesh) {
        Instant now = clock.instant();
        mark(number -> new HistoryEvent.MeshClosed(number, now, mesh));
        for (DeviceRecorder books : devices) {
            if (books != null) {
                books.meshClosed(mesh);
            }
        }
        log.meshClosed(mesh, this::liveBuffers, this::liveBytes);
    }

    @Override
    public void deviceOpened(int device) {
        mark(number -> new HistoryEvent.DeviceOpened(number, device));
        if (log.isOn()) {
            log.marked("device opened", "device", device);
        }
    }

    @Override
    public void deviceClosed(int device) {
        mark(number -> new HistoryEvent.DeviceClosed(number, device));
        DeviceRecorder books = existingRecorderOf(device);
        if (books != null) {
            books.deviceClosed();
        }
        if (log.isOn()) {
            log.marked("device closed", "device", device);
        }
    }

    @Override
    public void witnessed(WitnessSnapshot reading) {
        mark(number -> new HistoryEvent.Witnessed(number, reading));
        log.marked("witnessed", "moment", reading.moment());
        if (retention == Retention.LIVE_AND_TOTALS && reading.moment() == WitnessSnapshot.Moment.CLOSE_BEGUN) {
            compareWithLedger(reading);
        }
    }

    /**
     * Without a past, what was live when a close began is known at that moment only: after a free that comes later, its buffer would look as
     * if nobody had reported it.
     */
    private void compareWithLedger(WitnessSnapshot reading) {
        long unreported = 0;
        String first = "";
        for (int device : reading.devices()) {
            DeviceRecorder books = existingRecorderOf(device);
            for (BufferType type : BufferType.values()) {
                for (long address : reading.allocatedAddresses(device, type)) {
                    if (books == null || !books.explains(reading, type, address)) {
                        unreported++;
                        first = first.isEmpty()
                                ? type + " " + Quantities.address(address) + " on device " + device
                                : first;
                    }
                }
            }
        }
        if (unreported > 0) {
            String reason = String.format(
                    Locale.ROOT,
                    "when the close of mesh %d began, its allocator held %s that the books do not, the first at %s",
                    reading.mesh(),
                    Quantities.count(unreported, "buffer"),
                    first);
            mark(number -> new HistoryEvent.ReportsLost(number, -1, reason));
            log.marked("reports lost", "reason", reason);
        }
    }

    @Override
    public void reportsLost(long count, String reason) {
        if (count == 0) {
            return;
        }
        mark(number -> new HistoryEvent.ReportsLost(number, count, reason));
        log.reportsLost(count, reason);
    }

    @Override
    public void handedOut(AllocationRequest request, Object handle) {
        request.handedOut(handle);
    }

    @Override
    public void sourceAttached(String source) {
        mark(number -> new HistoryEvent.SourceAttached(number, source));
        log.marked("source attached", "source", source);
    }

    @Override
    public void sourceAttached(String source, String covers) {
        mark(number -> new HistoryEvent.SourceAttached(number, source, Optional.of(covers)));
        log.marked("source attached", "source", source);
    }

    @Override
    public void processDied(long processId) {
        mark(number -> new HistoryEvent.ProcessDied(number, processId));
        log.marked("process died", "process", processId);
    }

    @Override
    public void trackingStopped(String reason) {
        mark(number -> new HistoryEvent.TrackingStopped(number, reason));
        log.marked("tracking stopped", "reason", reason);
    }

    @Override
    public void trackingStarted() {
        mark(HistoryEvent.TrackingStarted::new);
        log.marked("tracking started", "reason", "");
    }

    @Override
    public void canaryPlanted(int mesh, List<Integer> canaries) {
        mark(number -> new HistoryEvent.CanaryPlanted(number, mesh, canaries));
    }

    /**
     * Records that the check is made now, with today's date: what is freed later is late, and entries of an allowlist that end are
     * judged against the date. Whoever asks for a verdict at the end of a test or of a run calls it before.
     */
    public void checked() {
        checked(LocalDate.ofEpochDay(Math.floorDiv(clock.instant().getEpochSecond(), SECONDS_OF_DAY)));
    }

    /** Records that the check is made now, on a day that somebody else knows. */
    public void checked(LocalDate today) {
        mark(number -> new HistoryEvent.Checked(number, today));
        log.marked("checked", "today", today);
    }

    /** Records whether the handle of a request can still be reached. */
    public void traced(AllocationRequest request, Reachability reachability) {
        mark(number -> new HistoryEvent.HandleTraced(number, request, reachability));
        log.marked("handle traced", "state", reachability.state());
    }

    // Rounds

    /**
     * Begins a round: one run of code that is repeated. What each round leaves behind tells a leak from a cache.
     *
     * <pre>{@code
     * for (int round = 1; round <= 4; round++) {
     *     try (Scope counted = tracker.round(round)) {
     *         decode(tokens);
     *     }
     * }
     * }</pre>
     *
     * <p>Rounds follow one another; of rounds that overlap it cannot be told which left what, and whoever judges says so.
     *
     * @param round the number of the round, 1 or more
     * @throws IllegalArgumentException if the number is less
     */
    public Scope round(int round) {
        if (round < 1) {
            throw new IllegalArgumentException("Rounds are counted from 1: round " + round + " was begun");
        }
        mark(number -> new HistoryEvent.RoundBegan(number, round));
        log.marked("round began", "round", round);
        AtomicBoolean ended = new AtomicBoolean();
        return () -> {
            if (ended.compareAndSet(false, true)) {
                mark(number -> new HistoryEvent.RoundEnded(number, round));
                log.marked("round ended", "round", round);
            }
        };
    }

    /** Runs code a number of times, each time as a round; the code is given the number of its round, from 1. */
    public void rounds(int rounds, IntConsumer code) {
        for (int round = 1; round <= rounds; round++) {
            try (Scope counted = round(round)) {
                code.accept(round);
            }
        }
    }

    // Tenants

    /**
     * Begins a tenant: one of several who share this tracker, to whom is counted what it asks for.
     *
     * @throws IllegalArgumentException if the name is blank
     */
    public AllocationContext context(String name) {
        return contexts.begin(name, null);
    }

    /**
     * Counts to no tenant what the calling thread asks for until the scope is closed, whoever is there.
     *
     * <p>For what is done for all of them while some are there already; without it the thread may be taken for a helper of one.
     */
    public Scope outsideContexts() {
        return contexts.bind(Thread.currentThread(), null);
    }

    private int marks() {
        synchronized (markers) {
            return markers.size();
        }
    }

    // Labels

    /**
     * Says what the buffers are for that the calling thread asks for until the scope is closed.
     *
     * <p>The label belongs to this thread and this tracker; a label that a source gives itself goes first. Scopes may
     * be nested.
     *
     * @throws IllegalArgumentException if the label is blank
     */
    public Scope label(String label) {
        if (label.isBlank()) {
            throw new IllegalArgumentException("A label says what buffers are for: the label given is blank");
        }
        Thread thread = Thread.currentThread();
        ThreadLabel mine = new ThreadLabel(label);
        labels.compute(thread, (unused, outer) -> outer == null ? List.of(mine) : appended(outer, mine));
        return () -> labels.computeIfPresent(thread, (unused, open) -> without(open, mine));
    }

    /** Says what the buffers are for that the calling thread asks for in a piece of code. */
    public void label(String label, Runnable code) {
        try (Scope labelled = label(label)) {
            code.run();
        }
    }

    /** Says what the buffers are for that the calling thread asks for in a piece of code, and returns its result. */
    public <T> T label(String label, Supplier<T> code) {
        try (Scope labelled = label(label)) {
            return code.get();
        }
    }

    // Asking

    /** Returns the devices that anything was reported for, ascending. */
    public List<Integer> devices() {
        List<Integer> known = new ArrayList<>();
        @Nullable DeviceRecorder[] all = devices;
        for (int device = 0; device < all.length; device++) {
            if (all[device] != null) {
                known.add(device);
            }
        }
        return known;
    }

    /** Returns the sums of one type on one device. */
    public MemoryTotals totals(int device, BufferType type) {
        DeviceRecorder books = existingRecorderOf(device);
        return books == null ? MemoryTotals.NOTHING : books.totals(type);
    }

    /** Returns the sums of one type and lifetime on one device. */
    public MemoryTotals totals(int device, BufferType type, BufferLifetime lifetime) {
        DeviceRecorder books = existingRecorderOf(device);
        return books == null ? MemoryTotals.NOTHING : books.totals(type, lifetime);
    }

    /** Returns the bytes now allocated of one type on one device. */
    public long liveBytes(int device, BufferType type) {
        return totals(device, type).liveBytes();
    }

    /** Returns the bytes now allocated of one type on all devices. */
    public long liveBytes(BufferType type) {
        return devices().stream().mapToLong(device -> liveBytes(device, type)).sum();
    }

    /** Returns the bytes now allocated on all devices. */
    public long liveBytes() {
        return Arrays.stream(BufferType.values()).mapToLong(this::liveBytes).sum();
    }

    /** Returns the number of entries now allocated on all devices. */
    public long liveBuffers() {
        long entries = 0;
        for (DeviceRecorder books : devices) {
            if (books != null) {
                entries += books.entries();
            }
        }
        return entries;
    }

    /** Returns what is allocated now, by device, type and lifetime; to be compared with another moment. */
    public MemorySnapshot snapshot() {
        return Snapshots.of(devices(), this::totals);
    }

    /** Returns whether every event is kept, so that memory use grows with each of them. */
    @API(status = Status.INTERNAL, since = "0.1")
    public boolean keepsEvents() {
        return retention == Retention.ALL;
    }

    /** Returns everything recorded so far; what is reported later does not change it. */
    public AllocationHistory history() {
        synchronized (markers) {
            CanaryRun run = canaries;
            if (run != null && run.ticket == lastMarker) {
                markers.set(markers.size() - 1, run.untilNow());
            }
            List<DeviceRecorder.Recording> recordings = new ArrayList<>();
            for (DeviceRecorder books : devices) {
                if (books != null) {
                    recordings.add(books.recording());
                }
            }
            return AllocationHistory.recorded(markers, recordings, flatAddresses);
        }
    }

    /**
     * Returns what a source remembers for as long as this tracker lives, made when it is first asked for.
     *
     * <p>For sources of MeshGuard's own whose parts find one another through the tracker that they report to.
     *
     * @param type the class of what is remembered; each has one object
     * @param first makes it; must not ask for a companion itself
     */
    @API(status = Status.INTERNAL, since = "0.1")
    public <T> T attachment(Class<T> type, Supplier<T> first) {
        return type.cast(companions.computeIfAbsent(type, unused -> first.get()));
    }

    // Helpers

    private void repeated(
            Effect effect, AllocationRequest request, int device, BufferType type, long address, long size) {
        if (effect == Effect.REPEATED_WITH_OTHER_SIZE && request.details().kind() == BufferKind.BUFFER) {
            log.sizeChange(device, type, address, size);
        } else if (effect == Effect.ENTERED_OVER_ANOTHER) {
            log.overAnotherAllocator(device, type, address, size);
        }
    }

    private AllocationDetails withLabelOfThread(AllocationDetails details) {
        if (labels.isEmpty() || details.label().isPresent()) {
            return details;
        }
        List<ThreadLabel> open = labels.get(Thread.currentThread());
        return open == null
                ? details
                : details.labelled(open.get(open.size() - 1).text());
    }

    /** Only what nobody describes goes without a number, so that such reports share nothing between threads. */
    private AllocationRequest withoutOrigin(AllocationDetails details) {
        AllocationRequest plain = AllocationRequest.of(details);
        AllocationContext tenant = contexts.current();
        return plain.isAnonymous() && tenant == null
                ? plain
                : AllocationRequest.numbered(details, ticket.incrementAndGet(), null, tenant);
    }

    private static List<ThreadLabel> appended(List<ThreadLabel> open, ThreadLabel label) {
        List<ThreadLabel> more = new ArrayList<>(open);
        more.add(label);
        return more;
    }

    @SuppressWarnings("ReferenceEquality") // Two scopes with one text are two scopes.
    private static @Nullable List<ThreadLabel> without(List<ThreadLabel> open, ThreadLabel label) {
        List<ThreadLabel> rest =
                open.stream().filter(candidate -> candidate != label).toList();
        return rest.isEmpty() ? null : rest;
    }

    /** Canaries of one mesh that arrived one after the other. */
    private static final class CanaryRun {
        private final int mesh;
        private final boolean freed;
        private final long ticket;
        /** Only added to, so that a history that was taken before may keep them. */
        private int[] devices = new int[8];

        private int count;
        /** Whether the marker in the list tells of some of them only, because a history was taken. */
        private boolean isCut;

        CanaryRun(int mesh, boolean freed, long place) {
            this.mesh = mesh;
            this.freed = freed;
            this.ticket = place;
        }

        boolean isOf(int otherMesh, boolean otherFreed) {
            return mesh == otherMesh && freed == otherFreed;
        }

        void add(int device) {
            if (count == devices.length) {
                devices = Arrays.copyOf(devices, 2 * count);
            }
            devices[count++] = device;
        }

        /** Returns what tells of all, those that are still to come too. */
        PendingEvent whole() {
            isCut = false;
            return new PendingEvent(ticket, number -> event(number, devices, count));
        }

        /** Returns what tells of those that have come. */
        PendingEvent untilNow() {
            isCut = true;
            int[] soFar = devices;
            int known = count;
            return new PendingEvent(ticket, number -> event(number, soFar, known));
        }

        private HistoryEvent event(long number, int[] soFar, int known) {
            List<Integer> seen = new ArrayList<>(known);
            for (int i = 0; i < known; i++) {
                seen.add(soFar[i]);
            }
            return freed
                    ? new HistoryEvent.CanaryFreed(number, mesh, seen)
                    : new HistoryEvent.CanarySeen(number, mesh, seen);
        }
    }

    /** One open scope. */
    private record ThreadLabel(String text) {}

    /** A request may be older than a marker that its report is younger than: the report counts. */
    private long ticketOf(AllocationRequest request) {
        long own = request.ticket();
        return own == 0 ? ticket.get() : Math.max(own, lastMarker);
    }

    /** The journal keeps nothing for a request that says nothing. */
    private static @Nullable AllocationRequest orNull(AllocationRequest request) {
        return request.isAnonymous() ? null : request;
    }

    /** A free that finds nothing, or that somebody watches for, is rare and always asks who did it; a collector is nobody. */
    private void addStack(AllocationRequest release) {
        if (capture != OriginCapture.NONE && !release.details().handleCollected()) {
            release.addStack(stacks.keepOfFree(new CallStack()));
        }
    }

    private void mark(LongFunction<HistoryEvent> event) {
        synchronized (markers) {
            long place = ticket.incrementAndGet();
            markers.add(new PendingEvent(place, event));
            lastMarker = place;
        }
    }

    /** Canaries that arrive one after the other, with nothing between them, are one event: they say one thing. */
    private void canaryArrived(AllocationRequest canary, int device, boolean freed) {
        int mesh = canary.details().mesh().orElse(NO_MESH);
        synchronized (markers) {
            CanaryRun before = canaries;
            boolean goesOn = before != null
                    && before.isOf(mesh, freed)
                    && before.ticket == lastMarker
                    && ticket.get() == lastMarker;
            if (before != null && goesOn) {
                before.add(device);
                if (before.isCut) {
                    markers.set(markers.size() - 1, before.whole());
                }
            } else {
                CanaryRun run = new CanaryRun(mesh, freed, ticket.incrementAndGet());
                run.add(device);
                markers.add(run.whole());
                lastMarker = run.ticket;
                canaries = run;
            }
        }
    }

    private void beginPhase(Phase phase) {
        Instant now = clock.instant();
        mark(number -> new HistoryEvent.PhaseBegan(number, now, phase));
        log.marked("phase began", "phase", phase);
    }

    /** Ends this phase and no other: scopes may be closed in any order, and twice. */
    @SuppressWarnings("ReferenceEquality") // Two phases of one name are two phases.
    private void endPhase(Phase phase) {
        boolean current = phases.element() == phase;
        boolean ended = current ? phases.pop() == phase : phases.removeIf(open -> open == phase);
        if (ended && current) {
            beginPhase(phases.element());
        }
    }

    private void deviceOutOfRange(int device) {
        reportsLost(1, "device " + device + " was reported, and only devices 0 to " + MAX_DEVICE + " can be");
    }

    private @Nullable DeviceRecorder existingRecorderOf(int device) {
        @Nullable DeviceRecorder[] all = devices;
        return device < 0 || device >= all.length ? null : all[device];
    }

    private @Nullable DeviceRecorder recorderOf(int device) {
        DeviceRecorder books = existingRecorderOf(device);
        return books != null || device < 0 || device > MAX_DEVICE ? books : newRecorderOf(device);
    }

    private synchronized DeviceRecorder newRecorderOf(int device) {
        @Nullable DeviceRecorder[] all = Arrays.copyOf(devices, Math.max(devices.length, device + 1));
        DeviceRecorder books = all[device];
        if (books == null) {
            books = new DeviceRecorder(device, retention == Retention.ALL, stacks);
            all[device] = books;
            devices = all;
        }
        return books;
    }

    /** Bounds the memory that stacks take: a stack of a hundred frames holds some two kilobytes. */
    private static final class StackKeeper implements DeviceRecorder.StackKeeper {

        private final AtomicInteger live = new AtomicInteger();
        private final AtomicInteger keptOfFreed = new AtomicInteger();
        private final AtomicInteger keptOfFrees = new AtomicInteger();
        private final Map<Origin, Origin> interned = new ConcurrentHashMap<>();

        /** Returns what to keep of a stack that was just taken: the stack, or what it says. */
        Object keep(CallStack stack) {
            if (live.get() < STACKS_KEPT) {
                return stack;
            }
            return interned(stack);
        }

        /** Returns what to keep of the stack of a free, which stays as long as the journal does. */
        Object keepOfFree(CallStack stack) {
            boolean few = keptOfFrees.get() < STACKS_KEPT && keptOfFrees.incrementAndGet() <= STACKS_KEPT;
            return few ? stack : interned(stack);
        }

        private Origin interned(CallStack stack) {
            Origin origin = Origin.of(stack.getStackTrace());
            Origin known = interned.putIfAbsent(origin, origin);
            return known == null ? origin : known;
        }

        @Override
        public void entered(AllocationRequest request) {
            request.context().ifPresent(AllocationContext::entered);
            if (request.hasStack() && request.entered()) {
                live.incrementAndGet();
            }
        }

        @Override
        public void removed(AllocationRequest request) {
            request.context().ifPresent(AllocationContext::removed);
            if (request.hasStack() && request.removed()) {
                live.decrementAndGet();
                if (keptOfFreed.get() >= STACKS_KEPT || keptOfFreed.incrementAndGet() > STACKS_KEPT) {
                    request.forgetOrigin();
                }
            }
        }
    }

    /** A stack that is resolved only when somebody reads it. */
    private static class CallStack extends Throwable {
        private static final long serialVersionUID = 1;

        CallStack() {
            super(null, null, false, true);
        }

        static CallStack above(@Nullable Class<?> adapter) {
            return adapter == null ? new CallStack() : new AdaptedStack(adapter.getName());
        }
    }

    /** A stack that begins where an adapter was called. */
    private static final class AdaptedStack extends CallStack {
        private static final long serialVersionUID = 1;

        private final String adapter;

        AdaptedStack(String adapter) {
            this.adapter = adapter;
        }

        @Override
        public StackTraceElement[] getStackTrace() {
            StackTraceElement[] frames = super.getStackTrace();
            int caller = 0;
            while (caller < frames.length && !isOfAdapter(frames[caller])) {
                caller++;
            }
            while (caller < frames.length && isOfAdapter(frames[caller])) {
                caller++;
            }
            return caller == frames.length ? frames : Arrays.copyOfRange(frames, caller, frames.length);
        }

        private boolean isOfAdapter(StackTraceElement frame) {
            String name = frame.getClassName();
            return name.startsWith(adapter)
                    && (name.length() == adapter.length() || name.charAt(adapter.length()) == '$');
        }
    }

    /** Chooses what a tracker records; not safe for use by several threads. */
    @API(status = Status.EXPERIMENTAL, since = "0.1")
    public static final class Builder {

        private OriginCapture capture = OriginCapture.ALLOCATIONS;
        private Retention retention = Retention.ALL;
        private boolean flatAddresses = true;
        private InstantSource clock = InstantSource.system();
        private final List<Watch> watches = Watch.ofProperty();

        private Builder() {}

        /** Chooses whose stack is taken; {@link OriginCapture#ALLOCATIONS} unless set. */
        public Builder originCapture(OriginCapture newCapture) {
            capture = newCapture;
            return this;
        }

        /** Chooses what is kept; {@link Retention#ALL} unless set. */
        public Builder retention(Retention newRetention) {
            retention = newRetention;
            return this;
        }

        /**
         * Says that buffers are spread over banks: an address and a size then say nothing about which bytes of a bank
         * are taken, and overlaps are seen only where the source gives the extent. Unless set, a buffer is taken to
         * lie in one piece from its address on.
         */
        public Builder bankedAddresses() {
            flatAddresses = false;
            return this;
        }

        /** Takes the times of phases and meshes from another source than the system's clock. */
        public Builder clock(InstantSource newClock) {
            clock = newClock;
            return this;
        }

        /** Logs events that fit, with their origin, as they happen. */
        public Builder watch(Watch watch) {
            watches.add(watch);
            return this;
        }

        /** Returns the tracker. */
        public AllocationTracker build() {
            return new AllocationTracker(this);
        }
    }
}
