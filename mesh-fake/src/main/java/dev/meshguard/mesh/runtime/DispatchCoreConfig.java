package dev.meshguard.mesh.runtime;

import dev.meshguard.mesh.allocator.MeshRuntimeException;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The argument {@code dispatch_core_config} of {@code ttnn.open_mesh_device}: the cores on which the runtime dispatches.
 *
 * <p>Omitted values have the defaults of ttnn. The type is Ethernet cores on n300 cards and systems of them, and compute cores
 * elsewhere. The axis of compute cores is a column on Blackhole and a row on Wormhole. A configuration with a column but
 * without a type uses compute cores.
 *
 * <p>Immutable and safe for use by several threads. Source: {@code DispatchCoreConfig} in {@code ttnn/ttnn/device.py}. Rows on
 * Blackhole, which need the fabric's multiplexer, are not supported.
 *
 * @param type the kind of cores, empty for the default
 * @param axis the direction of compute cores, empty for the default
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record DispatchCoreConfig(Optional<DispatchCoreType> type, Optional<DispatchCoreAxis> axis) {

    private static final DispatchCoreConfig DEFAULTS = new DispatchCoreConfig(Optional.empty(), Optional.empty());

    /**
     * Creates a configuration.
     *
     * @throws MeshRuntimeException if a column of Ethernet cores is requested
     */
    public DispatchCoreConfig {
        if (type.equals(Optional.of(DispatchCoreType.ETH)) && axis.equals(Optional.of(DispatchCoreAxis.COL))) {
            throw new MeshRuntimeException(RuntimeMessages.NO_COLUMN_OF_ETHERNET_CORES);
        }
    }

    /** Returns the configuration with the defaults of ttnn. */
    public static DispatchCoreConfig defaults() {
        return DEFAULTS;
    }

    /** Returns the configuration with a kind of cores and the default axis. */
    public static DispatchCoreConfig of(DispatchCoreType type) {
        return new DispatchCoreConfig(Optional.of(type), Optional.empty());
    }

    /** Returns the configuration with an axis and the matching kind of cores. */
    public static DispatchCoreConfig of(DispatchCoreAxis axis) {
        return new DispatchCoreConfig(Optional.empty(), Optional.of(axis));
    }

    /**
     * Returns the configuration with both.
     *
     * @throws MeshRuntimeException if a column of Ethernet cores is requested
     */
    public static DispatchCoreConfig of(DispatchCoreType type, DispatchCoreAxis axis) {
        return new DispatchCoreConfig(Optional.of(type), Optional.of(axis));
    }

    /** Returns the kind of cores that a system dispatches on. */
    public DispatchCoreType typeOn(ClusterType cluster) {
        return type.orElseGet(() -> axis.equals(Optional.of(DispatchCoreAxis.COL))
                ? DispatchCoreType.WORKER
                : cluster.defaultDispatchCoreType());
    }

    /**
     * Returns the axis of the dispatch cores on a system that dispatches on compute cores.
     *
     * @throws MeshRuntimeException if a row is requested on Blackhole
     */
    public DispatchCoreAxis axisOn(ClusterType cluster) {
        boolean blackhole = cluster.architecture() == Architecture.BLACKHOLE;
        if (blackhole && axis.equals(Optional.of(DispatchCoreAxis.ROW))) {
            throw new MeshRuntimeException(RuntimeMessages.NO_ROW_ON_BLACKHOLE);
        }
        return axis.orElse(blackhole ? DispatchCoreAxis.COL : DispatchCoreAxis.ROW);
    }
}
