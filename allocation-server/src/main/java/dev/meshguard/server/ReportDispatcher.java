package dev.meshguard.server;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Ownership;
import dev.meshguard.history.internal.LiveEntries.Entry;
import dev.meshguard.server.ReportedBuffers.Held;
import dev.meshguard.server.log.internal.GuessedTypes;
import dev.meshguard.server.protocol.DeviceInfo;
import dev.meshguard.server.protocol.MemoryUsage;
import dev.meshguard.server.protocol.RecordSize;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Records the reports of programs in two places: the server's ledger, which answers queries, and the tracker, which
 * finds leaks.
 *
 * <p>They differ where the old server forgets: buffers of a dead process are removed from the ledger and stay in the
 * tracker. Guarded by the server's lock.
 */
final class ReportDispatcher {

    /** The limit from which the last of the old servers treats a size as invalid. */
    private static final long MAX_SIZE_BYTES = 100L << 30;

    private static final BufferType[] TYPES = BufferType.values();

    /** The number of the old server, regardless of the installed devices. */
    private static final int MIN_DEVICES = 8;

    private static final int MAX_NAMED_PROGRAMS = 8;
    private static final int MAX_PROGRAM_LENGTH = 60;

    /** The allocated buffers. */
    final ReportedBuffers buffers = new ReportedBuffers();

    private final RunningTotals circularBuffers = new RunningTotals();
    private final RunningTotals kernels = new RunningTotals();
    private final FreedTypes freedTypes = new FreedTypes();
    private final GuessedTypes guesses = new GuessedTypes();
    private final Map<Long, ClientProcess> processes = new HashMap<>();
    private final List<ClientConnection> connections;
    private final SharedConnectionState sharedState = new SharedConnectionState();
    private final ProcessInspector inspector;
    final HistoryReporter reporter;
    private final List<DeviceInfo> devices;
    private final int deviceLimit;
    private final Set<Integer> openedDevices = new HashSet<>();

    /** The addresses of each device at which dead processes left buffers, and which process, until one of them is allocated again. */
    private final Map<Integer, Map<Long, Long>> abandoned = new HashMap<>();

    /** The addresses of each device at which dead processes left buffers before it was opened again. */
    private final Map<Integer, Set<Long>> leftBefore = new HashMap<>();

    /** The processes whose end is that of their last connection. */
    private final Set<Long> clients = new HashSet<>();

    /** Clients that did not say that they end, and whose exit status is not known yet. */
    private final Set<Long> unfinished = new HashSet<>();

    private @Nullable RecordSize recordSize;

