package dev.meshguard.server;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.server.frame.internal.Frame;
import dev.meshguard.server.ledger.internal.BufferRecord;
import dev.meshguard.server.ledger.internal.LogLineBuffer;
import dev.meshguard.server.ledger.internal.RemovedEntries;
import dev.meshguard.server.ledger.internal.RunningTotals;
import dev.meshguard.server.ledger.internal.ServerLedger;
import dev.meshguard.server.ledger.internal.ServerLogFormatter;
import dev.meshguard.server.protocol.DeviceInfo;
import dev.meshguard.server.protocol.MemoryUsage;
import dev.meshguard.server.protocol.RecordFields;
import dev.meshguard.server.protocol.RecordSize;
import java.nio.ByteBuffer;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Records the reports of programs in three places: the server's ledger, which answers queries; the log, if there is
 * one; and the tracker, which finds leaks.
 *
 * <p>They differ where the old server forgets: buffers of a dead process are removed from the ledger and stay in the
 * tracker. Guarded by the server's lock.
 */
final class ReportDispatcher {

    /** The limit from which the last of the old servers treats a size as invalid. */
    private static final long MAX_SIZE_BYTES = 100L << 30;

    private static final BufferType[] TYPES = BufferType.values();

    private static final int MAX_DEVICES = 1024;
    private static final int MAX_NAMED_PROGRAMS = 8;
    private static final int MAX_PROGRAM_LENGTH = 60;

    /** The kinds of records that have a limit. */
    private enum Limit {
        BUFFERS("buffers", "--max-buffers, maxBuffers"),
        CIRCULAR_BUFFERS("circular buffers and kernels", "--max-circular-buffers, maxCircularBuffers"),
        PROCESSES("processes that have something", "--max-processes, maxProcesses");

        private final String what;
        private final String option;

        Limit(String what, String option) {
            this.what = what;
            this.option = option;
        }
    }

    private final ServerLedger ledger = new ServerLedger();
    private final RunningTotals circularBuffers = new RunningTotals();
    private final RunningTotals kernels = new RunningTotals();
    private final FreedTypes freedTypes = new FreedTypes();
    private final ProcessRegistry processes;
    private final FramedPrograms framedPrograms = new FramedPrograms();
    private final BoundedReporter reporter;
    private final ServerLimits limits;
    private final ServerErrors problems;
    private final @Nullable ServerLogFormatter lines;
    private final List<DeviceInfo> devices;
    private final int deviceLimit;
    private final InstantSource clock;
    private final Set<Integer> openedDevices = new HashSet<>();

    private @Nullable RecordSize recordSize;

    /**
     * Incremented for each process that is dead or forgotten, so that a later process with the same id is not confused
     * with it.
     */
    private long deaths;

    // The limits reached so far.
    private final EnumSet<Limit> reached = EnumSet.noneOf(Limit.class);
    private boolean isRejecting;
    private long refusals;

    ReportDispatcher(ServerOptions options, @Nullable LogLineBuffer log, ServerErrors problems) {
        this.limits = options.limits();
        this.problems = problems;
        this.reporter = new BoundedReporter(options.tracker(), limits.events(), problems);
        this.devices = options.devices();
        this.deviceLimit = options.deviceLimit();
        this.clock = options.clock();
        this.processes = new ProcessRegistry(options.probe(), limits.processes(), this::forgetIfIdle);
        this.lines = log == null ? null : new ServerLogFormatter(log, options.hasHexadecimalIds());
    }

    void recordSize(RecordSize size) {
        recordSize = size;
    }

    private boolean isLastServer() {
        return recordSize == RecordSize.BYTES_144;
    }

    // Reports

    void allocated(ByteBuffer in, int at, ClientConnection connection) {
        int type = in.get(at + RecordFields.MEMORY) & 0xff;
        int device = in.getInt(at + RecordFields.DEVICE);
        long id = in.getLong(at + RecordFields.BUFFER);
        long size = in.getLong(at + RecordFields.SIZE);
        int process = in.getInt(at + RecordFields.PROCESS);
        if (!isAllocated(process, connection) || !isPossible(process, type, device, id, size, connection)) {
            return;
        }
        BufferType memory = TYPES[type];
        BufferRecord before = ledger.find(device, id);
        if (!hasRoomForBuffer(before, process)) {
            return;
        }
        isRejecting = false;
        beginOpenPeriodAfterDeath(device, before);
        BufferRecord record = ledger.allocated(device, memory, id, size, process);
        if (lines != null) {
            lines.allocated(process, size, memory, device, id, record.references());
        }
        opened(device);
        if (reporter.isKept()) {
            record.hold(memory);
            reporter.allocated(connection.details(), device, memory, id, size);
        }
    }

