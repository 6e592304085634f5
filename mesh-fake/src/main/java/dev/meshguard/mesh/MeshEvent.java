package dev.meshguard.mesh;

import dev.meshguard.text.InvariantText;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * A point in the order of a command queue's work, for another queue to wait for.
 *
 * <p>Immutable and safe for use by several threads. Source: {@code tt_metal/api/tt-metalium/mesh_event.hpp}.
 *
 * @param id the number among the events of its queue, from 1; each {@link MeshCommandQueue#finish finish} takes a number too
 * @param device the mesh
 * @param queue the number of the queue that records it
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record MeshEvent(int id, MeshDevice device, int queue) {

    /** Returns queue and number for a person to read. */
    @Override
    public String toString() {
        return InvariantText.of("MeshEvent(%d on command queue %d of mesh %d)", id, queue, device.id());
    }
}
