package dev.meshguard.server.log.internal;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.Quantities;
import dev.meshguard.server.log.AddressUse;
import dev.meshguard.server.log.internal.LogGapRecorder.Kind;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
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

    /** The death of the process whose entries the server is removing. */
    private @Nullable Death death;

    ReplayedLedger(LogRecorder events, LogGapRecorder gaps) {
        this.events = events;
        this.gaps = gaps;
    }

    // Lines of the log

    void allocated(BufferReportLine report) {
        if (!isPossible(report.device)) {
            return;
        }
        if (report.references > 0) {
            countsReferences();
        }
        ReplayedDevice replayed = deviceOrNew(report.device);
        BufferEntry entry = replayed.entry(report.id);
        if (entry.references == 0 && replayed.abandoned.contains(entry)) {
            beginOpenPeriod(replayed);
        }
        events.allocated(entry, report.pid, report.type, report.size);
        checkOrder(report, entry);
        checkReferences(report, entry, replayed);
        entry.allocated(report.type, report.size, report.line);
        if (entry.references == 0 || !countsReferences) {
            replayed.enter(entry, report.type, report.size, report.pid);
        }
        entry.references = report.references > 0 ? report.references : entry.references + 1;
        entry.reportedBy(report.pid);
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
    private void checkReferences(BufferReportLine report, BufferEntry entry, ReplayedDevice replayed) {
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
            replayed.remove(entry);
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

    /** Records a free; returns whether any line allocates the buffer. */
    boolean freed(BufferReportLine report) {
        if (report.hasRemaining) {
            countsReferences();
        }
        if (!isPossible(report.device)) {
            return true;
        }
        ReplayedDevice replayed = deviceOrNew(report.device);
        BufferEntry entry = replayed.entry(report.id);
        checkFree(report, entry);
        boolean hadReferences = entry.references > 0;
        entry.freed(report.size, report.line);
        boolean hadReport = freeReport(entry, report.pid);
        // Without a reference count, a free matches one report.
        long remaining = report.hasRemaining ? report.references : Math.max(0, entry.references - 1);
        if (remaining == 0 || !countsReferences) {
            replayed.remove(entry);
        } else if (!hadReferences) {
            replayed.enter(entry, entry.type, report.size, report.pid);
        }
        entry.references = remaining;
        return hadReferences || hadReport;
    }

    private void checkFree(BufferReportLine report, BufferEntry entry) {
        if (entry.references == 0) {
            if (openType(entry) == null) {
                entry.unseen = UnseenBuffer.of(report);
                gaps.note(
                        Kind.ALLOCATION_MISSING,
                        "line %d frees %s, and no line before it allocates it: the log begins too late, or lines are"
                                + " missing",
                        report.line,
                        entry);
            } else {
                contradicts(report.line, entry, "was removed", "says that the server had it");
            }
        } else if (report.hasRemaining && report.references != entry.references - 1) {
            contradicts(
                    report.line,
                    entry,
                    "has " + references(entry.references),
                    report.references == 0 ? "frees the last one" : "leaves " + references(report.references));
        } else if (report.size != entry.size) {
            contradicts(
                    report.line, entry, "takes " + Quantities.size(entry.size), "says " + Quantities.size(report.size));
        } else if (countsReferences && isOtherProcess(report.pid, entry.owner)) {
            contradicts(report.line, entry, "belongs to process " + entry.owner, "says process " + report.pid);
        }
    }

    private static boolean isOtherProcess(long pid, long owner) {
        return pid != BufferReportLine.NO_PID && owner != BufferReportLine.NO_PID && pid != owner;
    }

    private void contradicts(long line, BufferEntry entry, String before, String now) {
        gaps.note(Kind.CONTRADICTION, "by the lines before line %d %s %s, and that line %s", line, entry, before, now);
    }

    void unknownFree(BufferReportLine report) {
        if (!isPossible(report.device)) {
            return;
        }
        ReplayedDevice replayed = deviceOrNew(report.device);
        BufferEntry entry = replayed.entry(report.id);
        entry.unknownFree(report.line);
        if (entry.references > 0 && countsReferences) {
            contradicts(
                    report.line, entry, "has " + references(entry.references), "says that the server does not know it");
        }
        BufferType open = openType(entry);
        if (open == null) {
            BufferType guess = typeOfUnknown(entry);
            guesses.freed(report.device, report.id, guess, "the free of nothing in line " + report.line);
            events.freed(entry, report.pid, guess);
        } else if (entry.isOfDeadOnly()) {
            events.freeIgnored(entry, report.pid, open);
        } else {
            events.freed(entry, report.pid, open);
            entry.references = Math.max(0, entry.references - 1);
            if (entry.references == 0) {
                replayed.remove(entry);
            }
        }
    }

    /** A free does not contain the memory type. */
    private BufferType typeOfUnknown(BufferEntry entry) {
        if (entry.latestType != null) {
            return entry.latestType;
        }
        for (ReplayedDevice replayed : devices.values()) {
            BufferEntry sibling = replayed.entries.find(entry.id);
            if (sibling != null && sibling.latestType != null) {
                return sibling.latestType;
            }
        }
        guessedTypes++;
        return BufferType.DRAM;
    }

    /** Reports a free to the tracker, if it has an open report; returns whether it has. */
    private boolean freeReport(BufferEntry entry, long pid) {
        BufferType open = openType(entry);
        if (open != null) {
            events.freed(entry, pid, open);
        }
        return open != null;
    }

    /** Returns the memory type of an open report, that of the latest line if possible; null if none is open. */
    private @Nullable BufferType openType(BufferEntry entry) {
        BufferType latest = entry.latestType;
        if (latest != null && events.isOpen(entry, latest)) {
            return latest;
        }
        for (BufferType type : TYPES) {
            if (events.isOpen(entry, type)) {
                return type;
            }
        }
        return null;
    }

    /** The enhanced server keeps the new size and does not correct its sums. */
    void otherSize(BufferReportLine report) {
        countsReferences();
        entry(report.device, report.id).ifPresent(entry -> entry.size = report.size);
    }

    /** The death of a process: the totals of the entries that the server removed with it. */
    static final class Death {
        private final long pid;
        long buffers;
        long bytes;

        private Death(long pid) {
            this.pid = pid;
        }

        private void removed(BufferEntry entry, int sign) {
            buffers += sign;
            bytes += sign * entry.size;
        }
    }

    /**
     * Removes the entries of a process from the ledger; the history keeps them. Later lines restore those that other
     * processes share.
     */
    Death processDied(long pid) {
        events.next().processDied(pid);
        Death latest = new Death(pid);
        death = latest;
        for (ReplayedDevice replayed : devices.values()) {
            for (BufferEntry entry : replayed.entries.entries()) {
                if (entry.references > 0 && entry.owner == pid) {
                    remove(replayed, entry, latest);
                }
            }
        }
        return latest;
    }

    private void remove(ReplayedDevice replayed, BufferEntry entry, Death latest) {
        latest.removed(entry, 1);
        entry.died();
        abandon(replayed, entry);
    }

    /** The server removes an entry without a free: a later report of its address is of another buffer. */
    private void abandon(ReplayedDevice replayed, BufferEntry entry) {
        replayed.remove(entry);
        entry.references = 0;
        if (openType(entry) != null) {
            replayed.abandoned.add(entry);
        }
    }

    /** Returns the death of a process whose entries the server is removing, if there is one. */
    Optional<Death> deathOf(long pid) {
        return Optional.ofNullable(death).filter(latest -> latest.pid == pid);
    }

    /** The server has removed all entries of the dead process: no later line is about them. */
    void removedAll() {
        death = null;
    }

    /**
     * Handles a line about an entry that is not simply removed with its owner. It follows the line that reports the dead process,
     * and precedes all others about the entry.
     */
    void sharedWithDead(ServerStatusLine line) {
        int device = (int) line.number(1);
        long id = line.address(0);
        long remaining = line.number(2);
        long dead = line.number(3);
        long newOwner = line.number(4);
        Optional<Death> latest = deathOf(dead);
        if (latest.isEmpty()) {
            gaps.note(
                    Kind.CONTRADICTION,
                    "line %d is about a buffer of the dead process %d, and no line before it says that this process is"
                            + " dead",
                    events.line(),
                    dead);
            return;
        }
        ReplayedDevice replayed = devices.get(device);
        BufferEntry entry = replayed == null ? null : replayed.entries.find(id);
        boolean isOfDead = entry != null && entry.references == 0 && entry.owner == dead;
        long before = entry == null ? 0 : isOfDead ? entry.referencesAtDeath : entry.references;
        if (replayed == null || entry == null || before == 0 || before < remaining) {
            gaps.note(
                    Kind.CONTRADICTION,
                    "line %d says that others keep %s to %s, and the lines before it make %d",
                    events.line(),
                    references(remaining),
                    BufferEntry.text(device, id),
                    before);
            return;
        }
        entry.released(dead, newOwner);
        if (remaining == 0) {
            if (!isOfDead) {
                remove(replayed, entry, latest.get());
            }
            return;
        }
        if (isOfDead) {
            latest.get().removed(entry, -1);
            replayed.enter(entry, entry.type, entry.size, newOwner);
            entry.survived();
            replayed.abandoned.remove(entry);
        }
        entry.references = remaining;
        entry.owner = newOwner;
    }

    /** A restarted server has an empty ledger. */
    void restarted() {
        // Of a process that was being removed, the lines about shared buffers may be missing.
        long forgotten = live().count() + (death == null ? 0 : death.buffers);
        if (forgotten > 0) {
            events.next()
                    .trackingStopped("line " + events.line() + " starts the server again while "
                            + (forgotten == 1 ? "1 buffer was" : forgotten + " buffers were") + " allocated");
            events.next().trackingStarted();
        }
        devices.values().forEach(replayed -> replayed.entries.entries().forEach(entry -> abandon(replayed, entry)));
        countsReferences = false;
        death = null;
    }

    /** Records that a line comes from a server with reference counts. */
    void countsReferences() {
        if (countsReferences) {
            return;
        }
        countsReferences = true;
        live().forEach(entry -> {
            ReplayedDevice replayed = deviceOrNew(entry.device);
            if (entry.references > 1) {
                contradictsRepetition(entry, entry.repeatedAt);
                entry.references = 1;
            }
            replayed.remove(entry);
        });
        devices.values().forEach(ReplayedDevice::clear);
        live().forEach(entry -> deviceOrNew(entry.device).enter(entry, entry.type, entry.size, entry.owner));
    }

    private boolean isPossible(int device) {
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
    private void beginOpenPeriod(ReplayedDevice replayed) {
        events.next().deviceClosed(replayed.device);
        events.next().deviceOpened(replayed.device);
        replayed.abandoned.clear();
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
        return devices.values().stream().mapToLong(replayed -> replayed.entered).sum();
    }

    /** Returns the entries with references, by device. */
    private Stream<BufferEntry> live() {
        return devices.values().stream()
                .flatMap(replayed -> replayed.entries.entries().stream())
                .filter(entry -> entry.references > 0);
    }

    /** Returns whether an entry belongs to one of some processes. */
    boolean hasEntriesOf(Set<Long> processes) {
        return live().anyMatch(entry -> processes.contains(entry.owner));
    }

    long guessedTypes() {
        return guessedTypes;
    }

    /** Returns the bytes of a device. */
    long bytes(int device) {
        return Arrays.stream(TYPES).mapToLong(type -> bytes(device, type)).sum();
    }

    /** Returns the bytes of one memory of a device. */
    long bytes(int device, BufferType type) {
        ReplayedDevice replayed = devices.get(device);
        return replayed == null ? 0 : replayed.bytes[type.ordinal()];
    }

    /** Returns the number of buffers of a device, as the server counts them. */
    long buffers(int device) {
        return Arrays.stream(TYPES).mapToLong(type -> buffers(device, type)).sum();
    }

    /** Returns the number of buffers of one memory of a device. */
    long buffers(int device, BufferType type) {
        ReplayedDevice replayed = devices.get(device);
        return replayed == null ? 0 : replayed.buffers[type.ordinal()];
    }

    /** Returns the entry with an id on a device, if there is one. */
    Optional<BufferEntry> entry(int device, long id) {
        return Optional.ofNullable(devices.get(device))
                .map(replayed -> replayed.entries.find(id))
                .filter(entry -> entry.references > 0);
    }

    /** Returns the use of each address that a line names, by device and address. */
    List<AddressUse> addresses() {
        return devices.values().stream()
                .flatMap(replayed -> replayed.entries.entries().stream()
                        .flatMap(entry -> entry.use().stream())
                        .sorted((one, other) -> Long.compareUnsigned(one.address(), other.address())))
                .toList();
    }

    /** A buffer that a line frees, and that no line before it allocates. */
    record UnseenBuffer(long line, long pid, long size) {

        private static UnseenBuffer of(BufferReportLine free) {
            return new UnseenBuffer(free.line, free.pid, free.size);
        }

        private boolean mayBe(BufferReportLine allocated) {
            return size == allocated.size && !isOtherProcess(allocated.pid, pid);
        }
    }

    /** The entries of one device, and the server's sums of them by memory type. */
    private static final class ReplayedDevice {
        private final int device;
        private final EntryTable entries = new EntryTable();
        private final long[] bytes = new long[TYPES.length];
        private final long[] buffers = new long[TYPES.length];
        private long entered;

        /** The entries that the server removed without a free, while a report was open. */
        private final Set<BufferEntry> abandoned = new HashSet<>();

        private ReplayedDevice(int device) {
            this.device = device;
        }

        private BufferEntry entry(long id) {
            BufferEntry known = entries.find(id);
            return known == null ? entries.add(new BufferEntry(device, id)) : known;
        }

        private void enter(BufferEntry entry, BufferType type, long size, long owner) {
            entry.size = size;
            entry.type = type;
            entry.owner = owner;
            add(entry, 1);
            entered += entry.isEntered ? 0 : 1;
            entry.isEntered = true;
        }

        private void remove(BufferEntry entry) {
            if (entry.isEntered) {
                add(entry, -1);
                entered--;
                entry.isEntered = false;
            }
        }

        private void add(BufferEntry entry, int sign) {
            bytes[entry.type.ordinal()] += sign * entry.size;
            buffers[entry.type.ordinal()] += sign;
        }

        private void clear() {
            Arrays.fill(bytes, 0);
            Arrays.fill(buffers, 0);
        }
    }
}
