package dev.meshguard.server;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.history.internal.Ledger;
import dev.meshguard.history.internal.Ledger.RepeatCounting;
import dev.meshguard.history.internal.LiveEntries.Entry;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The buffers that programs have reported and not freed, as a server logs and answers them: the tracker's ledger, without a list of events.
 *
 * <p>There is one entry for each address of each device. Its size, type and process are those of the first report. Any process
 * may free any buffer. A process that ends takes only its own references with it. Guarded by the server's lock.
 */
final class ReportedBuffers {

    /** A process, with the number of the entries of which it is the first process or which it shares. */
    private static final class Holder {
        private final long process;
        private final MemoryRequest request;
        private long entries;

        private Holder(long process) {
            this.process = process;
            this.request = MemoryRequest.of(AllocationDetails.user().reportedBy(process));
        }
    }

    /** An entry to which a process that has ended refers. */
    record Held(int device, Entry entry) {}

    /** The allocated memory; the server logs it and answers queries from it. */
    final Ledger ledger = new Ledger(RepeatCounting.COUNTED);

    private final Map<Long, Holder> holders = new HashMap<>();
    private @Nullable Holder latest;

    /** The references of processes other than the first, by process, of the entries that have any. */
    private final IdentityHashMap<Entry, TreeMap<Long, Integer>> shares = new IdentityHashMap<>();

    /** Returns the entry at an address; it is valid until it is freed. */
    @Nullable
    Entry find(int device, long address) {
        return ledger.entryAt(device, address);
    }

    /** Enters an allocation; returns the number of references to the address. */
    int allocated(int device, BufferType type, long address, long size, long process) {
        Holder holder = holder(process);
        Entry entry = find(device, address);
        if (entry == null) {
            holder.entries++;
            ledger.allocated(holder.request, device, type, address, size);
            return 1;
        }
        ledger.allocated(null, device, entry.type(), address, entry.size());
        if (processOf(entry) != process) {
            int own = shares.computeIfAbsent(entry, unused -> new TreeMap<>()).merge(process, 1, Integer::sum);
            holder.entries += own == 1 ? 1 : 0;
        }
        return entry.reports();
    }

    /**
     * Removes one reference: the process's own, or else that of the first process that has one.
     *
     * @return the number of the remaining references
     */
    int freed(int device, Entry entry, long process) {
        int left = entry.reports() - 1;
        release(device, entry, releasedFor(entry, process), 1);
        return left;
    }

    /** Returns whether a process has a reference to an entry. */
    boolean isHeldBy(Entry entry, long process) {
        return releasedFor(entry, process) == process;
    }

    private long releasedFor(Entry entry, long process) {
        TreeMap<Long, Integer> others = shares.get(entry);
        long first = processOf(entry);
        boolean hasFirst = referencesOfFirst(entry) > 0;
        if (others == null || (process == first && hasFirst)) {
            return first;
        }
        return others.containsKey(process) ? process : hasFirst ? first : others.firstKey();
    }

    private void release(int device, Entry entry, long process, int references) {
        long first = processOf(entry);
        TreeMap<Long, Integer> others = shares.get(entry);
        if (process != first && others != null && others.merge(process, -references, Integer::sum) == 0) {
            removeShare(entry, others, process);
        }
        if (entry.reports() == references) {
            holder(first).entries--;
        }
        BufferType type = entry.type();
        long address = entry.address();
        for (int released = 0; released < references; released++) {
            ledger.freed(null, device, type, address);
        }
    }

    private void removeShare(Entry entry, Map<Long, Integer> others, long process) {
        holder(process).entries--;
        others.remove(process);
        if (others.isEmpty()) {
            shares.remove(entry);
        }
    }

    private int referencesOfFirst(Entry entry) {
        TreeMap<Long, Integer> others = shares.get(entry);
        return others == null
                ? entry.reports()
                : entry.reports()
                        - others.values().stream().mapToInt(count -> count).sum();
    }

    private Holder holder(long process) {
        Holder known = latest;
        if (known == null || known.process != process) {
            known = holders.computeIfAbsent(process, Holder::new);
            latest = known;
        }
        return known;
    }

    /** Returns the process of the first report. */
    static long processOf(Entry entry) {
        MemoryRequest request = entry.request();
        return request == null ? 0 : request.details().processId().orElse(0);
    }

    // Processes that have ended

    /** Returns whether a process refers to any buffer, or is the first process of one. */
    boolean hasAnyOf(long process) {
        Holder holder = holders.get(process);
        return holder != null && holder.entries > 0;
    }

    /** Returns the entries to which each of some processes refers, which takes one walk over all entries. */
    Map<Long, List<Held>> heldBy(Collection<Long> processes) {
        Map<Long, List<Held>> held = new HashMap<>();
        processes.stream().filter(this::hasAnyOf).forEach(process -> held.put(process, new ArrayList<>()));
        if (held.isEmpty()) {
            return held;
        }
        for (int device : ledger.devices()) {
            for (Entry entry : ledger.entriesOf(device)) {
                Held one = new Held(device, entry);
                add(held.get(processOf(entry)), one);
                shares.getOrDefault(entry, new TreeMap<>()).keySet().forEach(process -> add(held.get(process), one));
            }
        }
        return held;
    }

    private static void add(@Nullable List<Held> list, Held held) {
        if (list != null) {
            list.add(held);
        }
    }

    /** Returns whether other processes share an entry, or a process is not its first. */
    boolean isShared(Entry entry, long process) {
        return processOf(entry) != process || shares.containsKey(entry);
    }

    /**
     * Removes the references of a process that has ended from an entry. If it was the first process, another one takes its place.
     *
     * @return the number of the remaining references; the entry is removed if there are none
     */
    int ended(Held held, long process) {
        Entry entry = held.entry();
        TreeMap<Long, Integer> others = shares.get(entry);
        boolean isFirst = processOf(entry) == process;
        int own = isFirst ? referencesOfFirst(entry) : others == null ? 0 : others.getOrDefault(process, 0);
        int left = entry.reports() - own;
        release(held.device(), entry, process, own);
        if (isFirst && left > 0 && others != null) {
            Holder heir = holder(others.firstKey());
            removeShare(entry, others, heir.process);
            entry.replaceRequest(heir.request);
            heir.entries++;
        }
        return left;
    }

    /** Forgets a process that has ended, after its references. */
    void forget(long process) {
        holders.remove(process);
        latest = null;
    }

    // Sums

    /** Returns the entries of one memory of a device, by address. */
    List<Entry> entries(int device, BufferType type) {
        return ledger.entriesOf(device).stream()
                .filter(entry -> entry.type() == type)
                .sorted(Comparator.comparing(Entry::address, Long::compareUnsigned))
                .toList();
    }

    /** Returns the bytes of one memory of a device. */
    long bytes(int device, BufferType type) {
        return ledger.totals(device, type).liveBytes();
    }
}
