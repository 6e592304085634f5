package dev.meshguard.mesh.runtime;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * In which order a mesh takes itself apart when it is closed.
 *
 * <p>Engineers who met buffers that seemed to outlive the close tried to mend it by changing this order (seed 003). The
 * order decides whether the runtime's own buffers are freed or wiped; it cannot reach what a program cache or the code
 * under test holds.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum CloseOrder {
    /** The runtime's own buffers are freed, then the allocators are wiped: {@code MeshDevice::close_impl}. */
    SYSTEM_BUFFERS_FIRST,
    /** The allocators are wiped while the runtime's own buffers are still there; their frees find nothing to free. */
    ALLOCATORS_FIRST
}
