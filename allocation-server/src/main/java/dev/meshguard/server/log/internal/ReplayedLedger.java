package dev.meshguard.server.log.internal;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.Quantities;
import dev.meshguard.server.log.AddressUse;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The server's ledger after each line, and the events that follow for the history.
 *
 * <p>The two differ. The server removes the entries of a dead process and forgets everything at a restart. Before
 * reference counts it removed an entry with the first free. The history keeps every report until a matching free. The
 * additional data of a report (the reference count, the size, the owner) is compared with the ledger; if they differ,
 * lines are missing.
 */
final class ReplayedLedger {

    /** The server's way to count several reports of one address. */
    enum Counting {
        /** Not shown by any line yet. */
        UNKNOWN,
        /** Every report adds, the first free removes the entry. */
        EVERY_REPORT,
        /** Each report is a reference. */
        REFERENCES
    }

    private static final BufferType[] TYPES = BufferType.values();
    private static final int MAX_DEVICE = 65_535;
    private static final int FIRST_DEVICES = 64;

    private final LogEventList events;
    private final LogGapRecorder gaps;
    private final TreeMap<Integer, ReplayedDevice> devices = new TreeMap<>();

    /** The same for the usual devices: a mesh reports to all of them in turn. */
    private final @Nullable ReplayedDevice[] first = new @Nullable ReplayedDevice[FIRST_DEVICES];

    private Counting counting = Counting.UNKNOWN;
    private long guessedTypes;

    /** The death of the process whose entries the server is removing. */
    private @Nullable Death death;

    /** The number of deaths and of new open periods of devices so far. */
    private long moment;

    /**
     * Entries that were allocated again without a reference count, before it was known whether the server counts them.
     */
    private final List<BufferEntry> repeated = new ArrayList<>();

    ReplayedLedger(LogEventList events, LogGapRecorder gaps) {
        this.events = events;
        this.gaps = gaps;
    }

    // Lines of the log

    void allocated(BufferReportLine said) {
        long line = said.line;
        if (!isPossible(said.device, line)) {
            return;
        }
        if (said.references > 0) {
            countsReferences();
        }
        ReplayedDevice replayed = deviceOrNew(said.device);
        BufferEntry entry = replayed.entry(said.id);
        if (entry.isAbandoned()) {
            beginOpenPeriod(replayed);
        }
        events.allocated(entry, said.pid, said.type, said.size);
        checkReferences(said, entry, line);
        entry.allocated(said.type, said.size, line);
        if (entry.references == 0) {
            replayed.enter(entry, said.type, said.size, said.pid);
        }
        replayed.everyReport(entry, said.type, said.size);
        entry.references = said.references > 0 ? said.references : entry.references + 1;
        entry.reportedBy(said.pid);
    }

    /** Follows the report itself: a buffer with a missing report may have been freed as well. */
    private void checkReferences(BufferReportLine said, BufferEntry entry, long line) {
        long fits = Math.max(1, said.references);
        if (entry.references + 1 == fits) {
            return;
        }
        if (said.references > 0) {
            gaps.note(
                    LogGapRecorder.Kind.CONTRADICTION,
                    line,
                    String.format(
                            Locale.ROOT,
                            "line %d says that %s now has %s, and the lines before it make %d",
                            line,
                            addressText(said),
                            Quantities.count(said.references, "reference"),
                            entry.references + 1));
        } else if (counting == Counting.REFERENCES) {
            contradictsRepetition(entry, line);
            deviceOrNew(entry.device).remove(entry);
        } else if (counting == Counting.UNKNOWN) {
            entry.repeatedAt = line;
            repeated.add(entry);
        }
    }

    private void contradictsRepetition(BufferEntry entry, long line) {
        gaps.note(
                LogGapRecorder.Kind.CONTRADICTION,
                line,
                String.format(
                        Locale.ROOT,
                        "line %d allocates %s again without a count of references, so the line that frees it is missing",
                        line,
                        addressText(entry)));
    }

