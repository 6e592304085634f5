package dev.meshguard.server;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Ownership;
import dev.meshguard.history.internal.AddressTable;
import dev.meshguard.server.line.internal.LineParser;
import dev.meshguard.server.log.internal.GuessedTypes;
import dev.meshguard.server.protocol.RecordSize;
import dev.meshguard.tracker.AllocationTracker;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Passes the reports of programs to the tracker, and answers queries from it.
 *
 * <p>It keeps what a free does not contain and the tracker does not know: the memory type and the processes of each address.
 * Guarded by the server's lock.
 */
final class ReportDispatcher {

    /** The limit from which the last of the old servers treats a size as invalid. */
    private static final long MAX_SIZE_BYTES = 100L << 30;

    private static final BufferType[] TYPES = BufferType.values();

    private static final int MAX_NAMED_PROGRAMS = 8;
    private static final int MAX_PROGRAM_LENGTH = 60;

    private final Map<Integer, AddressTable<ReportedAddress>> addresses = new TreeMap<>();
    private final GuessedTypes guesses = new GuessedTypes();
    private final Map<Long, ClientProcess> processes = new HashMap<>();
    private final List<ClientConnection> connections;
    /** The parser of the lines of all connections. */
    final LineParser parser = new LineParser();

    /** How many open meshes of all clients use each device. */
    private final Map<Integer, Integer> openMeshes = new HashMap<>();

    private int meshes;
    private boolean hasClients;
    private final ProcessInspector inspector;
    final ServerHistory history;
    private final AllocationTracker tracker;
    private final int devices;
    private final Set<Integer> openedDevices = new HashSet<>();

    /** The processes whose end is that of their last connection. */
    private final Set<Long> clients = new HashSet<>();

    /** Clients that did not say that they end, and whose exit status is not known yet. */
    private final Set<Long> unfinished = new HashSet<>();

    private @Nullable RecordSize recordSize;

    /**
     * Creates a dispatcher.
     *
     * @param devices the number of devices that records may name
     * @param connections those of the server, which adds later ones
     */
    ReportDispatcher(
            ServerHistory history, int devices, ProcessInspector inspector, List<ClientConnection> connections) {
        this.connections = connections;
        this.history = history;
        this.tracker = history.tracker;
        this.devices = devices;
        this.inspector = inspector;
    }

    /** Returns the size of all records; null if it is not known yet. */
    @Nullable
    RecordSize recordSize() {
        return recordSize;
    }

    void recordSize(RecordSize size) {
        recordSize = size;
    }

    private boolean isLastServer() {
        return recordSize == RecordSize.BYTES_144;
    }

    // Reports

    void allocated(int type, int device, long id, long size, ClientConnection connection) {
        ClientProcess process = connection.process();
        if (isPossible(type, device, size, connection)) {
            enter(process, device, TYPES[type], id);
            allocated(process.buffer, device, TYPES[type], id, size);
            guesses.allocated(device, id, TYPES[type])
                    .ifPresent(mayBeFreed -> history.lost(-1, connection.description() + " " + mayBeFreed));
        }
    }

    private void enter(ClientProcess process, int device, BufferType type, long id) {
        ReportedAddress known = knownAddress(device, id);
        if (known.isAbandoned()) {
            // Now it belongs to another process: the device was closed in between.
            history.openPeriodBegan(device);
            opensAgain(device);
        }
        known.allocated(type, process);
        opened(device);
    }

    private ReportedAddress knownAddress(int device, long id) {
        ReportedAddress known = find(device, id);
        if (known == null) {
            known = new ReportedAddress(id);
            addresses.computeIfAbsent(device, unused -> new AddressTable<>()).add(known);
        }
        return known;
    }

    private @Nullable ReportedAddress find(int device, long id) {
        AddressTable<ReportedAddress> ofDevice = addresses.get(device);
        return ofDevice == null ? null : ofDevice.find(ReportedAddress.ANY, id);
    }

    private void allocated(AllocationDetails who, int device, BufferType type, long id, long size) {
        tracker.allocated(request(who), device, type, id, size, Ownership.UNKNOWN);
    }

    private void freed(AllocationDetails who, int device, BufferType type, long id) {
        tracker.freed(request(who), device, type, id, Ownership.UNKNOWN);
    }

    private MemoryRequest request(AllocationDetails who) {
        return tracker.requestOfProcess(who, Optional.empty());
    }

    private boolean isPossible(int type, int device, long size, ClientConnection connection) {
        if (type >= TYPES.length) {
            return rejected("buffer type " + type + ", and only 0 to " + (TYPES.length - 1) + " are one", connection);
        }
        if (isOutOfRange(device)) {
            return rejected("device " + device + ", and this server has devices 0 to " + (devices - 1), connection);
        }
        if (size < 0 || (isLastServer() && (size == 0 || size > MAX_SIZE_BYTES))) {
            return rejected("a size of " + Long.toUnsignedString(size) + " bytes, which cannot be", connection);
        }
        return true;
    }

