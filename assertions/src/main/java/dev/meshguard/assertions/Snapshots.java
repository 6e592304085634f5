package dev.meshguard.assertions;

import dev.meshguard.tracker.BufferLifetime;
import dev.meshguard.tracker.BufferType;
import dev.meshguard.tracker.MemorySnapshot;
import dev.meshguard.tracker.MemorySnapshot.Account;
import dev.meshguard.tracker.MemorySnapshot.Amount;
import dev.meshguard.tracker.MemoryTotals;
import dev.meshguard.tracker.history.AllocationHistory;
import java.util.HashMap;
import java.util.Map;

/** Reads a snapshot out of a history, as a tracker takes one of itself. */
final class Snapshots {

    private Snapshots() {}

    static MemorySnapshot of(AllocationHistory history) {
        Map<Account, Amount> amounts = new HashMap<>();
        for (int device : history.devices()) {
            for (BufferType type : BufferType.values()) {
                for (BufferLifetime lifetime : BufferLifetime.values()) {
                    MemoryTotals totals = history.totals(device, type, lifetime);
                    amounts.put(
                            new Account(device, type, lifetime), new Amount(totals.liveBytes(), totals.liveBuffers()));
                }
            }
        }
        return MemorySnapshot.of(amounts);
    }
}
