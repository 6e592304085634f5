package dev.meshguard.mesh.shape;

import static dev.meshguard.mesh.Rejections.assertIllegalArgument;
import static dev.meshguard.mesh.Rejections.assertRuntimeError;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class MeshCoordinateTests {

    @Test
    void hasAPositionInEachDimension() {
        MeshCoordinate coordinate = MeshCoordinate.of(10, 20, 30);

        assertThat(coordinate.get(0)).isEqualTo(10);
        assertThat(coordinate.get(2)).isEqualTo(30);
    }

    @Test
    void hasNoOtherDimensions() {
        MeshCoordinate coordinate = MeshCoordinate.of(10, 20, 30);

        assertRuntimeError(() -> coordinate.get(-1), "Index out of bounds: -1 not in [0, 3)");
        assertRuntimeError(() -> coordinate.get(3), "Index out of bounds: 3 not in [0, 3)");
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
    void hasNoPlaceOutsideOfAShapeOrInOneOfOtherDimensions() {
        assertRuntimeError(
                () -> MeshCoordinate.of(0, 3).toLinearIndex(MeshShape.of(2, 3)),
                "Coordinate MeshCoordinate([0, 3]) is out of bounds for shape MeshShape([2, 3])");
        assertRuntimeError(
                () -> MeshCoordinate.of(0, 0).toLinearIndex(MeshShape.of(1, 2, 3)),
                "Shape and coordinate dimensions do not match: 3 != 2");
    }

    @Test
    void needsAPositionThatIsNotNegative() {
        assertThat(MeshCoordinate.zeroCoordinate(3)).isEqualTo(MeshCoordinate.of(0, 0, 0));
        assertIllegalArgument(
                () -> MeshCoordinate.of(1, -2), "Cannot use -2 in a mesh coordinate: a value is 0 or more");
        assertIllegalArgument(MeshCoordinate::of, "A mesh coordinate needs at least one value: none is given");
        assertIllegalArgument(
                () -> MeshCoordinate.zeroCoordinate(-1), "A mesh coordinate needs at least one value: none is given");
    }

    @Test
    void isWrittenAsTheRuntimeDoes() {
        assertThat(MeshCoordinate.of(1, 2)).hasToString("MeshCoordinate([1, 2])");
    }
}