    private boolean isOutOfRange(int device) {
        return device < 0 || device >= devices;
    }

    private boolean rejected(String what, ClientConnection connection) {
        history.lost(1, connection.description() + " reported " + what);
        return false;
    }

    void freed(int device, long id, ClientConnection connection) {
        ClientProcess process = connection.process();
        ReportedAddress known = find(device, id);
        int open = known == null ? 0 : known.openReports();
        if (known == null || open == 0) {
            unknownFree(device, id, known != null && known.wasAbandoned(), connection);
            return;
        }
        BufferType type = open == 1 ? known.memory() : history.openType(device, id, known.memory());
        known.freed(type, process.id);
        freed(process.buffer, device, type, id);
    }

    private void unknownFree(int device, long id, boolean wasAbandoned, ClientConnection connection) {
        ClientProcess process = connection.process();
        if (wasAbandoned) {
            BufferType type = history.openType(device, id, BufferType.DRAM);
            tracker.freeIgnored(request(process.buffer), device, type, id, IgnoredFreeReason.UNKNOWN_ADDRESS);
        } else if (isOutOfRange(device)) {
            rejected("a free on device " + device + ", which this server does not have", connection);
        } else {
            opened(device);
            BufferType guess = typeOfUnknown(device, id);
            guesses.freed(device, id, guess, "a free of nothing by " + connection.description());
            freed(process.buffer, device, guess, id);
        }
    }

    /** A free does not contain the memory type: the latest of its address is the best guess, also on another device. */
    private BufferType typeOfUnknown(int device, long id) {
        return Stream.concat(Stream.of(device), addresses.keySet().stream())
                .flatMap(one -> Stream.ofNullable(find(one, id)))
                .findFirst()
                .map(ReportedAddress::memory)
                .orElse(BufferType.DRAM);
    }

    void opened(int device) {
        if (openedDevices.add(device) && !tracker.devices().contains(device)) {
            tracker.deviceOpened(device);
        }
    }

    // Lines of MeshGuard's clients

    /** Returns the reader of a connection that sends lines. */
    LineReports lines(ClientConnection connection) {
        return new LineReports(this, history, connection);
    }

    /**
     * Records the process of a client. It is not checked, because the end of its connection shows how it ended.
     *
     * @return what makes the owners of the connection differ from those of the others; nothing for the first one
     */
    String greeted(int process, String program, ClientConnection connection) {
        connection.reportedBy(process(process));
        clients.add((long) process);
        String name =
                program.isBlank() ? "" : ", " + program.substring(0, Math.min(MAX_PROGRAM_LENGTH, program.length()));
        tracker.sourceAttached("allocation server, " + connection.description() + name);
        String suffixOfOwners = hasClients ? " of connection " + connection.number : "";
        hasClients = true;
        return suffixOfOwners;
    }

    /** Records whose the memory is that a client is about to report. */
    void entered(LineReports.Memory memory, int process) {
        if (memory.isCircularBuffer()) {
            opened(memory.device());
        } else {
            enter(process(process), memory.device(), memory.type(), memory.address());
        }
    }

    /**
     * Records that memory is no longer that of a client which is about to report its free.
     *
     * @return whether it was; memory that only other processes have reported may be theirs, or have been freed before
     */
    boolean left(LineReports.Memory memory, int process) {
        opened(memory.device());
        ReportedAddress known = memory.isCircularBuffer() ? null : find(memory.device(), memory.address());
        if (known == null) {
            return true;
        }
        boolean isOfType = known.openReports() == 0 || known.memory() == memory.type();
        if (isOfType && known.isOfOthers(process)) {
            return false;
        }
        known.freed(memory.type(), process);
        return true;
    }

    /** Returns whether there is room for a device; clients may name any. */
    boolean isRecordable(int device) {
        return openedDevices.contains(device) || openedDevices.size() < LineReports.MAX_DEVICES;
    }

    /** Returns the number of the next mesh in the history. */
    int nextMesh() {
        meshes++;
        return meshes;
    }

    /** Records that a mesh was opened, which opens the devices that no other open mesh uses. */
    void openedByMesh(List<Integer> devicesOfMesh) {
        devicesOfMesh.stream()
                .filter(device -> openMeshes.merge(device, 1, Integer::sum) == 1)
                .forEach(this::openedByMesh);
    }

    /** Records that a mesh uses its devices no longer; returns those that no open mesh uses. */
    List<Integer> noLongerUsed(List<Integer> devicesOfMesh) {
        return devicesOfMesh.stream()
                .filter(device ->
                        openMeshes.computeIfPresent(device, (unused, open) -> open > 1 ? open - 1 : null) == null)
                .toList();
    }

