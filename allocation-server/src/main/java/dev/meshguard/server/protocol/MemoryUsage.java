package dev.meshguard.server.protocol;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The answer of a server to a usage query: bytes allocated on a device.
 *
 * @param device the queried device
 * @param dram bytes of DRAM
 * @param l1 bytes of L1
 * @param l1Small bytes of L1_SMALL and of SYSTEM_MEMORY, which the server adds to it
 * @param trace bytes of TRACE
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record MemoryUsage(int device, long dram, long l1, long l1Small, long trace) implements Message {

    /** Returns the usage of a device on which nothing is allocated. */
    public static MemoryUsage none(int device) {
        return new MemoryUsage(device, 0, 0, 0, 0);
    }

    @Override
    public MessageType type() {
        return MessageType.RESPONSE;
    }
}
