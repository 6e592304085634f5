package dev.meshguard.mesh.shape;

import java.util.Locale;

/**
 * The texts of the runtime about shapes and coordinates, verbatim.
 *
 * <p>Sources: {@code tt_metal/common/{mesh_coord,shape_base}.cpp}, {@code tt_metal/api/tt-metalium/mesh_coord.hpp} and
 * {@code tt_metal/distributed/system_mesh.cpp}.
 */
final class ShapeMessages {

    static final String EMPTY_SHAPE = "MeshShape cannot have 0 dimension.";
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

    static String rangeDimensions(int start, int end) {
        return String.format(
                Locale.ROOT, "Start and end dimensions of a coordinate range do not match: %d != %d", start, end);
    }

    static String rangeEndsBeforeItStarts(MeshCoordinate start, MeshCoordinate end) {
        return String.format(Locale.ROOT, "Start coordinate is greater than end coordinate: %s > %s", start, end);
    }

    static String coordinateDimensions(int other, int own) {
        return String.format(Locale.ROOT, "Coordinate dimensions do not match: %d != %d", other, own);
    }

    static String deviceNotFound(int device) {
        return String.format(Locale.ROOT, "Device not found in mesh: %d", device);
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
}
