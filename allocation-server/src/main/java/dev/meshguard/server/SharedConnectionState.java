package dev.meshguard.server;

import dev.meshguard.server.line.internal.LineParser;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The state that all connections of MeshGuard's own clients share: the parser of their lines, the number of their
 * meshes, and the devices that their open meshes use. Guarded by the server's lock.
 */
final class SharedConnectionState {

    final LineParser parser = new LineParser();

    private final Map<Integer, Integer> openMeshes = new HashMap<>();
    private int meshes;
    private boolean hasAny;

    /** Returns what makes the owners of a new connection differ from those of the others; nothing for the first one. */
    String connected(int connection) {
        String suffix = hasAny ? " of connection " + connection : "";
        hasAny = true;
        return suffix;
    }

    /** Returns the number of the next mesh in the history. */
    int nextMesh() {
        meshes++;
        return meshes;
    }

    /** Records an open mesh; returns the devices that no other open mesh uses. */
    List<Integer> opened(List<Integer> devices) {
        return devices.stream()
                .filter(device -> openMeshes.merge(device, 1, Integer::sum) == 1)
                .toList();
    }

    /** Records that a mesh is not open any more; returns the devices that no open mesh uses. */
    List<Integer> closed(List<Integer> devices) {
        return devices.stream()
                .filter(device ->
                        openMeshes.computeIfPresent(device, (unused, open) -> open > 1 ? open - 1 : null) == null)
                .toList();
    }
}