    /** Records a free; returns whether any line allocates the buffer. */
    boolean freed(BufferReportLine said) {
        long line = said.line;
        if (said.hasRemaining) {
            countsReferences();
        } else {
            countsEveryReport();
        }
        if (said.device == BufferReportLine.NO_DEVICE) {
            return freedOnSomeDevice(said, line);
        }
        if (!isPossible(said.device, line)) {
            return true;
        }
        BufferEntry entry = deviceOrNew(said.device).entry(said.id);
        checkFree(said, entry, line);
        return enterFree(said, entry, line);
    }

    private boolean enterFree(BufferReportLine said, BufferEntry entry, long line) {
        ReplayedDevice replayed = deviceOrNew(entry.device);
        boolean isSeen = entry.references > 0 || entry.held() > 0;
        entry.freed(said.size, line);
        give(entry, said.pid);
        replayed.everyFree(entry);
        release(replayed, entry, said);
        return isSeen;
    }

    /** Without a reference count, a free matches one report. */
    private static void release(ReplayedDevice replayed, BufferEntry entry, BufferReportLine said) {
        long left = said.hasRemaining ? said.references : Math.max(0, entry.references - 1);
        if (left == 0) {
            replayed.remove(entry);
        } else if (entry.references == 0) {
            replayed.enter(entry, entry.type, said.size, said.pid);
        }
        entry.references = left;
    }

    private void checkFree(BufferReportLine said, BufferEntry entry, long line) {
        if (entry.references == 0) {
            if (entry.held() == 0) {
                gaps.note(
                        LogGapRecorder.Kind.ALLOCATION_MISSING,
                        line,
                        String.format(
                                Locale.ROOT,
                                "line %d frees %s, and no line before it allocates it: the log begins too late, or lines are"
                                        + " missing",
                                line,
                                addressText(entry)));
            } else {
                contradicts(line, entry, "was removed", "says that the server had it");
            }
            return;
        }
        if (said.hasRemaining && said.references != entry.references - 1) {
            contradicts(
                    line,
                    entry,
                    "has " + Quantities.count(entry.references, "reference"),
                    said.references == 0
                            ? "frees the last one"
                            : "leaves " + Quantities.count(said.references, "reference"));
        } else if (said.size != entry.size && (counting == Counting.REFERENCES || said.size != entry.latestSize)) {
            contradicts(line, entry, "takes " + Quantities.size(entry.size), "says " + Quantities.size(said.size));
        } else if (counting == Counting.REFERENCES && isOtherProcess(said.pid, entry.owner)) {
            contradicts(line, entry, "belongs to process " + entry.owner, "says process " + said.pid);
        }
    }

    private static boolean isOtherProcess(long pid, long owner) {
        return pid != BufferReportLine.NO_PID && owner != BufferReportLine.NO_PID && pid != owner;
    }

    private void contradicts(long line, BufferEntry entry, String before, String now) {
        gaps.note(
                LogGapRecorder.Kind.CONTRADICTION,
                line,
                String.format(
                        Locale.ROOT,
                        "by the lines before line %d %s %s, and that line %s",
                        line,
                        addressText(entry),
                        before,
                        now));
    }

    /** The first server has no devices: if only one device has the buffer, the free belongs to it. */
    private boolean freedOnSomeDevice(BufferReportLine said, long line) {
        List<BufferEntry> candidates = live(said.id);
        if (candidates.size() == 1) {
            return enterFree(said, candidates.get(0), line);
        }
        gaps.note(
                LogGapRecorder.Kind.ALLOCATION_MISSING,
                line,
                String.format(
                        Locale.ROOT,
                        "line %d frees buffer %s without saying on which device, and %s it",
                        line,
                        Quantities.address(said.id),
                        candidates.isEmpty() ? "none has" : candidates.size() + " devices have"));
        return !candidates.isEmpty();
    }

