package dev.meshguard.server;

import dev.meshguard.server.books.internal.BufferRecord;
import dev.meshguard.server.books.internal.LineBuffer;
import dev.meshguard.server.books.internal.ReportBooks;
import dev.meshguard.server.books.internal.ServerLines;
import dev.meshguard.server.books.internal.SummedReports;
import dev.meshguard.server.protocol.DeviceInfo;
import dev.meshguard.server.protocol.MemoryUsage;
import dev.meshguard.server.protocol.RecordFields;
import dev.meshguard.server.protocol.RecordSize;
import dev.meshguard.tracker.AllocationDetails;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.BufferType;
import dev.meshguard.tracker.IgnoredFreeReason;
import dev.meshguard.tracker.Ownership;
import java.nio.ByteBuffer;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Enters what programs report, three times over: in the server's own books, by which queries are answered; in the log, if there is
 * one; and in the tracker, by which leaks are judged.
 *
 * <p>The three differ where the old server forgets: a dead process's buffers leave the books and stay in the tracker. Guarded by the
 * server's lock.
 */
final class Bookkeeper {

    /** What the last of the old servers takes for a size that cannot be. */
    private static final long LARGEST_SIZE = 100L << 30;

    private static final BufferType[] TYPES = BufferType.values();
    private static final AllocationDetails NOBODY = AllocationDetails.user();

    private final ReportBooks books = new ReportBooks();
    private final SummedReports circularBuffers;
    private final SummedReports kernels;
    private final FreedTypes freedTypes = new FreedTypes();
    private final KnownProcesses processes;
    private final AllocationTracker tracker;
    private final @Nullable ServerLines lines;
    private final List<DeviceInfo> devices;
    private final int deviceLimit;
    private final Set<Compatibility> compatibility;
    private final InstantSource clock;
    private final Set<Integer> openedDevices = new HashSet<>();

    private @Nullable RecordSize recordSize;

    /** Grows with each dead process, so that nobody takes the next process of its id for it. */
    private long deaths;

    Bookkeeper(ServerOptions options, @Nullable LineBuffer log) {
        this.tracker = options.tracker();
        this.devices = options.devices();
        this.deviceLimit = options.deviceLimit();
        this.compatibility = options.compatibility();
        this.clock = options.clock();
        this.processes = new KnownProcesses(options.probe(), compatibility);
        this.lines = log == null ? null : new ServerLines(log, options.hasHexadecimalIds());
        boolean sumsMayWrap = compatibility.contains(Compatibility.WRAPPING_SUMS);
        this.circularBuffers = new SummedReports(sumsMayWrap, true);
        this.kernels = new SummedReports(sumsMayWrap, false);
    }

    void recordSize(RecordSize size) {
        recordSize = size;
    }

    private boolean isLastServer() {
        return recordSize == RecordSize.BYTES_144;
    }

    // Reports

    void allocated(ByteBuffer in, int at, Connection connection) {
        int type = in.get(at + RecordFields.MEMORY) & 0xff;
        int device = in.getInt(at + RecordFields.DEVICE);
        long id = in.getLong(at + RecordFields.BUFFER);
        long size = in.getLong(at + RecordFields.SIZE);
        int process = in.getInt(at + RecordFields.PROCESS);
        reportedBy(process, connection);
        if (!isPossible(process, type, device, id, size, connection)) {
            return;
        }
        BufferType memory = TYPES[type];
        BufferRecord before = books.find(device, id);
        if (before != null && before.isLeftByDead()) {
            beginNewLife(device);
        }
        BufferRecord record = books.allocated(device, memory, id, size, process);
        if (lines != null) {
            lines.allocated(process, size, memory, device, id, record.references());
        }
        record.hold(memory);
        opened(device);
        tracker.allocated(tracker.requestOfProcess(connection.details()), device, memory, id, size, Ownership.UNKNOWN);
    }

    private boolean isPossible(int process, int type, int device, long id, long size, Connection connection) {
        if (type >= TYPES.length) {
            if (lines != null) {
                if (isLastServer()) {
                    lines.invalidType(type, id, device);
                } else {
                    lines.invalidType(process, type, id, device);
                }
            }
            return refused("buffer type " + type + ", and only 0 to " + (TYPES.length - 1) + " are one", connection);
        }
        if (isOutOfRange(device)) {
            if (lines != null) {
                lines.invalidDevice(device);
            }
            return refused("device " + device + ", and this server has devices 0 to " + (deviceLimit - 1), connection);
        }
        if (size < 0 || (isLastServer() && (size == 0 || size > LARGEST_SIZE))) {
            if (lines != null) {
                lines.invalidSize(size);
            }
            return refused("a size of " + Long.toUnsignedString(size) + " bytes, which cannot be", connection);
        }
        return true;
    }

    private boolean isOutOfRange(int device) {
        boolean isBeyond = device < 0 || device >= deviceLimit;
        return isBeyond && (device < 0 || !compatibility.contains(Compatibility.ANY_DEVICE));
    }

