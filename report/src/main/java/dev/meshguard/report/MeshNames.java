package dev.meshguard.report;

import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.history.AllocationHistory;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/** Formats the names of meshes if there are several. */
final class MeshNames {

    private static final int MAX_NAMED = 3;

    private final Map<Integer, MeshDescription> descriptions = new LinkedHashMap<>();

    MeshNames(AllocationHistory history) {
        history.meshes().forEach(mesh -> descriptions.put(mesh.id(), mesh));
    }

    /** Returns {@code mesh 1 (1x2 submesh of mesh 0)}. */
    String of(OptionalInt mesh) {
        return mesh.isEmpty() ? "an unknown mesh" : of(mesh.getAsInt());
    }

    /**
     * Returns the name of the allocator that reserved memory of a device: that of {@link #of(OptionalInt)}, unless it
     * belongs to no mesh.
     */
    String of(Optional<AllocatorId> allocator, OptionalInt mesh, int device) {
        AllocatorId.Kind kind = allocator.map(AllocatorId::kind).orElse(AllocatorId.Kind.MESH);
        return switch (kind) {
            case MESH -> of(mesh);
            case DEVICE -> "the own allocator of device " + device;
            case SUB_DEVICE -> allocator.orElseThrow() + " of " + of(mesh);
        };
    }

    /** Returns {@code mesh 0 (1x4 mesh) and mesh 1 (1x2 submesh of mesh 0)}, and the number of further ones. */
    String of(Collection<Integer> meshes) {
        return TruncatedText.list(meshes.stream().map(this::of).toList(), MAX_NAMED, " and ");
    }

    private String of(int mesh) {
        MeshDescription description = descriptions.get(mesh);
        return description == null
                ? "mesh " + mesh
                : String.format(Locale.ROOT, "mesh %d (%s)", mesh, description.description());
    }
}
