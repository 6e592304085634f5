package dev.meshguard.mesh.internal.program;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.Owner;
import dev.meshguard.handle.NotSearched;
import dev.meshguard.mesh.internal.allocation.Allocation;
import dev.meshguard.mesh.internal.allocation.Allocation.ReleaseReason;
import dev.meshguard.mesh.internal.context.MeshContext;
import dev.meshguard.mesh.internal.context.MeshLock;
import dev.meshguard.mesh.internal.device.DeviceOpenPeriod;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The resources that a program or a workload keeps until it ends, on every mesh on which it was enqueued.
 *
 * <p>Separate from the program itself, so that they can be freed when the program is unreachable. Safe for use by several
 * threads.
 */
@NotSearched
public final class OwnedResources {

    private final Set<MeshContext> meshes = new LinkedHashSet<>();
    private final List<OwnedBuffer> buffers = new ArrayList<>();
    private final List<CircularBufferPlacement> placements = new ArrayList<>();
    private final List<OwnedResources> parts = new ArrayList<>();
    private final Set<MeshContext> watchedOn = new HashSet<>();
    private final Set<MeshContext> collectedOn = new HashSet<>();
    private @Nullable Owner owner;
    private boolean ended;

    /** Sets the owner that ends with the resources. */
    public synchronized OwnedResources of(Owner newOwner) {
        owner = newOwner;
        return this;
    }

    /** Records that there are, or will be, resources on a mesh. */
    public synchronized void visit(MeshContext mesh) {
        if (ended) {
            throw new IllegalStateException(
                    "Cannot enqueue what has ended meanwhile. Create a new program or workload, or enqueue before you close.");
        }
        meshes.add(mesh);
    }

    public synchronized boolean areSomewhere() {
        return !meshes.isEmpty();
    }

    /** Keeps a buffer. */
    public synchronized void hold(MeshContext mesh, Allocation buffer) {
        meshes.add(mesh);
        buffers.add(new OwnedBuffer(mesh, buffer));
    }

    /** Adds the resources of a part, and ends them with these. */
    public synchronized void hold(OwnedResources part) {
        parts.add(part);
    }

    /** Reports the circular buffers of a layout on the devices on which they were not reported. */
    public synchronized void place(
            MeshContext mesh,
            CircularBufferLayout layout,
            AllocationDetails details,
            List<DeviceOpenPeriod> devices,
            Object handle) {
        Set<DeviceOpenPeriod> missing = new LinkedHashSet<>(devices);
        missing.removeIf(device -> placements.stream().anyMatch(placement -> placement.covers(device)));
        if (!missing.isEmpty()) {
            placements.add(CircularBufferPlacement.report(mesh, layout, details, List.copyOf(missing), handle));
        }
    }

    /** Reports that there are no circular buffers any more on some devices. */
    public synchronized void withdraw(Collection<DeviceOpenPeriod> devices) {
        placements.forEach(placement -> placement.withdraw(devices));
        placements.removeIf(CircularBufferPlacement::isEmpty);
    }

    public synchronized boolean haveEnded() {
        return ended;
    }

    /** Ends, also when meshes are closed, unless that happened before; takes the locks of the meshes. */
    public void end(ReleaseReason ending) {
        List<MeshContext> visited;
        List<OwnedResources> kept;
        Owner named;
        synchronized (this) {
            if (ended) {
                return;
            }
            ended = true;
            visited = List.copyOf(meshes);
            kept = List.copyOf(parts);
            named = owner;
        }
        for (MeshContext mesh : visited) {
            try (MeshLock held = mesh.lock().acquire()) {
                release(mesh, ending);
            }
        }
        kept.forEach(part -> part.end(ending));
        if (named != null && !visited.isEmpty()) {
            MeshContext last = visited.get(visited.size() - 1);
            try (MeshLock held = last.lock().acquire()) {
                last.reports().listener().ownerEnded(named);
            }
        }
    }

    /**
     * Ends the resources after a handle was collected. Each mesh does so when it detects the collection, so no mesh needs the
     * lock of another.
     */
    public void endWith(Object handle, MeshContext mesh) {
        synchronized (this) {
            if (!watchedOn.add(mesh)) {
                return;
            }
        }
        mesh.lock().watch(handle, () -> endOn(mesh));
    }

    private void endOn(MeshContext mesh) {
        List<OwnedResources> kept;
        Owner named;
        synchronized (this) {
            boolean wasEndedByCall = ended && collectedOn.isEmpty();
            if (wasEndedByCall || !collectedOn.add(mesh)) {
                return;
            }
            boolean hadEnded = ended;
            ended = collectedOn.containsAll(meshes);
            kept = List.copyOf(parts);
            named = ended && !hadEnded && !meshes.isEmpty() ? owner : null;
        }
        release(mesh, ReleaseReason.COLLECTED);
        kept.forEach(part -> part.endOn(mesh));
        if (named != null) {
            mesh.reports().listener().ownerEnded(named);
        }
    }

    private synchronized void release(MeshContext mesh, ReleaseReason ending) {
        buffers.stream()
                .filter(held -> held.mesh() == mesh)
                .forEach(held -> mesh.memory().free(held.buffer(), ending));
        placements.stream().filter(placement -> placement.mesh() == mesh).forEach(placement -> placement.end(ending));
    }

    private record OwnedBuffer(MeshContext mesh, Allocation buffer) {}
}
