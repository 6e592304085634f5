package dev.meshguard.history;

import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.BufferType;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The change of the allocated memory when a generation begins or ends.
 *
 * @param event the number of the event
 * @param device the device id
 * @param type the memory
 * @param lifetime who frees the buffer
 * @param buffers 1 if a generation begins, -1 if one ends
 * @param bytes the size that the first report of the generation named; negative if the generation ends
 */
@API(status = Status.INTERNAL, since = "0.1")
public record UsageChange(long event, int device, BufferType type, BufferLifetime lifetime, int buffers, long bytes) {

    static UsageChange begins(BufferGeneration generation) {
        return of(generation, generation.allocatedAt(), 1);
    }

    static UsageChange ends(BufferGeneration generation, long event) {
        return of(generation, event, -1);
    }

    private static UsageChange of(BufferGeneration generation, long event, int sign) {
        return new UsageChange(
                event, generation.device(), generation.type(), generation.lifetime(), sign, sign * generation.size());
    }
}
