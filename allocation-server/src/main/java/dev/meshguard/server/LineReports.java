package dev.meshguard.server;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferKind;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Origin;
import dev.meshguard.event.Owner;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.Phase;
import dev.meshguard.event.Quantities;
import dev.meshguard.event.WitnessSnapshot;
import dev.meshguard.server.line.internal.Definitions;
import dev.meshguard.server.line.internal.Definitions.KnownOwner;
import dev.meshguard.server.line.internal.InvalidLineException;
import dev.meshguard.server.line.internal.JsonLine;
import dev.meshguard.server.line.internal.LineParser;
import dev.meshguard.tracker.Scope;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Records what one of MeshGuard's clients reports in lines of JSON.
 *
 * <p>A line that cannot be recorded is answered, counts as a lost report, and ends nothing. What a client can make the server do in one
 * turn is bounded, and so are its ids, requests, phases and meshes. Guarded by the server's lock.
 */
final class LineReports {

    private static final int VERSION = 1;
    private static final int MAX_REJECTED = 1000;
    private static final int MAX_REQUESTS = 1024;
    private static final int MAX_DETAILS = 4096;
    private static final int MAX_PHASES = 64;
    private static final int MAX_MESHES = 1024;
    static final int MAX_DEVICES = 1024;
    private static final int MAX_UNKNOWN = 8;
    private static final int MAX_NAME = 40;
    private static final String FREED = "FREED";
    private static final byte[] NOTHING = {};

    /** The first of its three bytes. */
    private static final byte BYTE_ORDER_MARK = (byte) 0xef;

    /** The operations with a number. */
    private static final Set<String> REPORTS = Set.of(("alloc free cb_alloc cb_free phase owner_cached owner_ended"
                    + " mesh_opened mesh_close_begun mesh_closed state")
            .split(" "));

    /** The memory that a report is about. */
    record Memory(BufferType type, int device, long address, boolean isCircularBuffer) {}

    /** The fields that select the details of memory. Most reports of a client have few different ones. */
    private record DetailsKey(
            boolean isCircularBuffer,
            Optional<String> label,
            Optional<KnownOwner> owner,
            int mesh,
            Optional<AllocatorId> allocator,
            long bytesPerBank,
            boolean isView) {}

