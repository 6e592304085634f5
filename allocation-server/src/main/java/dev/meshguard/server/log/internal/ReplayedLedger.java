package dev.meshguard.server.log.internal;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.Quantities;
import dev.meshguard.server.log.AddressUse;
import dev.meshguard.server.log.internal.LogGapRecorder.Kind;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The ledger of the server after each line, with which the additional data of a line (the reference count, the size, the
 * owner) is compared; if they differ, lines are missing.
 *
 * <p>It is another fact than the tracker's ledger. The server knows an address by its id alone, whatever the memory type. It
 * removes the entries of a dead process and forgets everything at a restart. Before reference counts it removed an entry with
 * the first free. The tracker keeps every report until a matching free, so open reports are looked up there.
 */
final class ReplayedLedger {

    private static final BufferType[] TYPES = BufferType.values();

    private final LogRecorder events;
    private final LogGapRecorder gaps;
    private final TreeMap<Integer, ReplayedDevice> devices = new TreeMap<>();

    private final GuessedTypes guesses = new GuessedTypes();
    private long guessedTypes;

    /**
     * Whether a line shows that the server counts references. Another server replaces an entry with every report, adds its size
     * again, and removes it with the first free.
     */
    private boolean countsReferences;

    private final Set<Long> dead = new HashSet<>();

    /** The latest death of a process. */
    private Death death = new Death(BufferReportLine.NO_PID);

    /** Whether the server is removing the entries of the dead process: the next line about others ends that. */
    private boolean isRemoving;

    ReplayedLedger(LogRecorder events, LogGapRecorder gaps) {
        this.events = events;
        this.gaps = gaps;
    }

    // Lines of the log

    void allocated(BufferReportLine report) {
        if (!isPossible(report.device)) {
            return;
        }
        boolean isCounted = report.references > 0;
        if (isCounted) {
            countsReferences();
        }
        ReplayedDevice device = deviceOrNew(report.device);
        BufferEntry entry = device.entry(report.id);
        if (entry.references == 0 && device.abandoned.contains(entry)) {
            beginOpenPeriod(device);
        }
        events.allocated(entry, report);
        checkOrder(report, entry);
        checkReferences(report, entry, device);
        entry.allocated(report);
        if (entry.references == 0 || !countsReferences) {
            device.enter(entry, report.type, report.size, report.pid);
        }
        entry.references = isCounted ? report.references : entry.references + 1;
        entry.reportedBy(report.pid);
        if (!dead.isEmpty()) {
            dead.remove(report.pid);
        }
    }

    /** An earlier line may free this buffer, if lines are out of order: its own report may also be missing. */
    private void checkOrder(BufferReportLine report, BufferEntry entry) {
        UnseenBuffer freed = entry.unseen;
        if (freed != null && freed.mayBe(report)) {
            entry.unseen = null;
            gaps.note(
                    Kind.ORDER,
                    "line %d allocates %s, and line %d may be its free: the log begins too late, or its lines are out of"
                            + " order",
                    report.line,
                    entry,
                    freed.line);
        }
        guesses.allocated(report.device, report.id, report.type)
                .ifPresent(mayBeFreed -> gaps.note(Kind.ORDER, "line %d %s", report.line, mayBeFreed));
    }

    /** Follows the report itself: a buffer with a missing report may have been freed as well. */
    private void checkReferences(BufferReportLine report, BufferEntry entry, ReplayedDevice device) {
        if (entry.references + 1 == Math.max(1, report.references)) {
            return;
        }
        if (report.references > 0) {
            gaps.note(
                    Kind.CONTRADICTION,
                    "line %d says that %s now has %s, and the lines before it make %d",
                    report.line,
                    entry,
                    references(report.references),
                    entry.references + 1);
        } else if (countsReferences) {
            contradictsRepetition(entry, report.line);
            device.remove(entry);
            entry.references = 0;
        } else {
            entry.repeatedAt = report.line;
        }
    }

    private void contradictsRepetition(BufferEntry entry, long line) {
        gaps.noteAt(
                line,
                Kind.CONTRADICTION,
                "line %d allocates %s again without a count of references, and no line frees it in between: a line is missing,"
                        + " or a server that counts none wrote the one before",
                line,
                entry);
    }