    private boolean refused(String what, Connection connection) {
        tracker.reportsLost(1, connection.words() + " reported " + what);
        return false;
    }

    void freed(ByteBuffer in, int at, Connection connection) {
        int device = in.getInt(at + RecordFields.DEVICE);
        long id = in.getLong(at + RecordFields.BUFFER);
        int process = in.getInt(at + RecordFields.PROCESS);
        reportedBy(process, connection);
        BufferRecord record = books.find(device, id);
        if (record == null || record.references() == 0) {
            unknownFree(record, process, device, id, connection);
            return;
        }
        long owner = record.owner();
        long left = books.freed(record, process);
        if (lines != null) {
            lines.freed(record, owner, left);
        }
        giveBack(record, connection.details());
    }

    private void giveBack(BufferRecord record, AllocationDetails who) {
        BufferType memory = record.giveBack();
        tracker.freed(tracker.requestOfProcess(who), record.device(), memory, record.id(), Ownership.UNKNOWN);
        if (record.held() == 0 && record.references() == 0) {
            freedTypes.add(record.device(), record.id(), memory);
            books.forgetIfOver(record);
        }
    }

    private void unknownFree(@Nullable BufferRecord record, int process, int device, long id, Connection connection) {
        if (lines != null) {
            lines.unknownFree(process, id, device);
        }
        if (record == null || record.held() == 0) {
            if (device < 0 || isOutOfRange(device)) {
                refused("a free on device " + device + ", which this server does not have", connection);
                return;
            }
            opened(device);
            tracker.freed(
                    tracker.requestOfProcess(connection.details()),
                    device,
                    freedTypes.of(device, id, this::typeElsewhere),
                    id,
                    Ownership.UNKNOWN);
        } else if (!record.isOfDeadOnly()) {
            giveBack(record, connection.details());
        } else {
            tracker.freeIgnored(
                    tracker.requestOfProcess(connection.details()),
                    device,
                    record.latestType(),
                    id,
                    IgnoredFreeReason.UNKNOWN_ADDRESS);
        }
    }

    /** A free does not say of which memory: that of the same address on another device is the best guess. */
    private BufferType typeElsewhere(long id) {
        for (int device : books.devices()) {
            BufferRecord sibling = books.find(device, id);
            if (sibling != null) {
                return sibling.latestType();
            }
        }
        return BufferType.DRAM;
    }

    /** What dead processes left at an address that is lent again is another buffer: the device was given back in between. */
    private void beginNewLife(int device) {
        tracker.deviceClosed(device);
        tracker.deviceOpened(device);
        for (BufferRecord record : books.records(device)) {
            if (record.isLeftByDead()) {
                record.beginNewLife();
                books.forgetIfOver(record);
            }
        }
    }

    private void opened(int device) {
        if (openedDevices.add(device) && !tracker.devices().contains(device)) {
            tracker.deviceOpened(device);
        }
    }

    // Circular buffers and kernels

    void circularBuffer(ByteBuffer in, int at, boolean isAllocated, Connection connection) {
        int device = in.getInt(at + RecordFields.DEVICE);
        long id = in.getLong(at + RecordFields.BUFFER);
        long size = in.getLong(at + RecordFields.SIZE);
        int process = in.getInt(at + RecordFields.PROCESS);
        reportedBy(process, connection);
        if (isOutOfRange(device) || size < 0) {
            refused(
                    "a circular buffer on device " + device + " of " + Long.toUnsignedString(size) + " bytes",
                    connection);
            return;
        }
        opened(device);
        long bytes = size;
        if (isAllocated) {
            circularBuffers.added(new SummedReports.Entry(device, id, size, 0, process, seconds()));
            tracker.allocated(
                    tracker.requestOfProcess(connection.circularBuffer()),
                    device,
                    BufferType.L1,
                    id,
                    size,
                    Ownership.UNKNOWN);
        } else {
            bytes = circularBuffers.removed(device, id, size);
            tracker.freed(
                    tracker.requestOfProcess(connection.circularBuffer()),
                    device,
                    BufferType.L1,
                    id,
                    Ownership.UNKNOWN);
        }
        if (lines != null) {
            lines.circularBuffer(isAllocated, device, bytes, circularBuffers.bytes(device));
        }
    }

