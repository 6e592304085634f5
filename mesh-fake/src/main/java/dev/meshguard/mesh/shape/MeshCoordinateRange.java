package dev.meshguard.mesh.shape;

import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.text.InvariantText;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * A block of coordinates in a mesh, both corners included.
 *
 * <p>The coordinates are in row-major order from the start, the last dimension fastest. Immutable and safe for use by several threads.
 * Source: {@code MeshCoordinateRange} in {@code tt_metal/api/tt-metalium/mesh_coord.hpp} and
 * {@code tt_metal/common/mesh_coord.cpp}, without ranges that cross the edge of a mesh.
 *
 * @param start the first corner
 * @param end the last corner
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record MeshCoordinateRange(MeshCoordinate start, MeshCoordinate end) {

    /**
     * Creates a range.
     *
     * @throws MeshRuntimeException if the numbers of dimensions differ, or it ends before it starts
     */
    public MeshCoordinateRange {
        if (start.dims() != end.dims()) {
            throw new MeshRuntimeException(
                    "Start and end dimensions of a coordinate range do not match: %d != %d", start.dims(), end.dims());
        }
        for (int dimension = 0; dimension < start.dims(); dimension++) {
            if (start.get(dimension) > end.get(dimension)) {
                throw new MeshRuntimeException("Start coordinate is greater than end coordinate: %s > %s", start, end);
            }
        }
    }

    /**
     * Returns all coordinates of a mesh.
     *
     * @throws IllegalArgumentException if the mesh has no device; the runtime counts from 0 down to -1 instead
     */
    public static MeshCoordinateRange of(MeshShape mesh) {
        if (mesh.meshSize() == 0) {
            throw new IllegalArgumentException(
                    InvariantText.of("Cannot go through the coordinates of %s: it has no device", mesh));
        }
        List<Integer> last = mesh.dimensions().stream().map(size -> size - 1).toList();
        return new MeshCoordinateRange(MeshCoordinate.zeroCoordinate(mesh.dims()), new MeshCoordinate(last));
    }

    /** Returns the number of dimensions. */
    public int dims() {
        return start.dims();
    }

    /**
     * Returns whether a coordinate lies in both blocks.
     *
     * @throws MeshRuntimeException if the other one has another number of dimensions
     */
    public boolean intersects(MeshCoordinateRange range) {
        if (range.dims() != dims()) {
            throw new MeshRuntimeException("Coordinate dimensions do not match: %d != %d", range.dims(), dims());
        }
        for (int dimension = 0; dimension < dims(); dimension++) {
            if (range.end.get(dimension) < start.get(dimension) || end.get(dimension) < range.start.get(dimension)) {
                return false;
            }
        }
        return true;
    }

    /** Returns the coordinates row by row. */
    public Stream<MeshCoordinate> stream() {
        int size = IntStream.range(0, dims()).map(this::length).reduce(1, Math::multiplyExact);
        return IntStream.range(0, size).mapToObj(this::at);
    }

    /** Returns the range as the runtime writes it. */
    @Override
    public String toString() {
        return InvariantText.of("MeshCoordinateRange(start=%s, end=%s)", start, end);
    }

    private MeshCoordinate at(int place) {
        int[] values = new int[dims()];
        int rest = place;
        for (int dimension = dims() - 1; dimension >= 0; dimension--) {
            values[dimension] = start.get(dimension) + rest % length(dimension);
            rest /= length(dimension);
        }
        return MeshCoordinate.of(values);
    }

    private int length(int dimension) {
        return end.get(dimension) - start.get(dimension) + 1;
    }
}
