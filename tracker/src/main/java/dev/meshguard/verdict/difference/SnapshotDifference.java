package dev.meshguard.verdict.difference;

import dev.meshguard.history.MemorySnapshot;
import dev.meshguard.history.MemorySnapshot.Amount;
import dev.meshguard.history.MemorySnapshot.MemoryKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The changes between two moments, with the amounts before and after.
 *
 * <p>{@link MemorySnapshot#minus} has the differences alone.
 *
 * @param changes the changed amounts, by device, type and lifetime
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record SnapshotDifference(List<AmountChange> changes) {

    /**
     * A changed amount.
     *
     * @param key the device, type and lifetime
     * @param before the earlier amount
     * @param after the later amount
     */
    public record AmountChange(MemoryKey key, Amount before, Amount after) {}

    /** Creates a difference with its own copy of the list. */
    public SnapshotDifference {
        changes = List.copyOf(changes);
    }

    /** Returns the changes from the earlier to the later snapshot. */
    public static SnapshotDifference between(MemorySnapshot before, MemorySnapshot after) {
        Map<MemoryKey, Amount> earlier = before.amounts();
        Map<MemoryKey, Amount> later = after.amounts();
        SortedSet<MemoryKey> accounts = new TreeSet<>(earlier.keySet());
        accounts.addAll(later.keySet());
        List<AmountChange> changes = new ArrayList<>();
        for (MemoryKey account : accounts) {
            Amount was = earlier.getOrDefault(account, Amount.NOTHING);
            Amount is = later.getOrDefault(account, Amount.NOTHING);
            if (!was.equals(is)) {
                changes.add(new AmountChange(account, was, is));
            }
        }
        return new SnapshotDifference(changes);
    }

    /** Returns whether nothing changed. */
    public boolean isEmpty() {
        return changes.isEmpty();
    }
}
