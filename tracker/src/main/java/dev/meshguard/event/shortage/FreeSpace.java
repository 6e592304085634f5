package dev.meshguard.event.shortage;

import dev.meshguard.event.BufferType;
import java.util.List;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * An allocator's free space in one memory at one moment, the same for every bank of every device that it serves.
 *
 * @param type the memory
 * @param devices the devices
 * @param freePerBank the free bytes of a bank
 * @param largestFreePerBank the bytes of its largest free block
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record FreeSpace(BufferType type, List<Integer> devices, long freePerBank, long largestFreePerBank) {

    /** Creates a report with its own copy of the devices. */
    public FreeSpace {
        devices = List.copyOf(devices);
    }
}
