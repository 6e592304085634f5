package dev.meshguard.verdict.internal.survivor;

import dev.meshguard.event.BufferType;
import dev.meshguard.history.Anomaly;
import dev.meshguard.history.BufferGeneration;

/** An address in one memory of one device. */
public record MemoryAddress(int device, BufferType type, long address) {

    public static MemoryAddress of(BufferGeneration buffer) {
        return new MemoryAddress(buffer.device(), buffer.type(), buffer.address());
    }

    public static MemoryAddress of(Anomaly anomaly) {
        return new MemoryAddress(anomaly.device(), anomaly.type(), anomaly.address());
    }
}