    private void openedByMesh(int device) {
        if (openedDevices.add(device)) {
            tracker.deviceOpened(device);
        } else {
            history.openPeriodBegan(device);
        }
        opensAgain(device);
    }

    /** No free of nothing is that of a buffer from before or after. */
    private void opensAgain(int device) {
        guesses.deviceOpened(device);
        addresses.getOrDefault(device, new AddressTable<>()).forEach(ReportedAddress::deviceOpenedAgain);
    }

    /** Records that the last open mesh over a device was closed. */
    void closedByMesh(int device) {
        openedDevices.remove(device);
        tracker.deviceClosed(device);
    }

    /**
     * Records that a client ended its connection.
     *
     * @param isInOrder whether the client said that its program ends, so that no exit status is a death
     */
    void finished(long process, boolean isInOrder) {
        if (!isInOrder) {
            unfinished.add(process);
        }
    }

    /** Records that a client has ended if this was the last connection of its process. */
    void ended(ClientConnection connection) {
        connection
                .processes()
                .filter(clients::contains)
                .filter(process -> connections.stream().noneMatch(other -> other.isOpen && other.isOf(process)))
                .toList()
                .forEach(process -> {
                    clients.remove(process);
                    forget(process);
                });
    }

    void circularBuffer(boolean isAllocated, int device, long id, long size, ClientConnection connection) {
        if (isOutOfRange(device) || size < 0) {
            rejected(
                    "a circular buffer on device " + device + " of " + Long.toUnsignedString(size) + " bytes",
                    connection);
            return;
        }
        opened(device);
        AllocationDetails who = connection.process().circularBuffer;
        if (isAllocated) {
            allocated(who, device, BufferType.L1, id, size);
        } else {
            freed(who, device, BufferType.L1, id);
        }
    }

    // Processes

    private ClientProcess process(long id) {
        return processes.computeIfAbsent(id, ClientProcess::new);
    }

    /** Records the process of a report. */
    void reportedBy(int id, ClientConnection connection) {
        if (connection.isLatest(id)) {
            return;
        }
        if (process(id).isReplaced(inspector)) {
            died(id);
        }
        ClientProcess process = process(id);
        process.check(inspector);
        boolean isFirst = !connection.hasReports();
        connection.reportedBy(process);
        if (isFirst) {
            tracker.sourceAttached("allocation server, " + connection.description());
        }
    }

    /** Returns the ids of the dead processes, ascending. */
    Set<Long> dead() {
        return processes.values().stream()
                .filter(process -> process.isDead(inspector))
                .map(process -> process.id)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Records the deaths of processes, and those of clients that have ended out of order and failed. */
    void recordDeaths(Set<Long> dead) {
        dead.forEach(this::died);
        unfinished.stream().filter(inspector::hasFailed).toList().forEach(failed -> {
            unfinished.remove(failed);
            tracker.processDied(failed);
        });
        history.addUp();
    }

    private void died(long process) {
        tracker.processDied(process);
        forget(process);
    }

    /** A later process with this id is another one. */
    private void forget(long process) {
        process(process).hasEnded = true;
        processes.remove(process);
    }

    // Queries

    /**
     * Returns the live bytes of a device in DRAM, in L1, in L1_SMALL and SYSTEM_MEMORY together, and in TRACE; nothing for one that this
     * server does not have. Circular buffers are in L1, and kernels are no memory of the tracker.
     */
    long[] usage(int device) {
        if (isOutOfRange(device)) {
            return new long[0];
        }
        return new long[] {
            tracker.liveBytes(device, BufferType.DRAM),
            tracker.liveBytes(device, BufferType.L1),
            tracker.liveBytes(device, BufferType.L1_SMALL) + tracker.liveBytes(device, BufferType.SYSTEM_MEMORY),
            tracker.liveBytes(device, BufferType.TRACE)
        };
    }

    /**
     * Records the programs that are connected when the server is closed: their later reports are not read.
     *
     * <p>This counts as lost reports rather than as stopped tracking. A history in which tracking stops while nothing
     * is allocated is leak-free, because its source had nothing more to report. A connected program may allocate at any
     * time.
     */
    void closedWhileConnected(List<ClientConnection> connected) {
        if (connected.isEmpty()) {
            return;
        }
        List<String> programs = connected.stream()
                .flatMap(ClientConnection::programs)
                .distinct()
                .toList();
        int more = programs.size() - MAX_NAMED_PROGRAMS;
        String reason = String.format(
                Locale.ROOT,
                "the allocation server was closed while %s%s %s still connected, and read no later report",
                programs.stream().limit(MAX_NAMED_PROGRAMS).collect(Collectors.joining(", ")),
                more > 0 ? " and " + more + " more" : "",
                programs.size() == 1 ? "was" : "were");
        history.addUp();
        tracker.reportsLost(-1, reason);
    }
}
