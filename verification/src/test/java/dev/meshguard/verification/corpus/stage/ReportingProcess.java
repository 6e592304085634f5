package dev.meshguard.verification.corpus.stage;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Ownership;
import dev.meshguard.mesh.internal.report.ForwardingListener;
import dev.meshguard.tracker.AllocationListener;

/** A process that reports under its own number until it ends. */
final class ReportingProcess extends ForwardingListener {

    private final long id;

    ReportingProcess(AllocationListener listener, long id) {
        super(listener);
        this.id = id;
    }

    void die() {
        listener.processDied(id);
    }

    @Override
    public MemoryRequest request(AllocationDetails details) {
        return listener.request(details.reportedBy(id));
    }

    @Override
    public MemoryRequest release(AllocationDetails details) {
        return listener.release(details.reportedBy(id));
    }

    @Override
    public MemoryRequest releaseByAddress(AllocationDetails details) {
        return listener.releaseByAddress(details.reportedBy(id));
    }

    @Override
    public void allocated(
            MemoryRequest request, int device, BufferType type, long address, long size, Ownership ownership) {
        listener.allocated(request, device, type, address, size, ownership);
    }

    @Override
    public void freed(MemoryRequest release, int device, BufferType type, long address, Ownership ownership) {
        listener.freed(release, device, type, address, ownership);
    }
}
