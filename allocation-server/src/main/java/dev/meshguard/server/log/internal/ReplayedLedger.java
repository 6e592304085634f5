package dev.meshguard.server.log.internal;

import static dev.meshguard.server.log.internal.BufferEntry.TYPES;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.history.internal.AddressTable;
import dev.meshguard.server.log.internal.BufferEntry.Sum;
import dev.meshguard.server.log.internal.BufferEntry.UnseenBuffer;
import dev.meshguard.server.log.internal.LogRecorder.Gap;
import dev.meshguard.text.Quantities;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The ledger of the server after each line, with which the additional data of a line (the reference count, the size, the
 * owner) is compared; if they differ, lines are missing.
 *
 * <p>It is another fact than the tracker's ledger. The server knows an address by its id alone, whatever the memory type. It
 * removes the entries of a dead process and forgets everything at a restart. Before reference counts it removed an entry with
 * the first free. The tracker keeps every report until a matching free.
 */
final class ReplayedLedger {

    /** The entries of one device, and the server's sums of them. */
    private static final class Device {
        private final AddressTable<BufferEntry> entries = new AddressTable<>();
        private final Sum[] sums = Stream.generate(Sum::new).limit(TYPES.length).toArray(Sum[]::new);
    }

    private final LogRecorder events;
    private final TreeMap<Integer, Device> devices = new TreeMap<>();

    /** The entries of all devices, in order of appearance. */
    private final List<BufferEntry> entries = new ArrayList<>();

    /** The number of entries in the sums. */
    private long entered;

    private final GuessedTypes guesses = new GuessedTypes();
    private long guessedTypes;

    /**
     * Whether a line shows that the server counts references. Another server replaces an entry with every report, adds its size
     * again, and removes it with the first free.
     */
    private boolean countsReferences;

    /** The processes that may still run: they allocated after the last dump, and did not die. */
    private final Set<Long> running = new HashSet<>();

    private final Set<Long> dead = new HashSet<>();

    /** Devices of which it is not known yet whether dead processes left all that is allocated there. */
    private final Set<Integer> mayBeLeft = new HashSet<>();

    /** The latest dead process, and the entries that the server removed with it. */
    private long latestDead = BufferReportLine.NO_PID;

    private Sum removed = new Sum();

    /** Whether the check is at the end of the log: there is no dump, or more than frees follows the last one. */
    private boolean isCheckedAtEnd = true;

    ReplayedLedger(LogRecorder events) {
        this.events = events;
    }

    // Lines of the log

    /** Enters a report of one buffer. */
    void reported(BufferReportLine.Kind kind, BufferReportLine report) {
        if (report.device < 0 || report.device > HistoryEvent.MAX_DEVICE) {
            events.gapOfLine(
                    Gap.DEVICE,
                    "names device " + report.device + ", and only devices 0 to " + HistoryEvent.MAX_DEVICE + " can be");
            return;
        }
        boolean isAllocation = kind == BufferReportLine.Kind.ALLOCATED;
        if (report.references >= (isAllocation ? 1 : 0)) {
            countsReferences();
        }
        BufferEntry entry = entryOrNew(report);
        if (isAllocation) {
            allocated(report, entry);
        } else if (kind == BufferReportLine.Kind.FREED) {
            freed(report, entry);
        } else {
            unknownFree(report, entry);
        }
    }

