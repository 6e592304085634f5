package dev.meshguard.mesh.buffer;

import dev.meshguard.mesh.allocator.MeshRuntimeException;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Compute cores, described by rectangles that do not overlap.
 *
 * <p>Two sets of the same cores in another order are not equal. Immutable and safe for use by several threads. Source:
 * {@code CoreRangeSet} in {@code tt_metal/common/core_coord.cpp}.
 *
 * @param ranges the rectangles
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record CoreRangeSet(List<CoreRange> ranges) {

    /**
     * Creates a set with its own copy of the list.
     *
     * @throws MeshRuntimeException if two rectangles have a core in common
     */
    public CoreRangeSet {
        ranges = List.copyOf(ranges);
        requireNoOverlap(ranges);
    }

    /**
     * Returns the set of the cores of the given rectangles, in the given order; empty without rectangles.
     *
     * @throws MeshRuntimeException if two rectangles have a core in common
     */
    public static CoreRangeSet of(CoreRange... ranges) {
        return new CoreRangeSet(List.of(ranges));
    }

    /** Returns the number of cores. */
    public int numCores() {
        return ranges.stream().mapToInt(CoreRange::size).sum();
    }

    /** Returns whether all cores of the other lie in it, which those of an empty set always do. */
    public boolean contains(CoreRangeSet other) {
        int common = 0;
        for (CoreRange range : ranges) {
            for (CoreRange otherRange : other.ranges) {
                common += range.intersection(otherRange).map(CoreRange::size).orElse(0);
            }
        }
        return common == other.numCores();
    }

    /** Returns whether a core of the rectangle lies in it. */
    public boolean intersects(CoreRange range) {
        return ranges.stream().anyMatch(own -> own.intersects(range));
    }

    /** Returns whether a core of the other lies in it. */
    public boolean intersects(CoreRangeSet other) {
        return other.ranges.stream().anyMatch(this::intersects);
    }

    /**
     * Returns the set of its cores and those of rectangles, which may overlap.
     *
     * <p>Every row is cut into runs of cores, and runs of the same columns in consecutive rows make up a rectangle. That is not
     * always the smallest number of rectangles: an H is cut into five, where three would do, as in the runtime.
     */
    public CoreRangeSet merge(Collection<CoreRange> others) {
        Set<CoreCoord> cores = new HashSet<>();
        ranges.forEach(range -> cores.addAll(range.cores()));
        others.forEach(range -> cores.addAll(range.cores()));

        Set<CoreRange> merged = new TreeSet<>();
        Map<Columns, Integer> growing = new HashMap<>();
        int lastRow = cores.stream().mapToInt(CoreCoord::y).max().orElse(-1);
        int firstRow = cores.stream().mapToInt(CoreCoord::y).min().orElse(0);
        for (int row = firstRow; row <= lastRow + 1; row++) {
            Set<Columns> runs = runsOf(row, cores);
            int endRow = row - 1;
            Map.copyOf(growing).forEach((columns, startRow) -> {
                if (!runs.contains(columns)) {
                    merged.add(new CoreRange(columns.first, startRow, columns.last, endRow));
                    growing.remove(columns);
                }
            });
            for (Columns run : runs) {
                growing.putIfAbsent(run, row);
            }
        }
        return new CoreRangeSet(List.copyOf(merged));
    }

    /** Returns the rectangles as the runtime writes them: <code>{[0-0 - 1-1], [3-3 - 5-4]}</code>. */
    @Override
    public String toString() {
        return ranges.stream().map(CoreRange::toString).collect(Collectors.joining(", ", "{", "}"));
    }

    private static Set<Columns> runsOf(int row, Set<CoreCoord> cores) {
        Set<Columns> runs = new HashSet<>();
        for (CoreCoord core : cores) {
            boolean startsARun =
                    core.y() == row && (core.x() == 0 || !cores.contains(new CoreCoord(core.x() - 1, row)));
            if (startsARun) {
                int last = core.x();
                while (cores.contains(new CoreCoord(last + 1, row))) {
                    last++;
                }
                runs.add(new Columns(core.x(), last));
            }
        }
        return runs;
    }

    private static void requireNoOverlap(List<CoreRange> ranges) {
        for (int first = 0; first < ranges.size(); first++) {
            for (int second = first + 1; second < ranges.size(); second++) {
                if (ranges.get(first).intersects(ranges.get(second))) {
                    throw new MeshRuntimeException(
                            "Cannot create CoreRangeSet with specified core ranges because core ranges %s and %s overlap!",
                            ranges.get(first), ranges.get(second));
                }
            }
        }
    }

    /** The columns of a run of cores in one row. */
    private record Columns(int first, int last) {}
}
