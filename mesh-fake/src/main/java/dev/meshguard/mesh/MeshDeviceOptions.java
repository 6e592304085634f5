package dev.meshguard.mesh;

import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.text.InvariantText;
import java.util.List;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The arguments of {@code ttnn.open_mesh_device} that select devices and divide their memory, with its defaults.
 *
 * <p>Immutable and safe for use by several threads.
 *
 * <pre>{@code
 * MeshDeviceOptions.defaults().withMeshShape(MeshShape.of(2, 4)).withTraceRegionSize(30_000_000);
 * }</pre>
 *
 * @param meshShape the shape of the mesh, empty for that of the whole system
 * @param l1SmallSize the bytes at the top of every core's L1 that are reserved for small sharded buffers
 * @param traceRegionSize the bytes at the top of every DRAM bank that are reserved for captured traces
 * @param numCommandQueues the number of command queues, 1 or 2
 * @param physicalDeviceIds the devices in row-major order, empty to select them automatically; requires a shape
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record MeshDeviceOptions(
        Optional<MeshShape> meshShape,
        long l1SmallSize,
        long traceRegionSize,
        int numCommandQueues,
        List<Integer> physicalDeviceIds) {

    private static final MeshDeviceOptions DEFAULTS = new MeshDeviceOptions(Optional.empty(), 0, 0, 1, List.of());

    /**
     * Creates options.
     *
     * @throws IllegalArgumentException if a size is negative
     */
    public MeshDeviceOptions {
        physicalDeviceIds = List.copyOf(physicalDeviceIds);
        requireNotNegative(l1SmallSize, "l1_small_size");
        requireNotNegative(traceRegionSize, "trace_region_size");
    }

    /** Returns the defaults: the whole system, one command queue, no reserved regions. */
    public static MeshDeviceOptions defaults() {
        return DEFAULTS;
    }

    /** Returns these options with a shape. */
    public MeshDeviceOptions withMeshShape(MeshShape newShape) {
        return new MeshDeviceOptions(
                Optional.of(newShape), l1SmallSize, traceRegionSize, numCommandQueues, physicalDeviceIds);
    }

    /** Returns these options with another size of the L1_SMALL region. */
    public MeshDeviceOptions withL1SmallSize(long bytes) {
        return new MeshDeviceOptions(meshShape, bytes, traceRegionSize, numCommandQueues, physicalDeviceIds);
    }

    /** Returns these options with another size of the trace region. */
    public MeshDeviceOptions withTraceRegionSize(long bytes) {
        return new MeshDeviceOptions(meshShape, l1SmallSize, bytes, numCommandQueues, physicalDeviceIds);
    }

    /** Returns these options with another number of command queues. */
    public MeshDeviceOptions withNumCommandQueues(int number) {
        return new MeshDeviceOptions(meshShape, l1SmallSize, traceRegionSize, number, physicalDeviceIds);
    }

    /** Returns these options on the given devices, in row-major order. */
    public MeshDeviceOptions withPhysicalDeviceIds(Integer... devices) {
        return new MeshDeviceOptions(meshShape, l1SmallSize, traceRegionSize, numCommandQueues, List.of(devices));
    }

    private static void requireNotNegative(long size, String argument) {
        if (size < 0) {
            throw new IllegalArgumentException(
                    InvariantText.of("Cannot use %d as %s: a size is 0 or more", size, argument));
        }
    }
}
