package dev.meshguard.mesh.internal.report;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Phase;
import dev.meshguard.tracker.AllocationListener;
import dev.meshguard.tracker.Scope;
import java.util.function.LongFunction;

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
    public MemoryRequest releaseByAddress(AllocationDetails details) {
        return listener.releaseByAddress(details);
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
    public void reported(LongFunction<HistoryEvent> event) {
        listener.reported(event);
    }

    @Override
    public void meshOpened(MeshDescription mesh) {
        listener.meshOpened(mesh);
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
    public void handleReturned(MemoryRequest request, Object handle) {
        listener.handleReturned(request, handle);
    }
}
