package dev.meshguard.mesh.shape;

import dev.meshguard.mesh.allocator.MeshRuntimeException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * All devices of the system, numbered row by row, of which a mesh takes some.
 *
 * <p>Two things are different here. On a real system the ids follow the cables, so that those of a row are not one after the
 * other. And the runtime searches for a line that ends beside its start; here a line goes along one row and back along the next
 * one. On a T3000, and in each system of one or two rows, a line of all devices is the same.
 *
 * <p>Immutable and safe for use by several threads. Source: {@code tt_metal/distributed/system_mesh.cpp}.
 *
 * @param shape the shape of the whole system
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record SystemMesh(MeshShape shape) {

    private static final MeshShape FOUR_BY_TWO = MeshShape.of(4, 2);

    /** The devices around a mesh of 4x2, which the runtime takes for a line there: other lines keep the fabric from starting. */
    private static final List<Integer> RING_OF_FOUR_BY_TWO = List.of(0, 1, 3, 5, 7, 6, 4, 2);

    /**
     * Returns the devices of a requested mesh in its row-major order, from the first device of the system on.
     *
     * <p>A mesh of one row or column is a line. Any other mesh is a block, or a block rotated by 90 degrees if only that fits.
     *
     * @throws MeshRuntimeException if the mesh does not fit into the system
     */
    public List<Integer> devicesOf(MeshShape requested) {
        if (requested.meshSize() == 0) {
            throw new MeshRuntimeException("Requested mesh shape %s has zero devices (mesh_size=0).", requested);
        }
        if (requested.meshSize() > shape.meshSize()) {
            throw new MeshRuntimeException(
                    "Requested mesh shape %s requires %d devices, but only %d devices are available in the system mesh %s.",
                    requested, requested.meshSize(), shape.meshSize(), shape);
        }
        return requested.isLineTopology() ? line(requested.meshSize()) : block(requested);
    }

    /** Returns the first devices of the path through the system. */
    private List<Integer> line(int length) {
        if (shape.dims() != 2) {
            throw new MeshRuntimeException("Line topology is only supported for 2D meshes");
        }
        return shape.equals(FOUR_BY_TWO) ? RING_OF_FOUR_BY_TWO.subList(0, length) : backAndForth(length);
    }

    private List<Integer> backAndForth(int length) {
        int columns = shape.get(1);
        List<Integer> devices = new ArrayList<>(length);
        for (int step = 0; step < length; step++) {
            int row = step / columns;
            int column = row % 2 == 0 ? step % columns : columns - 1 - step % columns;
            devices.add(row * columns + column);
        }
        return devices;
    }

    private List<Integer> block(MeshShape requested) {
        if (requested.dims() != shape.dims()) {
            throw new MeshRuntimeException("Requested mesh shape dimensions mismatch: %s != %s", requested, shape);
        }
        List<Integer> turned = new ArrayList<>(requested.dimensions());
        int turns = 0;
        while (!fits(turned)) {
            Collections.rotate(turned, -1);
            turns++;
            if (turns == shape.dims()) {
                throw new MeshRuntimeException(
                        "Requested mesh is too big and is not rotatable: %s and SystemMesh %s, offset %s",
                        requested, shape, MeshCoordinate.zeroCoordinate(shape.dims()));
            }
        }
        boolean isTurned = turns > 0;
        if (isTurned && shape.dims() != 2) {
            throw new MeshRuntimeException("Mesh rotation is only supported for 2D meshes");
        }
        return MeshCoordinateRange.of(requested).stream()
                .map(place -> isTurned ? MeshCoordinate.of(place.get(1), place.get(0)) : place)
                .map(coordinate -> coordinate.toLinearIndex(shape))
                .toList();
    }

    private boolean fits(List<Integer> sizes) {
        for (int dimension = 0; dimension < shape.dims(); dimension++) {
            if (sizes.get(dimension) > shape.get(dimension)) {
                return false;
            }
        }
        return true;
    }
}