    /**
     * Creates a dispatcher.
     *
     * @param connections those of the server, which adds later ones
     */
    ReportDispatcher(
            HistoryReporter reporter,
            List<DeviceInfo> devices,
            ProcessInspector inspector,
            List<ClientConnection> connections) {
        this.connections = connections;
        this.reporter = reporter;
        this.devices = devices;
        this.deviceLimit = devices.stream().mapToInt(DeviceInfo::device).reduce(MIN_DEVICES - 1, Math::max) + 1;
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
            enter(process, device, TYPES[type], id, size);
            allocated(process.buffer, device, TYPES[type], id, size);
            guesses.allocated(device, id, TYPES[type])
                    .ifPresent(mayBeFreed -> reporter.lost(-1, connection.description() + " " + mayBeFreed));
        }
    }

    private void enter(ClientProcess process, int device, BufferType type, long id, long size) {
        if (isAbandoned(device, id)) {
            // Now it belongs to another process: the device was closed in between.
            reporter.openPeriodBegan(device);
            opensAgain(device);
        }
        buffers.allocated(device, type, id, size, process);
        opened(device);
    }

    private void allocated(AllocationDetails who, int device, BufferType type, long id, long size) {
        reporter.report(tracker ->
                tracker.allocated(reporter.request(who, Optional.empty()), device, type, id, size, Ownership.UNKNOWN));
    }

    private void freed(AllocationDetails who, int device, BufferType type, long id) {
        reporter.report(
                tracker -> tracker.freed(reporter.request(who, Optional.empty()), device, type, id, Ownership.UNKNOWN));
    }

    private boolean isAbandoned(int device, long id) {
        return !abandoned.isEmpty() && abandoned.getOrDefault(device, Map.of()).containsKey(id);
    }

    private boolean isPossible(int type, int device, long size, ClientConnection connection) {
        if (type >= TYPES.length) {
            return rejected("buffer type " + type + ", and only 0 to " + (TYPES.length - 1) + " are one", connection);
        }
        if (isOutOfRange(device)) {
            return rejected("device " + device + ", and this server has devices 0 to " + (deviceLimit - 1), connection);
        }
        if (size < 0 || (isLastServer() && (size == 0 || size > MAX_SIZE_BYTES))) {
            return rejected("a size of " + Long.toUnsignedString(size) + " bytes, which cannot be", connection);
        }
        return true;
    }

    private boolean isOutOfRange(int device) {
        return device < 0 || device >= deviceLimit;
    }

    private boolean rejected(String what, ClientConnection connection) {
        reporter.lost(1, connection.description() + " reported " + what);
        return false;
    }

    void freed(int device, long id, ClientConnection connection) {
        ClientProcess process = connection.process();
        Entry entry = buffers.find(device, id);
        if (entry == null) {
            unknownFree(device, id, connection);
            return;
        }
        BufferType type = entry.reports() == 1 ? entry.type() : reporter.openType(device, id, entry.type());
        if (buffers.freed(device, entry, process.id) == 0) {
            freedTypes.add(device, id, type);
        }
        freed(process.buffer, device, type, id);
    }

    private void unknownFree(int device, long id, ClientConnection connection) {
        ClientProcess process = connection.process();
        if (isAbandoned(device, id) || leftBefore.getOrDefault(device, Set.of()).contains(id)) {
            MemoryRequest release = reporter.request(process.buffer, Optional.empty());
            BufferType type = reporter.openType(device, id, BufferType.DRAM);
            reporter.report(
                    tracker -> tracker.freeIgnored(release, device, type, id, IgnoredFreeReason.UNKNOWN_ADDRESS));
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
        return Stream.concat(Stream.of(device), buffers.ledger.devices().stream())
                .flatMap(one -> latestType(one, id).stream())
                .findFirst()
                .orElse(BufferType.DRAM);
    }

    private Optional<BufferType> latestType(int device, long id) {
        Entry entry = buffers.find(device, id);
        return entry == null ? freedTypes.find(device, id) : Optional.of(entry.type());
    }

    void opened(int device) {
        if (openedDevices.add(device)) {
            reporter.report(tracker -> {
                if (!tracker.devices().contains(device)) {
                    tracker.deviceOpened(device);
                }
            });
        }
    }

    // Lines of MeshGuard's clients

    /** Returns the reader of a connection that sends lines. */
    LineReports lines(ClientConnection connection) {
        return new LineReports(this, reporter, sharedState, connection);
    }

    /** Records the process of a client. It is not checked, because the end of its connection shows how it ended. */
    void greeted(int process, String program, ClientConnection connection) {
        connection.reportedBy(process(process));
        clients.add((long) process);
        String name =
                program.isBlank() ? "" : ", " + program.substring(0, Math.min(MAX_PROGRAM_LENGTH, program.length()));
        reporter.report(tracker -> tracker.sourceAttached("allocation server, " + connection.description() + name));
    }

    /** Enters an allocation that a client reports into the ledger. */
    void entered(LineReports.Memory memory, long size, int process) {
        if (memory.isCircularBuffer()) {
            circularBuffer(process, true, memory.device(), memory.address(), size);
        } else {
            enter(process(process), memory.device(), memory.type(), memory.address(), size);
        }
    }

    /** Returns whether only other processes have reported the buffer that a client frees: it may be theirs or have been freed before. */
    private boolean isOfOtherProcess(@Nullable Entry entry, LineReports.Memory memory, long process) {
        if (entry != null) {
            return entry.type() == memory.type() && !buffers.isHeldBy(entry, process);
        }
        return abandoned.getOrDefault(memory.device(), Map.of()).getOrDefault(memory.address(), process) != process;
    }

    /**
     * Removes memory from the ledger whose free a client reports.
     *
     * @return whether it is the client's own; the ledger keeps memory that only another process has allocated
     */
    boolean left(LineReports.Memory memory, int process) {
        int device = memory.device();
        if (memory.isCircularBuffer()) {
            circularBuffer(process, false, device, memory.address(), 0);
            return true;
        }
        opened(device);
        Entry entry = buffers.find(device, memory.address());
        boolean isOfOtherProcess = isOfOtherProcess(entry, memory, process);
        if (entry != null && !isOfOtherProcess) {
            buffers.freed(device, entry, process);
        }
        return !isOfOtherProcess;
    }

    /** Returns whether there is room for a device; clients may name any. */
    boolean isRecordable(int device) {
        return openedDevices.contains(device) || openedDevices.size() < LineReports.MAX_DEVICES;
    }

    /** Records that the first of the open meshes of all clients was opened over a device. */
    void openedByMesh(int device) {
        if (openedDevices.add(device)) {
            reporter.report(tracker -> tracker.deviceOpened(device));
        } else {
            reporter.openPeriodBegan(device);
        }
        opensAgain(device);
    }

    /** No free of nothing is that of a buffer from before or after. */
    private void opensAgain(int device) {
        guesses.deviceOpened(device);
        Map<Long, Long> left = abandoned.remove(device);
        if (left != null) {
            leftBefore.computeIfAbsent(device, unused -> new HashSet<>()).addAll(left.keySet());
        }
    }

    /** Records that the last open mesh over a device was closed. */
    void closedByMesh(int device) {
        openedDevices.remove(device);
        reporter.report(tracker -> tracker.deviceClosed(device));
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

    /** Removes the memory of a client from the ledger if this was the last connection of its process. */
    void ended(ClientConnection connection) {
        connection
                .processes()
                .filter(clients::contains)
                .filter(process -> connections.stream().noneMatch(other -> other.isOpen && other.isOf(process)))
                .toList()
                .forEach(process -> {
                    clients.remove(process);
                    remove(Set.of(process), false);
                });
    }

    // Circular buffers and kernels

    void circularBuffer(boolean isAllocated, int device, long id, long size, ClientConnection connection) {
        if (isOutOfRange(device) || size < 0) {
            rejected(
                    "a circular buffer on device " + device + " of " + Long.toUnsignedString(size) + " bytes",
                    connection);
            return;
        }
        ClientProcess process = connection.process();
        circularBuffer(process.id, isAllocated, device, id, size);
        if (isAllocated) {
            allocated(process.circularBuffer, device, BufferType.L1, id, size);
        } else {
            freed(process.circularBuffer, device, BufferType.L1, id);
        }
    }

    private void circularBuffer(long process, boolean isAllocated, int device, long id, long size) {
        opened(device);
        if (isAllocated) {
            circularBuffers.added(device, id, size, process);
        } else {
            circularBuffers.removed(device, id, size);
        }
    }

    /** Kernels are not buffers: they are counted but not judged. */
    void kernel(boolean isLoaded, int device, long id, long size, ClientConnection connection) {
        if (isOutOfRange(device) || size < 0) {
            return;
        }
        if (isLoaded) {
            kernels.added(device, id, size, connection.process().id);
        } else {
            kernels.removed(device, id, size);
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
            remove(Set.of((long) id), true);
        }
        ClientProcess process = process(id);
        process.check(inspector);
        boolean isFirst = !connection.hasReports();
        connection.reportedBy(process);
        if (isFirst) {
            reporter.report(tracker -> tracker.sourceAttached("allocation server, " + connection.description()));
        }
    }

    /** Returns the ids of the dead processes, ascending. */
    Set<Long> dead() {
        return processes.values().stream()
                .filter(process -> process.isDead(inspector))
                .map(process -> process.id)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Removes the allocations of dead processes from the ledger. */
    void removeDead(Set<Long> dead) {
        remove(dead, true);
        unfinished.stream().filter(inspector::hasFailed).toList().forEach(failed -> {
            unfinished.remove(failed);
            reporter.report(tracker -> tracker.processDied(failed));
        });
        reporter.addUp();
    }

    /** Removes the allocations of processes that ended. */
    private void remove(Set<Long> ended, boolean areDeaths) {
        if (ended.isEmpty()) {
            return;
        }
        Map<Long, List<Held>> held = buffers.heldBy(ended);
        for (long process : ended) {
            if (areDeaths) {
                reporter.report(tracker -> tracker.processDied(process));
            }
            removeBuffers(process, held.getOrDefault(process, List.of()));
            process(process).hasEnded = true;
            processes.remove(process);
        }
        buffers.forget(ended);
        circularBuffers.ended(ended);
        kernels.ended(ended);
    }

    private void removeBuffers(long process, List<Held> held) {
        for (Held one : held) {
            Entry entry = one.entry();
            if (entry.request() == null) {
                continue; // It was removed with another process.
            }
            long id = entry.address();
            if (buffers.ended(one, process, this::process) == 0) {
                abandoned
                        .computeIfAbsent(one.device(), unused -> new HashMap<>())
                        .put(id, process);
            }
        }
    }

    // Queries

    MemoryUsage usage(int device) {
        if (isOutOfRange(device)) {
            return MemoryUsage.none(device);
        }
        return new MemoryUsage(
                device,
                buffers.bytes(device, BufferType.DRAM),
                buffers.bytes(device, BufferType.L1),
                buffers.bytes(device, BufferType.L1_SMALL) + buffers.bytes(device, BufferType.SYSTEM_MEMORY),
                buffers.bytes(device, BufferType.TRACE),
                circularBuffers.bytes(device),
                kernels.bytes(device));
    }

    DeviceInfo deviceInfo(int device) {
        if (device == DeviceInfo.COUNT) {
            return DeviceInfo.count(devices.size());
        }
        return devices.stream()
                .filter(known -> known.device() == device)
                .findFirst()
                .orElseGet(() -> DeviceInfo.none(device));
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
        reporter.addUp();
        reporter.report(tracker -> tracker.reportsLost(-1, reason));
    }
}
