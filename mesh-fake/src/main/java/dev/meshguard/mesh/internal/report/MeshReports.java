package dev.meshguard.mesh.internal.report;

import static dev.meshguard.mesh.runtime.RuntimeDefect.BACKING_BUFFERS_REPORTED_AS_DEVICE_0;
import static dev.meshguard.mesh.runtime.RuntimeDefect.BUFFERS_FREED_AFTER_CLOSE_NOT_REPORTED;
import static dev.meshguard.mesh.runtime.RuntimeDefect.CIRCULAR_BUFFERS_NEVER_REPORTED_FREE;
import static dev.meshguard.mesh.runtime.RuntimeDefect.CIRCULAR_BUFFERS_NOT_REPORTED;
import static dev.meshguard.mesh.runtime.RuntimeDefect.MESH_BUFFER_DEALLOCATE_RETURNS_EARLY;
import static dev.meshguard.mesh.runtime.RuntimeDefect.NON_OWNING_BUFFERS_DO_NOT_REPORT_FREES;
import static dev.meshguard.mesh.runtime.RuntimeDefect.PROGRAM_END_FREES_ALL_CIRCULAR_BUFFERS;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.Phase;
import dev.meshguard.mesh.internal.allocation.Allocation;
import dev.meshguard.mesh.internal.allocation.Allocation.Kind;
import dev.meshguard.mesh.internal.allocation.Allocation.ReleaseReason;
import dev.meshguard.mesh.internal.process.RuntimeSettings;
import dev.meshguard.mesh.runtime.ReportingModel;
import dev.meshguard.mesh.runtime.RuntimeDefect;
import dev.meshguard.mesh.runtime.RuntimeFix;
import dev.meshguard.tracker.AllocationListener;
import dev.meshguard.tracker.Scope;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;

/**
 * Reports the buffers of one mesh without hardware to its listener, according to the reporting model and the defects.
 *
 * <p>Called under the lock of the mesh, so that a free is always reported before its address can be reused.
 */
public final class MeshReports {

    private final RuntimeSettings settings;
    private final AllocationListener listener;
    private final int mesh;
    private final ReportingModel model;
    private final List<Integer> devices;
    private final int meshLevelDevice;
    private final IntPredicate openedAgain;
    /**
     * The circular buffers that were reported as placed and not as ended; stored only for the defect that frees them all at
     * once.
     */
    private final List<CircularBuffer> circularBuffers = new ArrayList<>();

    /**
     * Creates the reports of one mesh.
     *
     * @param mesh the number of the mesh
     * @param devices its devices
     * @param openedAgain whether a device was opened by another mesh after this one was closed
     */
    public MeshReports(RuntimeSettings settings, int mesh, List<Integer> devices, IntPredicate openedAgain) {
        this.settings = settings;
        this.listener = DefectInjectingListener.between(settings.listener(), settings.defects());
        this.mesh = mesh;
        this.model = settings.reporting();
        this.devices = devices;
        this.meshLevelDevice = settings.preset().meshLevelDevice(mesh);
        this.openedAgain = openedAgain;
    }

    public AllocationListener listener() {
        return listener;
    }

    public boolean has(RuntimeDefect defect) {
        return settings.defects().contains(defect);
    }

    public boolean has(RuntimeFix fix) {
        return settings.fixes().contains(fix);
    }

    public void during(Phase phase, Runnable work) {
        Scope scope = Answers.phase(listener, phase);
        try {
            work.run();
        } finally {
            scope.close();
        }
    }

    /**
     * Returns whether the mesh reports a buffer at all.
     *
     * <p>Only a runtime that reports views, and uses the mesh's number as a device's, reports the buffer that a program keeps
     * on the mesh.
     */
    public boolean concern(Allocation allocation) {
        return switch (allocation.kind()) {
            case LOCK_STEP, ON_ONE_DEVICE -> true;
            case VIEW -> model.reportsViews();
            case VIEW_ON_MESH -> model.reportsViews() && has(BACKING_BUFFERS_REPORTED_AS_DEVICE_0);
        };
    }

    /** Reports the handle through which the code under test holds its memory. Views of other memory are not reported. */
    public void handleReturned(Object handle, Allocation allocation) {
        allocation.handOut().ifPresent(request -> listener.handleReturned(request, handle));
    }

    /** Reports a buffer as part of a new request. */
    public MemoryRequest allocated(Allocation allocation) {
        MemoryRequest request = Answers.request(listener, allocation.details());
        allocated(request, allocation);
        return request;
    }

    /** Reports a buffer as part of a request that has reported others already. */
    public void allocated(MemoryRequest request, Allocation allocation) {
        if (!concern(allocation)) {
            return;
        }
        owningDevices(allocation).forEach(device -> allocatedOn(device, request, allocation, Ownership.OWNING));
        nonOwningDevices(allocation).forEach(device -> allocatedOn(device, request, allocation, Ownership.NON_OWNING));
    }

    private void allocatedOn(int device, MemoryRequest request, Allocation allocation, Ownership ownership) {
        listener.allocated(request, device, allocation.type(), allocation.address(), allocation.size(), ownership);
    }

    /** Reports the free of a buffer of an open mesh. */
    public void freed(MemoryRequest release, Allocation allocation, ReleaseReason ending) {
        boolean returnsEarly = ending == ReleaseReason.DEALLOCATED && has(MESH_BUFFER_DEALLOCATE_RETURNS_EARLY);
        if (!returnsEarly && !has(NON_OWNING_BUFFERS_DO_NOT_REPORT_FREES)) {
            nonOwningDevices(allocation).forEach(device -> freedOn(device, release, allocation, Ownership.NON_OWNING));
        }
        owningDevices(allocation).forEach(device -> freedOn(device, release, allocation, Ownership.OWNING));
    }

