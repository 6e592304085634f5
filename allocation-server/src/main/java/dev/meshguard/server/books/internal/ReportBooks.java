package dev.meshguard.server.books.internal;

import dev.meshguard.tracker.BufferType;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The server's books: one entry for each address of each device, with a count of references.
 *
 * <p>The first size, memory and owner of an entry stay; its sums change when it comes and when it goes. Not safe for use by several
 * threads.
 */
public final class ReportBooks {

    private static final int TYPES = BufferType.values().length;

    private final TreeMap<Integer, DeviceBook> devices = new TreeMap<>();
    private @Nullable DeviceBook latest;
    private long entries;

    /** What a process had that is dead. */
    public record Removed(long buffers, long bytes, List<BufferRecord> records) {
        /** Creates it with its own copy of the list. */
        public Removed {
            records = List.copyOf(records);
        }
    }

    /** Returns what is at an address, whether or not the server has anything there. */
    public @Nullable BufferRecord find(int device, long id) {
        DeviceBook book = bookOf(device);
        return book == null ? null : book.table.find(id);
    }

    /** Enters an allocation; returns what is at the address now. */
    public BufferRecord allocated(int device, BufferType type, long id, long size, long process) {
        DeviceBook book = book(device);
        BufferRecord record = book.table.find(id);
        if (record == null) {
            record = new BufferRecord(device, id);
            book.table.add(record);
        }
        if (record.references > 0) {
            record.referenced(process);
        } else {
            record.begin(type, size, process);
            book.enter(record, 1);
            entries++;
        }
        return record;
    }

    /** Takes one reference of an entry that the server has; returns how many are left. */
    public long freed(BufferRecord record, long process) {
        if (record.references == 1) {
            record.references = 0;
            left(record);
            return 0;
        }
        record.released(process);
        return record.references;
    }

    /** Enters an allocation over what is there, as a server does that counts no references. */
    public BufferRecord allocatedOver(int device, BufferType type, long id, long size, long process) {
        BufferRecord record = find(device, id);
        if (record != null && record.references > 0) {
            freedAtOnce(record);
        }
        return allocated(device, type, id, size, process);
    }

    /** Takes an entry off with the first free, as a server does that counts no references. */
    public void freedAtOnce(BufferRecord record) {
        record.references = 0;
        left(record);
    }

    private void left(BufferRecord record) {
        book(record.device).enter(record, -1);
        entries--;
    }

    /** Forgets an address at which neither the server nor the history has anything. */
    public void forgetIfOver(BufferRecord record) {
        if (record.isOver()) {
            book(record.device).table.remove(record.id);
        }
    }

    /**
     * Takes off what a dead process had.
     *
     * @param wholeEntries whether an entry goes with its owner whoever else refers to it; else others keep what is theirs
     */
    public Removed processDied(long process, boolean wholeEntries) {
        List<BufferRecord> gone = new ArrayList<>();
        long bytes = 0;
        for (DeviceBook book : devices.values()) {
            for (BufferRecord record : book.table.records()) {
                if (record.references == 0) {
                    continue;
                }
                if (wholeEntries) {
                    record.references = record.owner == process ? 0 : record.references;
                } else {
                    record.releasedAll(process);
                }
                if (record.references == 0) {
                    record.leftByDead();
                    left(record);
                    gone.add(record);
                    bytes += record.size;
                }
            }
        }
        return new Removed(gone.size(), bytes, gone);
    }

    /**
     * Returns the entries of which the owner alone does not say what a dead process takes with it: others refer to them too, or
     * reported them first. By device and address.
     */
    public List<BufferRecord> sharedBy(long process) {
        List<BufferRecord> shared = new ArrayList<>();
        for (int device : devices.keySet()) {
            for (BufferRecord record : records(device)) {
                if (record.isSharedBy(process)) {
                    shared.add(record);
                }
            }
        }
        return shared;
    }

    /** Returns whether a process has a reference to anything. */
    public boolean hasAnyOf(long process) {
        return devices.values().stream()
                .flatMap(book -> book.table.records().stream())
                .anyMatch(record -> record.references > 0 && record.referencesOf(process) > 0);
    }

    /** Returns all that there is on a device, by address; also what the history alone has. */
    public List<BufferRecord> records(int device) {
        DeviceBook book = bookOf(device);
        if (book == null) {
            return List.of();
        }
        List<BufferRecord> records = book.table.records();
        records.sort(Comparator.comparing(BufferRecord::id, Long::compareUnsigned));
        return records;
    }

    /** Returns the number of entries. */
    public long entries() {
        return entries;
    }

    /** Returns the devices that were ever reported, ascending. */
    public List<Integer> devices() {
        return List.copyOf(devices.keySet());
    }

    /** Returns the number of entries of a device. */
    public long buffers(int device) {
        DeviceBook book = bookOf(device);
        return book == null ? 0 : book.buffers;
    }

    /** Returns the bytes of one memory of a device. */
    public long bytes(int device, BufferType type) {
        DeviceBook book = bookOf(device);
        return book == null ? 0 : book.bytes[type.ordinal()];
    }

    /** Returns the bytes of all memories of a device. */
    public long bytes(int device) {
        DeviceBook book = bookOf(device);
        long sum = 0;
        for (int type = 0; book != null && type < TYPES; type++) {
            sum += book.bytes[type];
        }
        return sum;
    }

    private @Nullable DeviceBook bookOf(int device) {
        DeviceBook last = latest;
        if (last != null && last.device == device) {
            return last;
        }
        DeviceBook known = devices.get(device);
        latest = known == null ? last : known;
        return known;
    }

    private DeviceBook book(int device) {
        DeviceBook known = bookOf(device);
        if (known == null) {
            known = new DeviceBook(device);
            devices.put(device, known);
        }
        return known;
    }

    private static final class DeviceBook {
        private final int device;
        private final RecordTable table = new RecordTable();
        private final long[] bytes = new long[TYPES];
        private long buffers;

        private DeviceBook(int device) {
            this.device = device;
        }

        private void enter(BufferRecord record, int sign) {
            bytes[record.type.ordinal()] += sign * record.size;
            buffers += sign;
        }
    }
}
