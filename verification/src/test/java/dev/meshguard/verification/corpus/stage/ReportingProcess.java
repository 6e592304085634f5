package dev.meshguard.verification.corpus.stage;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.Phase;
import dev.meshguard.tracker.AllocationListener;
import dev.meshguard.tracker.Scope;
import java.util.function.LongFunction;

/** A process that reports under its own number until it ends; then its reports stop. */
final class ReportingProcess implements AllocationListener {

    private final AllocationListener listener;
    private final long id;
    private boolean dead;

    ReportingProcess(AllocationListener listener, long id) {
        this.listener = listener;
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
        report(() -> listener.freeIgnored(release, device, type, address, reason));
    }

    @Override
    public Scope phase(Phase phase) {
        return listener.phase(phase);
    }

    @Override
    public void meshOpened(MeshDescription mesh) {
        report(() -> listener.meshOpened(mesh));
    }

    @Override
    public void meshClosing(int mesh) {
        report(() -> listener.meshClosing(mesh));
    }

    @Override
    public void meshClosed(int mesh) {
        report(() -> listener.meshClosed(mesh));
    }

    @Override
    public void reported(LongFunction<HistoryEvent> event) {
        if (!dead || event.apply(0) instanceof HistoryEvent.SourceAttached) {
            listener.reported(event);
        }
    }

    @Override
    public void handleReturned(MemoryRequest request, Object handle) {
        listener.handleReturned(request, handle);
    }

    private void report(Runnable report) {
        if (!dead) {
            report.run();
        }
    }
}
