package dev.meshguard.history;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.Quantities;
import dev.meshguard.history.internal.AllocatorNumbers;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.jspecify.annotations.Nullable;

/**
 * The ledger of a history's reports under one counting policy.
 *
 * <p>Reports and entries are two counts: reports are allocations minus frees, entries are the addresses in the ledger.
 * They differ wherever one address was reported more than once. All sizes are bytes.
 *
 * <p>Two allocators that reserve one address at a time make two entries, if the reports name the allocator. Reports
 * that name none, as in a log, match by address alone. So do survivors of an allocator that is closed.
 *
 * <p>Immutable and safe for use by several threads.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class PolicyLedger {

    /**
     * An address that was reported again while it was in the ledger; counting policies differ there.
     *
     * @param device the device id
     * @param type the memory
     * @param address the address
     * @param reports the maximum number of reports while it was in the ledger
     * @param firstEvent the number of the report that entered it
     * @param secondEvent the number of the first additional report
     */
    public record Repetition(
            int device, BufferType type, long address, int reports, long firstEvent, long secondEvent) {

        private Repetition again(int nowReports) {
            return new Repetition(device, type, address, Math.max(reports, nowReports), firstEvent, secondEvent);
        }
    }

    private static final int REPETITIONS_NAMED = 3;

    private record Key(int device, BufferType type, long address) {}

    private static final class Entry {
        private final long event;
        private int allocator;
        private long size;
        private long count = 1;
        private int reports = 1;

        /** An entry of another allocator at the same address. */
        private @Nullable Entry next;

        private Entry(long event, int allocator, long size) {
            this.event = event;
            this.allocator = allocator;
            this.size = size;
        }
    }

    /** A running number and the largest value it ever had. */
    private static final class Gauge {
        private long now;
        private long peak;

        private void add(long amount) {
            now += amount;
            peak = Math.max(peak, now);
        }
    }

    private final CountingPolicy policy;
    private final Map<Key, Entry> entries = new HashMap<>();
    private final Map<Integer, Integer> entriesOf = new HashMap<>();
    private final Map<Integer, AllocatorNumbers> allocators = new HashMap<>();
    private final Map<Integer, Map<BufferType, Gauge>> bytes = new TreeMap<>();
    private final Map<Integer, Gauge> reports = new TreeMap<>();
    private final Map<Key, Repetition> repetitions = new LinkedHashMap<>();
    private long unknownFrees;
    private int nowEntries;
    private int peakEntries;

    private PolicyLedger(CountingPolicy policy) {
        this.policy = policy;
    }

    static PolicyLedger read(List<HistoryEvent> events, CountingPolicy policy) {
        PolicyLedger ledger = new PolicyLedger(policy);
        for (HistoryEvent event : events) {
            if (event instanceof HistoryEvent.Allocated allocated) {
                ledger.rejectUnknownOwner(allocated.ownership(), allocated);
                if (ledger.counts(allocated.ownership())) {
                    ledger.allocate(allocated);
                }
            } else if (event instanceof HistoryEvent.Freed freed) {
                ledger.rejectUnknownOwner(freed.ownership(), freed);
                if (ledger.counts(freed.ownership())) {
                    ledger.free(freed);
                }
            } else if (event instanceof HistoryEvent.MeshClosed closed) {
                ledger.allocators.values().forEach(numbers -> numbers.meshClosed(closed.mesh()));
            } else if (event instanceof HistoryEvent.DeviceClosed closed
                    && ledger.allocators.containsKey(closed.device())) {
                ledger.numbers(closed.device()).deviceClosed();
            }
        }
        return ledger;
    }

    /** Returns the policy of this ledger. */
    public CountingPolicy policy() {
        return policy;
    }

    /** Returns the devices that any counted report named, ascending. */
    public List<Integer> devices() {
        return List.copyOf(bytes.keySet());
    }

    /** Returns the bytes in the ledger for one type on one device. */
    public long bytes(int device, BufferType type) {
        return gauge(device, type).now;
    }

    /** Returns the bytes in the ledger for one type on all devices. */
    public long bytes(BufferType type) {
        return devices().stream().mapToLong(device -> bytes(device, type)).sum();
    }

    /** Returns the most bytes that were ever in the ledger for one type on one device. */
    public long peakBytes(int device, BufferType type) {
        return gauge(device, type).peak;
    }

    /** Returns the reported allocations minus the reported frees of one device. */
    public long reports(int device) {
        return reports.getOrDefault(device, new Gauge()).now;
    }

    /** Returns the reported allocations minus the reported frees of all devices. */
    public long reports() {
        return reports.values().stream().mapToLong(gauge -> gauge.now).sum();
    }

    /** Returns the largest value that {@link #reports(int)} ever had. */
    public long peakReports(int device) {
        return reports.getOrDefault(device, new Gauge()).peak;
    }

    /** Returns the number of addresses in the ledger. */
    public int entries() {
        return nowEntries;
    }

    /** Returns the number of addresses in the ledger for one device. */
    public int entries(int device) {
        return entriesOf.getOrDefault(device, 0);
    }

    /** Returns the largest value that {@link #entries()} ever had. */
    public int peakEntries() {
        return peakEntries;
    }

    /** Returns how many frees named an address that was not in the ledger. */
    public long unknownFrees() {
        return unknownFrees;
    }

    /** Returns the addresses that were reported again while they were in the ledger, in the order of those reports. */
    public List<Repetition> repetitions() {
        return List.copyOf(repetitions.values());
    }

    /** Returns whether the ledger is empty: no bytes, no reports, no entries. */
    public boolean isEmpty() {
        return entries.isEmpty()
                && reports.values().stream().allMatch(gauge -> gauge.now == 0)
                && bytes.values().stream()
                        .flatMap(ofDevice -> ofDevice.values().stream())
                        .allMatch(gauge -> gauge.now == 0);
    }

    /**
     * Returns one line for each device, {@code device 0: DRAM 36 KiB (36864 B), L1 64 B, 6 reports, 5 entries}, and the
     * addresses that were reported twice.
     */
    @Override
    public String toString() {
        StringBuilder text =
                new StringBuilder("Books read as " + policy + ", " + Quantities.count(unknownFrees, "unknown free"));
        bytes.forEach((device, ofDevice) -> {
            text.append("\n  ").append(Quantities.device(device)).append(':');
            ofDevice.forEach((type, gauge) -> text.append(' ')
                    .append(type)
                    .append(' ')
                    .append(Quantities.size(gauge.now))
                    .append(','));
            text.append(' ').append(Quantities.count(reports(device), "report")).append(", ");
            text.append(entries(device)).append(entries(device) == 1 ? " entry" : " entries");
        });
        repetitions.values().stream()
                .limit(REPETITIONS_NAMED)
                .forEach(repeated -> text.append(String.format(
                        Locale.ROOT,
                        "\n  reported %d times at one live address: %s %s on device %d, events #%d and #%d",
                        repeated.reports(),
                        repeated.type(),
                        Quantities.address(repeated.address()),
                        repeated.device(),
                        repeated.firstEvent(),
                        repeated.secondEvent())));
        int more = repetitions.size() - REPETITIONS_NAMED;
        return text + (more > 0 ? "\n  and " + more + " more addresses that were reported more than once" : "");
    }

    private void rejectUnknownOwner(Ownership ownership, HistoryEvent event) {
        if (policy == CountingPolicy.OWNED_ONLY && ownership == Ownership.UNKNOWN) {
            throw new IllegalStateException(String.format(
                    Locale.ROOT,
                    "Cannot read this history as OWNED_ONLY: event #%d does not say whether its"
                            + " buffer owns its memory. Report the ownership with every buffer, or read it as"
                            + " REFERENCE_COUNTED.",
                    event.number()));
        }
    }

    private boolean counts(Ownership ownership) {
        return policy != CountingPolicy.OWNED_ONLY || ownership == Ownership.OWNING;
    }

    private void allocate(HistoryEvent.Allocated report) {
        Key key = new Key(report.device(), report.type(), report.address());
        int allocator = report.request().isAnonymous()
                ? AllocatorNumbers.UNKNOWN
                : numbers(report.device()).ofAllocation(report.request());
        Entry entry = find(key, allocator);
        if (entry == null) {
            Entry first = new Entry(report.number(), allocator, report.size());
            first.next = entries.put(key, first);
            count(key, 1);
            add(key, report.size(), 1);
            return;
        }
        if (key.device() == HistoryEvent.NO_DEVICE) {
            add(key, report.size() - entry.size, 0);
            entry.size = report.size();
            return;
        }
        if (entry.allocator != allocator) {
            entry.allocator = numbers(report.device()).joined(entry.allocator, allocator);
        }
        entry.reports++;
        repetitions.merge(
                key,
                new Repetition(key.device(), key.type(), key.address(), entry.reports, entry.event, report.number()),
                (known, latest) -> known.again(latest.reports()));
        switch (policy) {
            case REFERENCE_COUNTED, OWNED_ONLY -> {
                entry.count++;
                add(key, 0, 1);
            }
            case EVERY_REPORT -> {
                entry.size = report.size();
                add(key, report.size(), 1);
            }
            case ONCE_PER_ADDRESS -> {}
        }
    }

    private void free(HistoryEvent.Freed report) {
        Key key = new Key(report.device(), report.type(), report.address());
        int allocator = report.request().isAnonymous()
                ? AllocatorNumbers.UNKNOWN
                : numbers(report.device()).of(report.request());
        Entry entry = find(key, allocator);
        if (entry == null) {
            unknownFrees++;
            return;
        }
        entry.count--;
        if (entry.count > 0) {
            add(key, 0, -1);
        } else {
            remove(key, entry);
            add(key, -entry.size, -1);
        }
    }

    /**
     * Finds an entry as the ledger of a tracker does: that of the same allocator, else the one with the lowest number
     * that may be it.
     */
    private @Nullable Entry find(Key key, int allocator) {
        Entry found = null;
        for (Entry entry = entries.get(key); entry != null; entry = entry.next) {
            if (entry.allocator == allocator) {
                return entry;
            }
            if ((found == null || entry.allocator < found.allocator)
                    && numbers(key.device()).mayBeOne(entry.allocator, allocator)) {
                found = entry;
            }
        }
        return found;
    }

    private void remove(Key key, Entry gone) {
        count(key, -1);
        Entry first = entries.get(key);
        if (first == gone) {
            if (gone.next == null) {
                entries.remove(key);
            } else {
                entries.put(key, gone.next);
            }
            return;
        }
        for (Entry entry = first; entry != null; entry = entry.next) {
            if (entry.next == gone) {
                entry.next = gone.next;
            }
        }
    }

    private void count(Key key, int change) {
        nowEntries += change;
        peakEntries = Math.max(peakEntries, nowEntries);
        entriesOf.merge(key.device(), change, Integer::sum);
    }

    private AllocatorNumbers numbers(int device) {
        return allocators.computeIfAbsent(device, unused -> new AllocatorNumbers());
    }

    private void add(Key key, long size, long count) {
        bytes.computeIfAbsent(key.device(), unused -> new TreeMap<>())
                .computeIfAbsent(key.type(), unused -> new Gauge())
                .add(size);
        reports.computeIfAbsent(key.device(), unused -> new Gauge()).add(count);
    }

    private Gauge gauge(int device, BufferType type) {
        return bytes.getOrDefault(device, Map.of()).getOrDefault(type, new Gauge());
    }
}
