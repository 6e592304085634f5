package dev.meshguard.verification.corpus.stage;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Ownership;
import dev.meshguard.mesh.internal.report.ForwardingListener;
import dev.meshguard.tracker.AllocationListener;
import java.util.function.LongFunction;

/** A process that reports under its own number until it ends; then its reports stop. */
final class ReportingProcess extends ForwardingListener {

    private final long id;
    private boolean dead;

    ReportingProcess(AllocationListener listener, long id) {
        super(listener);
        this.id = id;
    }

    void die() {
        dead = true;
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
        report(() -> listener.allocated(request, device, type, address, size, ownership));
    }

    @Override
    public void freed(MemoryRequest release, int device, BufferType type, long address, Ownership ownership) {
        report(() -> listener.freed(release, device, type, address, ownership));
    }

    @Override
    public void freeIgnored(
            MemoryRequest release, int device, BufferType type, long address, IgnoredFreeReason reason) {
        report(() -> super.freeIgnored(release, device, type, address, reason));
    }

    @Override
    public void meshOpened(MeshDescription mesh) {
        report(() -> super.meshOpened(mesh));
    }

    @Override
    public void meshClosing(int mesh) {
        report(() -> super.meshClosing(mesh));
    }

    @Override
    public void meshClosed(int mesh) {
        report(() -> super.meshClosed(mesh));
    }

    @Override
    public void reported(LongFunction<HistoryEvent> event) {
        if (!dead || event.apply(0) instanceof HistoryEvent.SourceAttached) {
            super.reported(event);
        }
    }

    private void report(Runnable report) {
        if (!dead) {
            report.run();
        }
    }
}
