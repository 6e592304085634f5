package dev.meshguard.mesh.tensor;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The two ways to cut a tensor into pages: a page for each row, or for each tile of 32 x 32 elements.
 *
 * <p>Names are those of ttnn; page sizes are those of its {@code PageConfig}.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum TensorLayout {
    /** A page is a row of the innermost dimension. */
    ROW_MAJOR {
        @Override
        public long pageSize(TensorShape shape, DataType dataType) {
            return (long) shape.get(-1) * dataType.elementSize();
        }

        @Override
        public long size(TensorShape shape, DataType dataType) {
            return Math.multiplyExact(shape.volume(), (long) dataType.elementSize());
        }
    },
    /** A page is a tile of 32 x 32 elements; the two innermost dimensions are padded to whole tiles. */
    TILE {
        @Override
        public long pageSize(TensorShape shape, DataType dataType) {
            return dataType.tileSize();
        }

        @Override
        public long size(TensorShape shape, DataType dataType) {
            long tiles = tilesAlong(shape.get(-1)) * tilesAlong(shape.rank() > 1 ? shape.get(-2) : 1);
            for (int dimension = 0; dimension < shape.rank() - 2; dimension++) {
                tiles = Math.multiplyExact(tiles, (long) shape.get(dimension));
            }
            return Math.multiplyExact(tiles, (long) dataType.tileSize());
        }
    };

    private static final int TILE_EDGE = 32;

    /**
     * Returns the bytes of a page.
     *
     * @param shape the shape of the part on one device
     * @param dataType the data type of an element
     */
    public abstract long pageSize(TensorShape shape, DataType dataType);

    /**
     * Returns the bytes of all pages.
     *
     * @param shape the shape of the part on one device
     * @param dataType the data type of an element
     */
    public abstract long size(TensorShape shape, DataType dataType);

    private static long tilesAlong(int size) {
        return (size + TILE_EDGE - 1L) / TILE_EDGE;
    }
}
