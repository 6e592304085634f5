package dev.meshguard.mesh.internal.report;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.CacheKey;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Owner;
import dev.meshguard.event.Phase;
import dev.meshguard.event.SourceDescription;
import dev.meshguard.event.WitnessSnapshot;
import dev.meshguard.tracker.AllocationListener;
import dev.meshguard.tracker.Scope;
import java.util.List;
import java.util.Optional;

/** Base class of listeners that change reports: forwards all calls except allocations and frees to another listener. */
public abstract class ForwardingListener implements AllocationListener {

    public final AllocationListener listener;

    public ForwardingListener(AllocationListener listener) {
        this.listener = listener;
    }

    @Override
    public MemoryRequest request(AllocationDetails details) {
        return listener.request(details);
    }

    @Override
    public MemoryRequest release(AllocationDetails details) {
        return listener.release(details);
    }

    @Override
    public void freeIgnored(
            MemoryRequest release, int device, BufferType type, long address, IgnoredFreeReason reason) {
        listener.freeIgnored(release, device, type, address, reason);
    }

    @Override
    public Scope phase(Phase phase) {
        return listener.phase(phase);
    }

    @Override
    public void ownerCached(Owner owner, String cache) {
        listener.ownerCached(owner, cache);
    }

    @Override
    public void ownerCached(Owner owner, String cache, CacheKey key) {
        listener.ownerCached(owner, cache, key);
    }

    @Override
    public void ownerEnded(Owner owner) {
        listener.ownerEnded(owner);
    }

    @Override
    public void meshOpened(MeshDescription mesh) {
        listener.meshOpened(mesh);
    }

    @Override
    public void captureBegan(int mesh, Owner trace) {
        listener.captureBegan(mesh, trace);
    }

    @Override
    public void programCaptured(Owner trace, Owner program, Optional<AllocatorId> subDevice) {
        listener.programCaptured(trace, program, subDevice);
    }

    @Override
    public void bufferCaptured(Owner trace, MemoryRequest buffer) {
        listener.bufferCaptured(trace, buffer);
    }

    @Override
    public void captureEnded(Owner trace) {
        listener.captureEnded(trace);
    }

    @Override
    public void traceReplayed(Owner trace, List<Owner> inFlight) {
        listener.traceReplayed(trace, inFlight);
    }

    @Override
    public void meshClosing(int mesh) {
        listener.meshClosing(mesh);
    }

    @Override
    public void meshClosed(int mesh) {
        listener.meshClosed(mesh);
    }

    @Override
    public void deviceOpened(int device) {
        listener.deviceOpened(device);
    }

    @Override
    public void deviceClosed(int device) {
        listener.deviceClosed(device);
    }

    @Override
    public void witnessed(WitnessSnapshot reading) {
        listener.witnessed(reading);
    }

    @Override
    public void reportsLost(long count, String reason) {
        listener.reportsLost(count, reason);
    }

    @Override
    public void handleReturned(MemoryRequest request, Object handle) {
        listener.handleReturned(request, handle);
    }

    @Override
    public void sourceAttached(SourceDescription source) {
        listener.sourceAttached(source);
    }

    @Override
    public void sourceNoted(String note) {
        listener.sourceNoted(note);
    }

    @Override
    public void processDied(long processId) {
        listener.processDied(processId);
    }

    @Override
    public void trackingStopped(String reason) {
        listener.trackingStopped(reason);
    }

    @Override
    public void trackingStarted() {
        listener.trackingStarted();
    }
}