    private void allocated(BufferReportLine report, BufferEntry entry) {
        isCheckedAtEnd = true;
        running.add(report.pid);
        if (entry.references == 0 && (entry.isAbandoned || isLeft(entry.device))) {
            beginOpenPeriod(entry.device);
        }
        events.allocated(report);
        checkOrder(report, entry);
        checkReferences(report, entry);
        entry.allocated(report);
        if (entry.references == 0 || !countsReferences) {
            entry.store(report.type, report);
            enter(entry);
        }
        entry.references = report.references > 0 ? report.references : entry.references + 1;
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
            events.gapOfLine(
                    Gap.ORDER,
                    "allocates " + entry + ", and line " + freed.line()
                            + " may be its free: the log begins too late, or its lines are out of order");
        }
        guesses.allocated(report.device, report.id, report.type)
                .ifPresent(mayBeFreed -> events.gapOfLine(Gap.ORDER, mayBeFreed));
    }

    /** Follows the report itself: a buffer with a missing report may have been freed as well. */
    private void checkReferences(BufferReportLine report, BufferEntry entry) {
        if (entry.references + 1 == Math.max(1, report.references)) {
            return;
        }
        if (report.references > 0) {
            events.gapOfLine(
                    Gap.CONTRADICTION,
                    "says that " + entry + " now has " + references(report.references)
                            + ", and the lines before it make " + (entry.references + 1));
        } else if (countsReferences) {
            contradictsRepetition(entry, report.number);
            leave(entry);
            entry.references = 0;
        } else {
            entry.repeatedAt = report.number;
        }
    }

    private void contradictsRepetition(BufferEntry entry, long line) {
        events.gap(
                line,
                Gap.CONTRADICTION,
                "line " + line + " allocates " + entry
                        + " again without a count of references, and no line frees it in between: a line is missing,"
                        + " or a server that counts none wrote the one before");
    }

    private void freed(BufferReportLine report, BufferEntry entry) {
        BufferType open = entry.openType();
        checkFree(report, entry, open);
        entry.freedAt = report.number;
        if (open != null) {
            freed(report, entry, open);
        }
        boolean hadReferences = entry.references > 0;
        // Without a reference count, a free matches one report.
        entry.references = report.references >= 0 ? report.references : Math.max(0, entry.references - 1);
        if (entry.references == 0 || !countsReferences) {
            leave(entry);
        } else if (!hadReferences) {
            entry.store(entry.storedType, report);
            enter(entry);
        }
    }

    private void freed(BufferReportLine report, BufferEntry entry, BufferType open) {
        entry.open[open.ordinal()]--;
        events.freed(report, open);
    }

    private void checkFree(BufferReportLine report, BufferEntry entry, @Nullable BufferType open) {
        if (entry.references == 0 && open == null) {
            entry.unseen = new UnseenBuffer(report.number, report.pid, report.size);
            events.gapOfLine(Gap.ALLOCATION_MISSING, "frees " + entry + ", " + allocationMissing(entry));
        } else if (entry.references == 0) {
            contradicts(entry, "was removed", "says that the server had it");
        } else if (report.references >= 0 && report.references != entry.references - 1) {
            contradicts(
                    entry,
                    "has " + references(entry.references),
                    report.references == 0 ? "frees the last one" : "leaves " + references(report.references));
        } else if (report.size != entry.size) {
            contradicts(entry, "takes " + Quantities.size(entry.size), "says " + Quantities.size(report.size));
        } else if (countsReferences && entry.isOfOther(report.pid)) {
            contradicts(entry, "belongs to process " + entry.owner, "says process " + report.pid);
        }
    }

    private static String allocationMissing(BufferEntry entry) {
        if (entry.allocatedAt == 0) {
            return "and no line before it allocates it: the log begins too late, or lines are missing";
        }
        return "which line " + entry.allocatedAt + " allocates and "
                + (entry.freedAt > entry.allocatedAt
                        ? "line " + entry.freedAt + " frees: it is freed twice, or a line that allocates it is missing"
                        : "the server removed before its device was opened again: lines are missing");
    }

    private void contradicts(BufferEntry entry, String before, String now) {
        events.gap(
                Gap.CONTRADICTION,
                "by the lines before line " + events.line() + " " + entry + " " + before + ", and that line " + now);
    }

    private void unknownFree(BufferReportLine report, BufferEntry entry) {
        entry.freedAt = report.number;
        if (entry.references > 0 && countsReferences) {
            contradicts(entry, "has " + references(entry.references), "says that the server does not know it");
        }
        BufferType open = entry.openType();
        if (open != null && !(entry.isOfDeadOnly && entry.references == 0)) {
            freed(report, entry, open);
            entry.references = Math.max(0, entry.references - 1);
            if (entry.references == 0) {
                leave(entry);
            }
        } else if (open != null || entry.openBefore != null) {
            freeOfDead(report, entry);
        } else {
            BufferType guess = typeOfUnknown(entry);
            guesses.freed(report.device, report.id, guess, "the free of nothing in line " + report.number);
            events.freed(report, guess);
        }
    }

    /**
     * A free of what a dead process left. Only another process that had reported it can free it, and only its own report: the last
     * one that is open may be that of the dead process.
     */
    private void freeOfDead(BufferReportLine report, BufferEntry entry) {
        BufferType type = Objects.requireNonNullElse(entry.latestType, BufferType.DRAM);
        int[] before = entry.openBefore;
        if (before != null && entry.wasShared && before[type.ordinal()] > 1) {
            before[type.ordinal()]--;
            events.freed(report, type);
            return;
        }
        events.freeIgnored(report, type);
        if (entry.wasShared) {
            events.gapOfLine(
                    Gap.ORDER,
                    "frees " + entry
                            + ", whose owner died before another process allocated it: it may be the free of one that shared it");
        }
    }

    /** A free does not contain the memory type. */
    private BufferType typeOfUnknown(BufferEntry entry) {
        return Stream.concat(
                        Stream.of(entry),
                        devices.keySet().stream().flatMap(device -> find(device, entry.address()).stream()))
                .flatMap(known -> Stream.ofNullable(known.latestType))
                .findFirst()
                .orElseGet(() -> {
                    guessedTypes++;
                    return BufferType.DRAM;
                });
    }

    /** The enhanced server keeps the new size and does not correct its sums. */
    void otherSize(BufferReportLine report) {
        countsReferences();
        entry(report.device, report.id).ifPresent(entry -> entry.size = report.size);
    }

    // Processes and servers that end

    /** Removes the entries of a process; the history keeps them. */
    void processDied(long pid) {
        countsReferences();
        isCheckedAtEnd = true;
        events.next().processDied(pid);
        running.remove(pid);
        dead.add(pid);
        latestDead = pid;
        removed = new Sum();
        mayBeLeft.addAll(devices.keySet());
        entries.stream()
                .filter(entry -> entry.references > 0 && entry.owner == pid)
                .forEach(this::removeDead);
    }

    /** The server printed a dump, which is the check unless more than frees follows. */
    void dumped() {
        countsReferences();
        programsEnded();
        isCheckedAtEnd = false;
    }

    /** No process runs that has allocated. */
    void programsEnded() {
        running.clear();
    }

    /** Returns whether buffers belong to processes whose end the log does not show. */
    boolean areAnyHeld() {
        return live().anyMatch(entry -> running.contains(entry.owner));
    }

    boolean isCheckedAtEnd() {
        return isCheckedAtEnd;
    }

    /** Returns the process that died last; {@link BufferReportLine#NO_PID} if this server has found none. */
    long latestDead() {
        return latestDead;
    }

    /** Returns what the server removed with the latest dead process. */
    Sum removedDead() {
        return removed;
    }

    private void removeDead(BufferEntry entry) {
        removed.add(1, entry.size);
        entry.died(dead);
        abandon(entry);
    }

    /** The server removes an entry without a free: a later report of its address is of another buffer. */
    private void abandon(BufferEntry entry) {
        leave(entry);
        entry.references = 0;
        entry.isAbandoned |= entry.openType() != null;
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
        latestDead = BufferReportLine.NO_PID;
        entries.forEach(this::abandon);
        countsReferences = false;
    }

    /** Records that a line comes from a server with reference counts. */
    private void countsReferences() {
        if (countsReferences) {
            return;
        }
        countsReferences = true;
        live().filter(entry -> entry.references > 1).forEach(entry -> {
            contradictsRepetition(entry, entry.repeatedAt);
            entry.references = 1;
        });
        devices.values().forEach(device -> Stream.of(device.sums).forEach(sum -> sum.add(-sum.buffers, -sum.bytes)));
        entered = 0;
        entries.forEach(entry -> entry.isEntered = false);
        live().forEach(this::enter);
    }

    /** Returns whether dead processes left all that is allocated on a device: who allocates next has opened it again. */
    private boolean isLeft(int device) {
        return mayBeLeft.remove(device)
                && entries.stream()
                        .filter(entry -> entry.device == device && entry.openType() != null)
                        .map(entry -> entry.references == 0 && entry.isOfDeadOnly)
                        .reduce(Boolean::logicalAnd)
                        .orElse(false);
    }

    /** A survivor at an address that is allocated again is another buffer: the device was closed in between. */
    private void beginOpenPeriod(int device) {
        events.next().deviceClosed(device);
        events.next().deviceOpened(device);
        entries.stream()
                .filter(entry -> entry.isAbandoned && entry.device == device)
                .forEach(BufferEntry::deviceOpenedAgain);
        guesses.deviceOpened(device);
    }

    // Entries and sums

    private BufferEntry entryOrNew(BufferReportLine report) {
        Device device = devices.get(report.device);
        if (device == null) {
            device = new Device();
            devices.put(report.device, device);
            events.next().deviceOpened(report.device);
        }
        BufferEntry entry = device.entries.find(BufferEntry.ANY, report.id);
        if (entry == null) {
            entry = new BufferEntry(report.device, report.id, device.sums);
            device.entries.add(entry);
            entries.add(entry);
        }
        return entry;
    }

    private Optional<BufferEntry> find(int device, long id) {
        return Optional.ofNullable(devices.get(device)).map(known -> known.entries.find(BufferEntry.ANY, id));
    }

    private void enter(BufferEntry entry) {
        entered += entry.isEntered ? 0 : 1;
        entry.isEntered = true;
        add(entry, 1);
    }

    private void leave(BufferEntry entry) {
        if (entry.isEntered) {
            add(entry, -1);
            entered--;
            entry.isEntered = false;
        }
    }

    private void add(BufferEntry entry, int sign) {
        entry.sums[entry.storedType.ordinal()].add(sign, sign * entry.size);
    }

    private static String references(long count) {
        return Quantities.count(count, "reference");
    }

    /** Returns the number of entries of the server. */
    long entries() {
        return entered;
    }

    /** Returns the entries with references. */
    private Stream<BufferEntry> live() {
        return entries.stream().filter(entry -> entry.references > 0);
    }

    long guessedTypes() {
        return guessedTypes;
    }

    /** Returns the sum of some memory types of a device, as the server counts them. */
    Sum sum(int device, Set<BufferType> types) {
        Sum all = new Sum();
        Device known = devices.get(device);
        if (known != null) {
            types.stream().map(type -> known.sums[type.ordinal()]).forEach(sum -> all.add(sum.buffers, sum.bytes));
        }
        return all;
    }

    /** Returns the entry with an id on a device, if the server has one. */
    Optional<BufferEntry> entry(int device, long id) {
        return find(device, id).filter(entry -> entry.references > 0);
    }
}
