package dev.meshguard.mesh;

import dev.meshguard.mesh.allocator.MeshRuntimeException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * All devices of the system, numbered row by row, of which a mesh takes some.
 *
 * <p>Source: {@code tt_metal/distributed/system_mesh.cpp}. Where the runtime searches for a path along which to lay a line, this
 * takes one that ends beside its start if there is one: along row 0 and back along row 1 in a mesh of two rows, as the runtime
 * does.
 */
record SystemMesh(MeshShape shape) {

    /**
     * Returns the devices of a requested mesh in its row-major order.
     *
     * @throws MeshRuntimeException if the mesh does not fit into the system
     */
    List<Integer> devicesOf(MeshShape requested) {
        if (requested.meshSize() > shape.meshSize()) {
            throw new MeshRuntimeException(String.format(
                    Locale.ROOT,
                    "Requested mesh shape %s requires %d devices, but only %d devices are available in the system mesh %s.",
                    requested,
                    requested.meshSize(),
                    shape.meshSize(),
                    shape));
        }
        if (requested.equals(shape)) {
            return IntStream.range(0, shape.meshSize()).boxed().toList();
        }
        if (requested.isLineTopology()) {
            return line().subList(0, requested.meshSize());
        }
        if (requested.dims() != shape.dims()) {
            throw new MeshRuntimeException(String.format(
                    Locale.ROOT, "Requested mesh shape dimensions mismatch: %d != %d", requested.dims(), shape.dims()));
        }
        return block(requested);
    }

    /** The requested block at the first device, or, where only that fits, turned by a quarter. */
    private List<Integer> block(MeshShape requested) {
        if (fits(requested.dimensions())) {
            return coordinates(requested.dimensions()).stream()
                    .map(coordinate -> coordinate.toLinearIndex(shape))
                    .toList();
        }
        if (requested.dims() == 2 && fits(reversed(requested.dimensions()))) {
            return coordinates(requested.dimensions()).stream()
                    .map(coordinate -> new MeshCoordinate(reversed(coordinate.values())).toLinearIndex(shape))
                    .toList();
        }
        MeshCoordinate origin =
                new MeshCoordinate(shape.dimensions().stream().map(size -> 0).toList());
        throw new MeshRuntimeException(String.format(
                Locale.ROOT,
                "Requested mesh is too big and is not rotatable: %s and SystemMesh %s, offset %s",
                requested,
                shape,
                origin));
    }

    private boolean fits(List<Integer> requested) {
        return IntStream.range(0, requested.size())
                .allMatch(dimension ->
                        requested.get(dimension) <= shape.dimensions().get(dimension));
    }

    private List<Integer> line() {
        if (shape.dims() != 2 || shape.isLineTopology()) {
            return IntStream.range(0, shape.meshSize()).boxed().toList();
        }
        int rows = shape.dimensions().get(0);
        int columns = shape.dimensions().get(1);
        List<Integer> devices = new ArrayList<>();
        if (rows % 2 == 0) {
            // Snake through all columns but the first, which is the way back.
            for (int row = 0; row < rows; row++) {
                for (int step = 1; step < columns; step++) {
                    int column = row % 2 == 0 ? step : columns - step;
                    if (row == 0 && step == 1) {
                        devices.add(0);
                    }
                    devices.add(row * columns + column);
                }
            }
            for (int row = rows - 1; row > 0; row--) {
                devices.add(row * columns);
            }
            return devices;
        }
        for (int row = 0; row < rows; row++) {
            for (int step = 0; step < columns; step++) {
                devices.add(row * columns + (row % 2 == 0 ? step : columns - 1 - step));
            }
        }
        return devices;
    }

    /** All coordinates of a mesh of the given sizes, in row-major order. */
    static List<MeshCoordinate> coordinates(List<Integer> sizes) {
        List<List<Integer>> all = List.of(List.of());
        for (int size : sizes) {
            List<List<Integer>> longer = new ArrayList<>();
            for (List<Integer> start : all) {
                for (int value = 0; value < size; value++) {
                    List<Integer> extended = new ArrayList<>(start);
                    extended.add(value);
                    longer.add(extended);
                }
            }
            all = longer;
        }
        return all.stream().map(MeshCoordinate::new).toList();
    }

    private static List<Integer> reversed(List<Integer> values) {
        return List.of(values.get(1), values.get(0));
    }
}
