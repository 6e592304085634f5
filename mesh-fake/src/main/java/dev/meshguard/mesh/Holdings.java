package dev.meshguard.mesh;

import dev.meshguard.mesh.Allocation.Ending;
import dev.meshguard.tracker.AllocationDetails;
import dev.meshguard.tracker.Owner;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a program or a workload keeps until it ends.
 *
 * <p>Apart from the program itself, so that it can be given back when nobody has that any more. Safe for use by several threads;
 * {@link #end} is called under the lock of the mesh.
 */
final class Holdings {

    private final List<Allocation> buffers = new ArrayList<>();
    private final List<PlacedCircularBuffer> circularBuffers = new ArrayList<>();
    private final List<Holdings> parts = new ArrayList<>();
    private @Nullable Owner owner;
    private boolean ended;

    /** Names who ends with them. */
    synchronized Holdings of(Owner newOwner) {
        owner = newOwner;
        return this;
    }

    /** Keeps a buffer. */
    synchronized void hold(Allocation buffer) {
        buffers.add(buffer);
    }

    /** Keeps a circular buffer that was reported for some devices. */
    synchronized void hold(AllocationDetails details, List<Integer> devices, long address) {
        circularBuffers.add(new PlacedCircularBuffer(details, devices, address));
    }

    /** Keeps what a part keeps, and ends it. */
    synchronized void hold(Holdings part) {
        parts.add(part);
    }

    synchronized boolean haveEnded() {
        return ended;
    }

    /** Ends, also when the mesh is closed, unless that happened before. */
    synchronized void end(MeshDevice mesh, Ending ending) {
        if (ended) {
            return;
        }
        ended = true;
        buffers.forEach(buffer -> mesh.memory().free(buffer, ending));
        for (PlacedCircularBuffer buffer : circularBuffers) {
            AllocationDetails details =
                    ending == Ending.COLLECTED ? buffer.details().ofCollectedHandle() : buffer.details();
            mesh.reports().circularBufferFreed(details, buffer.devices(), buffer.address());
        }
        parts.forEach(part -> part.end(mesh, ending));
        if (owner != null) {
            mesh.reports().listener().ownerEnded(owner);
        }
    }

    /** Ends what was never enqueued. */
    synchronized void endUnused() {
        ended = true;
        parts.forEach(Holdings::endUnused);
    }

    /** Sees to it that they end with a handle that is collected. */
    void endWith(Object handle, MeshDevice mesh) {
        mesh.watch(handle, () -> end(mesh, Ending.COLLECTED));
    }

    private record PlacedCircularBuffer(AllocationDetails details, List<Integer> devices, long address) {}
}
