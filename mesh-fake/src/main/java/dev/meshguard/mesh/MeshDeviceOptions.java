package dev.meshguard.mesh;

import dev.meshguard.mesh.runtime.ClusterType;
import dev.meshguard.mesh.runtime.DispatchCoreConfig;
import dev.meshguard.mesh.runtime.RuntimeDefect;
import dev.meshguard.mesh.shape.MeshCoordinate;
import dev.meshguard.mesh.shape.MeshShape;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The arguments of {@code ttnn.open_mesh_device}, with its defaults.
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
 * @param dispatchCoreConfig the cores on which the runtime dispatches, which programs cannot use
 * @param offset the start of the mesh in the system, empty for the first device; ignored if devices are named
 * @param physicalDeviceIds the devices in row-major order, empty to select them automatically; requires a shape
 * @param workerL1Size the bytes of every core's L1 that the allocator may allocate, 0 for the default of the preset
 * @param defects the defects of this mesh, in addition to {@link Ttnn.Builder#defects}
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record MeshDeviceOptions(
        Optional<MeshShape> meshShape,
        long l1SmallSize,
        long traceRegionSize,
        int numCommandQueues,
        DispatchCoreConfig dispatchCoreConfig,
        Optional<MeshCoordinate> offset,
        List<Integer> physicalDeviceIds,
        long workerL1Size,
        Set<RuntimeDefect> defects) {

    private static final MeshDeviceOptions DEFAULTS = new MeshDeviceOptions(
            Optional.empty(), 0, 0, 1, DispatchCoreConfig.defaults(), Optional.empty(), List.of(), 0, Set.of());

    /**
     * Creates options.
     *
     * @throws IllegalArgumentException if a size is negative
     */
    public MeshDeviceOptions {
        physicalDeviceIds = List.copyOf(physicalDeviceIds);
        defects = Set.copyOf(defects);
        requireNotNegative(l1SmallSize, "l1_small_size");
        requireNotNegative(traceRegionSize, "trace_region_size");
        requireNotNegative(workerL1Size, "worker_l1_size");
    }

    /** Returns the defaults: the whole system, one command queue, no reserved regions. */
    public static MeshDeviceOptions defaults() {
        return DEFAULTS;
    }

    /** Returns these options with a shape. */
    public MeshDeviceOptions withMeshShape(MeshShape newShape) {
        return new MeshDeviceOptions(
                Optional.of(newShape),
                l1SmallSize,
                traceRegionSize,
                numCommandQueues,
                dispatchCoreConfig,
                offset,
                physicalDeviceIds,
                workerL1Size,
                defects);
    }

    /** Returns these options with another size of the L1_SMALL region. */
    public MeshDeviceOptions withL1SmallSize(long bytes) {
        return new MeshDeviceOptions(
                meshShape,
                bytes,
                traceRegionSize,
                numCommandQueues,
                dispatchCoreConfig,
                offset,
                physicalDeviceIds,
                workerL1Size,
                defects);
    }

    /** Returns these options with another size of the trace region. */
    public MeshDeviceOptions withTraceRegionSize(long bytes) {
        return new MeshDeviceOptions(
                meshShape,
                l1SmallSize,
                bytes,
                numCommandQueues,
                dispatchCoreConfig,
                offset,
                physicalDeviceIds,
                workerL1Size,
                defects);
    }

    /** Returns these options with another number of command queues. */
    public MeshDeviceOptions withNumCommandQueues(int number) {
        return new MeshDeviceOptions(
                meshShape,
                l1SmallSize,
                traceRegionSize,
                number,
                dispatchCoreConfig,
                offset,
                physicalDeviceIds,
                workerL1Size,
                defects);
    }

    /**
     * Returns these options with other dispatch cores.
     *
     * <p>They determine how many cores of each device programs can use, and thereby the number of L1 banks; see
     * {@link ClusterType#computeGrid}.
     */
    public MeshDeviceOptions withDispatchCoreConfig(DispatchCoreConfig dispatch) {
        return new MeshDeviceOptions(
                meshShape,
                l1SmallSize,
                traceRegionSize,
                numCommandQueues,
                dispatch,
                offset,
                physicalDeviceIds,
                workerL1Size,
                defects);
    }

    /** Returns these options for a mesh that starts at the given coordinate of the system. */
    public MeshDeviceOptions withOffset(MeshCoordinate start) {
        return new MeshDeviceOptions(
                meshShape,
                l1SmallSize,
                traceRegionSize,
                numCommandQueues,
                dispatchCoreConfig,
                Optional.of(start),
                physicalDeviceIds,
                workerL1Size,
                defects);
    }

    /** Returns these options on the given devices, in row-major order. */
    public MeshDeviceOptions withPhysicalDeviceIds(Integer... devices) {
        return new MeshDeviceOptions(
                meshShape,
                l1SmallSize,
                traceRegionSize,
                numCommandQueues,
                dispatchCoreConfig,
                offset,
                List.of(devices),
                workerL1Size,
                defects);
    }

    /** Returns these options with another size of the L1 that the allocator may allocate. */
    public MeshDeviceOptions withWorkerL1Size(long bytes) {
        return new MeshDeviceOptions(
                meshShape,
                l1SmallSize,
                traceRegionSize,
                numCommandQueues,
                dispatchCoreConfig,
                offset,
                physicalDeviceIds,
                bytes,
                defects);
    }

    /** Returns these options with more defects. */
    public MeshDeviceOptions withDefects(RuntimeDefect... more) {
        Set<RuntimeDefect> all = new TreeSet<>(defects);
        all.addAll(Arrays.asList(more));
        return new MeshDeviceOptions(
                meshShape,
                l1SmallSize,
                traceRegionSize,
                numCommandQueues,
                dispatchCoreConfig,
                offset,
                physicalDeviceIds,
                workerL1Size,
                all);
    }

    private static void requireNotNegative(long size, String argument) {
        if (size < 0) {
            throw new IllegalArgumentException(
                    String.format(Locale.ROOT, "Cannot use %d as %s: a size is 0 or more", size, argument));
        }
    }
}
