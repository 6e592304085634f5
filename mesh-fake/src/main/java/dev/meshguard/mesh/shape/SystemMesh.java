package dev.meshguard.mesh.shape;

import dev.meshguard.mesh.allocator.MeshRuntimeException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * All devices of the system, numbered row by row, of which a mesh takes some.
 *
 * <p>Source: {@code tt_metal/distributed/system_mesh.cpp}. Where the runtime searches for a path along which to lay a line, this
 * takes one that ends beside its start if the number of rows is even: along row 0 and back along row 1 in a mesh of two rows, as
 * the runtime does.
 *
 * @param shape the shape of the whole system
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record SystemMesh(MeshShape shape) {

    /**
     * Returns the devices of a requested mesh in its row-major order.
     *
     * @param offset where the mesh starts, empty for the first device
     * @throws MeshRuntimeException if the mesh does not fit into the system
     */
    public List<Integer> devicesOf(MeshShape requested, Optional<MeshCoordinate> offset) {
        if (requested.meshSize() > shape.meshSize()) {
            throw new MeshRuntimeException(String.format(
                    Locale.ROOT,
                    "Requested mesh shape %s requires %d devices, but only %d devices are available in the system mesh %s.",
                    requested,
                    requested.meshSize(),
                    shape.meshSize(),
                    shape));
        }
        MeshCoordinate origin =
                new MeshCoordinate(shape.dimensions().stream().map(size -> 0).toList());
        MeshCoordinate start = offset.orElse(origin);
        requireWithinSystem(start);
        if (requested.equals(shape) && start.equals(origin)) {
            return IntStream.range(0, shape.meshSize()).boxed().toList();
        }
        if (requested.isLineTopology()) {
            return line(requested, start);
        }
        if (requested.dims() != shape.dims()) {
            throw new MeshRuntimeException(String.format(
                    Locale.ROOT, "Requested mesh shape dimensions mismatch: %d != %d", requested.dims(), shape.dims()));
        }
        return block(requested, start);
    }

    /** Returns the ids of all devices. */
    public Set<Integer> deviceIds() {
        return IntStream.range(0, shape.meshSize()).boxed().collect(Collectors.toCollection(TreeSet::new));
    }

    /** Returns where in the system a device lies. */
    public MeshCoordinate coordinateOf(int device) {
        return coordinates(shape.dimensions()).get(device);
    }

    /** Returns the places of all devices in the order of a line through them. */
    public List<MeshCoordinate> lineCoordinates() {
        return line().stream().map(this::coordinateOf).toList();
    }

    private void requireWithinSystem(MeshCoordinate offset) {
        List<Integer> start = offset.values();
        if (start.size() != shape.dims()) {
            throw new MeshRuntimeException(String.format(
                    Locale.ROOT, "Provided offset dimensions mismatch: %d != %d", start.size(), shape.dims()));
        }
        if (!fits(start, start.stream().map(value -> 1).toList())) {
            throw new MeshRuntimeException(String.format(
                    Locale.ROOT,
                    "The specified offset %s is out of bounds for the system mesh shape %s",
                    offset,
                    shape));
        }
    }

    /** The line from the offset on, which goes round where it ends beside its start. */
    private List<Integer> line(MeshShape requested, MeshCoordinate offset) {
        List<Integer> whole = line();
        List<Integer> from = new ArrayList<>(whole);
        int start = whole.indexOf(offset.toLinearIndex(shape));
        Collections.rotate(from, -start);
        if (!isRing() && requested.meshSize() > whole.size() - start) {
            throw tooBig(requested, offset);
        }
        return from.subList(0, requested.meshSize());
    }

    private boolean isRing() {
        return shape.dims() == 2
                && !shape.isLineTopology()
                && shape.dimensions().get(0) % 2 == 0;
    }

    /**
     * The requested block at the offset, or, where only that fits, turned by a quarter. The runtime forgets the offset of a block
     * that it turns, and so does this.
     */
    private List<Integer> block(MeshShape requested, MeshCoordinate offset) {
        List<Integer> start = offset.values();
        if (fits(start, requested.dimensions())) {
            return coordinates(requested.dimensions()).stream()
                    .map(coordinate -> new MeshCoordinate(sum(start, coordinate.values())).toLinearIndex(shape))
                    .toList();
        }
        if (requested.dims() == 2 && fits(start, reversed(requested.dimensions()))) {
            return coordinates(requested.dimensions()).stream()
                    .map(coordinate -> new MeshCoordinate(reversed(coordinate.values())).toLinearIndex(shape))
                    .toList();
        }
        throw tooBig(requested, offset);
    }

    private MeshRuntimeException tooBig(MeshShape requested, MeshCoordinate offset) {
        return new MeshRuntimeException(String.format(
                Locale.ROOT,
                "Requested mesh is too big and is not rotatable: %s and SystemMesh %s, offset %s",
                requested,
                shape,
                offset));
    }

    private boolean fits(List<Integer> start, List<Integer> requested) {
        return IntStream.range(0, requested.size())
                .allMatch(dimension -> start.get(dimension) + requested.get(dimension)
                        <= shape.dimensions().get(dimension));
    }

    private static List<Integer> sum(List<Integer> start, List<Integer> steps) {
        return IntStream.range(0, start.size())
                .mapToObj(dimension -> start.get(dimension) + steps.get(dimension))
                .toList();
    }

    private List<Integer> line() {
        if (shape.dims() != 2 || shape.isLineTopology()) {
            return IntStream.range(0, shape.meshSize()).boxed().toList();
        }
        int rows = shape.dimensions().get(0);
        int columns = shape.dimensions().get(1);
        List<Integer> devices = new ArrayList<>();
        if (isRing()) {
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
    public static List<MeshCoordinate> coordinates(List<Integer> sizes) {
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
