package dev.meshguard.verdict;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.history.MemorySnapshot.MemoryKey;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * One type of memory on one device, for example the L1 of device 3.
 *
 * @param device the device id
 * @param type the memory
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record DeviceMemory(int device, BufferType type) implements Comparable<DeviceMemory> {

    /** Returns the memory of one lifetime together with that of the others. */
    @API(status = Status.INTERNAL, since = "0.1")
    public static DeviceMemory of(MemoryKey memory) {
        return new DeviceMemory(memory.device(), memory.type());
    }

    @Override
    public int compareTo(DeviceMemory other) {
        int byType = type.compareTo(other.type);
        return byType != 0 ? byType : Integer.compare(device, other.device);
    }

    /** Returns {@code DRAM of device 3}. */
    @Override
    public String toString() {
        return type + " of " + HistoryEvent.nameOfDevice(device);
    }
}
