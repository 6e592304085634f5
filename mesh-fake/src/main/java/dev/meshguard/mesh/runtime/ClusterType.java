package dev.meshguard.mesh.runtime;

import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.shape.MeshShape;
import java.util.Locale;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The products, with their chips and the arrangement of their devices.
 *
 * <p>This is the single table of the properties of a product. {@link Architecture} has the properties that all chips of an
 * architecture share. System meshes are those of the runtime's mesh graph descriptors. Grids are those of
 * {@code tt_metal/core_descriptors}. The kinds of dispatch cores are those of {@code ttnn/ttnn/device.py}. The names are the
 * runtime's, as in {@code ttnn.cluster.ClusterType}.
 *
 * <p>Not included: the Galaxy with gateways (TG).
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
@SuppressWarnings("ImmutableEnumChecker") // Shapes and grids are immutable.
public enum ClusterType {
    /** An n150: one Wormhole. */
    N150(Board.NEBULA_X1, DispatchCoreType.WORKER, 1, 1),
    /** An n300: two Wormholes. */
    N300(Board.NEBULA_X2, DispatchCoreType.ETH, 1, 2),
    /** Two n300 as a square. */
    N300_2X2(Board.NEBULA_X2, DispatchCoreType.ETH, 2, 2),
    /** A T3000: four n300. */
    T3K(Board.NEBULA_X2, DispatchCoreType.ETH, 2, 4),
    /** A Galaxy of 32 Wormholes in one box. */
    GALAXY(Board.GALAXY, DispatchCoreType.WORKER, 8, 4),
    /** A P150: one Blackhole. */
    P150(Board.BLACKHOLE, DispatchCoreType.WORKER, 1, 1),
    /** Two P150. */
    P150_X2(Board.BLACKHOLE, DispatchCoreType.WORKER, 1, 2),
    /** Four P150. */
    P150_X4(Board.BLACKHOLE, DispatchCoreType.WORKER, 2, 2),
    /** Eight P150. */
    P150_X8(Board.BLACKHOLE, DispatchCoreType.WORKER, 2, 4),
    /** A P300: two Blackholes. */
    P300(Board.BLACKHOLE, DispatchCoreType.WORKER, 1, 2),
    /** Two P300. */
    P300_X2(Board.BLACKHOLE, DispatchCoreType.WORKER, 2, 2);

    private final Board board;
    private final DispatchCoreType defaultDispatchCoreType;
    private final MeshShape systemMesh;

    ClusterType(Board board, DispatchCoreType defaultDispatchCoreType, int rows, int columns) {
        this.board = board;
        this.defaultDispatchCoreType = defaultDispatchCoreType;
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
        return board.architecture;
    }

    /** Returns how the devices lie. */
    public MeshShape systemMesh() {
        return systemMesh;
    }

    /** Returns the kind of cores on which ttnn dispatches by default. */
    public DispatchCoreType defaultDispatchCoreType() {
        return defaultDispatchCoreType;
    }

    /**
     * Returns the compute cores of each chip that remain for programs besides dispatch.
     *
     * @param dispatch the dispatch cores
     * @param harvestedColumns the number of compute core columns that are disabled on every chip, 0 to 2; on Blackhole only,
     *     because this number is fixed on the boards of Wormhole
     * @throws MeshRuntimeException if a row is requested on Blackhole
     * @throws IllegalArgumentException if chips with so few columns do not exist
     */
    public CoreGrid computeGrid(DispatchCoreConfig dispatch, int harvestedColumns) {
        requireHarvested(harvestedColumns);
        DispatchCoreAxis axis = dispatch.axisOn(this);
        CoreGrid whole;
        if (dispatch.typeOn(this) == DispatchCoreType.ETH) {
            whole = board.besideEthernet;
        } else {
            whole = axis == DispatchCoreAxis.ROW ? board.besideRow : board.besideColumn;
        }
        return new CoreGrid(whole.width() - harvestedColumns, whole.height());
    }

    private void requireHarvested(int columns) {
        int most = architecture() == Architecture.BLACKHOLE ? 2 : 0;
        if (columns < 0 || columns > most) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "Cannot remove %d columns of cores from %s chips: at most %d are harvested",
                    columns,
                    architecture().description(),
                    most));
        }
    }

    /** The compute grid of a board that remains for programs, by dispatch cores. */
    private enum Board {
        NEBULA_X1(Architecture.WORMHOLE_B0, new CoreGrid(8, 8), new CoreGrid(7, 9), new CoreGrid(8, 8)),
        NEBULA_X2(Architecture.WORMHOLE_B0, new CoreGrid(8, 7), new CoreGrid(7, 8), new CoreGrid(8, 8)),
        GALAXY(Architecture.WORMHOLE_B0, new CoreGrid(8, 9), new CoreGrid(7, 10), new CoreGrid(8, 10)),
        /** Never dispatches on a row: {@link DispatchCoreConfig} rejects it. */
        BLACKHOLE(Architecture.BLACKHOLE, new CoreGrid(13, 10), new CoreGrid(13, 10), new CoreGrid(14, 10));

        private final Architecture architecture;
        private final CoreGrid besideRow;
        private final CoreGrid besideColumn;
        private final CoreGrid besideEthernet;

        Board(Architecture architecture, CoreGrid besideRow, CoreGrid besideColumn, CoreGrid besideEthernet) {
            this.architecture = architecture;
            this.besideRow = besideRow;
            this.besideColumn = besideColumn;
            this.besideEthernet = besideEthernet;
        }
    }
}
