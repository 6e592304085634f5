package dev.meshguard.server;

import dev.meshguard.server.line.internal.LineParser;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The shared state of the connections of MeshGuard's clients: the parser of their lines, unique numbers of meshes, and the devices that
 * their open meshes use. Guarded by the server's lock.
 */
final class LinePrograms {

    final LineParser parser = new LineParser();

    private final Set<Integer> meshes = new HashSet<>();
    private int highestMesh;
    private final Map<Integer, Integer> openMeshes = new HashMap<>();
    private boolean hasAny;

    /** Returns what makes the owners of a new connection differ from those of the others; nothing for the first one. */
    String connected(int connection) {
        String suffix = hasAny ? " of connection " + connection : "";
        hasAny = true;
        return suffix;
    }

    /** Returns a number that no mesh of the history has: that of the program, if possible. */
    int numberOf(int mesh) {
        int number = mesh < Integer.MAX_VALUE && meshes.add(mesh) ? mesh : highestMesh + 1;
        meshes.add(number);
        highestMesh = Math.max(highestMesh, number);
        return number;
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
