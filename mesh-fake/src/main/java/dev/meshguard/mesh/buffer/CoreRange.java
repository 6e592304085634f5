package dev.meshguard.mesh.buffer;

import dev.meshguard.mesh.allocator.MeshRuntimeException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * A rectangle of compute cores, both corners included.
 *
 * <p>Ordered by its first core, then by its last. Immutable and safe for use by several threads. Source: {@code CoreRange} in
 * {@code tt_metal/common/core_coord.cpp}.
 *
 * @param start the core of the first column and the first row
 * @param end the core of the last column and the last row
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record CoreRange(CoreCoord start, CoreCoord end) implements Comparable<CoreRange> {

    private static final Comparator<CoreRange> BY_CORNERS =
            Comparator.comparing(CoreRange::start).thenComparing(CoreRange::end);

    /**
     * Creates a rectangle.
     *
     * @throws MeshRuntimeException if it ends before it starts
     */
    public CoreRange {
        if (end.x() < start.x() || end.y() < start.y()) {
            throw new MeshRuntimeException("Invalid core range for start_coord: %s, end_coord: %s", start, end);
        }
    }

    /**
     * Creates a rectangle.
     *
     * @param startX the first column, from 0
     * @param startY the first row, from 0
     * @param endX the last column
     * @param endY the last row
     * @throws MeshRuntimeException if it ends before it starts
     * @throws IllegalArgumentException if a number is negative
     */
    public CoreRange(int startX, int startY, int endX, int endY) {
        this(new CoreCoord(startX, startY), new CoreCoord(endX, endY));
    }

    /** Returns the number of cores. */
    public int size() {
        return Math.multiplyExact(end.x() - start.x() + 1, end.y() - start.y() + 1);
    }

    /** Returns whether the core lies in it. */
    public boolean contains(CoreCoord core) {
        return start.x() <= core.x() && core.x() <= end.x() && start.y() <= core.y() && core.y() <= end.y();
    }

    /** Returns whether all cores of the other lie in it. */
    public boolean contains(CoreRange other) {
        return contains(other.start) && contains(other.end);
    }

    /** Returns whether a core lies in both. */
    public boolean intersects(CoreRange other) {
        return intersection(other).isPresent();
    }

    /** Returns the cores that lie in both. */
    public Optional<CoreRange> intersection(CoreRange other) {
        int startX = Math.max(start.x(), other.start.x());
        int startY = Math.max(start.y(), other.start.y());
        int endX = Math.min(end.x(), other.end.x());
        int endY = Math.min(end.y(), other.end.y());
        return startX <= endX && startY <= endY
                ? Optional.of(new CoreRange(startX, startY, endX, endY))
                : Optional.empty();
    }

    /** Returns the cores row by row. */
    public List<CoreCoord> cores() {
        List<CoreCoord> cores = new ArrayList<>(size());
        int width = end.x() - start.x() + 1;
        for (int core = 0; core < size(); core++) {
            cores.add(new CoreCoord(start.x() + core % width, start.y() + core / width));
        }
        return cores;
    }

    @Override
    public int compareTo(CoreRange other) {
        return BY_CORNERS.compare(this, other);
    }

    /** Returns the corners as the runtime writes them: {@code [0-0 - 7-7]}. */
    @Override
    public String toString() {
        return "[" + start + " - " + end + "]";
    }
}