    private List<BufferEntry> live(long id) {
        List<BufferEntry> found = new ArrayList<>();
        for (ReplayedDevice replayed : devices.values()) {
            BufferEntry entry = replayed.known(id);
            if (entry != null && entry.held() > 0) {
                found.add(entry);
            }
        }
        return found;
    }

    void unknownFree(BufferReportLine said) {
        long line = said.line;
        if (said.device == BufferReportLine.NO_DEVICE) {
            List<BufferEntry> candidates = live(said.id);
            said.device = candidates.size() == 1 ? candidates.get(0).device : 0;
        }
        if (!isPossible(said.device, line)) {
            return;
        }
        BufferEntry entry = deviceOrNew(said.device).entry(said.id);
        entry.unknownFree(line);
        if (entry.references > 0 && counting == Counting.REFERENCES) {
            contradicts(
                    line,
                    entry,
                    "has " + Quantities.count(entry.references, "reference"),
                    "says that the server does not know it");
        }
        if (entry.held() > 0 && !entry.isOfDeadOnly()) {
            give(entry, said.pid);
            entry.references = Math.max(0, entry.references - 1);
            if (entry.references == 0) {
                deviceOrNew(said.device).remove(entry);
            }
        } else if (entry.held() > 0) {
            events.freeIgnored(entry, said.pid, entry.typeToFree());
        } else {
            events.freed(entry, said.pid, typeOf(entry));
        }
    }

    /** A free does not contain the memory type. */
    private int typeOf(BufferEntry entry) {
        if (entry.latestType != BufferEntry.NO_TYPE) {
            return entry.latestType;
        }
        for (ReplayedDevice replayed : devices.values()) {
            BufferEntry sibling = replayed.known(entry.id);
            if (sibling != null && sibling.latestType != BufferEntry.NO_TYPE) {
                return sibling.latestType;
            }
        }
        guessedTypes++;
        return BufferType.DRAM.ordinal();
    }

    private void give(BufferEntry entry, long pid) {
        if (entry.held() > 0) {
            int type = entry.typeToFree();
            entry.freed(type);
            events.freed(entry, pid, type);
        }
    }

    /** The enhanced server keeps the new size and does not correct its sums. */
    void otherSize(BufferReportLine said) {
        ReplayedDevice replayed = devices.get(said.device);
        BufferEntry entry = replayed == null ? null : replayed.known(said.id);
        if (entry != null && entry.references > 0) {
            entry.size = said.size;
        }
    }

    /** The death of a process: the totals of the entries that the server removed with it. */
    static final class Death {
        private final long pid;
        private final long moment;
        private long buffers;
        private long bytes;

        private Death(long pid, long moment) {
            this.pid = pid;
            this.moment = moment;
        }

        long buffers() {
            return buffers;
        }

        long bytes() {
            return bytes;
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
        events.processDied(pid);
        Death latest = new Death(pid, ++moment);
        death = latest;
        for (ReplayedDevice replayed : devices.values()) {
            for (BufferEntry entry : replayed.entries()) {
                if (entry.references > 0 && entry.owner == pid) {
                    remove(replayed, entry, latest);
                }
            }
        }
        return latest;
    }

