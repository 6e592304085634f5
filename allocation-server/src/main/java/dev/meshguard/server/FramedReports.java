package dev.meshguard.server;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferKind;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Origin;
import dev.meshguard.event.Phase;
import dev.meshguard.event.Quantities;
import dev.meshguard.event.WitnessSnapshot;
import dev.meshguard.server.frame.internal.Definitions;
import dev.meshguard.server.frame.internal.Definitions.KnownOwner;
import dev.meshguard.server.frame.internal.Frame;
import dev.meshguard.server.frame.internal.FrameDecoder;
import dev.meshguard.server.frame.internal.InvalidFrameException;
import dev.meshguard.tracker.Scope;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Records what one of MeshGuard's clients reports in frames.
 *
 * <p>Everything that a client can make the server remember is bounded: ids, requests, phases, meshes and snapshots. A report that does not
 * fit counts as lost. Guarded by the server's lock.
 */
final class FramedReports {

    private static final int MAX_REQUESTS = 1024;
    private static final int MAX_DETAILS = 4096;
    private static final int MAX_PHASES = 64;
    private static final int MAX_MESHES = 1024;
    private static final int MAX_DEVICES = 1024;
    private static final int MAX_UNKNOWN_TYPES = 8;

    /** The requests that were made last, so that a call which allocates on many devices is one request. */
    private static final class Requests extends LinkedHashMap<Long, MemoryRequest> {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, MemoryRequest> eldest) {
            return size() > MAX_REQUESTS;
        }
    }

    /** A mesh by its number in the history. */
    private record KnownMesh(int number, List<Integer> devices) {}

    /** A snapshot of which more parts may follow. */
    private record Snapshot(
            int mesh,
            WitnessSnapshot.Moment moment,
            @Nullable AllocatorId allocator,
            WitnessSnapshot.Builder builder) {

        boolean isContinuedBy(Frame.State state) {
            return mesh == state.mesh()
                    && moment == state.moment()
                    && Optional.ofNullable(allocator).equals(Optional.ofNullable(state.allocator()));
        }
    }

    private final ReportDispatcher dispatcher;
    private final HistoryReporter reporter;
    private final FramedPrograms programs;
    private final ClientConnection connection;
    private final FrameDecoder decoder;
    private Definitions definitions;

    private int process;
    private boolean isGreeted;
    private boolean hasSaidBye;
    private long lastSequence;

    private final Requests requests = new Requests();
    private final Map<AllocationDetails, AllocationDetails> details = new HashMap<>();
    private final Deque<Optional<Scope>> phases = new ArrayDeque<>();
    private long deeperPhases;
    private final Map<Integer, KnownMesh> meshes = new HashMap<>();
    private final Map<Integer, KnownMesh> openMeshes = new HashMap<>();
    private @Nullable Snapshot snapshot;

    private long unknownFrames;
    private final TreeSet<Integer> unknownTypes = new TreeSet<>();

    FramedReports(
            ReportDispatcher dispatcher,
            HistoryReporter reporter,
            FramedPrograms programs,
            ClientConnection connection) {
        this.dispatcher = dispatcher;
        this.reporter = reporter;
        this.programs = programs;
        this.connection = connection;
        this.decoder = new FrameDecoder(programs.memory);
        this.definitions = new Definitions(programs.memory, "");
    }

    /**
     * Records all complete frames; the rest waits for more bytes.
     *
     * @return the answer to send, if there is one
     * @throws InvalidFrameException if nothing more can be read from the connection
     */
    Optional<ByteBuffer> read(ByteBuffer in) throws InvalidFrameException {
        ByteBuffer answer = null;
        Frame frame = decoder.next(in);
        while (frame != null) {
            connection.records++;
            if (frame instanceof Frame.Hello hello) {
                answer = greeted(hello);
            } else {
                record(frame);
            }
            frame = decoder.next(in);
        }
        return Optional.ofNullable(answer);
    }

    private ByteBuffer greeted(Frame.Hello hello) throws InvalidFrameException {
        if (isGreeted) {
            throw new InvalidFrameException("began a second time");
        }
        if (hello.minVersion() > FrameDecoder.VERSION || hello.maxVersion() < FrameDecoder.VERSION) {
            throw new InvalidFrameException(String.format(
                    Locale.ROOT,
                    "speaks versions %d to %d of the protocol, and this server speaks version %d. Use the client of this MeshGuard",
                    hello.minVersion(),
                    hello.maxVersion(),
                    FrameDecoder.VERSION));
        }
        if (hello.process() < 1 || hello.process() > Integer.MAX_VALUE) {
            throw new InvalidFrameException("names process " + Long.toUnsignedString(hello.process()));
        }
        process = (int) hello.process();
        dispatcher.greeted(process, hello.program(), connection);
        isGreeted = true;
        definitions = new Definitions(programs.memory, programs.connected(connection.number));
        return FrameDecoder.acknowledgement(connection.number);
    }

    private void record(Frame frame) throws InvalidFrameException {
        if (!isGreeted || hasSaidBye) {
            throw new InvalidFrameException(
                    hasSaidBye ? "sent a frame after its last one" : "sent a frame before its first one");
        }
        if (frame instanceof Frame.Report report) {
            if (report.sequence() <= lastSequence) {
                throw new InvalidFrameException(
                        String.format(Locale.ROOT, "sent report %d after report %d", report.sequence(), lastSequence));
            }
            missing(report.sequence() - 1);
            lastSequence = report.sequence();
            report(report);
        } else if (frame instanceof Frame.Bye bye) {
            missing(bye.lastSequence());
            hasSaidBye = true;
        } else if (frame instanceof Frame.Unknown unknown) {
            unknownFrames++;
            if (unknownTypes.size() < MAX_UNKNOWN_TYPES) {
                unknownTypes.add(unknown.type());
            }
        } else if (reporter.isKept()) {
            define(frame);
        }
    }

    /** Counts the reports up to a sequence number that did not arrive. */
    private void missing(long until) {
        if (until > lastSequence) {
            reporter.lost(
                    until - lastSequence,
                    String.format(
                            Locale.ROOT,
                            "%s numbers its reports, and %s after number %d did not arrive",
                            connection.description(),
                            Quantities.count(until - lastSequence, "report"),
                            lastSequence));
        }
    }

    private void lost(String what) {
        reporter.lost(1, connection.description() + " reported " + what);
    }

    private void define(Frame frame) {
        if (frame instanceof Frame.Text text) {
            definitions.add(text);
        } else if (frame instanceof Frame.Stack stack) {
            definitions.add(stack);
        } else if (frame instanceof Frame.OwnerDefinition owner) {
            definitions.add(owner);
        }
    }

    // Reports

    private void report(Frame.Report report) {
        if (!(report instanceof Frame.State)) {
            endSnapshot();
        }
        if (report instanceof Frame.Allocation allocation) {
            connection.reports++;
            allocated(allocation);
        } else if (report instanceof Frame.Free free) {
            connection.reports++;
            freed(free);
        } else if (report instanceof Frame.PhaseChange change) {
            phase(change);
        } else if (report instanceof Frame.OwnerCached cached) {
            ownerOf(cached.owner())
                    .ifPresent(known -> reporter.report(tracker -> tracker.ownerCached(
                            known.owner(), definitions.text(cached.cache()).orElse("cache"))));
        } else if (report instanceof Frame.OwnerEnded ended) {
            ownerOf(ended.owner()).ifPresent(known -> reporter.report(tracker -> tracker.ownerEnded(known.owner())));
        } else if (report instanceof Frame.MeshOpened opened) {
            meshOpened(opened);
        } else if (report instanceof Frame.MeshClosing closing) {
            meshOf(closing.mesh()).ifPresent(mesh -> reporter.report(tracker -> tracker.meshClosing(mesh.number())));
        } else if (report instanceof Frame.MeshClosed closed) {
            meshClosed(closed.mesh());
        } else if (report instanceof Frame.State state) {
            witnessed(state);
        } else if (report instanceof Frame.Rejected rejected) {
            lost(rejected.reason());
        }
    }

    /** An owner decides who must free the memory, so memory of an unknown one cannot be judged. */
    private Optional<KnownOwner> ownerOf(int id) {
        Optional<KnownOwner> owner = definitions.owner(id);
        if (owner.isEmpty() && reporter.isKept()) {
            lost("owner " + Integer.toUnsignedString(id) + ", which it did not define");
        }
        return owner;
    }

    private Optional<KnownMesh> meshOf(int id) {
        KnownMesh mesh = meshes.get(id);
        if (mesh == null) {
            lost("mesh " + Integer.toUnsignedString(id) + ", which it did not open");
        }
        return Optional.ofNullable(mesh);
    }

    private void allocated(Frame.Allocation report) {
        Frame.Memory memory = report.memory();
        Optional<AllocationDetails> known = detailsOf(memory);
        if (known.isEmpty() || !dispatcher.entered(report, process, connection) || !reporter.isKept()) {
            return;
        }
        AllocationDetails complete = known.get();
        complete = definitions.text(report.label()).map(complete::labelled).orElse(complete);
        complete = report.extent() > 0 ? complete.withExtent(report.extent()) : complete;
        complete = memory.isView() ? complete.asView() : complete;
        MemoryRequest request = request(report.request(), shared(complete), definitions.stack(report.stack()));
        reporter.report(tracker -> tracker.allocated(
                request, memory.device(), memory.type(), memory.address(), report.size(), memory.ownership()));
    }

    private void freed(Frame.Free report) {
        Frame.Memory memory = report.memory();
        Optional<AllocationDetails> known = detailsOf(memory);
        if (known.isEmpty() || !dispatcher.left(report, process, connection) || !reporter.isKept()) {
            return;
        }
        MemoryRequest release = reporter.request(shared(known.get()), definitions.stack(report.stack()));
        if (report.ignored().isPresent()) {
            reporter.report(tracker -> tracker.freeIgnored(
                    release,
                    memory.device(),
                    memory.type(),
                    memory.address(),
                    report.ignored().get()));
        } else {
            reporter.report(tracker ->
                    tracker.freed(release, memory.device(), memory.type(), memory.address(), memory.ownership()));
        }
    }

    /** Returns the details of memory; none, and a lost report, if it names an owner or a mesh that is not known. */
    private Optional<AllocationDetails> detailsOf(Frame.Memory memory) {
        AllocationDetails result = connection.details();
        if (memory.owner() != 0 && reporter.isKept()) {
            Optional<KnownOwner> owner = ownerOf(memory.owner());
            if (owner.isEmpty()) {
                return Optional.empty();
            }
            result =
                    result.ownedBy(owner.get().owner()).withLifetime(owner.get().lifetime());
        }
        if (memory.mesh() != 0) {
            Optional<KnownMesh> mesh = meshOf(memory.mesh());
            if (mesh.isEmpty()) {
                return Optional.empty();
            }
            result = result.onMesh(mesh.get().number());
        }
        AllocatorId allocator = memory.allocator();
        result = allocator == null ? result : result.fromAllocator(allocator);
        return Optional.of(memory.isCircularBuffer() ? result.ofKind(BufferKind.CIRCULAR_BUFFER) : result);
    }

    /** The history keeps the details of each buffer, so equal ones share one object. */
    private AllocationDetails shared(AllocationDetails one) {
        if (details.size() >= MAX_DETAILS) {
            details.clear();
        }
        AllocationDetails known = details.putIfAbsent(one, one);
        return known == null ? one : known;
    }

    /** Returns the request that a client numbered; reports without a number, or with other details, are requests of their own. */
    private MemoryRequest request(long number, AllocationDetails complete, Optional<Origin> origin) {
        MemoryRequest known = number == 0 ? null : requests.get(number);
        if (known != null && known.details().equals(complete) && known.origin().equals(origin)) {
            return known;
        }
        MemoryRequest first = reporter.request(complete, origin);
        if (number != 0) {
            requests.put(number, first);
        }
        return first;
    }

    private void phase(Frame.PhaseChange change) {
        if (change.name() != 0) {
            if (phases.size() >= MAX_PHASES) {
                deeperPhases++;
                return;
            }
            phases.push(reporter.phase(new Phase(definitions.text(change.name()).orElse("phase " + change.name()))));
        } else if (deeperPhases > 0) {
            deeperPhases--;
        } else if (!phases.isEmpty()) {
            phases.pop().ifPresent(Scope::close);
        }
    }

    // Meshes

    private void meshOpened(Frame.MeshOpened report) {
        List<Integer> devices = report.devices();
        boolean isPossible = report.mesh() != 0
                && devices.size() <= MAX_DEVICES
                && devices.stream().allMatch(dispatcher::isRecordable)
                && (meshes.containsKey(report.mesh()) || meshes.size() < MAX_MESHES);
        if (!isPossible) {
            lost(String.format(
                    Locale.ROOT,
                    "mesh %d over %s, which cannot be recorded: a connection has at most %d meshes from number 1 on, of at most"
                            + " %d devices",
                    Integer.toUnsignedLong(report.mesh()),
                    Quantities.count(devices.size(), "device"),
                    MAX_MESHES,
                    MAX_DEVICES));
            return;
        }
        notOpen(report.mesh());
        int number = reporter.isKept() ? programs.numberOf(report.mesh()) : report.mesh();
        KnownMesh mesh = new KnownMesh(number, devices);
        KnownMesh parent = report.parent() == 0 ? null : meshes.get(report.parent());
        meshes.put(report.mesh(), mesh);
        openMeshes.put(report.mesh(), mesh);
        MeshDescription description = new MeshDescription(
                mesh.number(),
                definitions.text(report.name()).orElse("mesh"),
                devices,
                report.busiestDevice(),
                parent == null ? OptionalInt.empty() : OptionalInt.of(parent.number()),
                List.of());
        reporter.report(tracker -> tracker.meshOpened(description));
        programs.opened(devices).forEach(dispatcher::openedByMesh);
    }

    private void meshClosed(int id) {
        meshOf(id).ifPresent(mesh -> {
            notOpen(id).forEach(dispatcher::closedByMesh);
            reporter.report(tracker -> tracker.meshClosed(mesh.number()));
        });
    }

    /** Ends the use of a mesh's devices; returns those that no mesh uses any more. */
    private List<Integer> notOpen(int id) {
        KnownMesh open = openMeshes.remove(id);
        return open == null ? List.of() : programs.closed(open.devices());
    }

    private void witnessed(Frame.State state) {
        KnownMesh mesh = meshOf(state.mesh()).orElse(null);
        if (mesh == null || !reporter.isKept()) {
            return;
        }
        if (!programs.memory.take((long) Long.BYTES * state.addresses().size())) {
            lost("a snapshot for which there is no memory");
            return;
        }
        Snapshot before = snapshot;
        if (before == null || !before.isContinuedBy(state)) {
            endSnapshot();
            WitnessSnapshot.Builder builder = WitnessSnapshot.of(mesh.number(), state.moment());
            before = new Snapshot(state.mesh(), state.moment(), state.allocator(), builder);
            if (state.allocator() != null) {
                builder.ofAllocator(state.allocator());
            }
            snapshot = before;
        }
        before.builder()
                .region(
                        state.device(),
                        state.type(),
                        state.addresses().stream().mapToLong(Long::longValue).toArray());
        if (!state.isPart()) {
            endSnapshot();
        }
    }

    private void endSnapshot() {
        Snapshot complete = snapshot;
        snapshot = null;
        if (complete != null) {
            WitnessSnapshot whole = complete.builder().build();
            reporter.report(tracker -> tracker.witnessed(whole));
        }
    }

    // The end

    /** Returns whether the client may report more: it has not said that it ends. */
    boolean mayReport() {
        return !hasSaidBye;
    }

    /** Returns what a reader should know about the frames that were not recorded; sentences without the name of the connection. */
    List<String> problems() {
        if (unknownFrames == 0) {
            return definitions.problem().stream().toList();
        }
        String skipped = String.format(
                Locale.ROOT,
                "sent %s of types that this server does not know (%s), which were skipped",
                Quantities.count(unknownFrames, "frame"),
                unknownTypes.stream().map(String::valueOf).collect(Collectors.joining(", ")));
        return definitions.problem().map(other -> List.of(skipped, other)).orElse(List.of(skipped));
    }

    /** Ends the connection without judging the process: the server ends it. */
    void close() {
        boolean wasWithinFrame = decoder.isWithinFrame();
        decoder.close();
        endSnapshot();
        while (!phases.isEmpty()) {
            phases.pop().ifPresent(Scope::close);
        }
        List.copyOf(openMeshes.keySet()).forEach(this::notOpen);
        if (wasWithinFrame && hasSaidBye) {
            lost("a part of a frame after its last one");
        }
    }

    /** Ends a connection of which nothing more can be read: the server will not see what becomes of its memory. */
    void rejected() {
        close();
        if (isGreeted) {
            dispatcher.ended(process, false);
        }
    }

    /** Records that the program ended the connection; one that has not said so before has died. */
    void disconnected() {
        close();
        if (!isGreeted) {
            reporter.lost(-1, connection.description() + " ended before its first frame was complete");
            return;
        }
        dispatcher.ended(process, !hasSaidBye);
        if (!hasSaidBye) {
            reporter.lost(
                    -1,
                    connection.description()
                            + " ended without its last frame, so reports that it had not sent are missing");
        }
    }
}