    /** If a dead process left a buffer at an address, it now belongs to another one: the device was closed in between. */
    private void beginOpenPeriodAfterDeath(int device, @Nullable BufferRecord before) {
        if (before != null && before.isAbandoned()) {
            reporter.openPeriodBegan(device);
            ledger.beginOpenPeriod(device);
        }
    }

    private boolean hasRoomForBuffer(@Nullable BufferRecord before, int process) {
        boolean mayGrow = before == null || before.references() > 0;
        boolean hasRoom = !mayGrow
                || ledger.addresses() + ledger.shares() < limits.buffers()
                || (before != null && before.owner() == process);
        if (!hasRoom) {
            noRoom(Limit.BUFFERS, limits.buffers());
        }
        return hasRoom;
    }

    /** Counts a report without room as lost. */
    private void noRoom(Limit limit, long number) {
        String why = String.format(
                Locale.ROOT, "%d %s are the limit (%s), so more are rejected", number, limit.what, limit.option);
        if (reached.add(limit)) {
            problems.add(why + " and count as lost reports");
        }
        if (!isRejecting && lines != null) {
            lines.omitted();
        }
        isRejecting = true;
        refusals++;
        reporter.lost(1, why);
    }

    private boolean isPossible(int process, int type, int device, long id, long size, ClientConnection connection) {
        if (type >= TYPES.length) {
            if (lines != null) {
                if (isLastServer()) {
                    lines.invalidType(type, id, device);
                } else {
                    lines.invalidType(process, type, id, device);
                }
            }
            return rejected("buffer type " + type + ", and only 0 to " + (TYPES.length - 1) + " are one", connection);
        }
        if (isOutOfRange(device)) {
            if (lines != null) {
                lines.invalidDevice(device);
            }
            return rejected("device " + device + ", and this server has devices 0 to " + (deviceLimit - 1), connection);
        }
        if (size < 0 || (isLastServer() && (size == 0 || size > MAX_SIZE_BYTES))) {
            if (lines != null) {
                lines.invalidSize(size);
            }
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

    void freed(ByteBuffer in, int at, ClientConnection connection) {
        int device = in.getInt(at + RecordFields.DEVICE);
        long id = in.getLong(at + RecordFields.BUFFER);
        int process = in.getInt(at + RecordFields.PROCESS);
        if (!isAllocated(process, connection)) {
            return;
        }
        BufferRecord record = ledger.find(device, id);
        if (record == null || record.references() == 0) {
            unknownFree(record, process, device, id, connection);
            return;
        }
        long owner = record.owner();
        long left = ledger.freed(record, process);
        if (lines != null) {
            lines.freed(record, owner, left);
        }
        free(record, connection.details());
    }

    private void free(BufferRecord record, AllocationDetails who) {
        BufferType memory = record.type();
        if (record.held() > 0) {
            memory = record.free();
            reporter.freed(who, record.device(), memory, record.id());
        }
        if (record.held() == 0 && record.references() == 0) {
            freedTypes.add(record.device(), record.id(), memory);
            ledger.forgetIfOver(record);
        }
    }

    private void unknownFree(
            @Nullable BufferRecord record, int process, int device, long id, ClientConnection connection) {
        if (lines != null) {
            lines.unknownFree(process, id, device);
        }
        if (record == null || record.held() == 0) {
            if (isOutOfRange(device)) {
                rejected("a free on device " + device + ", which this server does not have", connection);
                return;
            }
            if (refusals > 0) {
                reporter.lost(1, "frees of buffers that there was no room for, or of none");
                return;
            }
            opened(device);
            reporter.freed(connection.details(), device, freedTypes.of(device, id, this::typeElsewhere), id);
        } else if (!record.isAbandoned()) {
            free(record, connection.details());
        } else {
            reporter.freeIgnored(connection.details(), device, record.latestType(), id);
        }
    }

    /** A free does not contain the memory type: that of the same address on another device is the best guess. */
    private BufferType typeElsewhere(long id) {
        for (int device : ledger.devices()) {
            BufferRecord sibling = ledger.find(device, id);
            if (sibling != null) {
                return sibling.latestType();
            }
        }
        return BufferType.DRAM;
    }

    private void opened(int device) {
        if (openedDevices.add(device)) {
            reporter.deviceOpened(device);
        }
    }

    // Frames of MeshGuard's clients

    /** Returns the reader of a connection that sends frames. */
    FramedReports framed(ClientConnection connection) {
        return new FramedReports(this, reporter, framedPrograms, connection);
    }

    /** Records the process of a client. It is not checked, because the end of its connection shows how it ended. */
    void greeted(int process, String program, ClientConnection connection) {
        connection.reportedBy(process, deaths);
        String name =
                program.isBlank() ? "" : ", " + program.substring(0, Math.min(MAX_PROGRAM_LENGTH, program.length()));
        reporter.sourceAttached("allocation server, " + connection.description() + name);
    }

    /**
     * Enters an allocation that a frame reports into the ledger and the log.
     *
     * @return whether it is possible and there is room for it; otherwise it counts as lost
     */
    boolean entered(Frame.Allocation report, int process, ClientConnection connection) {
        Frame.Memory memory = report.memory();
        int device = memory.device();
        if (!isRecordable(device)) {
            return rejected(description(device), connection);
        }
        if (report.size() < 0) {
            return rejected(
                    "a size of " + Long.toUnsignedString(report.size()) + " bytes, which cannot be", connection);
        }
        if (memory.isCircularBuffer()) {
            if (!hasRoomForSummed()) {
                return false;
            }
            opened(device);
            circularBuffers.added(
                    new RunningTotals.Entry(device, memory.address(), report.size(), 0, process, seconds()));
            logCircularBuffer(true, device, report.size());
            return true;
        }
        BufferRecord before = ledger.find(device, memory.address());
        if (!hasRoomForBuffer(before, process)) {
            return false;
        }
        isRejecting = false;
        beginOpenPeriodAfterDeath(device, before);
        BufferRecord record = ledger.allocated(device, memory.type(), memory.address(), report.size(), process);
        if (lines != null) {
            lines.allocated(process, report.size(), memory.type(), device, memory.address(), record.references());
        }
        opened(device);
        if (reporter.isKept()) {
            record.hold(memory.type());
        }
        return true;
    }

    /**
     * Removes memory from the ledger whose free a frame reports, and logs that.
     *
     * @return whether the device is possible; otherwise the report counts as lost
     */
    boolean left(Frame.Free report, int process, ClientConnection connection) {
        Frame.Memory memory = report.memory();
        int device = memory.device();
        if (!isRecordable(device)) {
            return rejected(description(device), connection);
        }
        opened(device);
        if (report.ignored().isPresent()) {
            return true;
        }
        if (memory.isCircularBuffer()) {
            logCircularBuffer(false, device, circularBuffers.removed(device, memory.address(), 0));
            return true;
        }
        BufferRecord record = ledger.find(device, memory.address());
        if (record != null && record.references() > 0) {
            long owner = record.owner();
            long left = ledger.freed(record, process);
            if (lines != null) {
                lines.freed(record, owner, left);
            }
        } else if (lines != null) {
            lines.unknownFree(process, memory.address(), device);
        }
        if (record != null) {
            if (record.held() > 0) {
                record.free();
            }
            ledger.forgetIfOver(record);
        }
        return true;
    }

    /** Returns whether there is room for a device; frames may name any. */
    boolean isRecordable(int device) {
        return device >= 0
                && device <= HistoryEvent.MAX_DEVICE
                && (openedDevices.contains(device) || openedDevices.size() < MAX_DEVICES);
    }

    private static String description(int device) {
        return String.format(
                Locale.ROOT,
                "memory on device %d, and only %d devices from 0 to %d can be recorded",
                device,
                MAX_DEVICES,
                HistoryEvent.MAX_DEVICE);
    }

    /** Records that the first of the open meshes of all clients was opened over a device. */
    void openedByMesh(int device) {
        if (openedDevices.add(device)) {
            reporter.report(tracker -> tracker.deviceOpened(device));
        } else {
            reporter.openPeriodBegan(device);
        }
        ledger.beginOpenPeriod(device);
    }

    /** Records that the last open mesh over a device was closed. */
    void closedByMesh(int device) {
        openedDevices.remove(device);
        reporter.report(tracker -> tracker.deviceClosed(device));
    }

    /** Removes the memory of a client that has ended from the ledger; the history knows a death only if it was one. */
    void ended(long process, boolean isDeath) {
        remove(List.of(process), isDeath);
    }

    private void logCircularBuffer(boolean isAllocated, int device, long bytes) {
        if (lines != null) {
            lines.circularBuffer(isAllocated, device, bytes, circularBuffers.bytes(device));
        }
    }

    // Circular buffers and kernels

    void circularBuffer(ByteBuffer in, int at, boolean isAllocated, ClientConnection connection) {
        int device = in.getInt(at + RecordFields.DEVICE);
        long id = in.getLong(at + RecordFields.BUFFER);
        long size = in.getLong(at + RecordFields.SIZE);
        int process = in.getInt(at + RecordFields.PROCESS);
        if (!isAllocated(process, connection)) {
            return;
        }
        if (isOutOfRange(device) || size < 0) {
            rejected(
                    "a circular buffer on device " + device + " of " + Long.toUnsignedString(size) + " bytes",
                    connection);
            return;
        }
        if (isAllocated && !hasRoomForSummed()) {
            return;
        }
        opened(device);
        long bytes = size;
        if (isAllocated) {
            circularBuffers.added(new RunningTotals.Entry(device, id, size, 0, process, seconds()));
            reporter.allocated(connection.circularBuffer(), device, BufferType.L1, id, size);
        } else {
            bytes = circularBuffers.removed(device, id, size);
            reporter.freed(connection.circularBuffer(), device, BufferType.L1, id);
        }
        logCircularBuffer(isAllocated, device, bytes);
    }

    private boolean hasRoomForSummed() {
        boolean hasRoom = circularBuffers.count() + kernels.count() < limits.circularBuffers();
        if (!hasRoom) {
            noRoom(Limit.CIRCULAR_BUFFERS, limits.circularBuffers());
        }
        return hasRoom;
    }

    /** Kernels are not buffers: they are counted but not judged. */
    void kernel(ByteBuffer in, int at, boolean isLoaded, ClientConnection connection) {
        int device = in.getInt(at + RecordFields.DEVICE);
        long id = in.getLong(at + RecordFields.BUFFER);
        long size = in.getLong(at + RecordFields.SIZE);
        int kind = in.get(at + RecordFields.MEMORY) & 0xff;
        int process = in.getInt(at + RecordFields.PROCESS);
        if (!isAllocated(process, connection)
                || isOutOfRange(device)
                || size < 0
                || (isLoaded ? !hasRoomForSummed() : !kernels.isKnown(device, id))) {
            return;
        }
        long bytes = size;
        if (isLoaded) {
            kernels.added(new RunningTotals.Entry(device, id, size, kind, process, seconds()));
        } else {
            bytes = kernels.removed(device, id, size);
        }
        if (lines != null) {
            lines.kernel(isLoaded, kind, device, bytes, kernels.bytes(device));
        }
    }

    private long seconds() {
        return clock.instant().getEpochSecond();
    }

    // Processes

    /** Records the reporting process; returns whether there is room for it if it is new. */
    private boolean isAllocated(int process, ClientConnection connection) {
        if (connection.isLatest(process, deaths)) {
            return true;
        }
        boolean isFirst = !connection.hasReports();
        if (processes.isReplaced(process)) {
            remove(List.of((long) process), true);
        }
        if (!processes.reported(process)) {
            noRoom(Limit.PROCESSES, limits.processes());
            return false;
        }
        connection.reportedBy(process, deaths);
        if (isFirst) {
            reporter.sourceAttached("allocation server, " + connection.description());
        }
        return true;
    }

    /** Forgets a process without allocations; a later report makes it known again. */
    private boolean forgetIfIdle(long process) {
        if (circularBuffers.hasAnyOf(process) || kernels.hasAnyOf(process) || !ledger.forgetIfIdle(process)) {
            return false;
        }
        deaths++;
        return true;
    }

    /** Checks all processes and removes the allocations of the dead ones from the ledger. */
    void checkProcesses() {
        remove(processes.dead(), true);
        reporter.addUp();
    }

    /** Removes the allocations of processes that ended, in one list of log lines. */
    private void remove(List<Long> ended, boolean areDeaths) {
        boolean isLogged = false;
        for (long process : ended) {
            boolean hasEntries = has(process);
            processes.forget(process);
            deaths++;
            if (hasEntries && lines != null) {
                if (!isLogged) {
                    lines.deadFound();
                }
                isLogged = true;
                lines.dead(process);
            }
            if (areDeaths) {
                reporter.processDied(process);
            }
            RemovedEntries buffers = ledger.died(process, record -> logShared(record, process));
            RemovedEntries circular = circularBuffers.died(process);
            RemovedEntries loaded = kernels.died(process);
            if (hasEntries && lines != null) {
                lines.removed(buffers.count(), "buffers", buffers.bytes(), process);
                log(circular, "CBs", process, lines);
                log(loaded, "kernels", process, lines);
            }
        }
        if (isLogged && lines != null) {
            lines.blank();
        }
    }

    private void logShared(BufferRecord record, long process) {
        if (lines != null) {
            lines.shared(record, process);
        }
    }

    private static void log(RemovedEntries removed, String kind, long process, ServerLogFormatter lines) {
        if (removed.count() > 0) {
            lines.removed(removed.count(), kind, removed.bytes(), process);
        }
    }

    private boolean has(long process) {
        return ledger.hasAnyOf(process) || circularBuffers.hasAnyOf(process) || kernels.hasAnyOf(process);
    }

    // Queries

    MemoryUsage usage(int device) {
        if (device < 0 || device >= deviceLimit) {
            return MemoryUsage.none(device);
        }
        return new MemoryUsage(
                device,
                ledger.bytes(device, BufferType.DRAM),
                ledger.bytes(device, BufferType.L1),
                ledger.bytes(device, BufferType.L1_SMALL) + ledger.bytes(device, BufferType.SYSTEM_MEMORY),
                ledger.bytes(device, BufferType.TRACE),
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

    /** Returns the number of entries in the ledger. */
    long entries() {
        return ledger.entries();
    }

    /** Checks for dead processes and logs the remaining buffers. */
    void dump() {
        if (lines != null) {
            lines.dumpAskedFor();
        }
        checkProcesses();
        if (lines != null) {
            lines.dump(ledger);
        }
    }

    void dumpKernels() {
        if (lines != null) {
            lines.kernels(kernels, seconds());
        }
    }

    // Only for the log

    void started(String path, long secondsBetweenChecks) {
        if (lines == null) {
            return;
        }
        if (recordSize != null && recordSize.hasDeviceInfo()) {
            lines.devices(devices, isLastServer());
        }
        lines.started(path);
        if (secondsBetweenChecks > 0) {
            lines.cleanupStarted(secondsBetweenChecks);
        }
    }

    void statistics() {
        if (lines != null) {
            lines.statistics(ledger);
        }
    }

    void stopped() {
        if (lines != null) {
            lines.statistics(ledger);
            lines.cleanupStopped();
            lines.stopped();
        }
    }

    void unknownMessage(int type) {
        if (lines != null) {
            lines.unknownMessage(type);
        }
    }

    void tooManyErrors(int errors) {
        if (lines != null) {
            lines.tooManyErrors(errors);
        }
    }

    void otherSize(int connection, int theirs, int ours) {
        if (lines != null) {
            lines.otherSize(connection, theirs, ours);
        }
    }

    /** Counts reports that were unreadable. */
    void lost(long count, String reason) {
        reporter.lost(count, reason);
    }

    /** Records that the server cannot continue: no program can report any more. */
    void failed(String reason) {
        if (lines != null) {
            lines.omitted();
        }
        reporter.failed(reason);
    }

    /** Updates the tracker. */
    void addUp() {
        reporter.addUp();
    }

    /**
     * Records the programs that are connected when the server is closed: their later reports are not read.
     *
     * <p>This counts as lost reports rather than as stopped tracking. A history in which tracking stops while nothing
     * is allocated is leak-free, because its source had nothing more to report. A connected program may allocate at any
     * time.
     */
    void abandoned(List<ClientConnection> connected) {
        if (connected.isEmpty()) {
            return;
        }
        List<String> programs = connected.stream()
                .flatMap(ClientConnection::programs)
                .distinct()
                .toList();
        int more = programs.size() - MAX_NAMED_PROGRAMS;
        reporter.stopped(String.format(
                Locale.ROOT,
                "the allocation server was closed while %s%s %s still connected, and read no later report",
                programs.stream().limit(MAX_NAMED_PROGRAMS).collect(Collectors.joining(", ")),
                more > 0 ? " and " + more + " more" : "",
                programs.size() == 1 ? "was" : "were"));
    }
}