    private static void remove(ReplayedDevice replayed, BufferEntry entry, Death death) {
        long references = entry.references;
        death.removed(entry, 1);
        replayed.remove(entry);
        entry.died(references, death.moment > replayed.openedAt);
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
     * A line about an entry that is not simply removed with its owner.
     *
     * @param remainingReferences the number of references of other processes
     * @param dead the dead process
     * @param newOwner the new owner
     */
    record Shared(int device, long id, long remainingReferences, long dead, long newOwner) {}

    /** Follows the line that reports the dead process, and precedes all others about the entry. */
    void sharedWithDead(Shared said, long line) {
        Death latest = death;
        ReplayedDevice replayed = devices.get(said.device());
        BufferEntry entry = replayed == null ? null : replayed.known(said.id());
        if (latest == null || latest.pid != said.dead()) {
            gaps.note(
                    LogGapRecorder.Kind.CONTRADICTION,
                    line,
                    String.format(
                            Locale.ROOT,
                            "line %d is about a buffer of the dead process %d, and no line before it says that this process"
                                    + " is dead",
                            line,
                            said.dead()));
            return;
        }
        boolean isOfDead = entry != null && entry.references == 0 && entry.owner == said.dead();
        long before = entry == null ? 0 : isOfDead ? entry.referencesAtDeath() : entry.references;
        if (replayed == null || entry == null || before == 0 || before < said.remainingReferences()) {
            gaps.note(
                    LogGapRecorder.Kind.CONTRADICTION,
                    line,
                    String.format(
                            Locale.ROOT,
                            "line %d says that others keep %s to %s, and the lines before it make %d",
                            line,
                            Quantities.count(said.remainingReferences(), "reference"),
                            addressText(said.device(), said.id()),
                            before));
            return;
        }
        entry.released(said.dead(), said.newOwner());
        if (said.remainingReferences() == 0) {
            if (!isOfDead) {
                remove(replayed, entry, latest);
            }
            return;
        }
        if (isOfDead) {
            latest.removed(entry, -1);
            replayed.enter(entry, entry.type, entry.size, said.newOwner());
            entry.survived();
        }
        entry.references = said.remainingReferences();
        entry.owner = said.newOwner();
    }

    /** A restarted server has an empty ledger. */
    void restarted(long line) {
        // Of a process that was being removed, the lines about shared buffers may be missing.
        long forgotten = entries() + (death == null ? 0 : death.buffers());
        if (forgotten > 0) {
            events.trackingStopped(String.format(
                    Locale.ROOT,
                    "line %d starts the server again while %s allocated",
                    line,
                    forgotten == 1 ? "1 buffer was" : forgotten + " buffers were"));
            events.trackingStarted();
        }
        for (ReplayedDevice replayed : devices.values()) {
            replayed.forget();
        }
        counting = Counting.UNKNOWN;
        repeated.clear();
        death = null;
    }

    /** Records that a line comes from a server with reference counts. */
    void countsReferences() {
        if (counting == Counting.REFERENCES) {
            return;
        }
        boolean wasUnknown = counting == Counting.UNKNOWN;
        counting = Counting.REFERENCES;
        for (BufferEntry entry : repeated) {
            if (wasUnknown && entry.references > 1) {
                contradictsRepetition(entry, entry.repeatedAt);
                entry.references = 1;
            }
        }
        repeated.clear();
    }

    private void countsEveryReport() {
        if (counting == Counting.UNKNOWN) {
            counting = Counting.EVERY_REPORT;
            repeated.clear();
        }
    }

    private boolean isPossible(int device, long line) {
        if (device >= 0 && device <= MAX_DEVICE) {
            return true;
        }
        gaps.note(
                LogGapRecorder.Kind.DEVICE,
                line,
                String.format(
                        Locale.ROOT,
                        "line %d names device %d, and only devices 0 to %d can be",
                        line,
                        device,
                        MAX_DEVICE));
        return false;
    }

    /** A survivor at an address that is allocated again is another buffer: the device was closed in between. */
    private void beginOpenPeriod(ReplayedDevice replayed) {
        events.deviceClosed(replayed.device);
        events.deviceOpened(replayed.device);
        replayed.openedAt = ++moment;
        for (BufferEntry entry : replayed.entries()) {
            entry.abandoned = 0;
        }
    }

    private ReplayedDevice deviceOrNew(int device) {
        ReplayedDevice known = device < FIRST_DEVICES ? first[device] : devices.get(device);
        if (known == null) {
            known = new ReplayedDevice(device);
            devices.put(device, known);
            if (device < FIRST_DEVICES) {
                first[device] = known;
            }
            events.deviceOpened(device);
        }
        return known;
    }

    // Sums

    Counting counting() {
        return counting;
    }

    long entries() {
        return devices.values().stream().mapToLong(replayed -> replayed.count).sum();
    }

    long entriesOfEveryReport() {
        return devices.values().stream()
                .mapToLong(replayed -> replayed.everyEntries)
                .sum();
    }

    long guessedTypes() {
        return guessedTypes;
    }

    @Nullable
    ReplayedDevice replayedDevice(int device) {
        return devices.get(device);
    }

    /** Returns the entry with an id on a device, if there is one. */
    Optional<BufferEntry> entry(int device, long id) {
        ReplayedDevice replayed = devices.get(device);
        return Optional.ofNullable(replayed == null ? null : replayed.known(id)).filter(entry -> entry.references > 0);
    }

    List<AddressUse> addresses() {
        List<AddressUse> uses = new ArrayList<>();
        for (ReplayedDevice replayed : devices.values()) {
            replayed.entries().stream()
                    .filter(BufferEntry::isNamed)
                    .mapToLong(entry -> entry.id ^ Long.MIN_VALUE) // Ascending as unsigned numbers.
                    .sorted()
                    .forEach(flipped ->
                            uses.add(replayed.entry(flipped ^ Long.MIN_VALUE).use()));
        }
        return uses;
    }

    private static String addressText(BufferEntry entry) {
        return addressText(entry.device, entry.id);
    }

    private static String addressText(BufferReportLine said) {
        return addressText(said.device, said.id);
    }

    private static String addressText(int device, long id) {
        return "buffer " + Quantities.address(id) + " on device " + device;
    }

    /** The entries of one device. */
    static final class ReplayedDevice {
        private final int device;
        private final EntryTable entries = new EntryTable();
        private final long[] bytes = new long[TYPES.length];
        private final long[] counts = new long[TYPES.length];
        private long count;

        /** The moment at which its open period began. */
        private long openedAt;

        /** By the rules of a server without reference counts. */
        private final long[] everyBytes = new long[TYPES.length];

        private long everyCount;
        private long everyEntries;

        private ReplayedDevice(int device) {
            this.device = device;
        }

        private BufferEntry entry(long id) {
            BufferEntry known = entries.find(id);
            if (known == null) {
                known = new BufferEntry(device, id);
                entries.add(known);
            }
            return known;
        }

        private @Nullable BufferEntry known(long id) {
            return entries.find(id);
        }

        private List<BufferEntry> entries() {
            return entries.entries();
        }

        private void enter(BufferEntry entry, int type, long size, long owner) {
            entry.size = size;
            entry.type = (byte) type;
            entry.owner = owner;
            bytes[type] += size;
            counts[type]++;
            count++;
        }

        private void remove(BufferEntry entry) {
            if (entry.references > 0) {
                bytes[entry.type] -= entry.size;
                counts[entry.type]--;
                count--;
                entry.references = 0;
            }
        }

        private void everyReport(BufferEntry entry, int type, long size) {
            everyEntries += entry.everySize < 0 ? 1 : 0;
            everyCount++;
            everyBytes[type] += size;
            entry.everySize = size;
            entry.everyType = (byte) type;
        }

        private void everyFree(BufferEntry entry) {
            if (entry.everySize >= 0) {
                everyBytes[entry.everyType] -= entry.everySize;
                everyCount--;
                everyEntries--;
                entry.everySize = -1;
            }
        }

        private void forget() {
            for (BufferEntry entry : entries()) {
                remove(entry);
                entry.everySize = -1;
                entry.abandoned = entry.held();
            }
            everyCount = 0;
            everyEntries = 0;
            Arrays.fill(everyBytes, 0);
        }

        long count() {
            return count;
        }

        long count(BufferType type) {
            return counts[type.ordinal()];
        }

        long bytes(BufferType type) {
            return bytes[type.ordinal()];
        }

        long total() {
            return Arrays.stream(bytes).sum();
        }

        long everyCount() {
            return everyCount;
        }

        long everyBytes(BufferType type) {
            return everyBytes[type.ordinal()];
        }

        long everyTotal() {
            return Arrays.stream(everyBytes).sum();
        }
    }
}