    /** Kernels are no buffers: they are counted and not judged. */
    void kernel(ByteBuffer in, int at, boolean isLoaded, Connection connection) {
        int device = in.getInt(at + RecordFields.DEVICE);
        long id = in.getLong(at + RecordFields.BUFFER);
        long size = in.getLong(at + RecordFields.SIZE);
        int kind = in.get(at + RecordFields.MEMORY) & 0xff;
        int process = in.getInt(at + RecordFields.PROCESS);
        reportedBy(process, connection);
        if (isOutOfRange(device) || size < 0 || (!isLoaded && !kernels.isKnown(device, id))) {
            return;
        }
        long bytes = size;
        if (isLoaded) {
            kernels.added(new SummedReports.Entry(device, id, size, kind, process, seconds()));
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

    private void reportedBy(int process, Connection connection) {
        if (connection.isLatest(process, deaths)) {
            return;
        }
        boolean isFirst = !connection.hasReports();
        if (processes.isReplaced(process)) {
            cleanUp(List.of((long) process));
        }
        processes.reported(process);
        connection.reportedBy(process, deaths);
        if (isFirst) {
            tracker.sourceAttached("allocation server, " + connection.words());
        }
    }

    /** Looks for dead processes, and takes off what they had. */
    void checkProcesses() {
        List<Long> dead = processes.dead();
        if (!dead.isEmpty()) {
            cleanUp(dead);
        }
    }

    private void cleanUp(List<Long> dead) {
        boolean isAnnounced = false;
        for (long process : dead) {
            processes.forget(process);
            deaths++;
            List<BufferRecord> shared =
                    compatibility.contains(Compatibility.SHARED_WITH_THE_DEAD) ? List.of() : books.sharedBy(process);
            boolean hadAnything = has(process) || !shared.isEmpty();
            if (hadAnything && lines != null) {
                if (!isAnnounced) {
                    lines.deadFound();
                }
                for (BufferRecord record : shared) {
                    lines.shared(record, process);
                }
                lines.dead(process);
                isAnnounced = true;
            }
            died(process, hadAnything);
        }
        if (isAnnounced && lines != null) {
            lines.blank();
        }
    }

    private boolean has(long process) {
        return books.hasAnyOf(process) || circularBuffers.hasAnyOf(process) || kernels.hasAnyOf(process);
    }

    private void died(long process, boolean hadAnything) {
        boolean isForgotten = compatibility.contains(Compatibility.FORGETS_THE_DEAD);
        ReportBooks.Removed removed =
                books.processDied(process, compatibility.contains(Compatibility.SHARED_WITH_THE_DEAD));
        List<SummedReports.Entry> itsCircularBuffers = circularBuffers.processDied(process);
        List<SummedReports.Entry> itsKernels = kernels.processDied(process);
        if (lines != null && hadAnything) {
            lines.removed(removed.buffers(), "buffers", removed.bytes(), process);
            removed("CBs", itsCircularBuffers, process);
            removed("kernels", itsKernels, process);
        }
        if (!isForgotten) {
            tracker.processDied(process);
            return;
        }
        AllocationDetails who = NOBODY.reportedBy(process);
        for (BufferRecord record : removed.records()) {
            while (record.held() > 0) {
                giveBack(record, who);
            }
        }
        for (SummedReports.Entry entry : itsCircularBuffers) {
            tracker.freed(tracker.requestOfProcess(who), entry.device(), BufferType.L1, entry.id(), Ownership.UNKNOWN);
        }
    }

    private void removed(String kind, List<SummedReports.Entry> entries, long process) {
        if (!entries.isEmpty() && lines != null) {
            long bytes = entries.stream().mapToLong(SummedReports.Entry::size).sum();
            lines.removed(entries.size(), kind, bytes, process);
        }
    }

    // Questions

    MemoryUsage usage(int device) {
        if (device < 0 || device >= deviceLimit) {
            return MemoryUsage.none(device);
        }
        return new MemoryUsage(
                device,
                books.bytes(device, BufferType.DRAM),
                books.bytes(device, BufferType.L1),
                books.bytes(device, BufferType.L1_SMALL) + books.bytes(device, BufferType.SYSTEM_MEMORY),
                books.bytes(device, BufferType.TRACE),
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

    /** Returns the number of entries that the server has. */
    long entries() {
        return books.entries();
    }

    void dump() {
        if (lines != null) {
            lines.dumpAskedFor();
        }
        checkProcesses();
        if (lines != null) {
            lines.dump(books);
        }
    }

    void dumpKernels() {
        if (lines != null) {
            lines.kernels(kernels, seconds());
        }
    }

    // The log alone

    void started(String path, long secondsBetweenChecks) {
        if (lines == null) {
            return;
        }
        if (recordSize != null && recordSize.hasDeviceInfo()) {
            lines.devices(devices, isLastServer());
        }
        lines.started(path);
        boolean saysTen = compatibility.contains(Compatibility.BANNER_OF_TEN_SECONDS);
        if (secondsBetweenChecks > 0 || saysTen) {
            lines.cleanupStarted(saysTen ? 10 : secondsBetweenChecks);
        }
    }

    void statistics() {
        if (lines != null) {
            lines.statistics(books);
        }
    }

    void stopped() {
        if (lines != null) {
            lines.statistics(books);
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

    /** Counts reports that could not be read. */
    void lost(long count, String reason) {
        tracker.reportsLost(count, reason);
    }

    /** Nothing more is heard of programs that still run. */
    void abandoned(long connections) {
        if (connections > 0) {
            tracker.trackingStopped(String.format(
                    Locale.ROOT,
                    "the allocation server was closed while %d %s still connected",
                    connections,
                    connections == 1 ? "program was" : "programs were"));
        }
    }
}
