package dev.meshguard.mesh.internal.report;

import static dev.meshguard.mesh.runtime.RuntimeDefect.EARLY_ALLOCATIONS_NOT_REPORTED;
import static dev.meshguard.mesh.runtime.RuntimeDefect.FREES_NAME_STALE_DEVICES;
import static dev.meshguard.mesh.runtime.RuntimeDefect.FREES_REPORTED_AFTER_THE_ADDRESS_IS_REUSED;
import static dev.meshguard.mesh.runtime.RuntimeDefect.REPORTS_END_AT_CLOSE;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.Phase;
import dev.meshguard.mesh.runtime.RuntimeDefect;
import dev.meshguard.tracker.AllocationListener;
import dev.meshguard.tracker.Scope;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongFunction;

/**
 * Forwards the reports of one mesh to its listener, and loses, delays or alters reports as the defects require.
 *
 * <p>It handles only the defects of the transport; {@link MeshReports} handles wrong reports of the mesh itself. Safe for use
 * by several threads.
 */
public final class DefectInjectingListener extends ForwardingListener {

    private static final Set<RuntimeDefect> OF_THE_ROAD = EnumSet.of(
            EARLY_ALLOCATIONS_NOT_REPORTED,
            FREES_NAME_STALE_DEVICES,
            FREES_REPORTED_AFTER_THE_ADDRESS_IS_REUSED,
            REPORTS_END_AT_CLOSE);

    private final Set<RuntimeDefect> defects;
    private final List<Free> heldUp = new ArrayList<>();
    private boolean opening;
    private boolean closed;

    private DefectInjectingListener(AllocationListener listener, Set<RuntimeDefect> defects) {
        super(listener);
        this.defects = defects;
    }

    /** Returns the listener itself unless the road to it has a defect. */
    public static AllocationListener between(AllocationListener listener, Set<RuntimeDefect> defects) {
        return defects.isEmpty() || Collections.disjoint(OF_THE_ROAD, defects)
                ? listener
                : new DefectInjectingListener(listener, defects);
    }

    @Override
    public synchronized void allocated(
            MemoryRequest request, int device, BufferType type, long address, long size, Ownership ownership) {
        boolean unheard = opening && defects.contains(EARLY_ALLOCATIONS_NOT_REPORTED);
        if (unheard || isSilent()) {
            return;
        }
        listener.allocated(request, device, type, address, size, ownership);
        heldUp.removeIf(free -> {
            boolean lentAnew = free.device() == device && free.type() == type && free.address() == address;
            if (lentAnew) {
                free.report(listener);
            }
            return lentAnew;
        });
    }

    @Override
    public synchronized void freed(
            MemoryRequest release, int device, BufferType type, long address, Ownership ownership) {
        if (isSilent()) {
            return;
        }
        int named = defects.contains(FREES_NAME_STALE_DEVICES) ? device + RuntimeDefect.STALE_DEVICE_IDS : device;
        Free free = new Free(release, named, type, address, ownership);
        if (defects.contains(FREES_REPORTED_AFTER_THE_ADDRESS_IS_REUSED) && !closed) {
            heldUp.add(free);
        } else {
            free.report(listener);
        }
    }

    @Override
    public void freeIgnored(
            MemoryRequest release, int device, BufferType type, long address, IgnoredFreeReason reason) {
        if (!isSilent()) {
            listener.freeIgnored(release, device, type, address, reason);
        }
    }

    @Override
    public Scope phase(Phase phase) {
        if (phase.equals(Phase.OPEN)) {
            setOpening(true);
        }
        Scope scope = Answers.phase(listener, phase);
        return () -> {
            if (phase.equals(Phase.OPEN)) {
                setOpening(false);
            }
            scope.close();
        };
    }

    @Override
    public void reported(LongFunction<HistoryEvent> event) {
        if (!isSilent() || !(event.apply(0) instanceof HistoryEvent.OwnerEnded)) {
            listener.reported(event);
        }
    }

    @Override
    public synchronized void meshClosing(int mesh) {
        heldUp.forEach(free -> free.report(listener));
        heldUp.clear();
        listener.meshClosing(mesh);
    }

    @Override
    public synchronized void meshClosed(int mesh) {
        heldUp.forEach(free -> free.report(listener));
        heldUp.clear();
        closed = true;
        listener.meshClosed(mesh);
    }

    private synchronized void setOpening(boolean now) {
        opening = now;
    }

    private synchronized boolean isSilent() {
        return closed && defects.contains(REPORTS_END_AT_CLOSE);
    }

    private record Free(MemoryRequest release, int device, BufferType type, long address, Ownership ownership) {

        void report(AllocationListener listener) {
            listener.freed(release, device, type, address, ownership);
        }
    }
}
