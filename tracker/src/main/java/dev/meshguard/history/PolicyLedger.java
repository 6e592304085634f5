package dev.meshguard.history;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.Ownership;
import dev.meshguard.history.internal.Ledger;
import dev.meshguard.history.internal.LiveEntries.Entry;
import dev.meshguard.text.Quantities;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The ledger of a history's reports under one counting policy.
 *
 * <p>Reports and entries are two counts: reports are allocations minus frees, entries are the addresses in the ledger.
 * They differ wherever one address was reported more than once. All sizes are bytes.
 *
 * <p>Two allocators that reserve one address at a time make two entries, if the reports name the allocator. Reports
 * that name none, as in a log, match by address alone. So do survivors of an allocator that is closed. A free with another
 * kind, owner or extent than the only report of its entry is unknown.
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

        private Repetition again(long event) {
            return new Repetition(
                    device, type, address, reports + 1, firstEvent, secondEvent == 0 ? event : secondEvent);
        }

        private Repetition withReports(int atLeast) {
            return new Repetition(device, type, address, Math.max(reports, atLeast), firstEvent, secondEvent);
        }
    }

    private record Place(int device, BufferType type, long address) {}

    private static final int REPETITIONS_NAMED = 3;

    private final CountingPolicy policy;
    private final Ledger ledger;
    /** For each entry the report that entered it, and its repetitions since. */
    private final Map<Entry, Repetition> latest = new HashMap<>();

    private final Map<Place, Repetition> repetitions = new LinkedHashMap<>();
    private long unknownFrees;

    private PolicyLedger(CountingPolicy policy) {
        this.policy = policy;
        this.ledger = new Ledger(policy.repeatCounting());
    }

    static PolicyLedger read(List<HistoryEvent> events, CountingPolicy policy) {
        PolicyLedger ledger = new PolicyLedger(policy);
        events.forEach(ledger::read);
        ledger.latest.clear();
        return ledger;
    }

    private void read(HistoryEvent event) {
        if (event instanceof HistoryEvent.Allocated report) {
            if (counts(report.ownership(), report)) {
                allocated(report);
            }
        } else if (event instanceof HistoryEvent.Freed report) {
            if (counts(report.ownership(), report)
                    && !ledger.freed(report.request(), report.device(), report.type(), report.address())) {
                unknownFrees++;
            }
        } else {
            ledger.enter(event);
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

    private void allocated(HistoryEvent.Allocated report) {
        int device = report.device();
        BufferType type = report.type();
        long address = report.address();
        Entry known = ledger.entry(report.request(), device, type, address);
        ledger.allocated(report.request(), device, type, address, report.size());
        if (known == null) {
            latest.put(
                    ledger.entry(report.request(), device, type, address),
                    new Repetition(device, type, address, 1, report.number(), 0));
        } else if (device != HistoryEvent.NO_DEVICE) {
            Repetition again = latest.computeIfPresent(known, (same, before) -> before.again(report.number()));
            repetitions.merge(
                    new Place(device, type, address), again, (first, more) -> first.withReports(more.reports()));
        }
    }

    /** Returns the policy of this ledger. */
    public CountingPolicy policy() {
        return policy;
    }

    /** Returns the devices whose memory any counted report entered, ascending. */
    public List<Integer> devices() {
        return ledger.devices().stream()
                .filter(device -> !totals(device).isEmpty())
                .toList();
    }

    /** Returns the totals of each type that was entered on a device. */
    private Map<BufferType, MemoryTotals> totals(int device) {
        Map<BufferType, MemoryTotals> totals = new EnumMap<>(BufferType.class);
        for (BufferType type : BufferType.values()) {
            totals.put(type, ledger.totals(device, type));
        }
        totals.values().removeIf(MemoryTotals.NOTHING::equals);
        return totals;
    }

    /** Returns the bytes in the ledger for one type on one device. */
    public long bytes(int device, BufferType type) {
        return ledger.totals(device, type).liveBytes();
    }

    /** Returns the bytes in the ledger for one type on all devices. */
    public long bytes(BufferType type) {
        return devices().stream().mapToLong(device -> bytes(device, type)).sum();
    }

    /** Returns the most bytes that were ever in the ledger for one type on one device. */
    public long peakBytes(int device, BufferType type) {
        return ledger.totals(device, type).peakBytes();
    }

    /** Returns the reported allocations minus the reported frees of one device. */
    public long reports(int device) {
        return totals(device).values().stream()
                .mapToLong(MemoryTotals::liveReports)
                .sum();
    }

    /** Returns the reported allocations minus the reported frees of all devices. */
    public long reports() {
        return devices().stream().mapToLong(this::reports).sum();
    }

    /** Returns the number of addresses in the ledger. */
    public int entries() {
        return (int) ledger.entries();
    }

    /** Returns the number of addresses in the ledger for one device. */
    public int entries(int device) {
        return ledger.entries(device);
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
        return devices().stream()
                .flatMap(device -> totals(device).values().stream())
                .allMatch(totals -> totals.liveBytes() == 0 && totals.liveReports() == 0);
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
            text.append("\n  ").append(HistoryEvent.nameOfDevice(device)).append(':');
            totals(device)
                    .forEach((type, totals) -> text.append(
                            String.format(Locale.ROOT, " %s %s,", type, Quantities.size(totals.liveBytes()))));
            text.append(' ').append(Quantities.count(reports(device), "report")).append(", ");
            text.append(entries(device)).append(entries(device) == 1 ? " entry" : " entries");
        }
        List<Repetition> all = repetitions();
        for (Repetition repeated : all.subList(0, Math.min(REPETITIONS_NAMED, all.size()))) {
            text.append(String.format(
                    Locale.ROOT,
                    "\n  reported %d times at one live address: %s %s on device %d, events #%d and #%d",
                    repeated.reports(),
                    repeated.type(),
                    Quantities.address(repeated.address()),
                    repeated.device(),
                    repeated.firstEvent(),
                    repeated.secondEvent()));
        }
        int more = all.size() - REPETITIONS_NAMED;
        return text + (more > 0 ? "\n  and " + more + " more addresses that were reported more than once" : "");
    }
}
