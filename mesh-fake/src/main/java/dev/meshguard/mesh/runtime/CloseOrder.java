package dev.meshguard.mesh.runtime;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * In which order a mesh takes itself apart when it is closed.
 *
 * <p>Engineers who met buffers that seemed to outlive the close tried to mend it by changing the order of things (seed 003). The order
 * decides whether the runtime's own buffers are freed or wiped, which shows in the reading of the allocators before the wipe; it
 * cannot reach what a program cache or the code under test holds. What a device does when it is closed is changed by {@link
 * RuntimeFix}.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum CloseOrder {
    /**
     * The mesh's own buffers and the programs of its command queues are freed, then the allocators are wiped:
     * {@code MeshDevice::close_impl}.
     */
    SYSTEM_BUFFERS_FIRST,
    /** The allocators are wiped while these are still there; their frees are reported and find nothing to free. */
    ALLOCATORS_FIRST
}
