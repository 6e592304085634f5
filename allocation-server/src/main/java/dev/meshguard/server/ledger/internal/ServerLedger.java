package dev.meshguard.server.ledger.internal;

import dev.meshguard.event.BufferType;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The server's ledger: one entry for each address of each device, with a reference count.
 *
 * <p>The size, memory type and owner of an entry are those of its first report; the sums change when an entry is added
 * or removed.
 *
 * <p>The death of a process is announced at once and carried out in parts, because it may have owned millions of
 * entries. Call {@link #announceDeath}, then {@link #clean} until no work remains. Look-ups of an address in between
 * return the final state; sums and counts follow later. Not safe for use by several threads.
 */
public final class ServerLedger {

    private static final int TYPES = BufferType.values().length;
    private static final Comparator<BufferRecord> BY_ADDRESS =
            Comparator.comparingInt(BufferRecord::device).thenComparing(BufferRecord::id, Long::compareUnsigned);

    private final TreeMap<Integer, DeviceLedger> devices = new TreeMap<>();
    private @Nullable DeviceLedger latest;
    private final Map<Long, LedgerProcess> processes = new HashMap<>();
    private @Nullable LedgerProcess latestProcess;
    private long entries;
    private long shares;
    private long addresses;

    // Pending work.
    private final DeathListener listener;
    private @Nullable LedgerProcess dying;
    private final Node ofEarlierOpenPeriods = new Node();

    /** Incremented with each death and each new open period of a device. */
    private int moment;

    /**
     * Creates an empty ledger in which processes keep what they share with a dead process.
     *
     * @param listener receives the effects of each death
     */
    public ServerLedger(DeathListener listener) {
        this.listener = listener;
    }

    /** Returns the record of an address, even if the ledger has no entry there. */
    public @Nullable BufferRecord find(int device, long id) {
        DeviceLedger deviceLedger = bookOf(device);
        BufferRecord record = deviceLedger == null ? null : deviceLedger.table.find(id);
        if (deviceLedger == null || record == null || !isOutdated(record)) {
            return record;
        }
        update(record);
        return deviceLedger.table.find(id);
    }

    /** Records an allocation; returns the record of the address. */
    public BufferRecord allocated(int device, BufferType type, long id, long size, long process) {
        DeviceLedger deviceLedger = deviceLedger(device);
        BufferRecord record = find(device, id);
        if (record == null) {
            record = new BufferRecord(deviceLedger, id);
            deviceLedger.table.add(record);
            addresses++;
        }
        if (record.references > 0) {
            shares += record.referenced(process(process));
        } else {
            record.begin(type, size, process(process));
            deviceLedger.enter(record, 1);
            entries++;
        }
        return record;
    }

    /** Removes one reference from an entry; returns the number of remaining ones. */
    public long freed(BufferRecord record, long process) {
        if (record.references == 1) {
            freedAtOnce(record);
            return 0;
        }
        shares -= record.released(process);
        return record.references;
    }

    /** Removes an entry with all its references. */
    private void freedAtOnce(BufferRecord record) {
        shares -= record.releaseAll();
        record.deviceLedger.enter(record, -1);
        entries--;
    }

    /** Forgets an address at which neither the ledger nor the history has a buffer. */
    public void forgetIfOver(BufferRecord record) {
        if (record.isOver()) {
            record.unlink();
            addresses -= record.deviceLedger.table.remove(record.id) ? 1 : 0;
        }
    }

    // Processes

    private LedgerProcess process(long pid) {
        LedgerProcess process = latestProcess;
        if (process == null || process.pid != pid) {
            process = processes.computeIfAbsent(pid, LedgerProcess::new);
            latestProcess = process;
        }
        return process;
    }

    /** Returns whether a process owns any entry or refers to one. */
    public boolean hasAnyOf(long process) {
        LedgerProcess known = processes.get(process);
        return known != null && !known.hasNothing();
    }

    /** Forgets a process without references and without owned entries; returns whether it has neither. */
    public boolean forgetIfIdle(long process) {
        LedgerProcess known = processes.get(process);
        if (known == null) {
            return true;
        }
        if (!known.hasNothing()) {
            return false;
        }
        forget(known);
        return true;
    }

    private void forget(LedgerProcess process) {
        processes.remove(process.pid);
        latestProcess = null;
    }

    /**
     * Announces the death of a process; {@link #clean} removes its references. The removal of an earlier process is completed first, so that the effects of two deaths never mix.
     */
    public void announceDeath(long pid) {
        finishDeath();
        LedgerProcess process = processes.get(pid);
        if (process == null) {
            process = new LedgerProcess(pid);
        } else {
            forget(process);
        }
        process.diedAt = nextMoment();
        dying = process;
    }

    /**
     * Begins a new open period of a device: survivors of dead processes there no longer exist. {@link #clean} removes
     * them.
     */
    public void beginOpenPeriod(int device) {
        DeviceLedger deviceLedger = deviceLedger(device);
        deviceLedger.openedAt = nextMoment();
        ofEarlierOpenPeriods.appendAll(deviceLedger.abandoned);
    }

    /** Moments are compared by their difference, so they may wrap to the smallest number; 0 means none. */
    private int nextMoment() {
        moment++;
        moment += moment == 0 ? 1 : 0;
        return moment;
    }

    /** Returns whether {@link #clean} has something to do. */
    public boolean isToBeCleaned() {
        return dying != null || !ofEarlierOpenPeriods.isEmpty();
    }

    /**
     * Removes a part of the entries of dead processes.
     *
     * @param steps the maximum number of visited entries; each is a step of constant work, except for its other
     *     references
     * @return the number of unused steps; above zero only when no work remains
     */
    public int clean(int steps) {
        int left = cleanDying(steps);
        while (left > 0 && !ofEarlierOpenPeriods.isEmpty()) {
            update((BufferRecord) ofEarlierOpenPeriods.first());
            left--;
        }
        return left;
    }

    private int cleanDying(int steps) {
        int left = steps;
        for (LedgerProcess process = dying; left > 0 && process != null; process = dying) {
            BufferRecord record = recordOf(process);
            if (record == null) {
                dying = null;
                listener.finished(process.pid, process.removedBuffers, process.removedBytes);
            } else {
                resolve(record, process);
                left--;
            }
        }
        return left;
    }

    /** Completes the removal of the dead process, however long it takes. */
    public void finishDeath() {
        cleanDying(Integer.MAX_VALUE);
    }

    /** Returns whether the removal of a dead process is incomplete. */
    public boolean isDying() {
        return dying != null;
    }

    private @Nullable BufferRecord recordOf(LedgerProcess process) {
        if (!process.soleRecords.isEmpty()) {
            return (BufferRecord) process.soleRecords.first();
        }
        if (!process.sharedRecords.isEmpty()) {
            return (BufferRecord) process.sharedRecords.first();
        }
        return process.shares.isEmpty() ? null : ((Share) process.shares.first()).record;
    }

    private boolean isOutdated(BufferRecord record) {
        return record.isOfEarlierOpenPeriod() || isOfDying(record);
    }

    private boolean isOfDying(BufferRecord record) {
        LedgerProcess dead = dying;
        return dead != null && record.references > 0 && record.hasPart(dead);
    }

    /** Applies an announced death or a new open period to a record. */
    private void update(BufferRecord record) {
        LedgerProcess dead = dying;
        if (record.isOfEarlierOpenPeriod()) {
            record.forgetEarlierOpenPeriod();
            record.unlink();
            forgetIfOver(record);
        } else if (dead != null && isOfDying(record)) {
            resolve(record, dead);
        }
    }

    private void resolve(BufferRecord record, LedgerProcess dead) {
        if (record.owner != dead || !record.isSole()) {
            listener.sharedEntry(record, dead.pid);
        }
        if (record.referencesWithout(dead.pid) > 0) {
            shares -= record.releasedAll(dead);
            return;
        }
        dead.removedBuffers++;
        dead.removedBytes += record.size;
        freedAtOnce(record);
        record.markAbandoned(dead.diedAt);
        if (record.isOfEarlierOpenPeriod()) {
            record.forgetEarlierOpenPeriod();
        } else if (record.held() > 0) {
            record.deviceLedger.abandoned.append(record);
        }
        forgetIfOver(record);
    }

    // Queries

    /** Returns all records of a device, by address, including those that only the history has. */
    public List<BufferRecord> records(int device) {
        DeviceLedger deviceLedger = bookOf(device);
        if (deviceLedger == null) {
            return List.of();
        }
        List<BufferRecord> records = deviceLedger.table.records();
        records.sort(BY_ADDRESS);
        return records;
    }

    /** Returns the entries of one memory of a device, by address. */
    public List<BufferRecord> entries(int device, BufferType type) {
        DeviceLedger deviceLedger = bookOf(device);
        if (deviceLedger == null) {
            return List.of();
        }
        List<BufferRecord> records = deviceLedger.table.records();
        records.removeIf(record -> record.references == 0 || record.type() != type);
        records.sort(BY_ADDRESS);
        return records;
    }

    /** Returns the number of entries. */
    public long entries() {
        return entries;
    }

    /** Returns the number of processes that refer to entries of other owners, summed over the entries. */
    public long shares() {
        return shares;
    }

    /** Returns the number of addresses with a buffer in the ledger or the history. */
    public long addresses() {
        return addresses;
    }

    /** Returns all devices that were ever reported, ascending. */
    public List<Integer> devices() {
        return List.copyOf(devices.keySet());
    }

    /** Returns the number of entries of a device. */
    public long buffers(int device) {
        DeviceLedger deviceLedger = bookOf(device);
        return deviceLedger == null ? 0 : deviceLedger.buffers;
    }

    /** Returns the number of entries of one memory of a device. */
    public long buffers(int device, BufferType type) {
        DeviceLedger deviceLedger = bookOf(device);
        return deviceLedger == null ? 0 : deviceLedger.buffersOfType[type.ordinal()];
    }

    /** Returns the bytes of one memory of a device. */
    public long bytes(int device, BufferType type) {
        DeviceLedger deviceLedger = bookOf(device);
        return deviceLedger == null ? 0 : deviceLedger.bytes[type.ordinal()];
    }

    /** Returns the bytes of all memories of a device. */
    public long bytes(int device) {
        DeviceLedger deviceLedger = bookOf(device);
        long sum = 0;
        for (int type = 0; deviceLedger != null && type < TYPES; type++) {
            sum += deviceLedger.bytes[type];
        }
        return sum;
    }

    private @Nullable DeviceLedger bookOf(int device) {
        DeviceLedger last = latest;
        if (last != null && last.device == device) {
            return last;
        }
        DeviceLedger known = devices.get(device);
        latest = known == null ? last : known;
        return known;
    }

    private DeviceLedger deviceLedger(int device) {
        DeviceLedger known = bookOf(device);
        if (known == null) {
            known = new DeviceLedger(device);
            devices.put(device, known);
        }
        return known;
    }
}
