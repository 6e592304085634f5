package dev.meshguard.mesh.internal.process;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.Owner;
import dev.meshguard.mesh.buffer.BufferConfig;

/** A buffer that the runtime allocates for itself when a mesh is opened. */
public record SystemBufferSpec(Owner owner, BufferType type, long size, BufferLifetime lifetime) {

    public BufferConfig config() {
        return BufferConfig.of(type, size, size);
    }

    public AllocationDetails details() {
        return AllocationDetails.system(owner).withLifetime(lifetime);
    }
}
