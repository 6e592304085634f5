package dev.meshguard.mesh.runtime;

import dev.meshguard.mesh.buffer.CoreRange;
import dev.meshguard.mesh.shape.MeshShape;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The products, with their chips and the arrangement of their devices.
 *
 * <p>This is the single table of the properties of a product. {@link Architecture} has the properties that all chips of an
 * architecture share. System meshes are those of the runtime's mesh graph descriptors. Grids are those of
 * {@code tt_metal/core_descriptors} for the cores on which ttnn dispatches by default: Ethernet cores on n300 cards and systems
 * of them, a column on Blackhole, a row elsewhere. The names are the runtime's, as in {@code ttnn.cluster.ClusterType}.
 *
 * <p>Not included: the Galaxy with gateways (TG), other dispatch cores, and chips with fewer columns of cores.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
@SuppressWarnings("ImmutableEnumChecker") // Shapes and grids are immutable.
public enum ClusterType {
    /** An n150: one Wormhole. */
    N150(Architecture.WORMHOLE_B0, 8, 8, 1, 1),
    /** An n300: two Wormholes. */
    N300(Architecture.WORMHOLE_B0, 8, 8, 1, 2),
    /** Two n300 as a square. */
    N300_2X2(Architecture.WORMHOLE_B0, 8, 8, 2, 2),
    /** A T3000: four n300. */
    T3K(Architecture.WORMHOLE_B0, 8, 8, 2, 4),
    /** A Galaxy of 32 Wormholes in one box. */
    GALAXY(Architecture.WORMHOLE_B0, 8, 9, 8, 4),
    /** A P150: one Blackhole. */
    P150(Architecture.BLACKHOLE, 13, 10, 1, 1),
    /** Two P150. */
    P150_X2(Architecture.BLACKHOLE, 13, 10, 1, 2),
    /** Four P150. */
    P150_X4(Architecture.BLACKHOLE, 13, 10, 2, 2),
    /** Eight P150. */
    P150_X8(Architecture.BLACKHOLE, 13, 10, 2, 4),
    /** A P300: two Blackholes. */
    P300(Architecture.BLACKHOLE, 13, 10, 1, 2),
    /** Two P300. */
    P300_X2(Architecture.BLACKHOLE, 13, 10, 2, 2);

    private final Architecture architecture;
    private final CoreRange computeGrid;
    private final MeshShape systemMesh;

    ClusterType(Architecture architecture, int coreColumns, int coreRows, int rows, int columns) {
        this.architecture = architecture;
        this.computeGrid = new CoreRange(0, 0, coreColumns - 1, coreRows - 1);
        this.systemMesh = MeshShape.of(rows, columns);
    }

    /**
     * Returns a system of the given chips: a {@link #T3K} or {@link #P150_X8}, both with 2x4 devices.
     *
     * <p>Use it if only the architecture is specified and not the product.
     */
    public static ClusterType of(Architecture architecture) {
        return switch (architecture) {
            case WORMHOLE_B0 -> T3K;
            case BLACKHOLE -> P150_X8;
        };
    }

    /** Returns the chips. */
    public Architecture architecture() {
        return architecture;
    }

    /** Returns how the devices lie. */
    public MeshShape systemMesh() {
        return systemMesh;
    }

    /** Returns the compute cores of each chip that remain for programs besides dispatch. */
    public CoreRange computeGrid() {
        return computeGrid;
    }
}