    void freed(BufferReportLine report) {
        boolean isCounted = report.references >= 0;
        if (isCounted) {
            countsReferences();
        }
        if (!isPossible(report.device)) {
            return;
        }
        ReplayedDevice device = deviceOrNew(report.device);
        BufferEntry entry = device.entry(report.id);
        BufferType open = openType(entry);
        checkFree(report, entry, open);
        entry.freed(report);
        if (open != null) {
            events.freed(entry, report, open);
        }
        boolean hadReferences = entry.references > 0;
        // Without a reference count, a free matches one report.
        entry.references = isCounted ? report.references : Math.max(0, entry.references - 1);
        if (entry.references == 0 || !countsReferences) {
            device.remove(entry);
        } else if (!hadReferences) {
            device.enter(entry, entry.type, report.size, report.pid);
        }
    }

    private void checkFree(BufferReportLine report, BufferEntry entry, @Nullable BufferType open) {
        if (entry.references == 0 && open == null) {
            entry.unseen = new UnseenBuffer(report.line, report.pid, report.size);
            gaps.note(
                    Kind.ALLOCATION_MISSING,
                    "line %d frees %s, and no line before it allocates it: the log begins too late, or lines are missing",
                    report.line,
                    entry);
        } else if (entry.references == 0) {
            contradicts(report, entry, "was removed", "says that the server had it");
        } else if (report.references >= 0 && report.references != entry.references - 1) {
            contradicts(
                    report,
                    entry,
                    "has " + references(entry.references),
                    report.references == 0 ? "frees the last one" : "leaves " + references(report.references));
        } else if (report.size != entry.size) {
            contradicts(report, entry, "takes " + Quantities.size(entry.size), "says " + Quantities.size(report.size));
        } else if (countsReferences && isOtherProcess(report.pid, entry.owner)) {
            contradicts(report, entry, "belongs to process " + entry.owner, "says process " + report.pid);
        }
    }

    private static boolean isOtherProcess(long pid, long owner) {
        return pid != BufferReportLine.NO_PID && owner != BufferReportLine.NO_PID && pid != owner;
    }

    private void contradicts(BufferReportLine report, BufferEntry entry, String before, String now) {
        gaps.note(
                Kind.CONTRADICTION,
                "by the lines before line %d %s %s, and that line %s",
                report.line,
                entry,
                before,
                now);
    }

    void unknownFree(BufferReportLine report) {
        if (!isPossible(report.device)) {
            return;
        }
        ReplayedDevice device = deviceOrNew(report.device);
        BufferEntry entry = device.entry(report.id);
        entry.unknownFree(report);
        if (entry.references > 0 && countsReferences) {
            contradicts(report, entry, "has " + references(entry.references), "says that the server does not know it");
        }
        BufferType open = openType(entry);
        if (open != null && !(entry.isOfDeadOnly && entry.references == 0)) {
            events.freed(entry, report, open);
            entry.references = Math.max(0, entry.references - 1);
            if (entry.references == 0) {
                device.remove(entry);
            }
        } else if (open != null || !entry.openBefore.isEmpty()) {
            freeOfDead(report, entry);
        } else {
            BufferType guess = typeOfUnknown(entry);
            guesses.freed(report.device, report.id, guess, "the free of nothing in line " + report.line);
            events.freed(entry, report, guess);
        }
    }

    /**
     * A free of what a dead process left. Only another process that had reported it can free it, and only its own report: the last
     * one that is open may be that of the dead process.
     */
    private void freeOfDead(BufferReportLine report, BufferEntry entry) {
        BufferType type = Objects.requireNonNullElse(entry.latestType, BufferType.DRAM);
        int before = entry.openBefore.getOrDefault(type, 0);
        if (entry.wasShared && before > 1) {
            entry.openBefore.put(type, before - 1);
            events.freed(entry, report, type);
            return;
        }
        events.freeIgnored(entry, report, type);
        if (entry.wasShared) {
            gaps.note(
                    Kind.ORDER,
                    "line %d frees %s, whose owner died before another process allocated it: it may be the free of one that"
                            + " shared it",
                    report.line,
                    entry);
        }
    }

