package dev.meshguard.mesh.shape;

import static dev.meshguard.mesh.shape.MeshCoordinate.BoundaryMode.CLAMP;
import static dev.meshguard.mesh.shape.MeshCoordinate.BoundaryMode.NONE;
import static dev.meshguard.mesh.shape.MeshCoordinate.BoundaryMode.WRAP;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.shape.MeshCoordinate.BoundaryMode;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class MeshCoordinateTests {

    private static final MeshShape THREE_BY_FOUR = MeshShape.of(3, 4);

    @Test
    void startsAtZero() {
        assertThat(MeshCoordinate.zeroCoordinate(3)).isEqualTo(MeshCoordinate.of(0, 0, 0));
    }

    @Test
    void countsDimensionsFromEitherEnd() {
        MeshCoordinate coordinate = MeshCoordinate.of(10, 20, 30);

        assertThat(coordinate.get(0)).isEqualTo(10);
        assertThat(coordinate.get(2)).isEqualTo(30);
        assertThat(coordinate.get(-1)).isEqualTo(30);
        assertThat(coordinate.get(-3)).isEqualTo(10);
    }

    @Test
    void hasNoOtherDimensions() {
        MeshCoordinate coordinate = MeshCoordinate.of(10, 20, 30);

        assertThatThrownBy(() -> coordinate.get(-4))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Index out of bounds: -4 not in [-3, 3)");
        assertThatThrownBy(() -> coordinate.get(3))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Index out of bounds: 3 not in [-3, 3)");
    }

    @Test
    void canBeMovedAlongOneDimension() {
        assertThat(MeshCoordinate.of(10, 20, 30).with(0, 15).with(-1, 35)).isEqualTo(MeshCoordinate.of(15, 20, 35));
    }

    @Test
    void isOrderedAsWordsAre() {
        assertThat(MeshCoordinate.of(1)).isLessThan(MeshCoordinate.of(2));
        assertThat(MeshCoordinate.of(2, 0, 3)).isLessThan(MeshCoordinate.of(2, 1, 3));
        assertThat(MeshCoordinate.of(2, 1, 3)).isGreaterThan(MeshCoordinate.of(2, 0, 4));
        assertThat(MeshCoordinate.of(2, 1)).isEqualByComparingTo(MeshCoordinate.of(2, 1));
    }

    @Test
    void isNotComparedWithACoordinateOfAnotherKind() {
        assertThatThrownBy(() -> MeshCoordinate.of(1).compareTo(MeshCoordinate.of(1, 2)))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Cannot compare coordinates with different dimensions: 1 != 2");
    }

    @Test
    void hasAPlaceInRowMajorOrder() {
        MeshShape shape = MeshShape.of(2, 2, 3);

        List<Integer> places = MeshCoordinateRange.of(shape).stream()
                .map(coordinate -> coordinate.toLinearIndex(shape))
                .toList();

        assertThat(places).containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
        assertThat(MeshCoordinate.of(1, 0, 2).toLinearIndex(shape)).isEqualTo(8);
    }

    @Test
    void hasNoPlaceInAShapeOfOtherDimensions() {
        assertThatThrownBy(() -> MeshCoordinate.of(0, 0).toLinearIndex(MeshShape.of(1, 2, 3)))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Shape and coordinate dimensions do not match: 3 != 2");
    }

    @Test
    void hasNoPlaceOutsideOfAShape() {
        assertThatThrownBy(() -> MeshCoordinate.of(0, 3).toLinearIndex(MeshShape.of(2, 3)))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Coordinate MeshCoordinate([0, 3]) is out of bounds for shape MeshShape([2, 3])");
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0, -1, 0, 2, 0",
        "2, 3, 1, 1, 2, 0",
        "1, 1, 5, 1, 1, 2",
        "1, 1, -6, 1, 1, 3",
        "1, 2, 1, -1, 1, 3",
        "1, 2, 1, -2, 2, 2",
        "1, 2, 2147483647, 1, 1, 1"
    })
    void goesOnAtTheOppositeEdgeIfWrapped(int row, int column, int offset, int dimension, int newRow, int newColumn) {
        MeshCoordinate start = MeshCoordinate.of(row, column);

        assertThat(start.neighbour(THREE_BY_FOUR, offset, dimension)).isEqualTo(MeshCoordinate.of(newRow, newColumn));
        assertThat(start.neighbour(THREE_BY_FOUR, offset, dimension, WRAP))
                .contains(MeshCoordinate.of(newRow, newColumn));
    }

    @ParameterizedTest
    @CsvSource({"0, 0, -1, 0, 0, 0", "2, 3, 1, 1, 2, 3", "1, 1, 10, 0, 2, 1", "1, 1, -10, 1, 1, 0", "1, 1, 1, 1, 1, 2"})
    void stopsAtTheEdgeIfClamped(int row, int column, int offset, int dimension, int newRow, int newColumn) {
        assertThat(MeshCoordinate.of(row, column).neighbour(THREE_BY_FOUR, offset, dimension, CLAMP))
                .contains(MeshCoordinate.of(newRow, newColumn));
    }

    @Test
    void findsNobodyBeyondTheEdgeOtherwise() {
        assertThat(MeshCoordinate.of(1, 1).neighbour(THREE_BY_FOUR, 1, 0, NONE)).contains(MeshCoordinate.of(2, 1));
        assertThat(MeshCoordinate.of(0, 0).neighbour(THREE_BY_FOUR, -1, 0, NONE))
                .isEmpty();
        assertThat(MeshCoordinate.of(2, 3).neighbour(THREE_BY_FOUR, 1, 1, NONE)).isEmpty();
        assertThat(MeshCoordinate.of(1, 1).neighbour(THREE_BY_FOUR, 2, 0, NONE)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void hasNoNeighbourIfItLiesOutside(BoundaryMode mode) {
        assertThatThrownBy(() -> MeshCoordinate.of(3, 2).neighbour(THREE_BY_FOUR, 1, 0, mode))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Coordinate MeshCoordinate([3, 2]) is out of bounds for shape MeshShape([3, 4])");
        assertThatThrownBy(() -> MeshCoordinate.of(1, 2, 3).neighbour(THREE_BY_FOUR, 1, 0, mode))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Shape and coordinate dimensions do not match: 2 != 3");
    }

    @ParameterizedTest
    @EnumSource
    void hasNoNeighbourAlongADimensionThatDoesNotExist(BoundaryMode mode) {
        assertThatThrownBy(() -> MeshCoordinate.of(1, 2).neighbour(THREE_BY_FOUR, 1, 2, mode))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Index out of bounds: 2 not in [-2, 2)");
        assertThatThrownBy(() -> MeshCoordinate.of(1, 2).neighbour(THREE_BY_FOUR, 1, -3, mode))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Index out of bounds: -3 not in [-2, 2)");
    }

    @Test
    void hasNoNegativePosition() {
        assertThatThrownBy(() -> MeshCoordinate.of(1, -2))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Cannot use -2 in a mesh coordinate: a value is 0 or more");
    }

    @Test
    void needsAPosition() {
        assertThatThrownBy(MeshCoordinate::of)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("A mesh coordinate needs at least one value: none is given");
        assertThatThrownBy(() -> MeshCoordinate.zeroCoordinate(-1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("A mesh coordinate needs at least one value: none is given");
    }

    @Test
    void isWrittenAsTheRuntimeDoes() {
        assertThat(MeshCoordinate.of(1, 2)).hasToString("MeshCoordinate([1, 2])");
    }
}
