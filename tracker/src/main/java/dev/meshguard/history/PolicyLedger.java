package dev.meshguard.history;

import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.Quantities;
import dev.meshguard.history.MemorySnapshot.MemoryKey;
import dev.meshguard.history.internal.AllocatorNumbers;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
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

    private final CountingPolicy policy;
    /** The entries of the ledger as buffers, with the bytes that the policy adds up. */
    private final Timeline entries;
    /** The curve of each type on each device, for those that ask for one after the other. */
    private final Map<MemoryKey, Timeline.Curve> curves;
    /** The reported allocations minus the reported frees, as buffers without bytes. */
    private final Timeline reports;

    private final List<Repetition> repetitions;
    private final long unknownFrees;

    private PolicyLedger(Reader reader) {
        this.policy = reader.policy;
        this.entries = reader.entryChanges.build();
        this.curves = entries.curvesBy(memory -> memory);
        this.reports = reader.reportChanges.build();
        this.repetitions = List.copyOf(reader.repetitions.values());
        this.unknownFrees = reader.unknownFrees;
    }

    static PolicyLedger read(List<HistoryEvent> events, CountingPolicy policy) {
        Reader reader = new Reader(policy);
        events.forEach(reader::read);
        return new PolicyLedger(reader);
    }

    /** Returns the policy of this ledger. */
    public CountingPolicy policy() {
        return policy;
    }

    /** Returns the devices that any counted report named, ascending. */
    public List<Integer> devices() {
        return entries.curvesBy(MemoryKey::device).keySet().stream().sorted().toList();
    }

    /** Returns the bytes in the ledger for one type on one device. */
    public long bytes(int device, BufferType type) {
        return curve(device, type).map(Timeline.Curve::liveBytes).orElse(0L);
    }

    /** Returns the bytes in the ledger for one type on all devices. */
    public long bytes(BufferType type) {
        return entries.curve(memory -> memory.type() == type).liveBytes();
    }

    /** Returns the most bytes that were ever in the ledger for one type on one device. */
    public long peakBytes(int device, BufferType type) {
        return curve(device, type).map(Timeline.Curve::peakBytes).orElse(0L);
    }

    /** Returns the reported allocations minus the reported frees of one device. */
    public long reports(int device) {
        return reports.curve(memory -> memory.device() == device).liveBuffers();
    }

    /** Returns the reported allocations minus the reported frees of all devices. */
    public long reports() {
        return reports.curve(memory -> true).liveBuffers();
    }

    /** Returns the largest value that {@link #reports(int)} ever had. */
    public long peakReports(int device) {
        return reports.curve(memory -> memory.device() == device).peakBuffers();
    }

    /** Returns the number of addresses in the ledger. */
    public int entries() {
        return (int) entries.curve(memory -> true).liveBuffers();
    }

    /** Returns the number of addresses in the ledger for one device. */
    public int entries(int device) {
        return (int) entries.curve(memory -> memory.device() == device).liveBuffers();
    }

    /** Returns the largest value that {@link #entries()} ever had. */
    public int peakEntries() {
        return (int) entries.curve(memory -> true).peakBuffers();
    }

    /** Returns how many frees named an address that was not in the ledger. */
    public long unknownFrees() {
        return unknownFrees;
    }

    /** Returns the addresses that were reported again while they were in the ledger, in the order of those reports. */
    public List<Repetition> repetitions() {
        return repetitions;
    }

    /** Returns whether the ledger is empty: no bytes, no reports, no entries. */
    public boolean isEmpty() {
        return Stream.of(entries, reports)
                .flatMap(timeline -> timeline.curvesBy(memory -> memory).values().stream())
                .allMatch(curve -> curve.liveBuffers() == 0 && curve.liveBytes() == 0);
    }

    /**
     * Returns one line for each device, {@code device 0: DRAM 36 KiB (36864 B), L1 64 B, 6 reports, 5 entries}, and the
     * addresses that were reported twice.
     */
    @Override
    public String toString() {
        StringBuilder text =
                new StringBuilder("Books read as " + policy + ", " + Quantities.count(unknownFrees, "unknown free"));
        for (int device : devices()) {
            text.append("\n  ").append(Quantities.device(device)).append(':');
            for (BufferType type : BufferType.values()) {
                curve(device, type)
                        .map(Timeline.Curve::liveBytes)
                        .ifPresent(bytes -> text.append(' ')
                                .append(type)
                                .append(' ')
                                .append(Quantities.size(bytes))
                                .append(','));
            }
            text.append(' ').append(Quantities.count(reports(device), "report")).append(", ");
            text.append(entries(device)).append(entries(device) == 1 ? " entry" : " entries");
        }
        repetitions.stream()
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

    private Optional<Timeline.Curve> curve(int device, BufferType type) {
        return Optional.ofNullable(curves.get(new MemoryKey(device, type, BufferLifetime.USER)));
    }

    /** Reads reports in their order, and keeps the entries between them. */
    private static final class Reader {

        private record Key(int device, BufferType type, long address) {}

        private static final class Entry {
            private final long event;
            private int allocator;
            private long size;
            private long count = 1;
            private int reports = 1;

            private Entry(long event, int allocator, long size) {
                this.event = event;
                this.allocator = allocator;
                this.size = size;
            }
        }

        private final CountingPolicy policy;
        /** The entries at each address, one for each allocator, the latest first. */
        private final Map<Key, List<Entry>> entries = new HashMap<>();

        private final Map<Integer, AllocatorNumbers> allocators = new HashMap<>();
        private final Timeline.Builder entryChanges = new Timeline.Builder();
        private final Timeline.Builder reportChanges = new Timeline.Builder();
        private final Map<Key, Repetition> repetitions = new LinkedHashMap<>();
        private long unknownFrees;

        private Reader(CountingPolicy policy) {
            this.policy = policy;
        }

        private void read(HistoryEvent event) {
            if (event instanceof HistoryEvent.Allocated report) {
                if (counts(report.ownership(), report)) {
                    allocate(report, new Key(report.device(), report.type(), report.address()));
                }
            } else if (event instanceof HistoryEvent.Freed report) {
                if (counts(report.ownership(), report)) {
                    free(report, new Key(report.device(), report.type(), report.address()));
                }
            } else if (event instanceof HistoryEvent.MeshClosed closed) {
                allocators.values().forEach(numbers -> numbers.meshClosed(closed.mesh()));
            } else if (event instanceof HistoryEvent.DeviceClosed closed && allocators.containsKey(closed.device())) {
                numbers(closed.device()).deviceClosed();
            }
        }

        private boolean counts(Ownership ownership, HistoryEvent event) {
            if (policy == CountingPolicy.OWNED_ONLY && ownership == Ownership.UNKNOWN) {
                throw new IllegalStateException(String.format(
                        Locale.ROOT,
                        "Cannot read this history as OWNED_ONLY: event #%d does not say whether its"
                                + " buffer owns its memory. Report the ownership with every buffer, or read it as"
                                + " REFERENCE_COUNTED.",
                        event.number()));
            }
            return policy != CountingPolicy.OWNED_ONLY || ownership == Ownership.OWNING;
        }

        private void allocate(HistoryEvent.Allocated report, Key key) {
            int allocator = report.request().isAnonymous()
                    ? AllocatorNumbers.UNKNOWN
                    : numbers(report.device()).ofAllocation(report.request());
            Entry entry = find(key, allocator);
            if (entry == null) {
                entries.computeIfAbsent(key, unused -> new ArrayList<>(1))
                        .add(0, new Entry(report.number(), allocator, report.size()));
                add(report, key, 1, report.size(), 1);
                return;
            }
            if (key.device() == HistoryEvent.NO_DEVICE) {
                add(report, key, 0, report.size() - entry.size, 0);
                entry.size = report.size();
                return;
            }
            if (entry.allocator != allocator) {
                entry.allocator = numbers(report.device()).joined(entry.allocator, allocator);
            }
            entry.reports++;
            repetitions.merge(
                    key,
                    new Repetition(
                            key.device(), key.type(), key.address(), entry.reports, entry.event, report.number()),
                    (known, latest) -> known.again(latest.reports()));
            switch (policy) {
                case REFERENCE_COUNTED, OWNED_ONLY -> {
                    entry.count++;
                    add(report, key, 0, 0, 1);
                }
                case EVERY_REPORT -> {
                    entry.size = report.size();
                    add(report, key, 0, report.size(), 1);
                }
                case ONCE_PER_ADDRESS -> {}
            }
        }

        private void free(HistoryEvent.Freed report, Key key) {
            int allocator = report.request().isAnonymous()
                    ? AllocatorNumbers.UNKNOWN
                    : numbers(report.device()).of(report.request());
            Entry entry = find(key, allocator);
            if (entry == null) {
                unknownFrees++;
            } else if (--entry.count > 0) {
                add(report, key, 0, 0, -1);
            } else {
                entries.getOrDefault(key, List.of()).remove(entry);
                add(report, key, -1, -entry.size, -1);
            }
        }

        /**
         * Finds an entry as the ledger of a tracker does: that of the same allocator, else the one with the lowest number
         * that may be it.
         */
        private @Nullable Entry find(Key key, int allocator) {
            Entry found = null;
            for (Entry entry : entries.getOrDefault(key, List.of())) {
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

        private AllocatorNumbers numbers(int device) {
            return allocators.computeIfAbsent(device, unused -> new AllocatorNumbers());
        }

        /** A policy does not distinguish lifetimes. */
        private void add(HistoryEvent report, Key key, int moreEntries, long moreBytes, int moreReports) {
            entryChanges.add(report.number(), key.device(), key.type(), BufferLifetime.USER, moreEntries, moreBytes);
            reportChanges.add(report.number(), key.device(), key.type(), BufferLifetime.USER, moreReports, 0);
        }
    }
}
