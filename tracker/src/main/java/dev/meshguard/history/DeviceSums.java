package dev.meshguard.history;

import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MemoryTotals;
import dev.meshguard.history.internal.Ledger;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The sums that a tracker kept of one device besides events.
 *
 * @param device the device id
 * @param ledgerEntries how many entries the ledger held
 * @param totals the totals that were ever used, by type and lifetime, that of the whole type first
 * @since 0.1
 */
@API(status = Status.INTERNAL, since = "0.1")
public record DeviceSums(int device, long ledgerEntries, List<TypeTotals> totals) {

    /**
     * The sums of one type, or of one type and lifetime.
     *
     * @param type the memory
     * @param lifetime who frees it; empty for all of the type, whose peak is not the sum of the peaks
     * @param amounts the sums
     */
    public record TypeTotals(BufferType type, Optional<BufferLifetime> lifetime, MemoryTotals amounts) {}

    private static final List<BufferType> TYPES = List.of(BufferType.values());
    private static final List<BufferLifetime> LIFETIMES = List.of(BufferLifetime.values());

    /** Creates sums with their own copy of the totals. */
    public DeviceSums {
        totals = List.copyOf(totals);
    }

    /** Returns the sums that a tracker would have kept of the given events, for a history without kept sums. */
    public static List<DeviceSums> countedFrom(List<HistoryEvent> events) {
        Ledger ledger = new Ledger(CountingPolicy.REFERENCE_COUNTED.repeatCounting());
        events.forEach(ledger::enter);
        return of(ledger);
    }

    /** Returns the sums of each device in a ledger, ascending. */
    public static List<DeviceSums> of(Ledger ledger) {
        List<DeviceSums> all = new ArrayList<>();
        for (int device : ledger.devices()) {
            List<TypeTotals> totals = new ArrayList<>();
            for (BufferType type : TYPES) {
                addUsed(totals, type, ledger, device);
            }
            all.add(new DeviceSums(device, ledger.entries(device), totals));
        }
        return List.copyOf(all);
    }

    MemoryTotals of(BufferType type) {
        return of(type, Optional.empty());
    }

    MemoryTotals of(BufferType type, Optional<BufferLifetime> lifetime) {
        for (TypeTotals sum : totals) {
            if (sum.type() == type && sum.lifetime().equals(lifetime)) {
                return sum.amounts();
            }
        }
        return MemoryTotals.NOTHING;
    }

    private static void addUsed(List<TypeTotals> totals, BufferType type, Ledger ledger, int device) {
        MemoryTotals all = ledger.totals(device, type);
        if (all.totalBuffers() == 0) {
            return;
        }
        totals.add(new TypeTotals(type, Optional.empty(), all));
        for (BufferLifetime lifetime : LIFETIMES) {
            MemoryTotals part = ledger.totals(device, type, lifetime);
            if (part.totalBuffers() > 0) {
                totals.add(new TypeTotals(type, Optional.of(lifetime), part));
            }
        }
    }
}