    private void freedOn(int device, MemoryRequest release, Allocation allocation, Ownership ownership) {
        listener.freed(release, device, allocation.type(), allocation.address(), ownership);
    }

    /** Returns the devices on which reports say that a buffer owns its memory. */
    private List<Integer> owningDevices(Allocation allocation) {
        return switch (allocation.kind()) {
            case LOCK_STEP -> {
                if (has(BACKING_BUFFERS_REPORTED_AS_DEVICE_0)) {
                    yield List.of(meshLevelDevice);
                }
                yield model.reportsBackingBuffers() ? allocation.devices() : List.of();
            }
            case ON_ONE_DEVICE -> allocation.devices();
            case VIEW, VIEW_ON_MESH -> List.of();
        };
    }

    /** Returns the devices on which reports say that a buffer views memory of another. */
    private List<Integer> nonOwningDevices(Allocation allocation) {
        return switch (allocation.kind()) {
            case LOCK_STEP -> model.reportsBackingBuffers() ? List.of() : allocation.devices();
            case ON_ONE_DEVICE -> List.of();
            case VIEW -> allocation.devices();
            case VIEW_ON_MESH -> List.of(meshLevelDevice);
        };
    }

    /**
     * Reports the free of a buffer whose mesh is closed.
     *
     * <p>A runtime that reports such frees cannot do so after a device was opened again. The address then belongs to another
     * open period, whose buffer would appear as freed.
     */
    public void freedAfterClose(MemoryRequest release, Allocation allocation, ReleaseReason ending) {
        boolean reported = model.reportsFreesAfterClose() && !has(BUFFERS_FREED_AFTER_CLOSE_NOT_REPORTED);
        boolean repaired = ending == ReleaseReason.DIED && has(RuntimeFix.PROGRAMS_REPORT_BINARIES_AFTER_CLOSE);
        if (isOpenedAgain(allocation) || !(reported || repaired)) {
            freeIgnored(release, allocation, IgnoredFreeReason.DEVICE_CLOSED);
        } else {
            freed(release, allocation, ending);
        }
    }

    /** Returns whether one of a buffer's devices was closed and opened again. */
    public boolean isOpenedAgain(Allocation allocation) {
        return allocation.devices().stream().anyMatch(openedAgain::test);
    }

    /** Reports that a free of a buffer had no effect. */
    public void freeIgnored(MemoryRequest release, Allocation allocation, IgnoredFreeReason reason) {
        List<Integer> on = allocation.kind() == Kind.VIEW_ON_MESH ? List.of(meshLevelDevice) : allocation.devices();
        for (int device : on) {
            listener.freeIgnored(release, device, allocation.type(), allocation.address(), reason);
        }
    }

    public void unknownAddress(BufferType type, long address) {
        MemoryRequest release =
                Answers.release(listener, AllocationDetails.user().onMesh(mesh).fromAllocator(AllocatorId.MESH));
        for (int device : devices) {
            listener.freeIgnored(release, device, type, address, IgnoredFreeReason.UNKNOWN_ADDRESS);
        }
    }

    /**
     * Returns the devices under which the circular buffers of a program on the mesh are reported.
     *
     * <p>These are not only the devices of the program, because its layout is computed for the whole mesh.
     */
    public List<Integer> circularBufferDevices() {
        return model.reportsCircularBuffersOnEveryDevice() ? devices : devices.subList(0, 1);
    }

    public void circularBufferAllocated(
            AllocationDetails details, List<Integer> on, long address, long size, Object handle) {
        if (has(CIRCULAR_BUFFERS_NOT_REPORTED)) {
            return;
        }
        if (has(PROGRAM_END_FREES_ALL_CIRCULAR_BUFFERS)) {
            circularBuffers.add(new CircularBuffer(details, on, address));
        }
        MemoryRequest request = Answers.request(listener, details);
        for (int device : on) {
            listener.allocated(request, device, BufferType.L1, address, size, Ownership.OWNING);
        }
        listener.handleReturned(request, handle);
    }

    public void circularBufferFreed(AllocationDetails details, List<Integer> on, long address) {
        if (has(PROGRAM_END_FREES_ALL_CIRCULAR_BUFFERS)) {
            List<CircularBuffer> all = List.copyOf(circularBuffers);
            circularBuffers.clear();
            all.forEach(this::reportFree);
        } else {
            reportFree(new CircularBuffer(details, on, address));
        }
    }

    /** Reports that a circular buffer is gone although its program lives on: it is placed elsewhere, or was rejected. */
    public void circularBufferReplaced(AllocationDetails details, List<Integer> on, long address) {
        CircularBuffer replaced = new CircularBuffer(details, on, address);
        circularBuffers.remove(replaced);
        reportFree(replaced);
    }

    private void reportFree(CircularBuffer buffer) {
        if (has(CIRCULAR_BUFFERS_NEVER_REPORTED_FREE) || has(CIRCULAR_BUFFERS_NOT_REPORTED)) {
            return;
        }
        MemoryRequest release = Answers.release(listener, buffer.details());
        for (int device : buffer.devices()) {
            if (openedAgain.test(device)) {
                listener.freeIgnored(release, device, BufferType.L1, buffer.address(), IgnoredFreeReason.DEVICE_CLOSED);
            } else {
                listener.freed(release, device, BufferType.L1, buffer.address(), Ownership.OWNING);
            }
        }
    }

    private record CircularBuffer(AllocationDetails details, List<Integer> devices, long address) {}
}