    /** The requests that were made last, so that a call which allocates on many devices is one request. */
    private static final class Requests extends LinkedHashMap<Long, MemoryRequest> {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, MemoryRequest> eldest) {
            return size() > MAX_REQUESTS;
        }
    }

    /** The last line, by what it proves about the reports before it. */
    private enum LastLine {
        /** Reports may be missing. */
        UNKNOWN,
        /** Everything was sent, and more may follow. */
        IDLE,
        /** Everything was sent, and the program ends. */
        BYE
    }

    /**
     * A mesh by its number in the history.
     *
     * @param devices the devices that it keeps open: a submesh keeps those of its parent
     */
    private record KnownMesh(int number, List<Integer> devices) {}

    /** The fields that all lines of a snapshot share. */
    private record Snapshot(KnownMesh mesh, WitnessSnapshot.Moment moment, Optional<AllocatorId> allocator) {}

    private final ReportDispatcher dispatcher;
    private final HistoryReporter reporter;
    private final LinePrograms programs;
    private final ClientConnection connection;

    /** The incomplete line at the end of what was read. */
    private byte[] carry = NOTHING;

    private boolean isTooLong;
    private long lineNumber;
    private final StringBuilder answers = new StringBuilder();
    private int rejected;

    private Definitions definitions = new Definitions("");
    private int process;
    private boolean isGreeted;
    private long lastNumber;
    private LastLine lastLine = LastLine.UNKNOWN;

    private final Requests requests = new Requests();
    private final Map<DetailsKey, AllocationDetails> details = new HashMap<>();
    private final Deque<Optional<Scope>> phases = new ArrayDeque<>();
    private final Map<Integer, KnownMesh> meshes = new HashMap<>();
    private final Map<Integer, KnownMesh> openMeshes = new HashMap<>();
    private @Nullable Snapshot snapshot;
    private WitnessSnapshot.@Nullable Builder snapshotBuilder;

    /** Whether lines of the snapshot are lost, so that those up to its last one are not recorded. */
    private boolean isSnapshotLost;

    private long unknownLines;
    private final TreeSet<String> unknownOperations = new TreeSet<>();

    LineReports(
            ReportDispatcher dispatcher, HistoryReporter reporter, LinePrograms programs, ClientConnection connection) {
        this.dispatcher = dispatcher;
        this.reporter = reporter;
        this.programs = programs;
        this.connection = connection;
    }

    /**
     * Returns whether the first bytes of a connection begin lines: with a brace, or with something else that a program writes in front
     * of it by mistake. A record begins with a number that may also be a blank, and a zero.
     */
    static boolean areBegunBy(ByteBuffer in) {
        return in.hasRemaining()
                && switch (in.get(0)) {
                    case '{', '[', ' ', '\r', BYTE_ORDER_MARK -> true;
                    case '\n', '\t' -> in.remaining() > 1 && in.get(1) != 0;
                    default -> false;
                };
    }

    // Lines

    /**
     * Records all complete lines; the rest waits for more bytes.
     *
     * @return why nothing more can be read from the connection, if so
     */
    Optional<String> read(ByteBuffer in) {
        byte[] bytes = Arrays.copyOf(carry, carry.length + in.remaining());
        in.get(bytes, carry.length, in.remaining());
        int begin = 0;
        for (int at = carry.length; at < bytes.length; at++) {
            if (bytes[at] == '\n') {
                record(bytes, begin, at);
                begin = at + 1;
                if (rejected >= MAX_REJECTED || !isGreeted) {
                    lastLine = LastLine.UNKNOWN;
                    finish();
                    return Optional.of(
                            isGreeted
                                    ? "sent " + MAX_REJECTED + " lines that could not be recorded"
                                    : "did not begin with a hello");
                }
            }
        }
        isTooLong |= bytes.length - begin > LineParser.MAX_BYTES;
        carry = isTooLong ? NOTHING : Arrays.copyOfRange(bytes, begin, bytes.length);
        return Optional.empty();
    }

    private void record(byte[] bytes, int from, int to) {
        connection.records++;
        lineNumber++;
        JsonLine line = new JsonLine();
        try {
            if (isTooLong || to - from > LineParser.MAX_BYTES) {
                throw new InvalidLineException("has more than " + LineParser.MAX_BYTES + " bytes");
            }
            programs.parser.read(bytes, from, to, line);
            record(line);
        } catch (InvalidLineException invalid) {
            rejected(line, invalid);
        }
        isTooLong = false;
    }

    private void record(JsonLine line) {
        String operation = line.text("op").orElseThrow(() -> new InvalidLineException("has no \"op\""));
        if (!isGreeted && !operation.equals("hello")) {
            throw new InvalidLineException("comes before the hello");
        }
        lastLine = LastLine.UNKNOWN;
        switch (operation) {
            case "hello" -> greeted(line);
            case "stack", "owner" -> define(operation, line);
            case "idle", "bye" -> {
                missing(line.number("n", lastNumber, Long.MAX_VALUE));
                lastLine = operation.equals("bye") ? LastLine.BYE : LastLine.IDLE;
            }
            default -> {
                if (REPORTS.contains(operation)) {
                    seen(line);
                    report(operation, line);
                } else {
                    unknown(operation, line);
                }
            }
        }
    }

    private void greeted(JsonLine line) {
        if (isGreeted) {
            throw new InvalidLineException("is a second hello");
        }
        line.number("version", VERSION, VERSION);
        process = (int) line.number("pid", 1, Integer.MAX_VALUE);
        dispatcher.greeted(process, line.text("name").orElse(""), connection);
        isGreeted = true;
        definitions = new Definitions(programs.connected(connection.number));
        answers.append("{\"ok\":1}\n");
    }

    private void define(String what, JsonLine line) {
        if (!reporter.isKept()) {
            return;
        }
        if (what.equals("stack")) {
            definitions.addStack(line);
        } else {
            definitions.addOwner(line);
        }
    }

    /**
     * A line without a number and memory is no report, so a server that skips it misses nothing that it would judge. What an array
     * or an object in it reports is not known.
     */
    private void unknown(String operation, JsonLine line) {
        String name = operation.substring(0, Math.min(MAX_NAME, operation.length()));
        if (Stream.of("n", "address", "addresses", "size").anyMatch(line::has) || line.isNested()) {
            throw new InvalidLineException("has \"op\" " + name + ", a report that this server does not know");
        }
        unknownLines++;
        if (unknownOperations.size() < MAX_UNKNOWN) {
            unknownOperations.add(name);
        }
    }

    /** Answers a line that cannot be recorded; its number is not missing too. */
    private void rejected(JsonLine line, InvalidLineException why) {
        rejected++;
        try {
            seen(line);
        } catch (InvalidLineException isNoLaterReport) {
            // The next number shows whether this line had one.
        }
        String what = "line " + lineNumber + " " + why.getMessage();
        reporter.lost(1, connection.description() + ": " + what);
        loseSnapshot();
        answers.append("{\"error\":\"");
        JsonStringEncoder.getInstance().quoteAsString(what, answers);
        answers.append("\",\"line\":").append(lineNumber).append("}\n");
    }

    /** Returns the answers to what was read last; they are returned once. */
    String answers() {
        String result = answers.toString();
        answers.setLength(0);
        return result;
    }

    private void seen(JsonLine line) {
        long number = line.number("n", lastNumber + 1, Long.MAX_VALUE);
        missing(number - 1);
        lastNumber = number;
    }

    /** Counts the reports up to a number that did not arrive. */
    private void missing(long until) {
        if (until > lastNumber) {
            String missing = Quantities.count(until - lastNumber, "report");
            reporter.lost(
                    until - lastNumber,
                    connection.description() + " numbers its reports, and " + missing + " after number " + lastNumber
                            + " did not arrive");
            lastNumber = until;
            loseSnapshot();
        }
    }

    // Reports

    private void report(String operation, JsonLine line) {
        if (!operation.equals("state")) {
            dropSnapshot();
            isSnapshotLost &= snapshot != null;
        }
        switch (operation) {
            case "alloc", "cb_alloc" -> allocated(memory(operation.equals("cb_alloc"), line), line);
            case "free", "cb_free" -> freed(memory(operation.equals("cb_free"), line), line);
            case "phase" -> phase(line.text("name"));
            case "owner_cached" ->
                reporter.report(tracker ->
                        tracker.ownerCached(owner(line), line.text("cache").orElse("cache")));
            case "owner_ended" -> reporter.report(tracker -> tracker.ownerEnded(owner(line)));
            case "mesh_opened" -> meshOpened(line);
            case "mesh_close_begun" -> {
                KnownMesh mesh = mesh(line);
                reporter.report(tracker -> tracker.meshClosing(mesh.number()));
            }
            case "mesh_closed" -> meshClosed(line);
            default -> witnessed(line);
        }
    }

    private void allocated(Memory memory, JsonLine line) {
        connection.reports++;
        long size = line.number("size", 0, Long.MAX_VALUE);
        Ownership ownership = line.choice("ownership", Ownership.class).orElse(Ownership.UNKNOWN);
        MemoryRequest request = request(memory, line);
        dispatcher.entered(memory, size, process);
        reporter.report(tracker ->
                tracker.allocated(request, memory.device(), memory.type(), memory.address(), size, ownership));
    }

    private void freed(Memory memory, JsonLine line) {
        connection.reports++;
        Ownership ownership = line.choice("ownership", Ownership.class).orElse(Ownership.UNKNOWN);
        MemoryRequest release = request(memory, line);
        if (!line.has("result") || line.text("result").equals(Optional.of(FREED))) {
            if (!dispatcher.left(memory, process)) {
                reporter.lost(
                        1,
                        connection.description() + " freed " + memory.type() + " "
                                + Quantities.place(memory.device(), memory.address())
                                + ", which only another process has allocated");
                return;
            }
            reporter.report(
                    tracker -> tracker.freed(release, memory.device(), memory.type(), memory.address(), ownership));
        } else {
            dispatcher.opened(memory.device());
            IgnoredFreeReason reason = line.requiredChoice("result", IgnoredFreeReason.class);
            reporter.report(
                    tracker -> tracker.freeIgnored(release, memory.device(), memory.type(), memory.address(), reason));
        }
    }

    private Memory memory(boolean isCircularBuffer, JsonLine line) {
        BufferType type =
                isCircularBuffer && !line.has("type") ? BufferType.L1 : line.requiredChoice("type", BufferType.class);
        return new Memory(type, device(line), line.address("address"), isCircularBuffer);
    }

    private int device(JsonLine line) {
        int device = (int) line.number("device", 0, HistoryEvent.MAX_DEVICE);
        if (!dispatcher.isRecordable(device)) {
            throw new InvalidLineException(
                    "has \"device\" " + device + ", and valid are the first " + MAX_DEVICES + " that report");
        }
        return device;
    }

    private Owner owner(JsonLine line) {
        return definitions
                .owner(line)
                .orElseThrow(() -> new InvalidLineException("has no \"owner\""))
                .owner();
    }

    private KnownMesh mesh(JsonLine line) {
        KnownMesh mesh = meshes.get(line.number("mesh"));
        if (mesh == null) {
            throw new InvalidLineException("names mesh " + line.number("mesh") + ", which it did not open");
        }
        return mesh;
    }

    private static Optional<AllocatorId> allocator(JsonLine line) {
        return line.choice("allocator", AllocatorId.Kind.class).map(kind -> switch (kind) {
            case MESH -> AllocatorId.MESH;
            case DEVICE -> AllocatorId.DEVICE;
            case SUB_DEVICE -> AllocatorId.subDevice(line.number("manager"), line.number("subDevice"));
        });
    }

    /** Returns the request of a report: one that the client numbered before, if nothing else differs. */
    private MemoryRequest request(Memory memory, JsonLine line) {
        if (!reporter.isKept()) {
            return reporter.request(connection.details(), Optional.empty());
        }
        AllocationDetails complete = details(memory, line);
        Optional<Origin> origin = definitions.stack(line);
        long number = line.has("request") ? line.number("request", 0, Long.MAX_VALUE) : 0;
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

    /** The history keeps the details of each buffer, so equal ones share one object. */
    private AllocationDetails details(Memory memory, JsonLine line) {
        DetailsKey key = new DetailsKey(
                memory.isCircularBuffer(),
                line.text("label"),
                definitions.owner(line),
                line.number("mesh") == 0 ? 0 : mesh(line).number(),
                allocator(line),
                line.has("bytesPerBank") ? line.number("bytesPerBank", 0, Long.MAX_VALUE) : 0,
                line.isTrue("view", false));
        if (details.size() >= MAX_DETAILS) {
            details.clear();
        }
        return details.computeIfAbsent(key, this::details);
    }

    private AllocationDetails details(DetailsKey key) {
        AllocationDetails result =
                key.isCircularBuffer() ? connection.details().ofKind(BufferKind.CIRCULAR_BUFFER) : connection.details();
        if (key.owner().isPresent()) {
            KnownOwner known = key.owner().get();
            result = result.ownedBy(known.owner()).withLifetime(known.lifetime());
        }
        result = key.mesh() == 0 ? result : result.onMesh(key.mesh());
        result = key.allocator().map(result::fromAllocator).orElse(result);
        result = key.label().map(result::labelled).orElse(result);
        result = key.bytesPerBank() == 0 ? result : result.withExtent(key.bytesPerBank());
        return key.isView() ? result.asView() : result;
    }

    private void phase(Optional<String> name) {
        if (name.isEmpty()) {
            Optional.ofNullable(phases.poll()).flatMap(phase -> phase).ifPresent(Scope::close);
        } else if (phases.size() < MAX_PHASES) {
            phases.push(reporter.phase(new Phase(name.get())));
        } else {
            throw new InvalidLineException("begins a phase within " + MAX_PHASES + " others, which is the limit");
        }
    }

    // Meshes

    private void meshOpened(JsonLine line) {
        int id = (int) line.number("mesh", 1, Integer.MAX_VALUE);
        List<Integer> devices = line.numbers("devices", HistoryEvent.MAX_DEVICE);
        boolean isPossible = devices.size() <= MAX_DEVICES
                && devices.stream().allMatch(dispatcher::isRecordable)
                && (meshes.containsKey(id) || meshes.size() < MAX_MESHES);
        if (!isPossible) {
            throw new InvalidLineException(String.format(
                    Locale.ROOT,
                    "opens a mesh of %s, and valid are %d meshes and %d devices",
                    Quantities.count(devices.size(), "device"),
                    MAX_MESHES,
                    MAX_DEVICES));
        }
        KnownMesh parent = meshes.get(line.number("parent"));
        String name = line.text("name").orElse("mesh");
        long busiest = line.has("busiestDevice") ? line.number("busiestDevice", -1, HistoryEvent.MAX_DEVICE) : -1;
        notOpen(id);
        List<Integer> kept = parent == null
                ? devices
                : Stream.concat(devices.stream(), parent.devices().stream())
                        .distinct()
                        .toList();
        KnownMesh mesh = new KnownMesh(reporter.isKept() ? programs.numberOf(id) : id, kept);
        meshes.put(id, mesh);
        openMeshes.put(id, mesh);
        MeshDescription description = new MeshDescription(
                mesh.number(),
                name,
                devices,
                (int) busiest,
                parent == null ? OptionalInt.empty() : OptionalInt.of(parent.number()),
                List.of());
        reporter.report(tracker -> tracker.meshOpened(description));
        programs.opened(kept).forEach(dispatcher::openedByMesh);
    }

    private void meshClosed(JsonLine line) {
        KnownMesh mesh = mesh(line);
        notOpen(line.number("mesh")).forEach(dispatcher::closedByMesh);
        reporter.report(tracker -> tracker.meshClosed(mesh.number()));
    }

    /** Ends the use of a mesh's devices; returns those that no mesh uses any more. */
    private List<Integer> notOpen(int id) {
        KnownMesh open = openMeshes.remove(id);
        return open == null ? List.of() : programs.closed(open.devices());
    }

    private void witnessed(JsonLine line) {
        Snapshot next =
                new Snapshot(mesh(line), line.requiredChoice("moment", WitnessSnapshot.Moment.class), allocator(line));
        BufferType type = line.requiredChoice("type", BufferType.class);
        int device = device(line);
        long[] addresses = line.addresses("addresses");
        boolean isComplete = line.isTrue("complete", true);
        if (snapshot == null) {
            snapshot = next;
        } else if (!next.equals(snapshot)) {
            dropSnapshot();
            isSnapshotLost = false;
        }
        if (isSnapshotLost) {
            isSnapshotLost = !isComplete;
            return;
        }
        WitnessSnapshot.Builder builder = snapshotBuilder;
        if (builder == null) {
            builder = WitnessSnapshot.of(next.mesh().number(), next.moment());
            next.allocator().ifPresent(builder::ofAllocator);
            snapshot = next;
            snapshotBuilder = builder;
        }
        builder.region(device, type, addresses);
        if (isComplete) {
            WitnessSnapshot whole = builder.build();
            reporter.report(tracker -> tracker.witnessed(whole));
            snapshotBuilder = null;
        }
    }

    /** Drops the snapshot of which a line may be lost: the one that is read, or the one that the next line goes on with. */
    private void loseSnapshot() {
        if (snapshotBuilder == null) {
            snapshot = null;
            isSnapshotLost = true;
        }
        dropSnapshot();
    }

    /** Drops a snapshot that lacks its last line: it proves nothing. */
    private void dropSnapshot() {
        if (snapshotBuilder != null) {
            reporter.lost(1, connection.description() + " began a snapshot and did not complete it");
            isSnapshotLost = true;
        }
        snapshotBuilder = null;
    }

    // The end

    /** Returns whether the client may report more: it has not said that it ends. */
    boolean mayReport() {
        return lastLine != LastLine.BYE;
    }

    /** Returns what a reader should know about the lines that were not recorded; a sentence without the name of the connection. */
    Optional<String> problem() {
        return unknownLines == 0
                ? Optional.empty()
                : Optional.of(String.format(
                        Locale.ROOT,
                        "sent %s with operations that this server does not know (%s), which were skipped",
                        Quantities.count(unknownLines, "line"),
                        String.join(", ", unknownOperations)));
    }

    /** Ends what began over the connection; the server may end it before the program does. */
    void close() {
        dropSnapshot();
        while (!phases.isEmpty()) {
            phases.pop().ifPresent(Scope::close);
        }
        List.copyOf(openMeshes.keySet()).forEach(this::notOpen);
    }

    private void finish() {
        close();
        if (isGreeted) {
            dispatcher.finished(process, lastLine == LastLine.BYE);
        }
    }

    /** Records that the program ended the connection. */
    void disconnected() {
        lastLine = carry.length == 0 && !isTooLong ? lastLine : LastLine.UNKNOWN;
        finish();
        if (lastLine == LastLine.UNKNOWN) {
            reporter.lost(
                    -1,
                    connection.description()
                            + (isGreeted
                                    ? " ended without \"bye\" or \"idle\", so reports may be missing"
                                    : " ended before its hello was complete"));
        }
    }
}
