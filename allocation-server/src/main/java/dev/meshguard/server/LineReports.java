package dev.meshguard.server;

import static java.util.Map.entry;

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
import dev.meshguard.event.WitnessSnapshot;
import dev.meshguard.server.line.internal.Definitions;
import dev.meshguard.server.line.internal.InvalidLineException;
import dev.meshguard.server.line.internal.JsonLine;
import dev.meshguard.server.line.internal.LineParser;
import dev.meshguard.text.Quantities;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.Scope;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Records what one connected client reports in lines of JSON, and counts what cannot be read as lost.
 *
 * <p>A line that cannot be recorded is answered, counts as a lost report, and ends nothing. What a client can make the server do in one
 * turn is bounded, and so are its ids, requests, phases and meshes. Guarded by the server's lock.
 */
final class LineReports implements ConnectionReader {

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
    private static final String IDLE = "idle";
    private static final String BYE = "bye";

    /** The first of its three bytes. */
    private static final byte BYTE_ORDER_MARK = (byte) 0xef;

    /** The memory that a report is about. */
    record Memory(BufferType type, int device, long address, boolean isCircularBuffer) {}

    /**
     * A mesh by its number in the history.
     *
     * @param openDevices the devices that it keeps open: a submesh keeps those of its parent; none once it is closed
     */
    private record KnownMesh(int number, List<Integer> openDevices) {}

    private final ReportDispatcher dispatcher;
    private final ServerHistory history;
    private final AllocationTracker tracker;
    private final ClientConnection connection;

    private boolean isTooLong;

    /** How many of the bytes that remain are known to be no end of a line. */
    private int searched;

    private final StringBuilder answers = new StringBuilder();
    private int rejected;

    private Definitions definitions = new Definitions(AllocationDetails.user(), "");
    private boolean isGreeted;
    private int process;
    private long lastNumber;

    /** The operation of the last line; blank if that could not be recorded. */
    private String lastOperation = "";

    private final Map<Long, MemoryRequest> requests = new LinkedHashMap<>();
    private final Map<AllocationDetails, AllocationDetails> details = new HashMap<>();
    private final Deque<Scope> phases = new ArrayDeque<>();
    private final Map<Integer, KnownMesh> meshes = new HashMap<>();

    /** The mesh, moment and allocator of the snapshot whose last line has not come; null if there is none. */
    private @Nullable WitnessSnapshot begunSnapshot;

    /** The addresses of its lines so far; null if one of them is lost, so that those up to its last one are not recorded. */
    private @Nullable Map<Integer, Map<BufferType, List<Long>>> snapshot;

    /** Whether a line was lost right before, so that the next snapshot may have begun with it. */
    private boolean isBeginLost;

    private long unknownLines;
    private final TreeSet<String> unknownOperations = new TreeSet<>();

    private final Map<String, Consumer<JsonLine>> operations = Map.ofEntries(
            entry("hello", this::greeted),
            entry("stack", line -> definitions.addStack(line)),
            entry("owner", line -> definitions.addOwner(line)),
            entry(IDLE, this::sent),
            entry(BYE, this::sent),
            entry("alloc", report(line -> allocated(memory(line, false), line))),
            entry("free", report(line -> freed(memory(line, false), line))),
            entry("cb_alloc", report(line -> allocated(memory(line, true), line))),
            entry("cb_free", report(line -> freed(memory(line, true), line))),
            entry("phase", report(this::phase)),
            entry("owner_cached", report(this::ownerCached)),
            entry("owner_ended", report(this::ownerEnded)),
            entry("mesh_opened", report(this::meshOpened)),
            entry("mesh_close_begun", report(this::meshClosing)),
            entry("mesh_closed", report(this::meshClosed)),
            entry("state", this::witnessed));

