package dev.meshguard.server.books.internal;

import dev.meshguard.event.BufferType;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The server's books: one entry for each address of each device, with a count of references.
 *
 * <p>The first size, memory and owner of an entry stay; its sums change when it comes and when it goes.
 *
 * <p>The death of a process is announced at once and carried out in parts, because it may have owned millions of entries:
 * {@link #announceDeath}, then {@link #clean} until nothing is left to do. Whoever looks at an address in between finds it as if all
 * were done; sums and counts follow. Not safe for use by several threads.
 */
public final class ServerLedger {

    private static final int TYPES = BufferType.values().length;
    private static final Comparator<BufferRecord> BY_ADDRESS =
            Comparator.comparingInt(BufferRecord::device).thenComparing(BufferRecord::id, Long::compareUnsigned);

    private final TreeMap<Integer, DeviceBook> devices = new TreeMap<>();
    private @Nullable DeviceBook latest;
    private final Map<Long, BookedProcess> processes = new HashMap<>();
    private @Nullable BookedProcess latestProcess;
    private long entries;
    private long shares;
    private long addresses;

    // What is still to be done.
    private final boolean diesWithOwner;
    private final ObjLongConsumer<BufferRecord> onDeath;
    private final Deque<BookedProcess> dying = new ArrayDeque<>();
    private final Node ofEarlierOpenPeriods = new Node();

    /** Grows with each death and each new life of a device. */
    private int moment;

    /** Creates empty books in which others keep what they share with a dead process. */
    public ServerLedger() {
        this(false, (record, process) -> {});
    }

    /**
     * Creates empty books.
     *
     * @param diesWithOwner whether an entry goes with its owner whoever else refers to it; else others keep what is theirs
     * @param onDeath is given each entry that goes with a dead process, and the process, when it is taken off
     */
    public ServerLedger(boolean diesWithOwner, ObjLongConsumer<BufferRecord> onDeath) {
        this.diesWithOwner = diesWithOwner;
        this.onDeath = onDeath;
    }

    /** Returns what is at an address, whether or not the server has anything there. */
    public @Nullable BufferRecord find(int device, long id) {
        DeviceBook book = bookOf(device);
        BufferRecord record = book == null ? null : book.table.find(id);
        if (book == null || record == null || !isOutdated(record)) {
            return record;
        }
        update(record);
        return book.table.find(id);
    }

    /** Enters an allocation; returns what is at the address now. */
    public BufferRecord allocated(int device, BufferType type, long id, long size, long process) {
        DeviceBook book = book(device);
        BufferRecord record = find(device, id);
        if (record == null) {
            record = new BufferRecord(book, id);
            book.table.add(record);
            addresses++;
        }
        if (record.references > 0) {
            shares += record.referenced(process(process));
        } else {
            record.begin(type, size, process(process));
            book.enter(record, 1);
            entries++;
        }
        return record;
    }

    /** Takes one reference of an entry that the server has; returns how many are left. */
    public long freed(BufferRecord record, long process) {
        if (record.references == 1) {
            freedAtOnce(record);
            return 0;
        }
        shares -= record.released(process);
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
        shares -= record.releaseAll();
        record.book.enter(record, -1);
        entries--;
    }

    /** Forgets an address at which neither the server nor the history has anything. */
    public void forgetIfOver(BufferRecord record) {
        if (record.isOver()) {
            record.unlink();
            addresses -= record.book.table.remove(record.id) ? 1 : 0;
        }
    }

    // Processes

    private BookedProcess process(long pid) {
        BookedProcess process = latestProcess;
        if (process == null || process.pid != pid) {
            process = processes.computeIfAbsent(pid, BookedProcess::new);
            latestProcess = process;
        }
        return process;
    }

    /** Returns whether a process has a reference to anything. */
    public boolean hasAnyOf(long process) {
        BookedProcess known = processes.get(process);
        return known != null && known.references > 0;
    }

    /** Forgets a process if it has nothing, not even the ownership of what others refer to; returns whether it has nothing. */
    public boolean forgetIfIdle(long process) {
        BookedProcess known = processes.get(process);
        if (known == null) {
            return true;
        }
        if (!known.hasNothing()) {
            return false;
        }
        forget(known);
        return true;
    }

    private void forget(BookedProcess process) {
        processes.remove(process.pid);
        latestProcess = null;
    }

    /** What goes off the books with a dead process. */
    public record Death(long buffers, long bytes) {}

    /**
     * Returns the entries of which the owner alone does not say what a dead process takes with it: others refer to them too, or
     * reported them first. By device and address.
     */
    public List<BufferRecord> sharedBy(long pid) {
        BookedProcess process = processes.get(pid);
        if (process == null || diesWithOwner) {
            return List.of();
        }
        if (!dying.isEmpty()) {
            sharedRecords(process).stream().filter(this::isOutdated).forEach(this::update);
        }
        List<BufferRecord> shared = sharedRecords(process);
        shared.sort(BY_ADDRESS);
        return shared;
    }

    private static List<BufferRecord> sharedRecords(BookedProcess process) {
        List<BufferRecord> shared = new ArrayList<>();
        for (Node one = process.sharedRecords.first(); one != process.sharedRecords; one = one.next()) {
            shared.add((BufferRecord) one);
        }
        for (Node one = process.shares.first(); one != process.shares; one = one.next()) {
            shared.add(((Share) one).record);
        }
        return shared;
    }

    /**
     * Announces that a process is dead; what it had is taken off by {@link #clean}.
     *
     * @param shared what {@link #sharedBy} returned
     * @return what will be taken off
     */
    public Death announceDeath(long pid, List<BufferRecord> shared) {
        BookedProcess process = processes.get(pid);
        if (process == null) {
            return new Death(0, 0);
        }
        forget(process);
        dying.add(process);
        process.diedAt = nextMoment();
        long buffers = process.records;
        long bytes = process.bytes;
        for (BufferRecord record : shared) {
            boolean isOwn = record.owner == process;
            boolean goes = record.referencesWithout(pid) == 0;
            buffers += (goes ? 1 : 0) - (isOwn ? 1 : 0);
            bytes += (goes ? record.size : 0) - (isOwn ? record.size : 0);
        }
        return new Death(buffers, bytes);
    }

    /** Takes off at once what a dead process had, and returns it; an entry goes as it was said when the books were made. */
    public Death processDied(long pid) {
        Death death = announceDeath(pid, sharedBy(pid));
        clean(Integer.MAX_VALUE);
        return death;
    }

    /** Begins a new life of a device: what dead processes left there is no more. It is taken off by {@link #clean}. */
    public void beginOpenPeriod(int device) {
        DeviceBook book = book(device);
        book.openedAt = nextMoment();
        ofEarlierOpenPeriods.appendAll(book.abandoned);
    }

    /** Moments are compared by their difference, so they may begin again from the smallest number; 0 stands for none. */
    private int nextMoment() {
        moment++;
        moment += moment == 0 ? 1 : 0;
        return moment;
    }

    /** Returns whether {@link #clean} has something to do. */
    public boolean isToBeCleaned() {
        return !dying.isEmpty() || !ofEarlierOpenPeriods.isEmpty();
    }

    /**
     * Takes off a part of what dead processes had.
     *
     * @param steps how many entries may be looked at; each is a step of constant work, but for its other references
     * @return how many of the steps are left over; more than none only when nothing is left to do
     */
    public int clean(int steps) {
        int left = steps;
        while (left > 0 && !dying.isEmpty()) {
            BookedProcess process = dying.element();
            BufferRecord record = recordOf(process);
            if (record == null) {
                dying.remove();
            } else {
                resolve(record, process);
                left--;
            }
        }
        while (left > 0 && !ofEarlierOpenPeriods.isEmpty()) {
            update((BufferRecord) ofEarlierOpenPeriods.first());
            left--;
        }
        return left;
    }

    private @Nullable BufferRecord recordOf(BookedProcess process) {
        if (!process.soleRecords.isEmpty()) {
            return (BufferRecord) process.soleRecords.first();
        }
        if (!process.sharedRecords.isEmpty()) {
            return (BufferRecord) process.sharedRecords.first();
        }
        return diesWithOwner || process.shares.isEmpty() ? null : ((Share) process.shares.first()).record;
    }

    private boolean isOutdated(BufferRecord record) {
        return record.isOfEarlierOpenPeriod() || (!dying.isEmpty() && record.references > 0 && isOfDying(record));
    }

    private boolean isOfDying(BufferRecord record) {
        return dying.stream().anyMatch(process -> record.hasPart(process));
    }

    /** Makes of a record what it is when all that was announced is done. */
    private void update(BufferRecord record) {
        if (record.isOfEarlierOpenPeriod()) {
            record.forgetEarlierOpenPeriod();
            record.unlink();
            forgetIfOver(record);
            return;
        }
        for (BookedProcess process : dying) {
            if (record.references > 0 && record.hasPart(process)) {
                resolve(record, process);
            }
        }
    }

    private void resolve(BufferRecord record, BookedProcess dead) {
        boolean goes;
        boolean ofDeadOnly;
        if (diesWithOwner) {
            goes = record.owner == dead;
            ofDeadOnly = record.isSole();
        } else {
            goes = record.referencesWithout(dead.pid) == 0;
            ofDeadOnly = true;
        }
        if (!goes) {
            if (!diesWithOwner) {
                shares -= record.releasedAll(dead);
            }
            return;
        }
        freedAtOnce(record);
        record.markAbandoned(dead.diedAt, ofDeadOnly);
        onDeath.accept(record, dead.pid);
        if (record.isOfEarlierOpenPeriod()) {
            record.forgetEarlierOpenPeriod();
        } else if (record.held() > 0) {
            record.book.abandoned.append(record);
        }
        forgetIfOver(record);
    }

    // Questions

    /** Returns all that there is on a device, by address; also what the history alone has. */
    public List<BufferRecord> records(int device) {
        DeviceBook book = bookOf(device);
        if (book == null) {
            return List.of();
        }
        List<BufferRecord> records = book.table.records();
        records.sort(BY_ADDRESS);
        return records;
    }

    /** Returns the entries of one memory of a device, by address. */
    public List<BufferRecord> entries(int device, BufferType type) {
        DeviceBook book = bookOf(device);
        if (book == null) {
            return List.of();
        }
        List<BufferRecord> records = book.table.records();
        records.removeIf(record -> record.references == 0 || record.type() != type);
        records.sort(BY_ADDRESS);
        return records;
    }

    /** Returns the number of entries. */
    public long entries() {
        return entries;
    }

    /** Returns the number of processes that refer to entries which others own, summed over the entries. */
    public long shares() {
        return shares;
    }

    /** Returns the number of addresses at which the server or the history has anything. */
    public long addresses() {
        return addresses;
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

    /** Returns the number of entries of one memory of a device. */
    public long buffers(int device, BufferType type) {
        DeviceBook book = bookOf(device);
        return book == null ? 0 : book.buffersOfType[type.ordinal()];
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
}