    /** A free does not contain the memory type. */
    private BufferType typeOfUnknown(BufferEntry entry) {
        return Stream.concat(
                        Stream.of(entry), devices.values().stream().flatMap(device -> device.find(entry.id).stream()))
                .flatMap(known -> Stream.ofNullable(known.latestType))
                .findFirst()
                .orElseGet(() -> {
                    guessedTypes++;
                    return BufferType.DRAM;
                });
    }

    /** Returns the memory type of an open report, that of the latest line if possible; null if none is open. */
    private @Nullable BufferType openType(BufferEntry entry) {
        BufferType latest = entry.latestType;
        if (latest == null || isOpen(entry, latest)) {
            return latest;
        }
        for (BufferType type : TYPES) {
            if (isOpen(entry, type)) {
                return type;
            }
        }
        return null;
    }

    private boolean isOpen(BufferEntry entry, BufferType type) {
        return events.openReports(entry, type) > entry.openBefore.getOrDefault(type, 0);
    }

    /** The enhanced server keeps the new size and does not correct its sums. */
    void otherSize(BufferReportLine report) {
        countsReferences();
        entry(report.device, report.id).ifPresent(entry -> entry.size = report.size);
    }

    // Processes and servers that end

    /** The death of a process: the sums of the entries that the server removes with it. */
    static final class Death {
        private final long pid;
        long buffers;
        long bytes;

        private Death(long pid) {
            this.pid = pid;
        }
    }

    /** Begins the removal of the entries of a process; the history keeps them. */
    void processDied(long pid) {
        endRemoval();
        events.next().processDied(pid);
        dead.add(pid);
        death = new Death(pid);
        isRemoving = true;
    }

    /** Removes the entries of the dead process, after the lines about those that others share. */
    private void endRemoval() {
        if (isRemoving) {
            isRemoving = false;
            for (ReplayedDevice device : devices.values()) {
                for (BufferEntry entry : device.entries()) {
                    if (entry.references > 0 && entry.owner == death.pid) {
                        remove(device, entry);
                    }
                }
            }
        }
    }

    private void remove(ReplayedDevice device, BufferEntry entry) {
        death.buffers++;
        death.bytes += entry.size;
        entry.died(dead);
        abandon(device, entry);
    }

    /** The server removes an entry without a free: a later report of its address is of another buffer. */
    private void abandon(ReplayedDevice device, BufferEntry entry) {
        device.remove(entry);
        entry.references = 0;
        if (openType(entry) != null) {
            device.abandoned.add(entry);
        }
    }

    /** Returns what the server removed with the latest dead process. */
    Death removedDead() {
        endRemoval();
        return death;
    }

    /** Handles a line about an entry that others share with the dead process. */
    void sharedWithDead(int device, long id, long remaining, long ofDead, long newOwner) {
        if (!isRemoving || death.pid != ofDead) {
            gaps.note(
                    Kind.CONTRADICTION,
                    "line %d is about a buffer of the dead process %d, and no line before it says that this process is"
                            + " dead",
                    events.line(),
                    ofDead);
            return;
        }
        ReplayedDevice replayed = devices.get(device);
        BufferEntry entry = replayed == null ? null : replayed.find(id).orElse(null);
        long before = entry == null ? 0 : entry.references;
        if (replayed == null || entry == null || before == 0 || before < remaining) {
            gaps.note(
                    Kind.CONTRADICTION,
                    "line %d says that others keep %s to %s, and the lines before it make %d",
                    events.line(),
                    references(remaining),
                    BufferEntry.text(device, id),
                    before);
        } else if (remaining == 0) {
            remove(replayed, entry);
        } else {
            entry.references = remaining;
            entry.owner = newOwner;
        }
    }

    /** A restarted server has an empty ledger. */
    void restarted() {
        long forgotten = live().count();
        if (forgotten > 0) {
            events.next()
                    .trackingStopped("line " + events.line() + " starts the server again while "
                            + (forgotten == 1 ? "1 buffer was" : forgotten + " buffers were") + " allocated");
            events.next().trackingStarted();
        }
        isRemoving = false;
        devices.values().forEach(device -> device.entries().forEach(entry -> abandon(device, entry)));
        countsReferences = false;
    }

