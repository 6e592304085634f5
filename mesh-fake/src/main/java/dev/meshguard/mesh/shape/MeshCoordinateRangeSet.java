package dev.meshguard.mesh.shape;

import dev.meshguard.mesh.allocator.MeshRuntimeException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Collectors;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Blocks of coordinates that do not overlap, sorted by their starts.
 *
 * <p>Merging joins blocks that fit together exactly and splits those that overlap. As in the runtime this is a best effort. The
 * blocks are always disjoint and contain exactly the merged coordinates, but a smaller set of blocks may exist. Do not merge
 * ranges that cross the edge of a mesh with others: joining loses the wrap-around.
 *
 * <p>Immutable, while the runtime's set is mutable, and safe for use by several threads. Source: {@code MeshCoordinateRangeSet}
 * in {@code tt_metal/api/tt-metalium/mesh_coord.hpp} and {@code tt_metal/common/mesh_coord.cpp}.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class MeshCoordinateRangeSet {

    private static final MeshCoordinateRangeSet EMPTY = new MeshCoordinateRangeSet(List.of());

    private final List<MeshCoordinateRange> ranges;

    private MeshCoordinateRangeSet(List<MeshCoordinateRange> ranges) {
        this.ranges = List.copyOf(ranges);
    }

    /** Returns the set without coordinates. */
    public static MeshCoordinateRangeSet empty() {
        return EMPTY;
    }

    /**
     * Returns the set that results when ranges are merged one after the other.
     *
     * @throws MeshRuntimeException if the numbers of dimensions differ
     */
    public static MeshCoordinateRangeSet of(MeshCoordinateRange... ranges) {
        MeshCoordinateRangeSet set = EMPTY;
        for (MeshCoordinateRange range : ranges) {
            set = set.merge(range);
        }
        return set;
    }

    /**
     * Returns the set that has the coordinates of a range besides its own.
     *
     * @throws MeshRuntimeException if the range has another number of dimensions
     */
    public MeshCoordinateRangeSet merge(MeshCoordinateRange range) {
        if (!ranges.isEmpty() && ranges.get(0).dims() != range.dims()) {
            throw new MeshRuntimeException(
                    ShapeMessages.rangeSetDimensions(ranges.get(0).dims(), range.dims()));
        }
        List<MeshCoordinateRange> merged = new ArrayList<>(ranges);
        mergeInto(merged, range);
        return new MeshCoordinateRangeSet(merged);
    }

    /** Returns the number of ranges. */
    public int size() {
        return ranges.size();
    }

    /** Returns whether there is no range. */
    public boolean isEmpty() {
        return ranges.isEmpty();
    }

    /** Returns the ranges, sorted. */
    public List<MeshCoordinateRange> ranges() {
        return ranges;
    }

    /** Returns the coordinates of all ranges, sorted. */
    public List<MeshCoordinate> coords() {
        return ranges.stream().flatMap(MeshCoordinateRange::stream).sorted().toList();
    }

    /** Returns whether the other set has the same ranges. */
    @Override
    public boolean equals(Object other) {
        return other instanceof MeshCoordinateRangeSet set && ranges.equals(set.ranges);
    }

    @Override
    public int hashCode() {
        return ranges.hashCode();
    }

    /** Returns the set as the runtime writes it: {@code MeshCoordinateRangeSet([...])}. */
    @Override
    public String toString() {
        return ranges.stream()
                .map(MeshCoordinateRange::toString)
                .collect(Collectors.joining(", ", "MeshCoordinateRangeSet([", "])"));
    }

    /**
     * Adds a range to disjoint ones. It joins the ranges that fit together exactly and splits the rest of overlapping ones into
     * single coordinates, which are then added one by one. The resulting blocks depend on this order, so it is the runtime's.
     */
    private static void mergeInto(List<MeshCoordinateRange> ranges, MeshCoordinateRange range) {
        List<MeshCoordinate> cutOff = new ArrayList<>();
        ranges.add(grow(range, ranges, cutOff));
        for (MeshCoordinate coordinate : cutOff) {
            mergeInto(ranges, MeshCoordinateRange.of(coordinate));
        }
        ranges.sort(Comparator.comparing(MeshCoordinateRange::start).thenComparing(MeshCoordinateRange::end));
        collapse(ranges);
    }

    /** Takes out all ranges that the new one replaces, starting over whenever it has grown. */
    private static MeshCoordinateRange grow(
            MeshCoordinateRange range, List<MeshCoordinateRange> ranges, List<MeshCoordinate> cutOff) {
        Iterator<MeshCoordinateRange> others = ranges.iterator();
        while (others.hasNext()) {
            MeshCoordinateRange other = others.next();
            if (fitTogether(range, other)) {
                others.remove();
                return grow(range.boundingBox(other), ranges, cutOff);
            }
            if (range.intersects(other)) {
                others.remove();
                other.stream().filter(coordinate -> !range.contains(coordinate)).forEach(cutOff::add);
            }
        }
        return range;
    }

    /** Whether one block can replace the two: they touch or overlap along one dimension only, or one contains the other. */
    private static boolean fitTogether(MeshCoordinateRange a, MeshCoordinateRange b) {
        List<Integer> different = a.differingDimensions(b);
        if (different.size() == 1) {
            int dimension = different.get(0);
            return Math.max(a.start().get(dimension), b.start().get(dimension))
                    <= Math.min(a.end().get(dimension), b.end().get(dimension)) + 1;
        }
        return different.isEmpty() || a.contains(b) || b.contains(a);
    }

    /** Replaces all ranges by one if together they fill a block. */
    private static void collapse(List<MeshCoordinateRange> ranges) {
        MeshCoordinateRange whole =
                ranges.stream().reduce(MeshCoordinateRange::boundingBox).orElseThrow();
        int devices =
                ranges.stream().mapToInt(range -> range.shape().meshSize()).sum();
        if (ranges.size() > 1 && whole.shape().meshSize() == devices) {
            ranges.clear();
            ranges.add(whole);
        }
    }
}
