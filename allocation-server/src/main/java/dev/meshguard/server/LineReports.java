package dev.meshguard.server;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferKind;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Origin;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.Phase;
import dev.meshguard.event.Quantities;
import dev.meshguard.event.WitnessSnapshot;
import dev.meshguard.server.line.internal.Definitions;
import dev.meshguard.server.line.internal.Definitions.KnownOwner;
import dev.meshguard.server.line.internal.Field;
import dev.meshguard.server.line.internal.InvalidLineException;
import dev.meshguard.server.line.internal.JsonLine;
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
    private static final int MAX_DEVICES = 1024;
    private static final int MAX_UNKNOWN = 8;
    private static final int MAX_NAME = 40;
    private static final String FREED = "FREED";
    private static final byte[] NOTHING = {};

    /** The operations that are reports, each with a number. */
    private static final Set<String> OPERATIONS = Set.of(
            "alloc",
            "free",
            "cb_alloc",
            "cb_free",
            "phase",
            "owner_cached",
            "owner_ended",
            "mesh_opened",
            "mesh_close_begun",
            "mesh_closed",
            "state");

    /** The memory that a report is about. */
    record Memory(BufferType type, int device, long address, boolean isCircularBuffer) {}

    /** What decides the details of memory; most reports of a client have few different ones. */
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

    /** What the last line says of the reports up to it. */
    private enum Ending {
        /** Reports may be missing. */
        UNKNOWN,
        /** Everything was sent, and more may follow. */
        IDLE,
        /** Everything was sent, and the program ends. */
        BYE
    }

    /** A mesh by its number in the history. */
    private record KnownMesh(int number, List<Integer> devices) {}

    /** A snapshot of which more parts may follow. */
    private record Snapshot(
            KnownMesh mesh,
            WitnessSnapshot.Moment moment,
            Optional<AllocatorId> allocator,
            WitnessSnapshot.Builder builder) {}

    private final ReportDispatcher dispatcher;
    private final HistoryReporter reporter;
    private final LinePrograms programs;
    private final ClientConnection connection;
    private final JsonLine line;

    /** The incomplete line at the end of what was read. */
    private byte[] carry = NOTHING;

    private boolean isTooLong;
    private long lineNumber = 1;
    private final StringBuilder answers = new StringBuilder();
    private int rejected;

    private Definitions definitions = new Definitions("");
    private int process;
    private boolean isGreeted;
    private long lastNumber;
    private Ending ending = Ending.UNKNOWN;

    private final Requests requests = new Requests();
    private final Map<DetailsKey, AllocationDetails> details = new HashMap<>();
    private final Deque<Optional<Scope>> phases = new ArrayDeque<>();
    private long deeperPhases;
    private final Map<Integer, KnownMesh> meshes = new HashMap<>();
    private final Map<Integer, KnownMesh> openMeshes = new HashMap<>();
    private @Nullable Snapshot snapshot;

    private long unknownLines;
    private final TreeSet<String> unknownOperations = new TreeSet<>();

    LineReports(
            ReportDispatcher dispatcher, HistoryReporter reporter, LinePrograms programs, ClientConnection connection) {
        this.dispatcher = dispatcher;
        this.reporter = reporter;
        this.programs = programs;
        this.connection = connection;
        this.line = programs.line;
    }

    /** Returns whether bytes begin lines: no request of an allocation server begins with a brace. */
    static boolean areBegunBy(ByteBuffer in) {
        return in.hasRemaining() && in.get(0) == '{';
    }

    // Lines

    /**
     * Records all complete lines; the rest waits for more bytes.
     *
     * @return why nothing more can be read from the connection, if so
     */
    Optional<String> read(ByteBuffer in) {
        byte[] bytes = new byte[carry.length + in.remaining()];
        System.arraycopy(carry, 0, bytes, 0, carry.length);
        in.get(bytes, carry.length, in.remaining());
        int begin = 0;
        for (int at = carry.length; at < bytes.length; at++) {
            if (bytes[at] == '\n') {
                line(bytes, begin, at);
                begin = at + 1;
                if (rejected >= MAX_REJECTED || !isGreeted) {
                    ending = Ending.UNKNOWN;
                    finish();
                    return Optional.of(whyNotReadable());
                }
            }
        }
        int left = bytes.length - begin;
        isTooLong |= left > JsonLine.MAX_BYTES;
        carry = isTooLong || left == 0 ? NOTHING : Arrays.copyOfRange(bytes, begin, bytes.length);
        return Optional.empty();
    }

    private String whyNotReadable() {
        return isGreeted ? "sent " + MAX_REJECTED + " lines that could not be recorded" : "did not begin with a hello";
    }

    private void line(byte[] bytes, int from, int to) {
        connection.records++;
        boolean isLong = isTooLong || to - from > JsonLine.MAX_BYTES;
        isTooLong = false;
        line.clear();
        try {
            if (isLong) {
                throw new InvalidLineException("has more than " + JsonLine.MAX_BYTES + " bytes");
            }
            line.read(bytes, from, to);
            record();
        } catch (InvalidLineException invalid) {
            rejected(String.valueOf(invalid.getMessage()));
        }
        lineNumber++;
    }

    private void record() throws InvalidLineException {
        String operation = line.text(Field.OP).orElseThrow(() -> new InvalidLineException("has no \"op\""));
        if (!isGreeted && !operation.equals("hello")) {
            throw new InvalidLineException("comes before the hello");
        }
        ending = Ending.UNKNOWN;
        switch (operation) {
            case "hello" -> greeted();
            case "stack", "owner" -> define(operation.equals("stack"));
            case "idle", "bye" -> {
                long sent = line.number(Field.N);
                if (sent < lastNumber) {
                    throw outOfOrder(sent);
                }
                missing(sent);
                lastNumber = sent;
                ending = operation.equals("bye") ? Ending.BYE : Ending.IDLE;
            }
            default -> report(operation);
        }
    }

    private void greeted() throws InvalidLineException {
        if (isGreeted) {
            throw new InvalidLineException("is a second hello");
        }
        long version = line.number(Field.VERSION);
        if (version != VERSION) {
            throw new InvalidLineException(String.format(
                    Locale.ROOT,
                    "has \"version\" %d, and this server reads version %d. Use the client of this MeshGuard",
                    version,
                    VERSION));
        }
        process = (int) line.number(Field.PID);
        dispatcher.greeted(process, line.text(Field.NAME).orElse(""), connection);
        isGreeted = true;
        definitions = new Definitions(programs.connected(connection.number));
        answers.append("{\"ok\":1}\n");
    }

    private void define(boolean isStack) throws InvalidLineException {
        if (!reporter.isKept()) {
            return;
        }
        if (isStack) {
            definitions.addStack(line);
        } else {
            definitions.addOwner(line);
        }
    }

    /** Answers a line that cannot be recorded; its number is not missing too. */
    private void rejected(String why) {
        rejected++;
        try {
            if (line.number(Field.N, 0) > lastNumber) {
                seen();
            }
        } catch (InvalidLineException hasNoNumber) {
            // The next report shows whether this line had one.
        }
        String what = "line " + lineNumber + " " + why;
        reporter.lost(1, connection.description() + ": " + what);
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

    private void seen() throws InvalidLineException {
        long number = line.number(Field.N);
        if (number <= lastNumber) {
            throw outOfOrder(number);
        }
        missing(number - 1);
        lastNumber = number;
    }

    private InvalidLineException outOfOrder(long number) {
        return new InvalidLineException("has \"n\" " + number + " after " + lastNumber);
    }

    /** Counts the reports up to a number that did not arrive. */
    private void missing(long until) {
        if (until > lastNumber) {
            reporter.lost(
                    until - lastNumber,
                    String.format(
                            Locale.ROOT,
                            "%s numbers its reports, and %s after number %d did not arrive",
                            connection.description(),
                            Quantities.count(until - lastNumber, "report"),
                            lastNumber));
        }
    }

    // Reports

    private void report(String operation) throws InvalidLineException {
        if (!OPERATIONS.contains(operation)) {
            unknown(operation);
            return;
        }
        seen();
        if (!operation.equals("state")) {
            endSnapshot();
        }
        switch (operation) {
            case "alloc", "cb_alloc" -> allocated(operation.equals("cb_alloc"));
            case "free", "cb_free" -> freed(operation.equals("cb_free"));
            case "phase" -> phase();
            case "owner_cached" -> {
                KnownOwner known = owner();
                String cache = line.text(Field.CACHE).orElse("cache");
                reporter.report(tracker -> tracker.ownerCached(known.owner(), cache));
            }
            case "owner_ended" -> {
                KnownOwner known = owner();
                reporter.report(tracker -> tracker.ownerEnded(known.owner()));
            }
            case "mesh_opened" -> meshOpened();
            case "mesh_close_begun" -> {
                KnownMesh mesh = mesh();
                reporter.report(tracker -> tracker.meshClosing(mesh.number()));
            }
            case "mesh_closed" -> meshClosed();
            default -> witnessed();
        }
    }

    /** A line without a number is no report, so a server that skips it misses nothing that it would judge. */
    private void unknown(String operation) throws InvalidLineException {
        String name = operation.substring(0, Math.min(MAX_NAME, operation.length()));
        if (line.has(Field.N)) {
            throw new InvalidLineException("has \"op\" " + name + ", a report that this server does not know");
        }
        unknownLines++;
        if (unknownOperations.size() < MAX_UNKNOWN) {
            unknownOperations.add(name);
        }
    }

    private void allocated(boolean isCircularBuffer) throws InvalidLineException {
        connection.reports++;
        Memory memory = memory(isCircularBuffer);
        long size = line.number(Field.SIZE);
        AllocationDetails complete = details(isCircularBuffer);
        Optional<Origin> origin = origin();
        Ownership ownership = line.choice(Field.OWNERSHIP, Ownership.class, Ownership.UNKNOWN);
        long request = line.number(Field.REQUEST, 0);
        if (dispatcher.entered(memory, size, process, connection) && reporter.isKept()) {
            MemoryRequest known = request(request, complete, origin);
            reporter.report(tracker ->
                    tracker.allocated(known, memory.device(), memory.type(), memory.address(), size, ownership));
        }
    }

    private void freed(boolean isCircularBuffer) throws InvalidLineException {
        connection.reports++;
        Memory memory = memory(isCircularBuffer);
        AllocationDetails complete = details(isCircularBuffer);
        Optional<Origin> origin = origin();
        Ownership ownership = line.choice(Field.OWNERSHIP, Ownership.class, Ownership.UNKNOWN);
        boolean isFreed = line.text(Field.RESULT).orElse(FREED).equals(FREED);
        Optional<IgnoredFreeReason> ignored =
                isFreed ? Optional.empty() : line.choice(Field.RESULT, IgnoredFreeReason.class);
        if (!dispatcher.left(memory, ignored.isPresent(), process, connection) || !reporter.isKept()) {
            return;
        }
        MemoryRequest release = reporter.request(complete, origin);
        if (ignored.isPresent()) {
            IgnoredFreeReason reason = ignored.get();
            reporter.report(
                    tracker -> tracker.freeIgnored(release, memory.device(), memory.type(), memory.address(), reason));
        } else {
            reporter.report(
                    tracker -> tracker.freed(release, memory.device(), memory.type(), memory.address(), ownership));
        }
    }

    private Memory memory(boolean isCircularBuffer) throws InvalidLineException {
        BufferType type = isCircularBuffer ? line.choice(Field.TYPE, BufferType.class, BufferType.L1) : type();
        return new Memory(type, (int) line.number(Field.DEVICE), line.number(Field.ADDRESS), isCircularBuffer);
    }

    private BufferType type() throws InvalidLineException {
        return line.choice(Field.TYPE, BufferType.class).orElseThrow(() -> new InvalidLineException("has no \"type\""));
    }

    private Optional<Origin> origin() throws InvalidLineException {
        return reporter.isKept() ? definitions.stack(line) : Optional.empty();
    }

    private KnownOwner owner() throws InvalidLineException {
        return definitions.owner(line).orElseThrow(() -> new InvalidLineException("has no \"owner\""));
    }

    private KnownMesh mesh() throws InvalidLineException {
        long id = line.number(Field.MESH);
        KnownMesh mesh = meshes.get((int) id);
        if (mesh == null) {
            throw new InvalidLineException("names mesh " + id + ", which it did not open");
        }
        return mesh;
    }

    private Optional<AllocatorId> allocator() throws InvalidLineException {
        Optional<AllocatorId.Kind> kind = line.choice(Field.ALLOCATOR, AllocatorId.Kind.class);
        if (kind.isEmpty()) {
            return Optional.empty();
        }
        boolean isPart = kind.get() == AllocatorId.Kind.SUB_DEVICE;
        return Optional.of(new AllocatorId(
                kind.get(),
                isPart ? (int) line.number(Field.MANAGER, 0) : 0,
                isPart ? (int) line.number(Field.SUB_DEVICE, 0) : 0));
    }

    /** The history keeps the details of each buffer, so equal ones share one object. */
    private AllocationDetails details(boolean isCircularBuffer) throws InvalidLineException {
        if (!reporter.isKept()) {
            return connection.details();
        }
        DetailsKey key = new DetailsKey(
                isCircularBuffer,
                line.text(Field.LABEL),
                definitions.owner(line),
                line.number(Field.MESH, 0) == 0 ? 0 : mesh().number(),
                allocator(),
                line.number(Field.BYTES_PER_BANK, 0),
                line.isTrue(Field.VIEW, false));
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

    private void phase() throws InvalidLineException {
        Optional<String> name = line.text(Field.NAME);
        if (name.isPresent()) {
            if (phases.size() >= MAX_PHASES) {
                deeperPhases++;
                return;
            }
            phases.push(reporter.phase(new Phase(name.get())));
        } else if (deeperPhases > 0) {
            deeperPhases--;
        } else if (!phases.isEmpty()) {
            phases.pop().ifPresent(Scope::close);
        }
    }

    // Meshes

    private void meshOpened() throws InvalidLineException {
        int id = (int) line.number(Field.MESH);
        List<Integer> devices =
                line.numbers(Field.DEVICES).stream().map(Long::intValue).toList();
        boolean isPossible = id != 0
                && devices.size() <= MAX_DEVICES
                && devices.stream().allMatch(dispatcher::isRecordable)
                && (meshes.containsKey(id) || meshes.size() < MAX_MESHES);
        if (!isPossible) {
            throw new InvalidLineException(String.format(
                    Locale.ROOT,
                    "opens mesh %d over %s, and a connection has at most %d meshes from number 1 on, of at most %d devices",
                    id,
                    Quantities.count(devices.size(), "device"),
                    MAX_MESHES,
                    MAX_DEVICES));
        }
        KnownMesh parent = meshes.get((int) line.number(Field.PARENT, 0));
        String name = line.text(Field.NAME).orElse("mesh");
        int busiest = (int) line.number(Field.BUSIEST_DEVICE, -1);
        notOpen(id);
        KnownMesh mesh = new KnownMesh(reporter.isKept() ? programs.numberOf(id) : id, devices);
        meshes.put(id, mesh);
        openMeshes.put(id, mesh);
        MeshDescription description = new MeshDescription(
                mesh.number(),
                name,
                devices,
                busiest,
                parent == null ? OptionalInt.empty() : OptionalInt.of(parent.number()),
                List.of());
        reporter.report(tracker -> tracker.meshOpened(description));
        programs.opened(devices).forEach(dispatcher::openedByMesh);
    }

    private void meshClosed() throws InvalidLineException {
        KnownMesh mesh = mesh();
        notOpen((int) line.number(Field.MESH)).forEach(dispatcher::closedByMesh);
        reporter.report(tracker -> tracker.meshClosed(mesh.number()));
    }

    /** Ends the use of a mesh's devices; returns those that no mesh uses any more. */
    private List<Integer> notOpen(int id) {
        KnownMesh open = openMeshes.remove(id);
        return open == null ? List.of() : programs.closed(open.devices());
    }

    private void witnessed() throws InvalidLineException {
        KnownMesh mesh = mesh();
        WitnessSnapshot.Moment moment = line.choice(Field.MOMENT, WitnessSnapshot.Moment.class)
                .orElseThrow(() -> new InvalidLineException("has no \"moment\""));
        Optional<AllocatorId> allocator = allocator();
        int device = (int) line.number(Field.DEVICE);
        BufferType type = type();
        List<Long> addresses = line.numbers(Field.ADDRESSES);
        boolean isComplete = line.isTrue(Field.COMPLETE, true);
        Snapshot current = snapshot;
        if (current == null
                || !current.mesh().equals(mesh)
                || current.moment() != moment
                || !current.allocator().equals(allocator)) {
            endSnapshot();
            WitnessSnapshot.Builder builder = WitnessSnapshot.of(mesh.number(), moment);
            allocator.ifPresent(builder::ofAllocator);
            current = new Snapshot(mesh, moment, allocator, builder);
            snapshot = current;
        }
        current.builder()
                .region(
                        device,
                        type,
                        addresses.stream().mapToLong(Long::longValue).toArray());
        if (isComplete) {
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
        return ending != Ending.BYE;
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
        endSnapshot();
        while (!phases.isEmpty()) {
            phases.pop().ifPresent(Scope::close);
        }
        List.copyOf(openMeshes.keySet()).forEach(this::notOpen);
    }

    private void finish() {
        close();
        if (isGreeted) {
            dispatcher.finished(process, ending == Ending.BYE);
        }
    }

    /** Records that the program ended the connection. */
    void disconnected() {
        ending = carry.length == 0 && !isTooLong ? ending : Ending.UNKNOWN;
        finish();
        if (ending == Ending.UNKNOWN) {
            reporter.lost(
                    -1,
                    connection.description()
                            + (isGreeted
                                    ? " ended without \"bye\" or \"idle\", so reports may be missing"
                                    : " ended before its hello was complete"));
        }
    }
}
