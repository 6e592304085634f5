package dev.meshguard.mesh.shape;

import dev.meshguard.mesh.allocator.MeshRuntimeException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Finds the path along which the runtime places a line of devices in a mesh of two dimensions.
 *
 * <p>The runtime uses the first path of a depth-first search that tries right, down, left and up in this order. It prefers a
 * path that ends beside its start, so that the line can be closed to a ring. If there is none, it uses any path. This class
 * finds the same paths. It abandons a partial path as soon as the path cannot succeed: too far from the start to return, too
 * few reachable devices of either colour of a chessboard, dead ends. The runtime tries all continuations of such a partial
 * path, so its search is endless in larger meshes. This class throws an exception after too many steps.
 *
 * <p>Source: {@code get_line_coordinates} in {@code tt_metal/distributed/mesh_device_view.cpp}. Not thread-safe; for one
 * search.
 */
final class LineSearch {

    /** Ten times the steps of the worst line in any mesh of up to 8x8 devices. */
    private static final int MAX_STEPS = 200_000;

    private final MeshShape mesh;
    private final int length;
    private final MeshCoordinate offset;
    private final int rows;
    private final int columns;
    private final int start;
    private final boolean[] onPath;
    private final int[] path;
    private int found;
    private int steps;

    private LineSearch(int length, MeshShape mesh, MeshCoordinate offset) {
        this.mesh = mesh;
        this.length = length;
        this.offset = offset;
        this.rows = mesh.get(0);
        this.columns = mesh.get(1);
        this.start = offset.toLinearIndex(mesh);
        this.onPath = new boolean[mesh.meshSize()];
        this.path = new int[mesh.meshSize()];
    }

    /**
     * Returns the coordinates of a line in order.
     *
     * @throws MeshRuntimeException if there is no path of this length
     * @throws IllegalArgumentException if the search exceeds its maximum number of steps
     */
    static List<MeshCoordinate> find(int length, MeshShape mesh, MeshCoordinate offset) {
        LineSearch search = new LineSearch(length, mesh, offset);
        if (length < 1 || length > mesh.meshSize() || !(search.runs(true) || search.runs(false))) {
            throw new MeshRuntimeException(ShapeMessages.lineNotFound(1, length));
        }
        return search.coordinates();
    }

    private boolean runs(boolean closed) {
        // On a chessboard every step changes the colour, so that no ring has an odd number of fields.
        if (closed && length > 1 && length % 2 == 1) {
            return false;
        }
        found = 0;
        push(start);
        boolean reached = extend(closed);
        pop();
        return reached;
    }

    private boolean extend(boolean closed) {
        if (found == length) {
            return true;
        }
        countStep();
        int end = path[found - 1];
        if (!canReachLength(end, closed)) {
            return false;
        }
        for (int next : neighbours(end)) {
            boolean endsApart = closed && found == length - 1 && distance(next, start) != 1;
            if (!onPath[next] && !endsApart) {
                push(next);
                if (extend(closed)) {
                    return true;
                }
                pop();
            }
        }
        return false;
    }

    private boolean canReachLength(int end, boolean closed) {
        int missing = length - found;
        if (length <= 2) {
            return true;
        }
        if (closed && distance(end, start) > missing + 1) {
            return false;
        }
        Reach reach = reachFrom(end, closed);
        int otherColourNeeded = (missing + 1) / 2;
        int sameColourNeeded = missing / 2;
        return reach.otherColour >= otherColourNeeded
                && reach.sameColour >= sameColourNeeded
                && (closed ? reach.besideStart : reach.usable() >= missing);
    }

    /** Counts the devices that a continuation of the path may use. */
    private Reach reachFrom(int end, boolean closed) {
        boolean[] seen = closed ? withoutDeadEnds(end) : onPath.clone();
        Reach reach = new Reach();
        ArrayDeque<Integer> waiting = new ArrayDeque<>();
        waiting.add(end);
        while (!waiting.isEmpty()) {
            for (int next : neighbours(waiting.remove())) {
                if (!seen[next]) {
                    seen[next] = true;
                    waiting.add(next);
                    reach.add(distance(next, end) % 2 == 0, distance(next, start) == 1, waysThrough(next, end) < 2);
                }
            }
        }
        return reach;
    }

    /** Returns the path and all devices that no ring can pass, because a ring could not leave them again. */
    private boolean[] withoutDeadEnds(int end) {
        boolean[] closedOff = onPath.clone();
        int[] ways = new int[closedOff.length];
        ArrayDeque<Integer> deadEnds = new ArrayDeque<>();
        for (int device = 0; device < ways.length; device++) {
            ways[device] = waysThrough(device, end);
            if (!onPath[device] && ways[device] < 2) {
                closedOff[device] = true;
                deadEnds.add(device);
            }
        }
        while (!deadEnds.isEmpty()) {
            for (int next : neighbours(deadEnds.remove())) {
                ways[next]--;
                if (!closedOff[next] && ways[next] < 2) {
                    closedOff[next] = true;
                    deadEnds.add(next);
                }
            }
        }
        return closedOff;
    }

    /** The number of neighbours from which or to which a ring or line could go on. */
    private int waysThrough(int device, int end) {
        int ways = 0;
        for (int next : neighbours(device)) {
            if (!onPath[next] || next == end || next == start) {
                ways++;
            }
        }
        return ways;
    }

    /** Returns the neighbours in the order in which the runtime tries them: right, down, left, up. */
    private List<Integer> neighbours(int device) {
        List<Integer> neighbours = new ArrayList<>(4);
        int column = device % columns;
        if (column + 1 < columns) {
            neighbours.add(device + 1);
        }
        if (device / columns + 1 < rows) {
            neighbours.add(device + columns);
        }
        if (column > 0) {
            neighbours.add(device - 1);
        }
        if (device >= columns) {
            neighbours.add(device - columns);
        }
        return neighbours;
    }

    private int distance(int a, int b) {
        return Math.abs(a / columns - b / columns) + Math.abs(a % columns - b % columns);
    }

    private void push(int device) {
        path[found++] = device;
        onPath[device] = true;
    }

    private void pop() {
        onPath[path[--found]] = false;
    }

    private void countStep() {
        if (++steps > MAX_STEPS) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "Cannot lay a line of %d devices into a %s mesh from %s on: %d steps of the runtime's search found no way,"
                            + " and the runtime would search for even longer. Ask for another length or offset, or name the devices.",
                    length,
                    mesh.grid(),
                    offset,
                    MAX_STEPS));
        }
    }

    private List<MeshCoordinate> coordinates() {
        List<MeshCoordinate> coordinates = new ArrayList<>(length);
        for (int index = 0; index < length; index++) {
            coordinates.add(MeshCoordinate.of(path[index] / columns, path[index] % columns));
        }
        return coordinates;
    }

    /** The number of devices that can be reached from the end of a path, by the colours of a chessboard. */
    private static final class Reach {

        private int sameColour;
        private int otherColour;
        private int leaves;
        private boolean besideStart;

        void add(boolean coloursMatch, boolean isBesideStart, boolean isLeaf) {
            sameColour += coloursMatch ? 1 : 0;
            otherColour += coloursMatch ? 0 : 1;
            leaves += isLeaf ? 1 : 0;
            besideStart |= isBesideStart;
        }

        /** Counts all devices except the leaves, of which only the last device of a line can be one. */
        int usable() {
            return sameColour + otherColour - Math.max(0, leaves - 1);
        }
    }
}
