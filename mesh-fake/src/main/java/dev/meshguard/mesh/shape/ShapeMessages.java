package dev.meshguard.mesh.shape;

import java.util.Locale;

/**
 * The texts of the runtime about shapes, coordinates and views, verbatim.
 *
 * <p>Sources: {@code tt_metal/common/{mesh_coord,shape_base}.cpp}, {@code tt_metal/api/tt-metalium/mesh_coord.hpp} and {@code
 * tt_metal/distributed/{mesh_device_view,system_mesh}.cpp}.
 */
final class ShapeMessages {

    static final String EMPTY_SHAPE = "MeshShape cannot have 0 dimension.";
    static final String VIEW_NOT_2D = "MeshDeviceViewImpl is not 2D!";
    static final String LINE_NEEDS_2D_SYSTEM = "Line topology is only supported for 2D meshes";
    static final String ROTATION_NEEDS_2D_SYSTEM = "Mesh rotation is only supported for 2D meshes";

    private ShapeMessages() {}

    static String shapeIndexOutOfRange(int index, int lowest, int dims) {
        return String.format(Locale.ROOT, "ShapeBase[] index out of range. %d not in [%d, %d)", index, lowest, dims);
    }

    static String indexOutOfBounds(int index, int dims) {
        return String.format(Locale.ROOT, "Index out of bounds: %d not in [%d, %d)", index, -dims, dims);
    }

    static String shapeAndCoordinateDimensions(int shapeDims, int coordinateDims) {
        return String.format(
                Locale.ROOT, "Shape and coordinate dimensions do not match: %d != %d", shapeDims, coordinateDims);
    }

    static String coordinateOutOfBounds(MeshCoordinate coordinate, MeshShape shape) {
        return String.format(Locale.ROOT, "Coordinate %s is out of bounds for shape %s", coordinate, shape);
    }

    static String coordinatesNotComparable(int left, int right) {
        return String.format(
                Locale.ROOT, "Cannot compare coordinates with different dimensions: %d != %d", left, right);
    }

    static String rangeDimensions(int start, int end) {
        return String.format(
                Locale.ROOT, "Start and end dimensions of a coordinate range do not match: %d != %d", start, end);
    }

    static String rangeEndsBeforeItStarts(MeshCoordinate start, MeshCoordinate end) {
        return String.format(Locale.ROOT, "Start coordinate is greater than end coordinate: %s > %s", start, end);
    }

    static String wraparoundDimensions(int shapeDims, int rangeDims) {
        return String.format(
                Locale.ROOT, "Wraparound shape dims must match range dims: %d != %d", shapeDims, rangeDims);
    }

    static String coordinateDimensions(int other, int own) {
        return String.format(Locale.ROOT, "Coordinate dimensions do not match: %d != %d", other, own);
    }

    static String rangeSetDimensions(int own, int merged) {
        return String.format(
                Locale.ROOT, "Cannot merge range with different dimensions into a range set: %d != %d", own, merged);
    }

    static String subtractDimensions(int parent, int intersection) {
        return String.format(
                Locale.ROOT, "Parent and intersection dimensions do not match: %d != %d", parent, intersection);
    }

    static String shapeAndValues(MeshShape shape, int values) {
        return String.format(Locale.ROOT, "Shape and values size mismatch; shape: %s, values: %d", shape, values);
    }

    static String rowOutOfBounds(int row) {
        return String.format(Locale.ROOT, "Row index out of bounds: %d", row);
    }

    static String columnOutOfBounds(int column) {
        return String.format(Locale.ROOT, "Column index out of bounds: %d", column);
    }

    static String deviceNotFound(int device) {
        return String.format(Locale.ROOT, "Device not found in mesh: %d", device);
    }

    static String lineOffsetOutOfBounds(MeshCoordinate offset, MeshShape mesh) {
        return String.format(
                Locale.ROOT,
                "Mesh offset (%d, %d) is out of bounds for mesh shape %s",
                offset.get(0),
                offset.get(1),
                shape2d(mesh));
    }

    static String lineLongerThanRing(int length, int ring) {
        return String.format(Locale.ROOT, "Length %d is greater than the number of ring coordinates %d", length, ring);
    }

    static String lineNotFound(int found, int length) {
        return String.format(
                Locale.ROOT, "Failed to get line coordinates, got %d coordinates, expected %d", found, length);
    }

    static String emptyRing(MeshShape ring) {
        return String.format(Locale.ROOT, "Ring shape must not be empty along either dimension. Got %s", shape2d(ring));
    }

    static String ringOutOfMesh(MeshShape ring, MeshShape mesh) {
        return String.format(Locale.ROOT, "Subgrid %s is out of mesh bounds %s", shape2d(ring), shape2d(mesh));
    }

    /** Returns the beginning of the text; the runtime adds advice. */
    static String noDevicesRequested(MeshShape requested) {
        return String.format(Locale.ROOT, "Requested mesh shape %s has zero devices (mesh_size=0).", requested);
    }

    static String tooManyDevicesRequested(MeshShape requested, MeshShape system) {
        return String.format(
                Locale.ROOT,
                "Requested mesh shape %s requires %d devices, but only %d devices are available in the system mesh %s.",
                requested,
                requested.meshSize(),
                system.meshSize(),
                system);
    }

    static String offsetDimensions(MeshCoordinate offset, int systemDims) {
        return String.format(Locale.ROOT, "Provided offset dimensions mismatch: %s != %d", offset, systemDims);
    }

    static String offsetOutOfSystem(MeshCoordinate offset, MeshShape system) {
        return String.format(
                Locale.ROOT, "The specified offset %s is out of bounds for the system mesh shape %s", offset, system);
    }

    static String requestedDimensions(MeshShape requested, MeshShape system) {
        return String.format(Locale.ROOT, "Requested mesh shape dimensions mismatch: %s != %s", requested, system);
    }

    static String notRotatable(MeshShape requested, MeshShape system, MeshCoordinate offset) {
        return String.format(
                Locale.ROOT,
                "Requested mesh is too big and is not rotatable: %s and SystemMesh %s, offset %s",
                requested,
                system,
                offset);
    }

    /** A shape of two dimensions as {@code Shape2D} is written. */
    private static String shape2d(MeshShape shape) {
        return String.format(Locale.ROOT, "(%d, %d)", shape.get(0), shape.get(1));
    }
}
