package dev.meshguard.mesh.runtime;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The order of the steps when a mesh closes.
 *
 * <p>Engineers who saw buffers that seemed to outlive the close tried to solve this by changing the order (seed 003). The order
 * decides whether the runtime's own buffers are freed or cleared. The snapshot of the allocators before they are cleared shows
 * the difference. The order has no effect on the buffers of a program cache or of the code under test. {@link RuntimeFix}
 * changes the close of a device.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum CloseOrder {
    /**
     * The mesh's own buffers and the programs of its command queues are freed, then the allocators are cleared:
     * {@code MeshDevice::close_impl}.
     */
    SYSTEM_BUFFERS_FIRST,
    /** The runtime clears the allocators while its buffers still exist; their frees are reported and free nothing. */
    ALLOCATORS_FIRST
}
