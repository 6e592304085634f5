package dev.meshguard.capture.internal;

import dev.meshguard.capture.internal.CapturedBuffer.Memory;
import dev.meshguard.history.LogEvents;
import java.util.HashMap;
import java.util.Map;

/** The numbers under which a list of events knows the addresses of a capture. */
final class AddressIndices {

    private record DeviceAddress(int device, long address) {}

    private final LogEvents events;
    private final Map<Memory, Integer> indices = new HashMap<>();
    /** The memory that was introduced last at each address. */
    private final Map<DeviceAddress, Integer> latest = new HashMap<>();

    AddressIndices(LogEvents events) {
        this.events = events;
    }

    int of(Memory memory) {
        return indices.computeIfAbsent(memory, this::introduced);
    }

    /** Returns whether there is an event of the address. */
    boolean has(Memory memory) {
        return indices.containsKey(memory);
    }

    private int introduced(Memory memory) {
        DeviceAddress address = new DeviceAddress(memory.device(), memory.address());
        int index = events.index(
                memory.device(), memory.type(), memory.address(), latest.getOrDefault(address, LogEvents.NO_INDEX));
        latest.put(address, index);
        return index;
    }
}
