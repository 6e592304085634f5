package dev.meshguard.mesh.shape;

import dev.meshguard.mesh.allocator.MeshRuntimeException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * All devices of the system, numbered row by row, of which a mesh takes some.
 *
 * <p>The numbers are the one thing that is different here: on a real system the ids follow the cables, so that those of a row
 * are not one after the other.
 *
 * <p>Immutable and safe for use by several threads. Source: {@code tt_metal/distributed/system_mesh.cpp}.
 *
 * @param shape the shape of the whole system
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record SystemMesh(MeshShape shape) {

    /**
     * Returns the devices of a requested mesh in its row-major order.
     *
     * <p>A mesh of one row or column is placed along a line from the offset on; see
     * {@link MeshDeviceView#lineCoordinates(int, MeshShape, MeshCoordinate)}. Any other mesh is a block at the offset, or a
     * block rotated by 90 degrees if only that fits. Like the runtime, this ignores the offset of a rotated block (quirk Q11).
     *
     * @param offset the start of the mesh, empty for the first device
     * @throws MeshRuntimeException if the mesh does not fit into the system
     * @throws IllegalArgumentException if the system is so large that the search for a line does not end
     */
    public List<Integer> devicesOf(MeshShape requested, Optional<MeshCoordinate> offset) {
        if (requested.meshSize() == 0) {
            throw new MeshRuntimeException(ShapeMessages.noDevicesRequested(requested));
        }
        if (requested.meshSize() > shape.meshSize()) {
            throw new MeshRuntimeException(ShapeMessages.tooManyDevicesRequested(requested, shape));
        }
        if (offset.isEmpty() && isWhole(requested) && !requested.isLineTopology()) {
            return rowByRowIds();
        }
        MeshCoordinate start = offset.orElseGet(() -> MeshCoordinate.zeroCoordinate(shape.dims()));
        if (start.dims() != shape.dims()) {
            throw new MeshRuntimeException(ShapeMessages.offsetDimensions(start, shape.dims()));
        }
        Stream<MeshCoordinate> places = requested.isLineTopology() ? line(requested, start) : block(requested, start);
        return places.map(coordinate -> coordinate.toLinearIndex(shape)).toList();
    }

    private boolean isWhole(MeshShape requested) {
        return requested.dimensions().equals(shape.dimensions());
    }

    private List<Integer> rowByRowIds() {
        Integer[] ids = new Integer[shape.meshSize()];
        for (int id = 0; id < ids.length; id++) {
            ids[id] = id;
        }
        return List.of(ids);
    }

    /** Returns the ids of all devices. */
    public Set<Integer> deviceIds() {
        Set<Integer> ids = new LinkedHashSet<>();
        int size = shape.meshSize();
        for (int id = 0; id < size; id++) {
            ids.add(id);
        }
        return Collections.unmodifiableSet(ids);
    }

    /**
     * Returns where in the system a device lies.
     *
     * @throws MeshRuntimeException if there is no such device
     */
    public MeshCoordinate coordinateOf(int device) {
        return rowByRow().findDevice(device);
    }

    private MeshDeviceView rowByRow() {
        return new MeshDeviceView(
                shape, IntStream.range(0, shape.meshSize()).boxed().toList());
    }

    private Stream<MeshCoordinate> line(MeshShape requested, MeshCoordinate start) {
        if (shape.dims() != 2) {
            throw new MeshRuntimeException(ShapeMessages.LINE_NEEDS_2D_SYSTEM);
        }
        if (start.get(0) >= shape.get(0) || start.get(1) >= shape.get(1)) {
            throw new MeshRuntimeException(ShapeMessages.offsetOutOfSystem(start, shape));
        }
        return MeshDeviceView.lineCoordinates(requested.meshSize(), shape, start).stream();
    }

    private Stream<MeshCoordinate> block(MeshShape requested, MeshCoordinate start) {
        if (requested.dims() != shape.dims()) {
            throw new MeshRuntimeException(ShapeMessages.requestedDimensions(requested, shape));
        }
        List<Integer> turned = new ArrayList<>(requested.dimensions());
        int turns = 0;
        while (!fits(turned, start)) {
            Collections.rotate(turned, -1);
            turns++;
            if (turns == shape.dims()) {
                throw new MeshRuntimeException(ShapeMessages.notRotatable(requested, shape, start));
            }
        }
        if (turns == 0) {
            return MeshCoordinateRange.of(requested).stream().map(place -> moved(place, start));
        }
        if (shape.dims() != 2) {
            throw new MeshRuntimeException(ShapeMessages.ROTATION_NEEDS_2D_SYSTEM);
        }
        return MeshCoordinateRange.of(requested).stream().map(place -> MeshCoordinate.of(place.get(1), place.get(0)));
    }

    private boolean fits(List<Integer> sizes, MeshCoordinate start) {
        for (int dimension = 0; dimension < shape.dims(); dimension++) {
            if ((long) start.get(dimension) + sizes.get(dimension) > shape.get(dimension)) {
                return false;
            }
        }
        return true;
    }

    private static MeshCoordinate moved(MeshCoordinate place, MeshCoordinate by) {
        List<Integer> values = new ArrayList<>();
        for (int dimension = 0; dimension < place.dims(); dimension++) {
            values.add(place.get(dimension) + by.get(dimension));
        }
        return new MeshCoordinate(values);
    }
}
