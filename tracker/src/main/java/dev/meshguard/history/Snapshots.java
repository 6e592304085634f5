package dev.meshguard.history;

import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.MemoryTotals;
import dev.meshguard.history.MemorySnapshot.Amount;
import dev.meshguard.history.MemorySnapshot.MemoryKey;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Creates a snapshot from the sums of a tracker or a history. */
public final class Snapshots {

    /** Provides sums by device, type and lifetime. */
    @FunctionalInterface
    public interface Totals {

        /** Returns the sums of one type and lifetime on one device. */
        MemoryTotals of(int device, BufferType type, BufferLifetime lifetime);
    }

    private Snapshots() {}

    /** Returns the live memory of the given devices. */
    public static MemorySnapshot of(List<Integer> devices, Totals totals) {
        Map<MemoryKey, Amount> amounts = new HashMap<>();
        for (int device : devices) {
            for (BufferType type : BufferType.values()) {
                for (BufferLifetime lifetime : BufferLifetime.values()) {
                    MemoryTotals live = totals.of(device, type, lifetime);
                    amounts.put(
                            new MemoryKey(device, type, lifetime), new Amount(live.liveBytes(), live.liveBuffers()));
                }
            }
        }
        return MemorySnapshot.of(amounts);
    }
}
