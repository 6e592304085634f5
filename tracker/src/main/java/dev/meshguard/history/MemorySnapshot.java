package dev.meshguard.history;

import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.history.internal.Ledger;
import dev.meshguard.history.internal.LiveEntries;
import dev.meshguard.text.Quantities;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The memory allocated at one moment, by device, type and lifetime. All sizes are bytes.
 *
 * <p>Immutable and safe for use by several threads.
 *
 * @param amounts the amounts that are not empty, by device, type and lifetime
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record MemorySnapshot(Map<MemoryKey, Amount> amounts) {

    /**
     * The device, type and lifetime under which memory is counted.
     *
     * @param device the device id
     * @param type the memory
     * @param lifetime who frees it
     */
    public record MemoryKey(int device, BufferType type, BufferLifetime lifetime) implements Comparable<MemoryKey> {

        @Override
        public int compareTo(MemoryKey other) {
            int byDevice = Integer.compare(device, other.device);
            int byType = byDevice != 0 ? byDevice : type.compareTo(other.type);
            return byType != 0 ? byType : lifetime.compareTo(other.lifetime);
        }

        @Override
        public String toString() {
            return HistoryEvent.nameOfDevice(device) + ' ' + type + ' ' + lifetime;
        }
    }

    /**
     * An amount of memory.
     *
     * @param bytes the bytes
     * @param buffers the number of entries
     */
    public record Amount(long bytes, long buffers) {

        /** No memory. */
        public static final Amount NOTHING = new Amount(0, 0);
    }

    /** Creates a snapshot of the given amounts; keys without memory are left out. */
    public MemorySnapshot {
        Map<MemoryKey, Amount> kept = new TreeMap<>(amounts);
        kept.values().removeIf(Amount.NOTHING::equals);
        amounts = Collections.unmodifiableMap(kept);
    }

    /** Returns the memory of the entries of a ledger. */
    @API(status = Status.INTERNAL, since = "0.1")
    public static MemorySnapshot of(Ledger ledger) {
        Map<MemoryKey, Amount> amounts = new HashMap<>();
        for (int device : ledger.devices()) {
            for (LiveEntries.Entry entry : ledger.entriesOf(device)) {
                amounts.merge(
                        new MemoryKey(device, entry.type(), entry.lifetime()),
                        new Amount(entry.size(), 1),
                        (some, one) -> new Amount(some.bytes + one.bytes, some.buffers + 1));
            }
        }
        return new MemorySnapshot(amounts);
    }

    /** Returns one line for each key: {@code device 0 DRAM USER: 36 KiB (36864 B) in 2 buffers}. */
    @Override
    public String toString() {
        if (amounts.isEmpty()) {
            return "nothing allocated";
        }
        StringBuilder text = new StringBuilder();
        amounts.forEach((key, amount) -> text.append(text.isEmpty() ? "" : "\n")
                .append(key)
                .append(": ")
                .append(isOfUnknownSize(key, amount) ? "" : Quantities.size(amount.bytes()) + " in ")
                .append(Quantities.count(amount.buffers(), "buffer")));
        return text.toString();
    }

    private static boolean isOfUnknownSize(MemoryKey key, Amount amount) {
        return key.device() == HistoryEvent.NO_DEVICE && amount.bytes() == 0;
    }
}
