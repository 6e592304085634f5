package dev.meshguard.mesh.shape;

import dev.meshguard.mesh.allocator.MeshRuntimeException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * A block of coordinates in a mesh, both corners included.
 *
 * <p>With a wrap-around shape a block may cross the edge. If it ends before it starts, it runs from the start to the edge and
 * from 0 to the end. Iteration is in row-major order from the start, the last dimension fastest. Two ranges are equal if they
 * have the same corners, with or without wrap-around.
 *
 * <p>Immutable and safe for use by several threads. Source: {@code MeshCoordinateRange} in
 * {@code tt_metal/api/tt-metalium/mesh_coord.hpp} and {@code tt_metal/common/mesh_coord.cpp}. The runtime does not check that a
 * range lies in its wrap-around shape, and counts wrongly if it does not. This class rejects such a range.
 *
 * @param start the first corner
 * @param end the last corner
 * @param wraparoundShape the mesh whose edges the block may cross, empty if it may not cross any
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record MeshCoordinateRange(MeshCoordinate start, MeshCoordinate end, Optional<MeshShape> wraparoundShape)
        implements Iterable<MeshCoordinate> {

    /**
     * Creates a range.
     *
     * @throws MeshRuntimeException if the numbers of dimensions differ, or it ends before it starts and may not wrap
     * @throws IllegalArgumentException if a corner lies outside the wrap-around shape
     */
    public MeshCoordinateRange {
        if (start.dims() != end.dims()) {
            throw new MeshRuntimeException(ShapeMessages.rangeDimensions(start.dims(), end.dims()));
        }
        if (wraparoundShape.isPresent()) {
            requireWithin(wraparoundShape.get(), start, end);
        } else if (!precedes(start, end)) {
            throw new MeshRuntimeException(ShapeMessages.rangeEndsBeforeItStarts(start, end));
        }
    }

    /**
     * Returns the block between two corners.
     *
     * @throws MeshRuntimeException if the numbers of dimensions differ, or it ends before it starts
     */
    public static MeshCoordinateRange of(MeshCoordinate start, MeshCoordinate end) {
        return new MeshCoordinateRange(start, end, Optional.empty());
    }

    /**
     * Returns the block between two corners; it crosses the edges of the mesh if it ends before it starts.
     *
     * @throws MeshRuntimeException if the numbers of dimensions differ
     * @throws IllegalArgumentException if a corner lies outside the mesh
     */
    public static MeshCoordinateRange wrapping(MeshCoordinate start, MeshCoordinate end, MeshShape mesh) {
        return new MeshCoordinateRange(start, end, Optional.of(mesh));
    }

    /** Returns the block of one coordinate. */
    public static MeshCoordinateRange of(MeshCoordinate coordinate) {
        return of(coordinate, coordinate);
    }

    /**
     * Returns all coordinates of a mesh.
     *
     * @throws IllegalArgumentException if the mesh has no device; the runtime counts from 0 down to -1 instead
     */
    public static MeshCoordinateRange of(MeshShape mesh) {
        if (mesh.meshSize() == 0) {
            throw new IllegalArgumentException(
                    String.format(Locale.ROOT, "Cannot go through the coordinates of %s: it has no device", mesh));
        }
        List<Integer> last = mesh.dimensions().stream().map(size -> size - 1).toList();
        return of(MeshCoordinate.zeroCoordinate(mesh.dims()), new MeshCoordinate(last));
    }

    /** Returns the number of dimensions. */
    public int dims() {
        return start.dims();
    }

    /** Returns the number of coordinates along each dimension. */
    public MeshShape shape() {
        return new MeshShape(spans().map(Span::length).toList());
    }

    /** Returns the behaviour at the edge: {@code WRAP} with a wrap-around shape, {@code NONE} without. */
    public MeshCoordinate.BoundaryMode boundaryMode() {
        return wraparoundShape.isPresent() ? MeshCoordinate.BoundaryMode.WRAP : MeshCoordinate.BoundaryMode.NONE;
    }

    /**
     * Returns whether a coordinate lies in the block.
     *
     * @throws MeshRuntimeException if it has another number of dimensions
     */
    public boolean contains(MeshCoordinate coordinate) {
        requireDims(coordinate.dims());
        for (int dimension = 0; dimension < dims(); dimension++) {
            if (!span(dimension).contains(coordinate.get(dimension))) {
                return false;
            }
        }
        return true;
    }

    /**
     * Returns whether both corners of a block lie in this one, which with wrap-around does not mean that all of it does.
     *
     * @throws MeshRuntimeException if it has another number of dimensions
     */
    public boolean contains(MeshCoordinateRange range) {
        return contains(range.start) && contains(range.end);
    }

    /**
     * Returns whether a coordinate lies in both blocks.
     *
     * @throws MeshRuntimeException if the other one has another number of dimensions
     */
    public boolean intersects(MeshCoordinateRange range) {
        requireDims(range.dims());
        for (int dimension = 0; dimension < dims(); dimension++) {
            if (span(dimension).common(range.span(dimension)).isEmpty()) {
                return false;
            }
        }
        return true;
    }

    /**
     * Returns the smallest block without wrap-around that contains all coordinates of the intersection; empty if there is none.
     *
     * <p>With wrap-around it may contain additional coordinates: coordinates at both edges of a mesh are joined by all between
     * them. The result has the wrap-around shape of the larger range, or of this one if both have the same size.
     *
     * @throws MeshRuntimeException if the other one has another number of dimensions
     */
    public Optional<MeshCoordinateRange> intersection(MeshCoordinateRange range) {
        if (!intersects(range)) {
            return Optional.empty();
        }
        List<Integer> lowest = new ArrayList<>();
        List<Integer> highest = new ArrayList<>();
        for (int dimension = 0; dimension < dims(); dimension++) {
            List<Integer> common = span(dimension).common(range.span(dimension));
            lowest.add(Collections.min(common));
            highest.add(Collections.max(common));
        }
        boolean thisIsLarger = range.shape().meshSize() <= shape().meshSize();
        return Optional.of(new MeshCoordinateRange(
                new MeshCoordinate(lowest),
                new MeshCoordinate(highest),
                thisIsLarger ? wraparoundShape : range.wraparoundShape));
    }

    /**
     * Returns this block without the coordinates of another one.
     *
     * @throws MeshRuntimeException if the other one has another number of dimensions
     */
    public MeshCoordinateRangeSet subtract(MeshCoordinateRange range) {
        if (dims() != range.dims()) {
            throw new MeshRuntimeException(ShapeMessages.subtractDimensions(dims(), range.dims()));
        }
        if (equals(range)) {
            return MeshCoordinateRangeSet.empty();
        }
        if (!intersects(range)) {
            return MeshCoordinateRangeSet.empty().merge(this);
        }
        List<Integer> different = differingDimensions(range);
        return different.size() == 1 ? cut(range, different.get(0)) : coordinatesOutside(range);
    }

    /** Returns the coordinates in the order of iteration. */
    public Stream<MeshCoordinate> stream() {
        return StreamSupport.stream(spliterator(), false);
    }

    @Override
    public Iterator<MeshCoordinate> iterator() {
        List<Span> spans = spans().toList();
        MeshShape shape = shape();
        return Stream.iterate(0, place -> place + 1)
                .limit(shape.meshSize())
                .map(place -> at(place, shape, spans))
                .iterator();
    }

    /** Returns whether the corners are the same. */
    @Override
    public boolean equals(Object other) {
        return other instanceof MeshCoordinateRange range && start.equals(range.start) && end.equals(range.end);
    }

    @Override
    public int hashCode() {
        return Objects.hash(start, end);
    }

    /** Returns the range as the runtime writes it, without the wrap-around shape. */
    @Override
    public String toString() {
        return String.format(Locale.ROOT, "MeshCoordinateRange(start=%s, end=%s)", start, end);
    }

    /** The dimensions along which the corners of the two differ. */
    List<Integer> differingDimensions(MeshCoordinateRange range) {
        List<Integer> different = new ArrayList<>();
        for (int dimension = 0; dimension < dims(); dimension++) {
            if (start.get(dimension) != range.start.get(dimension) || end.get(dimension) != range.end.get(dimension)) {
                different.add(dimension);
            }
        }
        return different;
    }

    /** The smallest block that has the corners of both. */
    MeshCoordinateRange boundingBox(MeshCoordinateRange range) {
        List<Integer> lowest = new ArrayList<>();
        List<Integer> highest = new ArrayList<>();
        for (int dimension = 0; dimension < dims(); dimension++) {
            lowest.add(Math.min(start.get(dimension), range.start.get(dimension)));
            highest.add(Math.max(end.get(dimension), range.end.get(dimension)));
        }
        return of(new MeshCoordinate(lowest), new MeshCoordinate(highest));
    }

    /** Returns the pieces on both sides of a block that differs from this one along one dimension only. */
    private MeshCoordinateRangeSet cut(MeshCoordinateRange range, int dimension) {
        MeshCoordinateRangeSet rest = MeshCoordinateRangeSet.empty();
        if (start.get(dimension) < range.start.get(dimension)) {
            rest = rest.merge(of(start, end.with(dimension, range.start.get(dimension) - 1)));
        }
        if (range.end.get(dimension) < end.get(dimension)) {
            rest = rest.merge(of(start.with(dimension, range.end.get(dimension) + 1), end));
        }
        return rest;
    }

    private MeshCoordinateRangeSet coordinatesOutside(MeshCoordinateRange range) {
        MeshCoordinateRangeSet rest = MeshCoordinateRangeSet.empty();
        for (MeshCoordinate coordinate : this) {
            if (!range.contains(coordinate)) {
                rest = rest.merge(of(coordinate));
            }
        }
        return rest;
    }

    private void requireDims(int dims) {
        if (dims != dims()) {
            throw new MeshRuntimeException(ShapeMessages.coordinateDimensions(dims, dims()));
        }
    }

    private static MeshCoordinate at(int place, MeshShape shape, List<Span> spans) {
        List<Integer> values = new ArrayList<>();
        for (int dimension = 0; dimension < spans.size(); dimension++) {
            values.add(spans.get(dimension).at(place / shape.stride(dimension) % shape.get(dimension)));
        }
        return new MeshCoordinate(values);
    }

    private Stream<Span> spans() {
        return Stream.iterate(0, dimension -> dimension + 1).limit(dims()).map(this::span);
    }

    private Span span(int dimension) {
        int first = start.get(dimension);
        int last = end.get(dimension);
        return new Span(
                first, last, first <= last ? 0 : wraparoundShape.orElseThrow().get(dimension));
    }

    private static boolean precedes(MeshCoordinate start, MeshCoordinate end) {
        for (int dimension = 0; dimension < start.dims(); dimension++) {
            if (start.get(dimension) > end.get(dimension)) {
                return false;
            }
        }
        return true;
    }

    private static void requireWithin(MeshShape mesh, MeshCoordinate start, MeshCoordinate end) {
        if (mesh.dims() != start.dims()) {
            throw new MeshRuntimeException(ShapeMessages.wraparoundDimensions(mesh.dims(), start.dims()));
        }
        for (int dimension = 0; dimension < mesh.dims(); dimension++) {
            if (Math.max(start.get(dimension), end.get(dimension)) >= mesh.get(dimension)) {
                throw new IllegalArgumentException(String.format(
                        Locale.ROOT,
                        "Cannot wrap a range from %s to %s around %s: both corners must lie in the mesh",
                        start,
                        end,
                        mesh));
            }
        }
    }

    /**
     * The positions of a range along one dimension.
     *
     * @param first the first position
     * @param last the last position; before the first if the range crosses the edge
     * @param edge the size of the mesh if the range crosses the edge, otherwise 0
     */
    private record Span(int first, int last, int edge) {

        int length() {
            return last - first + edge + 1;
        }

        int at(int step) {
            int position = first + step;
            return edge > 0 && position >= edge ? position - edge : position;
        }

        boolean contains(int position) {
            return pieces().stream().anyMatch(piece -> piece.first <= position && position <= piece.last);
        }

        /** Returns the lowest and the highest position of each piece of the intersection; empty if there is none. */
        List<Integer> common(Span other) {
            List<Integer> ends = new ArrayList<>();
            for (Span mine : pieces()) {
                for (Span theirs : other.pieces()) {
                    int low = Math.max(mine.first, theirs.first);
                    int high = Math.min(mine.last, theirs.last);
                    if (low <= high) {
                        ends.add(low);
                        ends.add(high);
                    }
                }
            }
            return ends;
        }

        private List<Span> pieces() {
            return edge == 0 ? List.of(this) : List.of(new Span(0, last, 0), new Span(first, edge - 1, 0));
        }
    }
}
