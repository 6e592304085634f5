package dev.meshguard.mesh.internal.device;

import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.shape.MeshCoordinate;
import dev.meshguard.mesh.shape.MeshCoordinateRange;
import dev.meshguard.mesh.shape.MeshShape;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * Selects the devices of a submesh.
 *
 * <p>Source: {@code create_submesh} in {@code tt_metal/distributed/mesh_device.cpp}.
 */
public final class Submeshes {

    private Submeshes() {}

    /**
     * Returns the places of a submesh's devices in its parent, in the submesh's row-major order.
     *
     * @throws MeshRuntimeException if it has no device or does not lie within the parent
     */
    public static List<MeshCoordinate> coordinatesOf(
            MeshShape submesh, Optional<MeshCoordinate> offset, MeshShape parent) {
        requireDevices(submesh);
        requireSameDimensions(submesh, parent);
        List<Integer> start = offset.map(MeshCoordinate::values).orElseGet(() -> Collections.nCopies(parent.dims(), 0));
        if (start.size() != submesh.dims()) {
            throw new MeshRuntimeException(
                    "Submesh shape %s and offset %s must have the same number of dimensions.",
                    submesh, new MeshCoordinate(start));
        }
        for (int dimension = 0; dimension < parent.dims(); dimension++) {
            if ((long) start.get(dimension) + submesh.dimensions().get(dimension)
                    > parent.dimensions().get(dimension)) {
                throw new MeshRuntimeException(
                        "Submesh shape %s and offset %s does not fit within parent mesh (%s).",
                        submesh, offset.map(MeshCoordinate::toString).orElse("nullopt"), parent);
            }
        }
        return MeshCoordinateRange.of(submesh).stream()
                .map(place -> sum(start, place.values()))
                .toList();
    }

    private static void requireDevices(MeshShape submesh) {
        if (submesh.meshSize() == 0) {
            throw new MeshRuntimeException("Invalid submesh shape: (%s). All dimensions must be positive.", submesh);
        }
    }

    private static MeshCoordinate sum(List<Integer> start, List<Integer> steps) {
        List<Integer> sum = new ArrayList<>();
        for (int dimension = 0; dimension < start.size(); dimension++) {
            sum.add(start.get(dimension) + steps.get(dimension));
        }
        return new MeshCoordinate(sum);
    }

    private static void requireSameDimensions(MeshShape submesh, MeshShape parent) {
        if (submesh.dims() != parent.dims()) {
            throw new MeshRuntimeException(
                    "Submesh shape %s and mesh device shape %s must have the same number of dimensions.",
                    submesh, parent);
        }
    }
}
