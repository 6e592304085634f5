package dev.meshguard.history;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.Ownership;
import dev.meshguard.history.internal.Ledger;
import dev.meshguard.text.InvariantText;
import dev.meshguard.text.Quantities;
import java.util.List;
import java.util.stream.LongStream;
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

    private static final int REPETITIONS_NAMED = 3;

    private final AllocationHistory history;
    private final CountingPolicy policy;
    private final Ledger ledger;
    private long unknownFrees;

    private PolicyLedger(AllocationHistory history, CountingPolicy policy) {
        this.history = history;
        this.policy = policy;
        this.ledger = new Ledger(policy);
    }

    static PolicyLedger of(AllocationHistory history, CountingPolicy policy) {
        PolicyLedger ledger = new PolicyLedger(history, policy);
        history.events().forEach(ledger::read);
        return ledger;
    }

    private void read(HistoryEvent event) {
        if (policy == CountingPolicy.OWNED_ONLY && !isOfOwner(event)) {
            return;
        }
        if (!(event instanceof HistoryEvent.Freed free)) {
            ledger.enter(event);
        } else if (!ledger.freed(free.request(), free.device(), free.type(), free.address())) {
            unknownFrees++;
        }
    }

    /** Returns false for a report of an object that does not own its memory. */
    private static boolean isOfOwner(HistoryEvent event) {
        Ownership ownership = event instanceof HistoryEvent.Allocated report
                ? report.ownership()
                : event instanceof HistoryEvent.Freed free ? free.ownership() : Ownership.OWNING;
        if (ownership == Ownership.UNKNOWN) {
            throw new IllegalStateException(InvariantText.of(
                    "Cannot read this history as OWNED_ONLY: event #%d does not say whether its"
                            + " buffer owns its memory. Report the ownership with every buffer, or read it as"
                            + " REFERENCE_COUNTED.",
                    event.number()));
        }
        return ownership == Ownership.OWNING;
    }

    /** Returns the bytes in the ledger for one type on one device. */
    public long bytes(int device, BufferType type) {
        return ledger.sum(device, type).bytes();
    }

    /** Returns the most bytes that were ever in the ledger for one type on one device. */
    public long peakBytes(int device, BufferType type) {
        return ledger.sum(device, type).peakBytes();
    }

    /** Returns the reported allocations minus the reported frees of one device. */
    public long reports(int device) {
        return ledger.sums(device).values().stream()
                .mapToLong(Ledger.Sum::reports)
                .sum();
    }

    /** Returns the number of addresses in the ledger. */
    public int entries() {
        return (int) ledger.entries();
    }

    /** Returns how many frees named an address that was not in the ledger. */
    public long unknownFrees() {
        return unknownFrees;
    }

    /** Returns whether the ledger is empty: no bytes, no reports, no entries. */
    public boolean isEmpty() {
        return ledger.devices().stream()
                .flatMap(device -> ledger.sums(device).values().stream())
                .allMatch(sum -> sum.bytes() == 0 && sum.reports() == 0);
    }

    /**
     * Returns one line for each device, {@code device 0: DRAM 36 KiB (36864 B), L1 64 B, 6 reports, 5 entries}, and the
     * first buffers that were reported more than once: counting policies differ there.
     */
    @Override
    public String toString() {
        StringBuilder text =
                new StringBuilder("Books read as " + policy + ", " + Quantities.count(unknownFrees, "unknown free"));
        for (int device : ledger.devices()) {
            if (ledger.sums(device).isEmpty()) {
                continue;
            }
            text.append("\n  ").append(HistoryEvent.nameOfDevice(device)).append(':');
            ledger.sums(device)
                    .forEach((type, sum) -> text.append(' ')
                            .append(type)
                            .append(' ')
                            .append(Quantities.size(sum.bytes()))
                            .append(','));
            int entries = ledger.entries(device);
            text.append(' ').append(Quantities.count(reports(device), "report")).append(", ");
            text.append(entries).append(entries == 1 ? " entry" : " entries");
        }
        List<BufferGeneration> repeated = history.generations().stream()
                .filter(buffer -> reportsOf(buffer).size() > 1)
                .toList();
        repeated.stream()
                .limit(REPETITIONS_NAMED)
                .forEach(buffer -> text.append(InvariantText.of(
                        "\n  reported %d times at one live address: %s %s, events #%d and #%d",
                        reportsOf(buffer).size(),
                        buffer.type(),
                        HistoryEvent.addressOn(buffer.device(), buffer.address()),
                        reportsOf(buffer).get(0),
                        reportsOf(buffer).get(1))));
        int more = repeated.size() - REPETITIONS_NAMED;
        return text + (more > 0 ? "\n  and " + more + " more that were reported more than once" : "");
    }

    /** Returns the numbers of the reports at the address of a buffer, from its first one to that of a reuse without a free. */
    private List<Long> reportsOf(BufferGeneration buffer) {
        LongStream own = buffer.reports().stream()
                .filter(report -> policy != CountingPolicy.OWNED_ONLY || report.ownership() == Ownership.OWNING)
                .mapToLong(BufferGeneration.Report::allocatedAt);
        return LongStream.concat(own, buffer.reservedAgainAt().stream()).boxed().toList();
    }
}
