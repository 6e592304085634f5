package dev.meshguard.history;

import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.BufferType;
import java.util.ArrayList;
import java.util.List;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The change of the allocated memory when a generation begins, is resized or ends.
 *
 * @param event the number of the event
 * @param device the device id
 * @param type the memory
 * @param lifetime who frees the buffer
 * @param buffers 1 if a generation begins, -1 if one ends, 0 if one is resized
 * @param bytes the bytes more; negative if there are less
 */
@API(status = Status.INTERNAL, since = "0.1")
public record UsageChange(long event, int device, BufferType type, BufferLifetime lifetime, int buffers, long bytes) {

    /** Returns the changes of one generation, in the order of their events. */
    static List<UsageChange> of(BufferGeneration generation) {
        List<UsageChange> changes = new ArrayList<>(2);
        List<BufferGeneration.SizeChange> sizes = generation.sizeChanges();
        long size = sizes.isEmpty() ? generation.size() : sizes.get(0).before();
        changes.add(of(generation, generation.allocatedAt(), 1, size));
        for (int i = 0; i < sizes.size(); i++) {
            long next = i + 1 < sizes.size() ? sizes.get(i + 1).before() : generation.size();
            changes.add(of(generation, sizes.get(i).event(), 0, next - size));
            size = next;
        }
        if (generation.freedAt().isPresent()) {
            changes.add(of(generation, generation.freedAt().getAsLong(), -1, -size));
        }
        return changes;
    }

    private static UsageChange of(BufferGeneration generation, long event, int buffers, long bytes) {
        return new UsageChange(event, generation.device(), generation.type(), generation.lifetime(), buffers, bytes);
    }
}
