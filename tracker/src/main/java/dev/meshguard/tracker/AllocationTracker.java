package dev.meshguard.tracker;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Origin;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.Phase;
import dev.meshguard.event.Reachability;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.MemorySnapshot;
import dev.meshguard.history.internal.Journal.Kind;
import dev.meshguard.history.internal.Ledger;
import dev.meshguard.tracker.internal.MeshObserver;
import dev.meshguard.tracker.internal.StackReserve;
import java.lang.ref.WeakReference;
import java.time.Instant;
import java.time.InstantSource;
import java.time.LocalDate;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntConsumer;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.jspecify.annotations.Nullable;

/**
 * Records everything that sources report of buffers and meshes, and returns it as a history to check.
 *
 * <p>It is the only mutable part between a source of reports and a verdict. Sources report to it on any thread; callers
 * take a {@link #history()} or a {@link #snapshot()} at any moment.
 *
 * <pre>{@code
 * AllocationTracker tracker = AllocationTracker.create();
 * tracker.allocated(0, BufferType.DRAM, 0x1000, 4096);
 * tracker.freed(0, BufferType.DRAM, 0x1000);
 * }</pre>
 *
 * <h2>Guarantees</h2>
 *
 * <p>It never throws because of what the code under test did. A double free, a free of an unknown address and another
 * size at a live address are events of the history. A check judges them later with both sides at hand. A report that
 * cannot be recorded (a device id below 0 or above {@value HistoryEvent#MAX_DEVICE}) is counted as lost, which makes every verdict
 * inconclusive. The tracker does no I/O.
 *
 * <p>A {@link StackOverflowError} in a report is the code under test's own, and strikes before anything is recorded. A source that begins its
 * {@linkplain #request(AllocationDetails) request} before it allocates has then allocated nothing; any other report that fails is lost.
 *
 * <h2>Implementation and costs</h2>
 *
 * <p>Every report is appended to one journal and entered in one ledger, behind one lock. The ledger uses entries of freed
 * buffers again, so a report rarely creates an object. A history is the events of the journal at one moment, without a copy.
 *
 * <p>The only expensive part is the caller's stack. It is captured once per {@linkplain #request request}, kept
 * unresolved, and resolved only when it is read. Stacks of freed buffers are kept for the first 16,384
 * requests. Once as many live buffers or as many frees hold a stack, new ones are resolved and interned.
 * {@code docs/internals/performance.md} has the numbers.
 *
 * <h2>Limits</h2>
 *
 * <p>Live totals are those of {@code REFERENCE_COUNTED}; other policies are computed from a history on request. Two
 * allocators that reserve one address at a time make two entries, whose bytes add up. Reports that name no allocator,
 * and buffers that survive the close of their mesh or device, match by address. A free that names another kind, owner or
 * extent than the only report at its address frees nothing. Every event is kept, so memory use grows with each report.
 *
 * <p>Safe for use by several threads.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class AllocationTracker implements AllocationListener {

    private static final long SECONDS_OF_DAY = 24 * 60 * 60;

    private static final AtomicBoolean ARE_CLASSES_LOADED = new AtomicBoolean();

    private final OriginCapture capture;
    private final boolean flatAddresses;
    private final InstantSource clock;

    private final StackKeeper stacks = new StackKeeper();
    private final ReportRecorder recorder = new ReportRecorder(stacks);

    /** The number of the last lease, which is the address of its memory in the history. */
    private final AtomicLong leases = new AtomicLong();

    /** The open phases, the innermost first. Guarded by itself. */
    private final Deque<Phase> phases = new ArrayDeque<>(List.of(Phase.START));

    private final ThreadScopes<String> labels = new ThreadScopes<>();
    private final ThreadScopes<AllocationContext> contexts = new ThreadScopes<>();
    private final Supplier<Optional<AllocationContext>> contextOfThread;
    private volatile boolean hasContexts;

    private volatile boolean keepsStacksOfFrees;

    /** Whether a test checks this tracker when it ends. */
    private final boolean isOfTest;

    /** Whether anybody has asked for what was recorded; does not refer to this tracker. */
    private final AtomicBoolean isExamined = new AtomicBoolean();

    private final List<ClassNames> partsOfHandles = new CopyOnWriteArrayList<>();

    /** Data of sources that lasts as long as this tracker, by its class. */
    private final Map<Class<?>, Object> attachments = new ConcurrentHashMap<>();

    private AllocationTracker(Builder builder) {
        this.capture = builder.capture;
        this.flatAddresses = builder.flatAddresses;
        this.clock = builder.clock;
        this.contextOfThread = builder.contextOfThread;
        this.isOfTest = builder.isOfTest;
    }

    /** Creates a tracker that keeps the origin of every request for memory. */
    public static AllocationTracker create() {
        return builder().build();
    }

    /** Starts a tracker with other options. */
    public static Builder builder() {
        return new Builder();
    }

    // Reporting

    /**
     * Reports a buffer of which nothing else is known. This is the short form for an adapter around a device binding.
     *
     * @param device the device id, 0 to {@value HistoryEvent#MAX_DEVICE}
     * @param type the memory
     * @param address the first address, in bytes
     * @param size the size, in bytes
     */
    public void allocated(int device, BufferType type, long address, long size) {
        allocated(
                request(AllocationDetails.user(), OriginFilter.none()), device, type, address, size, Ownership.UNKNOWN);
    }

    /**
     * Reports that the buffer at an address was freed. This is the short form for an adapter around a device binding.
     */
    public void freed(int device, BufferType type, long address) {
        freed(release(AllocationDetails.user(), OriginFilter.none()), device, type, address, Ownership.UNKNOWN);
    }

    @Override
    public MemoryRequest request(AllocationDetails details) {
        StackReserve.forReport();
        return requested(details, OriginFilter.none());
    }

    /**
     * Begins a request of another process: the receiving thread's stack is not the process's. It is
     * ordered among the requests by the moment at which it is received.
     *
     * <p>For MeshGuard's own sources that receive reports of other processes.
     *
     * @param origin what the client in the process captured; empty if it captures nothing
     */
    @API(status = Status.INTERNAL, since = "0.1")
    public MemoryRequest requestOfProcess(AllocationDetails details, Optional<Origin> origin) {
        return new TrackedRequest(details, recorder.nextTicket(), origin.orElse(null), null);
    }

    /**
     * Begins one allocation request that an adapter passes on; its origin is the line that called the adapter.
     *
     * @param details the known properties of the request
     * @param callers skips the frames of the adapter
     */
    public MemoryRequest request(AllocationDetails details, OriginFilter callers) {
        reserveStack();
        return requested(details, callers);
    }

    private MemoryRequest requested(AllocationDetails details, OriginFilter callers) {
        AllocationDetails complete = withLabelOfThread(details);
        AllocationContext context = contextOfRequest();
        return capture == OriginCapture.NONE
                ? withoutOrigin(complete, context != null, context)
                : tracked(complete, stacks.keep(new CallStack(callers)), context);
    }

    @Override
    public MemoryRequest release(AllocationDetails details) {
        StackReserve.forReport();
        return released(details, OriginFilter.none());
    }

    @Override
    public MemoryRequest releaseByAddress(AllocationDetails details) {
        MemoryRequest release = release(details);
        addStack(release);
        return release;
    }

    /**
     * Begins one request that frees memory and that an adapter passes on. It is attributed to a context only if it frees nothing.
     *
     * @param details the known properties of the request
     * @param callers skips the frames of the adapter
     */
    public MemoryRequest release(AllocationDetails details, OriginFilter callers) {
        reserveStack();
        return released(details, callers);
    }

    private MemoryRequest released(AllocationDetails details, OriginFilter callers) {
        if (capture == OriginCapture.NONE) {
            return withoutOrigin(details, hasContexts, null);
        }
        boolean withOrigin = capture == OriginCapture.ALLOCATIONS_AND_FREES && !details.handleCollected();
        return tracked(details, withOrigin ? stacks.keepOfFree(new CallStack(callers)) : callers, null);
    }

    /**
     * Reports memory that belongs to no device, for example the memory of a Java library outside the heap.
     *
     * @param details the known properties of the memory
     * @param callers skips the frames of the adapter and the library
     * @param type the memory
     * @param bytes the size, from 0; 0 if it is unknown
     */
    public Lease lease(AllocationDetails details, OriginFilter callers, BufferType type, long bytes) {
        reserveStack();
        AllocationDetails complete = withLabelOfThread(details);
        AllocationContext context = contextOfRequest();
        // Without origins, one request may stand for many, and such a request has no handle.
        @Nullable Object stack = capture == OriginCapture.NONE ? null : stacks.keep(new CallStack(callers));
        MemoryRequest request = tracked(complete, stack, context);
        long number = leases.incrementAndGet();
        allocated(request, HistoryEvent.NO_DEVICE, type, number, bytes, Ownership.UNKNOWN);
        return new Lease(this, request, callers, type, number);
    }

    /** Withdraws the latest lease that has this handle, if there is one. For a source that keeps no {@link Lease} of freed memory. */
    @API(status = Status.INTERNAL, since = "0.1")
    public void withdrawLeaseOf(Object handle) {
        reserveStack();
        recorder.withdrawLeaseOf(handle);
    }

    void withdrawn(MemoryRequest request, BufferType type, long lease) {
        reserveStack();
        recorder.withdrawn(request, type, lease);
    }

    @Override
    public void allocated(
            MemoryRequest request, int device, BufferType type, long address, long size, Ownership ownership) {
        if (!isRecordable(device)) {
            return;
        }
        if (size < 0) {
            reportsLost(
                    1,
                    "the size of a " + type + " buffer on " + HistoryEvent.nameOfDevice(device) + " was reported as "
                            + size);
            return;
        }
        if (!recorder.report(Kind.ALLOCATED, request, device, type, address, size, ownership)
                && request instanceof TrackedRequest tracked) {
            tracked.markAnomaly();
        }
    }

    @Override
    public void freed(MemoryRequest release, int device, BufferType type, long address, Ownership ownership) {
        if (!isRecordable(device)) {
            return;
        }
        if (!recorder.report(Kind.FREED, release, device, type, address, 0, ownership)) {
            describeFailed(release);
        } else if (keepsStacksOfFrees) {
            addStack(release);
        }
    }

    @Override
    public void freeIgnored(
            MemoryRequest release, int device, BufferType type, long address, IgnoredFreeReason reason) {
        if (!isRecordable(device)) {
            return;
        }
        describeFailed(release);
        recorder.report(Kind.FREE_IGNORED, release, device, type, address, 0, reason);
    }

    @Override
    public Scope phase(Phase phase) {
        Phase mine = new Phase(phase.name());
        synchronized (phases) {
            phases.push(mine);
            beginPhase(mine);
        }
        return () -> {
            synchronized (phases) {
                endPhase(mine);
            }
        };
    }

    /** Begins a phase with a custom name. */
    public Scope phase(String name) {
        return phase(new Phase(name));
    }

    @Override
    public void reported(LongFunction<HistoryEvent> event) {
        recorder.mark(event);
    }

    @Override
    public void meshOpened(MeshDescription mesh) {
        Instant now = clock.instant();
        reported(number -> new HistoryEvent.MeshOpened(number, now, mesh));
        if (!isOfTest && mesh.parent().isEmpty()) {
            MeshObserver.ALL.forEach(observer -> observer.opened(isExamined::get));
        }
    }

    @Override
    public void meshClosing(int mesh) {
        Instant now = clock.instant();
        reported(number -> new HistoryEvent.MeshClosing(number, now, mesh));
    }

    @Override
    public void meshClosed(int mesh) {
        Instant now = clock.instant();
        reported(number -> new HistoryEvent.MeshClosed(number, now, mesh));
    }

    @Override
    public void handleReturned(MemoryRequest request, Object handle) {
        handleReturned(request, new WeakReference<>(handle));
    }

    void handleReturned(MemoryRequest request, WeakReference<Object> handle) {
        if (request instanceof TrackedRequest tracked) {
            tracked.handleReturned(handle);
        }
    }

    /**
     * Records that the check is made now, with today's date. Call it before you ask for a verdict at the end of a test
     * or a run.
     *
     * <p>A later free counts as late. Expectations that expire are judged by the date.
     */
    public void checked() {
        checked(LocalDate.ofEpochDay(Math.floorDiv(clock.instant().getEpochSecond(), SECONDS_OF_DAY)));
    }

    /** Records that the check is made now, with the given date. */
    public void checked(LocalDate today) {
        reported(number -> new HistoryEvent.Checked(number, today));
    }

    /** Keeps the stacks of all frees from now on, because a check has failed: its reader asks who frees so late. */
    @API(status = Status.INTERNAL, since = "0.1")
    public void keepStacksOfFrees() {
        keepsStacksOfFrees = true;
    }

    /** Records whether the handle of a request is still reachable. */
    public void traced(MemoryRequest request, Reachability reachability) {
        reported(number -> new HistoryEvent.HandleTraced(number, request, reachability));
    }

    // Handles

    /**
     * Declares classes whose objects are parts of handles, for libraries whose users hold other objects than the one that was
     * handed out. A path that names the holder of a handle does not describe their fields.
     *
     * @param names packages with the full stop at the end, subpackages included ({@code io.netty.buffer.}), or classes, nested
     *     classes included
     * @throws IllegalArgumentException if a name is blank
     * @see dev.meshguard.handle.PartOfHandle
     */
    public void partsOfHandles(String... names) {
        partsOfHandles.add(ClassNames.of(names));
    }

    /** Returns whether objects of a class are parts of handles, as the source of the handles says. */
    @API(status = Status.INTERNAL, since = "0.1")
    public boolean isPartOfHandles(Class<?> type) {
        return partsOfHandles.stream().anyMatch(declared -> declared.contain(type.getName()));
    }

    // Rounds

    /**
     * Begins a round: one execution of repeated code. The survivors of each round distinguish a leak from a cache.
     *
     * <pre>{@code
     * for (int round = 1; round <= 4; round++) {
     *     try (Scope counted = tracker.round(round)) {
     *         decode(tokens);
     *     }
     * }
     * }</pre>
     *
     * <p>Rounds must not overlap. Survivors of overlapping rounds cannot be attributed to one of them, and the check
     * reports that.
     *
     * @param round the number of the round, 1 or more
     * @throws IllegalArgumentException if the number is less
     */
    public Scope round(int round) {
        if (round < 1) {
            throw new IllegalArgumentException("Rounds are counted from 1: round " + round + " was begun");
        }
        reported(number -> new HistoryEvent.RoundBegan(number, round));
        AtomicBoolean ended = new AtomicBoolean();
        return () -> {
            if (ended.compareAndSet(false, true)) {
                reported(number -> new HistoryEvent.RoundEnded(number, round));
            }
        };
    }

    /** Runs code a number of times, each time as a round, and passes it the number of the round, from 1. */
    public void rounds(int rounds, IntConsumer code) {
        for (int round = 1; round <= rounds; round++) {
            try (Scope counted = round(round)) {
                code.accept(round);
            }
        }
    }

    // Contexts

    /**
     * Opens an accounting scope. Allocations made in it are attributed to it.
     *
     * @throws IllegalArgumentException if the name is blank
     */
    public AllocationContext context(String name) {
        hasContexts = true;
        return new AllocationContext(name, contexts, recorder.size());
    }

    /**
     * Attributes memory to another context, or to none, because its stack shows later that the first one is not responsible for it.
     *
     * @param request a request of this tracker
     */
    @API(status = Status.INTERNAL, since = "0.1")
    public void move(MemoryRequest request, Optional<AllocationContext> to) {
        if (request instanceof TrackedRequest tracked) {
            recorder.update(() -> tracked.move(to.orElse(null)));
        }
    }

    /**
     * Returns the whole stack of a request, innermost frame first. It is empty if none was captured, and may be empty once the origin
     * was read, of which frames are left out. Of requests beyond 16,384 live ones with stacks, the origin is read at once.
     */
    @API(status = Status.INTERNAL, since = "0.1")
    public static StackTraceElement[] wholeStackOf(MemoryRequest request) {
        return request instanceof TrackedRequest tracked ? tracked.stack() : new StackTraceElement[0];
    }

    // Labels

    /**
     * Labels the buffers that the calling thread requests until the scope is closed.
     *
     * <p>The label belongs to this thread and this tracker. A label that a source sets itself wins. Scopes may be
     * nested.
     *
     * @throws IllegalArgumentException if the label is blank
     */
    public Scope label(String label) {
        if (label.isBlank()) {
            throw new IllegalArgumentException("A label says what buffers are for: the label given is blank");
        }
        return labels.open(label);
    }

    /** Labels the buffers that the calling thread requests in a piece of code, and returns its result. */
    public <T> T label(String label, Supplier<T> code) {
        try (Scope labelled = label(label)) {
            return code.get();
        }
    }

    // Queries

    /** Returns the devices with any report, ascending; memory of no device counts as {@link HistoryEvent#NO_DEVICE}. */
    public List<Integer> devices() {
        return recorder.read(Ledger::devices);
    }

    /** Returns the bytes now allocated of one type on one device. */
    public long liveBytes(int device, BufferType type) {
        isExamined.set(true);
        return recorder.read(ledger -> ledger.sum(device, type).bytes());
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
        isExamined.set(true);
        return recorder.read(ledger -> ledger.entries());
    }

    /**
     * Returns the number of open reports of an address that do not name its allocator.
     *
     * <p>For MeshGuard's own readers of logs, in which a free does not name the memory.
     */
    @API(status = Status.INTERNAL, since = "0.1")
    public int openReports(int device, BufferType type, long address) {
        return recorder.read(ledger -> ledger.openReports(device, type, address));
    }

    /** Returns the allocated memory by device, type and lifetime, for comparison with another moment. */
    public MemorySnapshot snapshot() {
        isExamined.set(true);
        return recorder.read(MemorySnapshot::of);
    }

    /** Returns everything recorded so far; later reports do not change it. */
    public AllocationHistory history() {
        isExamined.set(true);
        return recorder.history(flatAddresses);
    }

    /**
     * Returns the data of a source that lasts as long as this tracker, created on first use.
     *
     * <p>For MeshGuard's own sources, whose parts find one another through the tracker that they report to.
     *
     * @param type the class of the data; there is one object for each class
     * @param first creates it; must not call this method itself
     */
    @API(status = Status.INTERNAL, since = "0.1")
    public <T> T attachment(Class<T> type, Supplier<T> first) {
        Object known = attachments.get(type);
        // The map locks where it computes, even if there is nothing to compute.
        return type.cast(known == null ? attachments.computeIfAbsent(type, unused -> first.get()) : known);
    }

    // Helpers

    /**
     * Makes room for the report of memory that is allocated or freed already; otherwise it is lost. Reports without a stack need no more
     * than the lock makes sure of.
     */
    private void reserveStack() {
        if (capture != OriginCapture.NONE) {
            try {
                StackReserve.forReport();
            } catch (StackOverflowError failure) {
                recorder.lost = failure;
                throw failure;
            }
        }
    }

    /** Makes one report of each kind. A class whose initializer meets a StackOverflowError of the code under test would be unusable from then on. */
    private static void loadClasses() {
        AllocationTracker unread = new AllocationTracker(builder().originCapture(OriginCapture.ALLOCATIONS_AND_FREES));
        try (Scope current = unread.context("first").makeCurrent();
                Scope labelled = unread.label("first")) {
            Lease lease = unread.lease(AllocationDetails.user(), OriginFilter.none(), BufferType.DRAM, 1)
                    .handedOut(unread);
            lease.freeFailed(new IllegalStateException());
            lease.freed();
            lease.freed();
            lease.withdrawn();
        }
        unread.keepStacksOfFrees();
        unread.allocated(0, BufferType.DRAM, 0, 1);
        unread.freed(0, BufferType.DRAM, 0);
        unread.history().live();
    }

    private AllocationDetails withLabelOfThread(AllocationDetails details) {
        String label = labels.current();
        return label == null || details.label().isPresent() ? details : details.labelled(label);
    }

    private MemoryRequest tracked(
            AllocationDetails details, @Nullable Object origin, @Nullable AllocationContext context) {
        return new TrackedRequest(details, recorder.nextTicket(), origin, context);
    }

    /** The function of a thread without a current context may read its stack. */
    private @Nullable AllocationContext contextOfRequest() {
        if (!hasContexts) {
            return null;
        }
        AllocationContext current = contexts.current();
        return current == null ? contextOfThread.get().orElse(null) : current;
    }

    /** Keeps nothing for a request without details, unless it is attributed. */
    private MemoryRequest withoutOrigin(
            AllocationDetails details, boolean isAttributed, @Nullable AllocationContext context) {
        MemoryRequest plain = MemoryRequest.of(details);
        return plain.isAnonymous() && !isAttributed ? plain : tracked(details, null, context);
    }

    /** Captures the stack and the context of a free that finds nothing or was ignored, which is rare. */
    private void describeFailed(MemoryRequest release) {
        addStack(release);
        if (release instanceof TrackedRequest tracked) {
            AllocationContext context = contextOfRequest();
            recorder.update(() -> tracked.attributeFree(context));
            tracked.markAnomaly();
        }
    }

    /** Adds the stack of a free. A collected handle has no caller. */
    private void addStack(MemoryRequest release) {
        if (capture != OriginCapture.NONE
                && !release.details().handleCollected()
                && release instanceof TrackedRequest tracked) {
            tracked.addStack(callers -> stacks.keepOfFree(new CallStack(callers)));
        }
    }

    private void beginPhase(Phase phase) {
        Instant now = clock.instant();
        reported(number -> new HistoryEvent.PhaseBegan(number, now, phase));
    }

    /** Ends this phase and no other. Scopes may be closed in any order, and twice. */
    @SuppressWarnings("ReferenceEquality") // Two phases of one name are two phases.
    private void endPhase(Phase phase) {
        if (phases.element() == phase) {
            phases.pop();
            beginPhase(phases.element());
        } else {
            phases.removeIf(open -> open == phase);
        }
    }

    /** Returns whether reports about a device can be recorded; else the report is counted as lost. */
    private boolean isRecordable(int device) {
        boolean isInRange = device == HistoryEvent.NO_DEVICE || (device >= 0 && device <= HistoryEvent.MAX_DEVICE);
        if (!isInRange) {
            reportsLost(
                    1,
                    "device " + device + " was reported, and only devices 0 to " + HistoryEvent.MAX_DEVICE + " can be");
        }
        return isInRange;
    }

    /** Configures a tracker; not safe for use by several threads. */
    @API(status = Status.EXPERIMENTAL, since = "0.1")
    public static final class Builder {

        private OriginCapture capture = OriginCapture.ALLOCATIONS;
        private boolean flatAddresses = true;
        private InstantSource clock = InstantSource.system();
        private Supplier<Optional<AllocationContext>> contextOfThread = Optional::empty;
        private boolean isOfTest;

        private Builder() {}

        /** Selects the requests whose stack is captured; {@link OriginCapture#ALLOCATIONS} by default. */
        public Builder originCapture(OriginCapture newCapture) {
            capture = newCapture == OriginCapture.DEFAULT ? OriginCapture.ALLOCATIONS : newCapture;
            return this;
        }

        /**
         * Declares that buffers are spread over banks. By default, a buffer occupies one contiguous range from its
         * address.
         *
         * <p>Address and size then do not determine the occupied bytes of a bank, and overlaps are detected only where
         * the source reports the extent.
         */
        public Builder bankedAddresses() {
            flatAddresses = false;
            return this;
        }

        /** Sets the clock for the times of phases and meshes; the system clock by default. */
        public Builder clock(InstantSource newClock) {
            clock = newClock;
            return this;
        }

        /**
         * Sets a function that finds the context of a request by a thread without a {@linkplain AllocationContext#makeCurrent()
         * current} context; by default, such a request has none.
         *
         * @param newContextOfThread called on the requesting thread, for allocations and for frees that free nothing; must be safe
         *     for use by several threads
         */
        public Builder contextOfThread(Supplier<Optional<AllocationContext>> newContextOfThread) {
            contextOfThread = newContextOfThread;
            return this;
        }

        /** Declares that a test checks the tracker when it ends. */
        @API(status = Status.INTERNAL, since = "0.1")
        public Builder checkedByTest() {
            isOfTest = true;
            return this;
        }

        /**
         * Prepares for a source that reads a file of the past, which has neither stacks nor times nor the banks of a buffer.
         *
         * <p>No origins are captured, all times are {@link Instant#EPOCH}, and {@link #bankedAddresses()} is set.
         */
        public Builder ofFile() {
            return originCapture(OriginCapture.NONE).bankedAddresses().clock(InstantSource.fixed(Instant.EPOCH));
        }

        /** Returns the tracker. */
        public AllocationTracker build() {
            if (!ARE_CLASSES_LOADED.get()) {
                loadClasses();
                ARE_CLASSES_LOADED.set(true);
            }
            return new AllocationTracker(this);
        }
    }
}
