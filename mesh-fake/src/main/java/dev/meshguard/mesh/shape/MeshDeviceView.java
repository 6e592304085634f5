package dev.meshguard.mesh.shape;

import dev.meshguard.mesh.allocator.MeshRuntimeException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The positions of devices in a mesh: by coordinate, row by row, along a line or around a ring.
 *
 * <p>Devices are represented by their ids. A view is a value: a mesh has another view after it is reshaped. Rows, columns,
 * lines and rings exist in meshes of two dimensions only.
 *
 * <p>Programs of tt-metal allocate along lines and rings in operations of several devices (all-gather, reduce-scatter). With
 * the same order of devices, a test that fails on device 3 names the device that fails on hardware.
 *
 * <p>Immutable and safe for use by several threads. Source: {@code tt_metal/distributed/mesh_device_view.cpp}. Not included:
 * ids of nodes of the fabric, and devices of other hosts.
 *
 * @param shape the number of devices along each dimension
 * @param devices the ids of the devices, in row-major order
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record MeshDeviceView(MeshShape shape, List<Integer> devices) {

    private static final MeshShape TWO_BY_FOUR = MeshShape.of(2, 4);
    private static final MeshShape FOUR_BY_TWO = MeshShape.of(4, 2);

    /**
     * Creates a view with its own copy of the list.
     *
     * @throws MeshRuntimeException if there are not as many devices as the shape has
     */
    public MeshDeviceView {
        devices = List.copyOf(devices);
        if (devices.size() != shape.meshSize()) {
            throw new MeshRuntimeException(ShapeMessages.shapeAndValues(shape, devices.size()));
        }
    }

    /**
     * Returns the coordinates of a line of devices as the runtime places it.
     *
     * <p>The line is the first path of a search that tries right, down, left and up in this order. A path that ends beside its
     * start has priority over other paths. In a mesh of 2x4 or 4x2 the line is the ring around the mesh instead, from the
     * offset on. The runtime does this because other paths prevent the fabric of a T3000 from starting.
     *
     * @param length the number of devices
     * @param mesh the shape of the mesh
     * @param offset the start of the line
     * @throws MeshRuntimeException if the offset does not lie in the mesh, or there is no line of this length
     * @throws IllegalArgumentException if the mesh does not have two dimensions, the length is negative, or the mesh is so
     *     large that the search does not end
     */
    public static List<MeshCoordinate> lineCoordinates(int length, MeshShape mesh, MeshCoordinate offset) {
        requireTwoDimensions(mesh.dims(), mesh);
        requireTwoDimensions(offset.dims(), offset);
        if (length < 0) {
            throw new IllegalArgumentException(
                    String.format(Locale.ROOT, "Cannot lay a line of %d devices: a length is 0 or more", length));
        }
        if (offset.get(0) >= mesh.get(0) || offset.get(1) >= mesh.get(1)) {
            throw new MeshRuntimeException(ShapeMessages.lineOffsetOutOfBounds(offset, mesh));
        }
        if (mesh.equals(TWO_BY_FOUR) || mesh.equals(FOUR_BY_TWO)) {
            return alongTheRing(length, mesh, offset);
        }
        return LineSearch.find(length, mesh, offset);
    }

    /**
     * Returns the edge of a block in the first corner of a mesh, clockwise from the first device.
     *
     * @param ring the shape of the block
     * @param mesh the shape of the mesh
     * @throws MeshRuntimeException if the block has no device or does not lie in the mesh
     * @throws IllegalArgumentException if a shape does not have two dimensions
     */
    public static List<MeshCoordinate> ringCoordinates(MeshShape ring, MeshShape mesh) {
        requireTwoDimensions(ring.dims(), ring);
        requireTwoDimensions(mesh.dims(), mesh);
        int rows = ring.get(0);
        int columns = ring.get(1);
        if (rows == 0 || columns == 0) {
            throw new MeshRuntimeException(ShapeMessages.emptyRing(ring));
        }
        if (rows > mesh.get(0) || columns > mesh.get(1)) {
            throw new MeshRuntimeException(ShapeMessages.ringOutOfMesh(ring, mesh));
        }
        List<MeshCoordinate> edge = new ArrayList<>();
        IntStream.range(0, columns).forEach(column -> edge.add(MeshCoordinate.of(0, column)));
        IntStream.range(1, rows).forEach(row -> edge.add(MeshCoordinate.of(row, columns - 1)));
        if (rows > 1 && columns > 1) {
            IntStream.range(1, columns).forEach(step -> edge.add(MeshCoordinate.of(rows - 1, columns - 1 - step)));
            IntStream.range(1, rows - 1).forEach(step -> edge.add(MeshCoordinate.of(rows - 1 - step, 0)));
        }
        return edge;
    }

    /** Returns the number of devices. */
    public int numDevices() {
        return devices.size();
    }

    /**
     * Returns whether a coordinate lies in the mesh.
     *
     * @throws MeshRuntimeException if it has another number of dimensions; the real runtime aborts the process
     */
    public boolean contains(MeshCoordinate coordinate) {
        return MeshCoordinateRange.of(shape).contains(coordinate);
    }

    /**
     * Returns the device at a coordinate; empty if the coordinate is not in the mesh. The runtime returns a null pointer then.
     *
     * @throws MeshRuntimeException if it has another number of dimensions; the real runtime aborts the process
     */
    public OptionalInt device(MeshCoordinate coordinate) {
        return contains(coordinate)
                ? OptionalInt.of(devices.get(coordinate.toLinearIndex(shape)))
                : OptionalInt.empty();
    }

    /**
     * Returns where a device lies.
     *
     * @param device its id
     * @throws MeshRuntimeException if it does not belong to the mesh
     */
    public MeshCoordinate findDevice(int device) {
        return MeshCoordinateRange.of(shape).stream()
                .filter(coordinate -> devices.get(coordinate.toLinearIndex(shape)) == device)
                .findFirst()
                .orElseThrow(() -> new MeshRuntimeException(ShapeMessages.deviceNotFound(device)));
    }

    /**
     * Returns the devices of a block, in row-major order.
     *
     * @throws MeshRuntimeException if it does not lie in the mesh
     */
    public List<Integer> devices(MeshCoordinateRange range) {
        return range.stream()
                .map(coordinate -> devices.get(coordinate.toLinearIndex(shape)))
                .toList();
    }

    /** Returns whether the mesh has two dimensions. */
    public boolean isMesh2d() {
        return shape.dims() == 2;
    }

    /**
     * Returns the number of rows.
     *
     * @throws MeshRuntimeException if the mesh does not have two dimensions
     */
    public int numRows() {
        require2d();
        return shape.get(0);
    }

    /**
     * Returns the number of columns.
     *
     * @throws MeshRuntimeException if the mesh does not have two dimensions
     */
    public int numCols() {
        require2d();
        return shape.get(1);
    }

    /**
     * Returns the devices of a row.
     *
     * @param row its index, from 0
     * @throws MeshRuntimeException if there is no such row
     */
    public List<Integer> rowDevices(int row) {
        require2d();
        if (row < 0 || row >= numRows()) {
            throw new MeshRuntimeException(ShapeMessages.rowOutOfBounds(row));
        }
        return devices.subList(row * numCols(), (row + 1) * numCols());
    }

    /**
     * Returns the devices of a column.
     *
     * @param column its index, from 0
     * @throws MeshRuntimeException if there is no such column
     */
    public List<Integer> columnDevices(int column) {
        require2d();
        if (column < 0 || column >= numCols()) {
            throw new MeshRuntimeException(ShapeMessages.columnOutOfBounds(column));
        }
        return IntStream.range(0, numRows())
                .mapToObj(row -> devices.get(row * numCols() + column))
                .toList();
    }

    /**
     * Returns all coordinates in the order of a line; see {@link #lineCoordinates(int, MeshShape, MeshCoordinate)}.
     *
     * @throws MeshRuntimeException if the mesh does not have two dimensions
     * @throws IllegalArgumentException if the mesh is so large that the search does not end
     */
    public List<MeshCoordinate> lineCoordinates() {
        require2d();
        return lineCoordinates(numDevices(), shape, MeshCoordinate.zeroCoordinate(2));
    }

    /** Returns all devices in the order of a line; see {@link #lineCoordinates()}. */
    public List<Integer> lineDevices() {
        return devicesAt(lineCoordinates());
    }

    /**
     * Returns the coordinates at the edge, clockwise from the first device.
     *
     * @throws MeshRuntimeException if the mesh does not have two dimensions
     */
    public List<MeshCoordinate> ringCoordinates() {
        require2d();
        return ringCoordinates(shape, shape);
    }

    /** Returns the devices at the edge, clockwise from the first one; see {@link #ringCoordinates()}. */
    public List<Integer> ringDevices() {
        return devicesAt(ringCoordinates());
    }

    private List<Integer> devicesAt(List<MeshCoordinate> coordinates) {
        return coordinates.stream()
                .map(coordinate -> devices.get(coordinate.toLinearIndex(shape)))
                .toList();
    }

    private void require2d() {
        if (!isMesh2d()) {
            throw new MeshRuntimeException(ShapeMessages.VIEW_NOT_2D);
        }
    }

    private static List<MeshCoordinate> alongTheRing(int length, MeshShape mesh, MeshCoordinate offset) {
        List<MeshCoordinate> ring = ringCoordinates(mesh, mesh);
        if (length > ring.size()) {
            throw new MeshRuntimeException(ShapeMessages.lineLongerThanRing(length, ring.size()));
        }
        int start = ring.indexOf(offset);
        return IntStream.range(start, start + length)
                .mapToObj(place -> ring.get(place % ring.size()))
                .toList();
    }

    private static void requireTwoDimensions(int dims, Object shapeOrOffset) {
        if (dims != 2) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "Cannot lay a line or ring with %s: lines and rings need two dimensions",
                    shapeOrOffset));
        }
    }
}