    /** Records that a line comes from a server with reference counts. */
    void countsReferences() {
        if (countsReferences) {
            return;
        }
        countsReferences = true;
        devices.values().forEach(ReplayedDevice::clear);
        live().forEach(entry -> {
            if (entry.references > 1) {
                contradictsRepetition(entry, entry.repeatedAt);
                entry.references = 1;
            }
            deviceOrNew(entry.device).enter(entry, entry.type, entry.size, entry.owner);
        });
    }

    private boolean isPossible(int device) {
        endRemoval();
        boolean isPossible = device >= 0 && device <= HistoryEvent.MAX_DEVICE;
        if (!isPossible) {
            gaps.note(
                    Kind.DEVICE,
                    "line %d names device %d, and only devices 0 to %d can be",
                    events.line(),
                    device,
                    HistoryEvent.MAX_DEVICE);
        }
        return isPossible;
    }

    /** A survivor at an address that is allocated again is another buffer: the device was closed in between. */
    private void beginOpenPeriod(ReplayedDevice device) {
        events.next().deviceClosed(device.number);
        events.next().deviceOpened(device.number);
        for (BufferEntry entry : device.abandoned) {
            entry.wasShared = !entry.isOfDeadOnly;
            entry.openBefore = new EnumMap<>(BufferType.class);
            for (BufferType type : TYPES) {
                entry.openBefore.put(type, events.openReports(entry, type));
            }
        }
        device.abandoned.clear();
        guesses.deviceOpened(device.number);
    }

    private ReplayedDevice deviceOrNew(int device) {
        ReplayedDevice known = devices.get(device);
        if (known == null) {
            known = new ReplayedDevice(device);
            devices.put(device, known);
            events.next().deviceOpened(device);
        }
        return known;
    }

    private static String references(long count) {
        return Quantities.count(count, "reference");
    }

    // Sums

    /** Returns the number of entries of the server. */
    long entries() {
        endRemoval();
        return devices.values().stream().mapToLong(device -> device.entered).sum();
    }

    /** Returns the entries with references, by device. */
    private Stream<BufferEntry> live() {
        return devices.values().stream()
                .flatMap(device -> device.entries().stream())
                .filter(entry -> entry.references > 0);
    }

    /** Returns whether an entry belongs to one of some processes. */
    boolean hasEntriesOf(Set<Long> processes) {
        return live().anyMatch(entry -> processes.contains(entry.owner));
    }

    long guessedTypes() {
        return guessedTypes;
    }

    /** Returns the bytes of some memory types of a device, as the server counts them. */
    long bytes(int device, Set<BufferType> types) {
        return sum(device, types, known -> known.bytes);
    }

    /** Returns the number of buffers of some memory types of a device, as the server counts them. */
    long buffers(int device, Set<BufferType> types) {
        return sum(device, types, known -> known.buffers);
    }

    private long sum(int device, Set<BufferType> types, Function<ReplayedDevice, long[]> sums) {
        endRemoval();
        ReplayedDevice known = devices.get(device);
        return known == null
                ? 0
                : types.stream()
                        .mapToLong(type -> sums.apply(known)[type.ordinal()])
                        .sum();
    }

    /** Returns the entry with an id on a device, if there is one. */
    Optional<BufferEntry> entry(int device, long id) {
        endRemoval();
        return Optional.ofNullable(devices.get(device))
                .flatMap(known -> known.find(id))
                .filter(entry -> entry.references > 0);
    }

    /** Returns the use of each address that a line names, by device and address. */
    List<AddressUse> addresses() {
        endRemoval();
        return devices.values().stream()
                .flatMap(device -> device.entries().stream()
                        .flatMap(entry -> entry.use().stream())
                        .sorted((one, other) -> Long.compareUnsigned(one.address(), other.address())))
                .toList();
    }

    /** A buffer that a line frees, and that no line before it allocates. */
    record UnseenBuffer(long line, long pid, long size) {

        private boolean mayBe(BufferReportLine allocated) {
            return size == allocated.size && !isOtherProcess(allocated.pid, pid);
        }
    }
}
