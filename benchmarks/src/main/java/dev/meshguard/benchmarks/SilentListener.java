package dev.meshguard.benchmarks;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Ownership;
import dev.meshguard.tracker.AllocationListener;

/** Receives everything and records nothing: the cost of a mesh without tracking. */
final class SilentListener implements AllocationListener {

    @Override
    public void allocated(
            MemoryRequest request, int device, BufferType type, long address, long size, Ownership ownership) {}

    @Override
    public void freed(MemoryRequest release, int device, BufferType type, long address, Ownership ownership) {}
}
