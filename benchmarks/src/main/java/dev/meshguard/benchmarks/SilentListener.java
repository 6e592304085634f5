package dev.meshguard.benchmarks;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.Phase;
import dev.meshguard.tracker.AllocationListener;
import dev.meshguard.tracker.Scope;

/** Receives everything and records nothing: the cost of a mesh without tracking. */
final class SilentListener implements AllocationListener {

    @Override
    public MemoryRequest request(AllocationDetails details) {
        return MemoryRequest.of(details);
    }

    @Override
    public MemoryRequest release(AllocationDetails details) {
        return MemoryRequest.of(details);
    }

    @Override
    public void allocated(
            MemoryRequest request, int device, BufferType type, long address, long size, Ownership ownership) {}

    @Override
    public void freed(MemoryRequest release, int device, BufferType type, long address, Ownership ownership) {}

    @Override
    public void freeIgnored(
            MemoryRequest release, int device, BufferType type, long address, IgnoredFreeReason reason) {}

    @Override
    public Scope phase(Phase phase) {
        return () -> {};
    }

    @Override
    public void meshOpened(MeshDescription mesh) {}

    @Override
    public void meshClosing(int mesh) {}

    @Override
    public void meshClosed(int mesh) {}
}
