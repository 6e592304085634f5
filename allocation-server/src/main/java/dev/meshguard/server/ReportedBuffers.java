package dev.meshguard.server;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.history.internal.Ledger;
import dev.meshguard.history.internal.Ledger.RepeatCounting;
import dev.meshguard.history.internal.LiveEntries.Entry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The buffers that programs have reported and not freed, as a server answers them: the tracker's ledger, without a list of events.
 *
 * <p>There is one entry for each address of each device. Its size, type and process are those of the first report. Any process
 * may free any buffer. A process that ends takes only its own references with it. Guarded by the server's lock.
 */
final class ReportedBuffers {

    /** An entry to which a process that has ended refers. */
    record Held(int device, Entry entry) {}

    /** The allocated memory; the server answers queries from it. */
    final Ledger ledger = new Ledger(RepeatCounting.COUNTED);

    /** The number of references of each process to an entry, unless the process of the entry has them all. */
    private final IdentityHashMap<Entry, SortedMap<Long, Integer>> shares = new IdentityHashMap<>();

    /** The number of references of each process, and of entries of which it is the first process. */
    private final ProcessCounts counts = new ProcessCounts();

    /** Returns the entry at an address; it is valid until it is freed. */
    @Nullable
    Entry find(int device, long address) {
        return ledger.entryAt(device, address);
    }

    /** Enters an allocation. */
    void allocated(int device, BufferType type, long address, long size, ClientProcess process) {
        Entry entry = find(device, address);
        counts.add(process.id, entry == null ? 2 : 1);
        if (entry == null) {
            ledger.allocated(process.request, device, type, address, size);
            return;
        }
        long owner = processOf(entry);
        if (process.id != owner || shares.containsKey(entry)) {
            shares.computeIfAbsent(entry, unused -> new TreeMap<>(Map.of(owner, entry.reports())))
                    .merge(process.id, 1, Integer::sum);
        }
        ledger.allocated(null, device, entry.type(), address, entry.size());
    }

    /**
     * Removes one reference: the process's own, or else that of the first process that has one.
     *
     * @return the number of the remaining references
     */
    int freed(int device, Entry entry, long process) {
        SortedMap<Long, Integer> references = shares.get(entry);
        long holder = processOf(entry);
        if (references != null) {
            holder = references.containsKey(process)
                    ? process
                    : references.containsKey(holder) ? holder : references.firstKey();
        }
        return release(device, entry, holder, 1);
    }

    /** Returns whether a process has a reference to an entry. */
    boolean isHeldBy(Entry entry, long process) {
        SortedMap<Long, Integer> references = shares.get(entry);
        return references == null ? processOf(entry) == process : references.containsKey(process);
    }

    private int release(int device, Entry entry, long process, int count) {
        int left = entry.reports() - count;
        counts.add(process, -count);
        counts.add(processOf(entry), left == 0 ? -1 : 0);
        SortedMap<Long, Integer> references = shares.get(entry);
        if (references != null) {
            references.computeIfPresent(
                    process, (unused, held) -> held == count ? null : Integer.valueOf(held - count));
            forgetSharesOfOwner(entry, references);
        }
        BufferType type = entry.type();
        long address = entry.address();
        for (int released = 0; released < count; released++) {
            ledger.freed(null, device, type, address);
        }
        return left;
    }

    private void forgetSharesOfOwner(Entry entry, SortedMap<Long, Integer> references) {
        if (Set.of(processOf(entry)).containsAll(references.keySet())) {
            shares.remove(entry);
        }
    }

    /** Returns the process of the first report. */
    private static long processOf(Entry entry) {
        MemoryRequest request = entry.request();
        return request == null ? 0 : request.details().processId().orElse(0);
    }

    // Processes that have ended

    /** Returns the entries of each of some processes that has any, which takes one walk over all entries if there is one. */
    Map<Long, List<Held>> heldBy(Set<Long> processes) {
        if (!counts.hasAny(processes)) {
            return Map.of();
        }
        Map<Long, List<Held>> held = new HashMap<>();
        for (int device : ledger.devices()) {
            ledger.forEachEntryOf(device, entry -> {
                SortedMap<Long, Integer> references = shares.get(entry);
                long owner = processOf(entry);
                add(owner, device, entry, processes, held);
                if (references != null) {
                    references.keySet().stream()
                            .filter(process -> process != owner)
                            .forEach(process -> add(process, device, entry, processes, held));
                }
            });
        }
        return held;
    }

    private static void add(long process, int device, Entry entry, Set<Long> processes, Map<Long, List<Held>> held) {
        if (processes.contains(process)) {
            held.computeIfAbsent(process, unused -> new ArrayList<>()).add(new Held(device, entry));
        }
    }

    /** Forgets processes that have ended, once they hold no entry. */
    void forget(Set<Long> ended) {
        counts.forget(ended);
    }

    /**
     * Removes the references of a process that has ended from an entry. If it was the first process, another one takes its place.
     *
     * @param reporting returns a process that reports
     * @return the number of the remaining references; the entry is removed if there are none
     */
    int ended(Held held, long process, LongFunction<ClientProcess> reporting) {
        Entry entry = held.entry();
        SortedMap<Long, Integer> references = shares.get(entry);
        int own = references == null ? entry.reports() : references.getOrDefault(process, 0);
        int left = release(held.device(), entry, process, own);
        if (left > 0 && references != null && processOf(entry) == process) {
            entry.replaceRequest(reporting.apply(references.firstKey()).request);
            counts.add(references.firstKey(), 1);
            forgetSharesOfOwner(entry, references);
        }
        return left;
    }

    // Sums

    /** Returns the bytes of one memory of a device. */
    long bytes(int device, BufferType type) {
        return ledger.totals(device, type).liveBytes();
    }
}
