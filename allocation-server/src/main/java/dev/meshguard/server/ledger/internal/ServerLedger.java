package dev.meshguard.server.ledger.internal;

import dev.meshguard.event.BufferType;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The server's ledger: one entry for each address of each device, with a reference count.
 *
 * <p>The size, memory type and owner of an entry are those of its first report; the sums change when an entry is added
 * or removed.
 *
 * <p>Not safe for use by several threads.
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

    /** Returns the record of an address, even if the ledger has no entry there. */
    public @Nullable BufferRecord find(int device, long id) {
        DeviceLedger deviceLedger = bookOf(device);
        return deviceLedger == null ? null : deviceLedger.table.find(id);
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
     * Removes all references of a dead process; other processes keep what they share with it.
     *
     * @param onShared receives each entry that others share, before the references of the process are removed
     * @return the entries that were removed with the process
     */
    public RemovedEntries died(long pid, Consumer<BufferRecord> onShared) {
        LedgerProcess process = processes.get(pid);
        if (process == null) {
            return RemovedEntries.NONE;
        }
        forget(process);
        long removed = 0;
        long bytes = 0;
        for (BufferRecord record = recordOf(process); record != null; record = recordOf(process)) {
            if (record.owner != process || !record.isSole()) {
                onShared.accept(record);
            }
            if (record.referencesWithout(pid) > 0) {
                shares -= record.releasedAll(process);
                continue;
            }
            removed++;
            bytes += record.size;
            freedAtOnce(record);
            if (record.held() > 0) {
                record.abandon();
            } else {
                forgetIfOver(record);
            }
        }
        return new RemovedEntries(removed, bytes);
    }

    private static @Nullable BufferRecord recordOf(LedgerProcess process) {
        if (!process.soleRecords.isEmpty()) {
            return (BufferRecord) process.soleRecords.first();
        }
        if (!process.sharedRecords.isEmpty()) {
            return (BufferRecord) process.sharedRecords.first();
        }
        return process.shares.isEmpty() ? null : ((Share) process.shares.first()).record;
    }

    /** Begins a new open period of a device: survivors of dead processes there no longer exist. */
    public void beginOpenPeriod(int device) {
        Node abandoned = deviceLedger(device).abandoned;
        while (!abandoned.isEmpty()) {
            BufferRecord record = (BufferRecord) abandoned.first();
            record.forgetHeld();
            forgetIfOver(record);
        }
    }

    // Queries

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
