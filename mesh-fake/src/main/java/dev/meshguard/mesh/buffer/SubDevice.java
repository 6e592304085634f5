package dev.meshguard.mesh.buffer;

import dev.meshguard.mesh.allocator.MeshRuntimeException;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * A part of every device of a mesh: some of its compute cores, which programs of their own can use.
 *
 * <p>Ethernet cores are not modelled. Immutable and safe for use by several threads. Source:
 * {@code tt_metal/api/tt-metalium/sub_device.hpp}.
 *
 * @param cores the compute cores
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record SubDevice(CoreRangeSet cores) {

    /**
     * Returns the sub-device of the cores of rectangles.
     *
     * @throws MeshRuntimeException if two rectangles have a core in common
     */
    public static SubDevice of(CoreRange... ranges) {
        return new SubDevice(CoreRangeSet.of(ranges));
    }
}