    LineReports(ReportDispatcher dispatcher, ServerHistory history, ClientConnection connection) {
        this.dispatcher = dispatcher;
        this.history = history;
        this.tracker = history.tracker;
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

    @Override
    public Optional<String> read(ByteBuffer in) {
        byte[] bytes = new byte[in.remaining()];
        in.get(bytes);
        int begin = 0;
        for (int at = searched; at < bytes.length; at++) {
            if (bytes[at] == '\n') {
                record(bytes, begin, at);
                begin = at + 1;
                if (rejected >= MAX_REJECTED || !isGreeted) {
                    return Optional.of(rejection());
                }
            }
        }
        isTooLong |= bytes.length - begin > LineParser.MAX_BYTES;
        in.position(isTooLong ? in.limit() : in.limit() - (bytes.length - begin));
        searched = in.remaining();
        return Optional.empty();
    }

    private String rejection() {
        finish();
        String why = connection.description()
                + (isGreeted
                        ? " sent " + MAX_REJECTED + " lines that could not be recorded"
                        : " did not begin with a hello")
                + ", so it was closed";
        history.lost(-1, why);
        return why;
    }

    private void record(byte[] bytes, int from, int to) {
        connection.records++;
        lastOperation = "";
        JsonLine line = new JsonLine();
        try {
            if (isTooLong || to - from > LineParser.MAX_BYTES) {
                throw new InvalidLineException("has more than " + LineParser.MAX_BYTES + " bytes");
            }
            dispatcher.parser.read(bytes, from, to, line);
            lastOperation = record(line);
        } catch (InvalidLineException invalid) {
            rejected(line, invalid);
        }
        isTooLong = false;
    }

    /** Returns the operation of a line that is recorded. */
    private String record(JsonLine line) {
        String operation = line.text("op").orElseThrow(() -> new InvalidLineException("has no \"op\""));
        if (!isGreeted && !operation.equals("hello")) {
            throw new InvalidLineException("comes before the hello");
        }
        operations.getOrDefault(operation, this::unknown).accept(line);
        return operation;
    }

    /** Answers a line that cannot be recorded; its number is not missing too. */
    private void rejected(JsonLine line, InvalidLineException why) {
        rejected++;
        try {
            seen(line);
        } catch (InvalidLineException isNoLaterReport) {
            // The next number shows whether this line had one.
        }
        String what = "line " + connection.records + " " + why.getMessage();
        history.lost(1, connection.description() + ": " + what);
        loseSnapshot();
        answers.append("{\"error\":\"");
        JsonStringEncoder.getInstance().quoteAsString(what, answers);
        answers.append("\",\"line\":").append(connection.records).append("}\n");
    }

    @Override
    public byte[] answers() {
        byte[] result = answers.toString().getBytes(StandardCharsets.UTF_8);
        answers.setLength(0);
        return result;
    }

    @Override
    public boolean areAnswersRead() {
        return false;
    }

    private void greeted(JsonLine line) {
        if (isGreeted) {
            throw new InvalidLineException("is a second hello");
        }
        line.number("version", VERSION, VERSION);
        process = (int) line.number("pid", 1, Integer.MAX_VALUE);
        isGreeted = true;
        String suffixOfOwners = dispatcher.greeted(process, line.text("name").orElse(""), connection);
        definitions = new Definitions(connection.details(), suffixOfOwners);
        answers.append("{\"ok\":1}\n");
    }

    /**
     * A line without a number and memory is no report, so a server that skips it misses nothing that it would judge. What an array
     * or an object in it reports is not known.
     */
    private void unknown(JsonLine line) {
        String operation = line.text("op").orElse("");
        String name = operation.substring(0, Math.min(MAX_NAME, operation.length()));
        if (Stream.of("n", "address", "addresses", "size").anyMatch(line::has) || line.isNested()) {
            throw new InvalidLineException("has \"op\" " + name + ", a report that this server does not know");
        }
        unknownLines++;
        if (unknownOperations.size() < MAX_UNKNOWN) {
            unknownOperations.add(name);
        }
    }

    // Numbers of reports

    private Consumer<JsonLine> report(Consumer<JsonLine> recording) {
        return line -> {
            seen(line);
            dropSnapshot();
            isBeginLost = false;
            recording.accept(line);
        };
    }

    private void seen(JsonLine line) {
        long number = line.number("n", lastNumber + 1, Long.MAX_VALUE);
        missing(number - 1);
        lastNumber = number;
    }

    private void sent(JsonLine line) {
        missing(line.number("n", lastNumber, Long.MAX_VALUE));
    }

    /** Counts the reports up to a number that did not arrive. */
    private void missing(long until) {
        if (until > lastNumber) {
            String missing = Quantities.count(until - lastNumber, "report");
            history.lost(
                    until - lastNumber,
                    connection.description() + " numbers its reports, and " + missing + " after number " + lastNumber
                            + " did not arrive");
            lastNumber = until;
            loseSnapshot();
        }
    }

    // Memory

    private void allocated(Memory memory, JsonLine line) {
        connection.reports++;
        long size = line.number("size", 0, Long.MAX_VALUE);
        Ownership ownership = line.choice("ownership", Ownership.class).orElse(Ownership.UNKNOWN);
        MemoryRequest request = request(memory, line);
        dispatcher.entered(memory, process);
        tracker.allocated(request, memory.device(), memory.type(), memory.address(), size, ownership);
    }

    private void freed(Memory memory, JsonLine line) {
        connection.reports++;
        Ownership ownership = line.choice("ownership", Ownership.class).orElse(Ownership.UNKNOWN);
        MemoryRequest release = tracker.requestOfProcess(details(memory, line), definitions.stack(line));
        Optional<IgnoredFreeReason> ignored = line.choice("result", IgnoredFreeReason.class, FREED);
        if (ignored.isPresent()) {
            dispatcher.opened(memory.device());
            tracker.freeIgnored(release, memory.device(), memory.type(), memory.address(), ignored.get());
        } else if (dispatcher.left(memory, process)) {
            tracker.freed(release, memory.device(), memory.type(), memory.address(), ownership);
        } else {
            history.lost(
                    1,
                    connection.description() + " freed " + memory.type() + " "
                            + HistoryEvent.addressOn(memory.device(), memory.address())
                            + ", which only another process has allocated");
        }
    }

    private Memory memory(JsonLine line, boolean isCircularBuffer) {
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

    private static Optional<AllocatorId> allocator(JsonLine line) {
        return line.choice("allocator", AllocatorId.Kind.class).map(kind -> switch (kind) {
            case MESH -> AllocatorId.MESH;
            case DEVICE -> AllocatorId.DEVICE;
            case SUB_DEVICE -> AllocatorId.subDevice(line.number("manager"), line.number("subDevice"));
        });
    }

    /** Returns the request of a report: one that the client numbered before, if nothing else differs. */
    private MemoryRequest request(Memory memory, JsonLine line) {
        AllocationDetails complete = details(memory, line);
        Optional<Origin> origin = definitions.stack(line);
        long number = line.number("request", 0, Long.MAX_VALUE, 0);
        MemoryRequest known = requests.get(number);
        if (known != null && known.details().equals(complete) && known.origin().equals(origin)) {
            return known;
        }
        MemoryRequest first = tracker.requestOfProcess(complete, origin);
        if (number != 0) {
            requests.put(number, first);
        }
        if (requests.size() > MAX_REQUESTS) {
            requests.remove(requests.keySet().iterator().next());
        }
        return first;
    }

    /** The history keeps the details of each buffer, so equal ones share one object. */
    private AllocationDetails details(Memory memory, JsonLine line) {
        AllocationDetails result = definitions.details(line);
        result = memory.isCircularBuffer() ? result.ofKind(BufferKind.CIRCULAR_BUFFER) : result;
        result = line.number("mesh") == 0 ? result : result.onMesh(mesh(line).number());
        result = allocator(line).map(result::fromAllocator).orElse(result);
        result = line.text("label").map(result::labelled).orElse(result);
        long bytesPerBank = line.number("bytesPerBank", 0, Long.MAX_VALUE, 0);
        result = bytesPerBank == 0 ? result : result.withExtent(bytesPerBank);
        result = line.isTrue("view", false) ? result.asView() : result;
        if (details.size() >= MAX_DETAILS) {
            details.clear();
        }
        return details.computeIfAbsent(result, same -> same);
    }

    // Phases and owners

    private void phase(JsonLine line) {
        Optional<String> name = line.text("name");
        if (name.isEmpty()) {
            Optional.ofNullable(phases.poll()).ifPresent(Scope::close);
        } else if (phases.size() < MAX_PHASES) {
            phases.push(tracker.phase(new Phase(name.get())));
        } else {
            throw new InvalidLineException("begins a phase within " + MAX_PHASES + " others, which is the limit");
        }
    }

    private void ownerCached(JsonLine line) {
        tracker.ownerCached(owner(line), line.text("cache").orElse("cache"));
    }

    private void ownerEnded(JsonLine line) {
        tracker.ownerEnded(owner(line));
    }

    /** Returns the owner that a line names. */
    private Owner owner(JsonLine line) {
        return definitions.details(line).owner().orElseThrow(() -> new InvalidLineException("has no \"owner\""));
    }

    // Meshes

    private KnownMesh mesh(JsonLine line) {
        KnownMesh mesh = meshes.get(line.number("mesh"));
        if (mesh == null) {
            throw new InvalidLineException("names mesh " + line.number("mesh") + ", which it did not open");
        }
        return mesh;
    }

    private void meshOpened(JsonLine line) {
        int id = (int) line.number("mesh", 1, Integer.MAX_VALUE);
        List<Integer> devices = line.numbers("devices", HistoryEvent.MAX_DEVICE);
        boolean isPossible = devices.size() <= MAX_DEVICES
                && devices.stream().allMatch(dispatcher::isRecordable)
                && (meshes.containsKey(id) || meshes.size() < MAX_MESHES);
        if (!isPossible) {
            throw new InvalidLineException("opens a mesh of " + Quantities.count(devices.size(), "device")
                    + ", and valid are " + MAX_MESHES + " meshes and " + MAX_DEVICES + " devices");
        }
        Optional<KnownMesh> parent = Optional.ofNullable(meshes.get(line.number("parent")));
        MeshDescription description = new MeshDescription(
                dispatcher.nextMesh(),
                line.text("name").orElse("mesh"),
                devices,
                (int) line.number("busiestDevice", -1, HistoryEvent.MAX_DEVICE, -1),
                parent.map(known -> OptionalInt.of(known.number())).orElse(OptionalInt.empty()),
                List.of());
        close(id);
        List<Integer> kept = Stream.concat(
                        devices.stream(), parent.stream().flatMap(known -> known.openDevices().stream()))
                .distinct()
                .toList();
        meshes.put(id, new KnownMesh(description.id(), kept));
        tracker.meshOpened(description);
        dispatcher.openedByMesh(kept);
    }

    private void meshClosing(JsonLine line) {
        tracker.meshClosing(mesh(line).number());
    }

    private void meshClosed(JsonLine line) {
        KnownMesh mesh = mesh(line);
        close(line.number("mesh")).forEach(dispatcher::closedByMesh);
        tracker.meshClosed(mesh.number());
    }

    /** Ends the use of a mesh's devices; returns those that no mesh uses any more. */
    private List<Integer> close(int id) {
        KnownMesh closed = meshes.get(id);
        if (closed == null) {
            return List.of();
        }
        meshes.put(id, new KnownMesh(closed.number(), List.of()));
        return dispatcher.noLongerUsed(closed.openDevices());
    }

    // Snapshots

    private void witnessed(JsonLine line) {
        seen(line);
        WitnessSnapshot next = new WitnessSnapshot(
                mesh(line).number(),
                line.requiredChoice("moment", WitnessSnapshot.Moment.class),
                allocator(line),
                Map.of());
        BufferType type = line.requiredChoice("type", BufferType.class);
        int device = device(line);
        long[] addresses = line.addresses("addresses");
        boolean isComplete = line.isTrue("complete", true);
        if (!next.equals(begunSnapshot)) {
            dropSnapshot();
            snapshot = isBeginLost ? null : new HashMap<>();
        }
        isBeginLost = false;
        if (snapshot != null) {
            List<Long> allocated = snapshot.computeIfAbsent(device, unused -> new EnumMap<>(BufferType.class))
                    .computeIfAbsent(type, unused -> new ArrayList<>(addresses.length));
            Arrays.stream(addresses).forEach(allocated::add);
            if (isComplete) {
                tracker.witnessed(new WitnessSnapshot(next.mesh(), next.moment(), next.allocator(), snapshot));
            }
        }
        begunSnapshot = isComplete ? null : next;
        snapshot = isComplete ? null : snapshot;
    }

    /** Drops the snapshots of which a line may be lost: the one that is read, and one that may have begun with the line. */
    private void loseSnapshot() {
        dropSnapshot();
        isBeginLost = true;
    }

    /** Drops a snapshot that lacks its last line: it proves nothing. */
    private void dropSnapshot() {
        if (snapshot != null) {
            history.lost(1, connection.description() + " began a snapshot and did not complete it");
        }
        snapshot = null;
    }

    // The end

    /** A client says that it ends. */
    @Override
    public boolean mayReport() {
        return !lastOperation.equals(BYE);
    }

    private Optional<String> problem() {
        return unknownLines == 0
                ? Optional.empty()
                : Optional.of(connection.description() + " sent " + Quantities.count(unknownLines, "line")
                        + " with operations that this server does not know (" + String.join(", ", unknownOperations)
                        + "), which were skipped");
    }

    @Override
    public Optional<String> closed() {
        close();
        return problem();
    }

    /** Ends what began over the connection. */
    private void close() {
        dropSnapshot();
        while (!phases.isEmpty()) {
            phases.pop().close();
        }
        meshes.values().forEach(mesh -> dispatcher.noLongerUsed(mesh.openDevices()));
        meshes.clear();
    }

    private void finish() {
        close();
        if (isGreeted) {
            dispatcher.finished(process, lastOperation.equals(BYE));
        }
    }

    @Override
    public Optional<String> disconnected(ByteBuffer incomplete) {
        lastOperation = incomplete.hasRemaining() || isTooLong ? "" : lastOperation;
        finish();
        if (!lastOperation.equals(IDLE) && !lastOperation.equals(BYE)) {
            history.lost(
                    -1,
                    connection.description()
                            + (isGreeted
                                    ? " ended without \"bye\" or \"idle\", so reports may be missing"
                                    : " ended before its hello was complete"));
        }
        return problem();
    }
}
